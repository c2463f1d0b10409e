//! §8 Where a value lies in its document: the way to it from the root.

use crate::failure::Failure;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::lookup::LandmarkView;
use coconut_codec::read::view::{Content, ValueView};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::Trail;
use coconut_format::pointer::{push_index, push_key, unescape};
use std::iter::Peekable;

/// One level on the way from the root to a value: how the value lies in the one before, and itself.
pub(crate) type Step<'a> = (Trail<'a>, ValueView<'a>);

/// §5.8 The part that lists the landmarks.
const LANDMARK_OFFSETS: u8 = 32;

/// Calls `each` with every landmark in document order, its full key and the way to it. Costs one pass over the containers
/// that hold landmarks.
pub(crate) fn for_each_landmark<'a>(
    document: DocumentView<'a>,
    mut each: impl FnMut(LandmarkView<'a>, &str, &[Step<'a>]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut ways = Ways::from_root(document);
    let mut keys = document.keys()?;
    while let Some((landmark, key)) = keys.read_next()? {
        each(landmark, key, ways.next_to(landmark)?)?;
    }
    Ok(())
}

/// The ways from the root to landmarks that are asked for in document order.
///
/// An index says where a landmark is and not what is around it, so a way is found by stepping over what lies before
/// the landmark, level by level. What was stepped over once is not looked at again, however many ways are asked for.
pub(crate) struct Ways<'a> {
    root: ValueView<'a>,
    /// The way to where the search is.
    way: Vec<Step<'a>>,
    /// What is left of the root, and of each value on the way. Empty before the first landmark.
    levels: Vec<Level<'a>>,
}

impl<'a> Ways<'a> {
    pub(crate) fn from_root(document: DocumentView<'a>) -> Ways<'a> {
        Ways { root: document.root(), way: Vec::new(), levels: Vec::new() }
    }

    /// The way to the value of `landmark`, which is empty for the root. Fails when the landmark does not lie behind the one
    /// before, or is none that the document holds, as an index that lies can say.
    pub(crate) fn next_to(&mut self, landmark: LandmarkView<'a>) -> Result<&[Step<'a>], DecodeError> {
        let target = landmark.value()?.offset();
        if self.levels.is_empty() {
            self.levels.push(Level::of(self.root, u64::MAX)?);
            if target == self.root.offset() {
                return Ok(&[]);
            }
        }
        while let Some(level) = self.levels.last_mut() {
            let around = level.child_around(target)?;
            self.way.truncate(self.levels.len() - 1);
            match around {
                Some((step, end)) => {
                    self.levels.push(Level::of(step.1, end)?);
                    self.way.push(step);
                    if step.1.offset() == target {
                        return Ok(&self.way);
                    }
                }
                None => {
                    self.levels.pop();
                }
            }
        }
        Err(ErrorKind::IndexRange { table: LANDMARK_OFFSETS }.at(landmark.offset()))
    }
}

/// The children of a value that the search has not come to.
struct Level<'a> {
    children: Peekable<Box<dyn Iterator<Item = Result<Step<'a>, DecodeError>> + 'a>>,
    /// Where the next value begins that is not inside of this one.
    end: u64,
}

impl<'a> Level<'a> {
    fn of(value: ValueView<'a>, end: u64) -> Result<Level<'a>, DecodeError> {
        let children: Box<dyn Iterator<Item = Result<Step<'a>, DecodeError>> + 'a> = match value.content()? {
            Content::Object(object) => {
                Box::new(object.iter().map(|entry| entry.map(|(key, value)| (Trail::Entry(key), value))))
            }
            Content::List(list) => {
                let items = list.items().enumerate();
                Box::new(items.map(|(index, item)| item.map(|item| (Trail::Item(index), item))))
            }
            _ => Box::new(std::iter::empty()),
        };
        // Constants of a record lie in the shape part, before the record itself.
        let around = value.offset();
        let is_inside = move |child: &Result<Step<'a>, DecodeError>| match child {
            Ok((_, value)) => value.offset() >= around,
            Err(_) => true,
        };
        let children: Box<dyn Iterator<Item = _> + 'a> = Box::new(children.filter(is_inside));
        Ok(Level { children: children.peekable(), end })
    }

    /// The child whose bytes `target` is in, and where the next value begins. Those before it are passed over.
    fn child_around(&mut self, target: u64) -> Result<Option<(Step<'a>, u64)>, DecodeError> {
        let reached = |child: &Result<Step<'a>, DecodeError>| match child {
            Ok((_, value)) => value.offset() <= target,
            Err(_) => true,
        };
        while let Some(child) = self.children.next_if(reached) {
            let child = child?;
            let end = match self.children.peek() {
                Some(Ok((_, next))) => next.offset(),
                // What cannot be read is reported when the search comes to it.
                Some(Err(error)) => error.offset(),
                None => self.end,
            };
            if target < end {
                return Ok(Some((child, end)));
            }
        }
        Ok(None)
    }
}

/// The way on from `value` along a JSON pointer. `Err` holds how far it leads: the number of segments that exist,
/// and the value there.
pub(crate) fn follow<'a>(
    value: ValueView<'a>,
    pointer: &str,
) -> Result<Result<Vec<Step<'a>>, (usize, ValueView<'a>)>, DecodeError> {
    let mut way = Vec::new();
    let mut here = value;
    for segment in pointer.split('/').skip(1) {
        let segment = unescape(segment);
        let step = match here.content()? {
            Content::Object(object) => entry(object, &segment)?,
            Content::List(list) => list.named(&segment)?.map(|(index, item)| (Trail::Item(index), item)),
            _ => None,
        };
        match step {
            Some(step) => {
                here = step.1;
                way.push(step);
            }
            None => return Ok(Err((way.len(), here))),
        }
    }
    Ok(Ok(way))
}

/// The entry `key`, with its key as the document has it.
fn entry<'a>(
    object: coconut_codec::read::view::ObjectView<'a>,
    key: &str,
) -> Result<Option<Step<'a>>, DecodeError> {
    Ok(object.entry(key)?.map(|(found, value)| (Trail::Entry(found), value)))
}

/// The JSON pointer of a way.
pub(crate) fn pointer_of(way: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for (trail, _) in way {
        match trail {
            Trail::Root => {}
            Trail::Entry(key) => push_key(&mut pointer, key),
            Trail::Item(index) => push_index(&mut pointer, index),
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::Profile;
    use coconut_codec::compile::{CompileOptions, compile};
    use coconut_codec::read::file::DocumentFile;

    /// Nested landmarks, a list, a record with constants and nested slots around them, keys that need escapes.
    fn package() -> String {
        let member = |n: usize| {
            format!(
                r#""f/{n}~":{{"kind":"ClassMethod","body":{{"kind":"Block","line":{n}}},"ident":"i{n}"}}"#
            )
        };
        let members: Vec<String> = (0..30).map(member).collect();
        let modules: Vec<String> = (0..3)
            .map(|n| {
                format!(r#""m{n}":{{"kind":"Module","members":{{{}}},"exports":{{}}}}"#, members.join(","))
            })
            .collect();
        format!(r#"{{"name":"p","language":"x","modules":{{{}}}}}"#, modules.join(","))
    }

    #[test]
    fn the_way_to_every_landmark_leads_to_it() {
        for profile in Profile::ALL {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            let bytes = compile(package().as_bytes(), &options).unwrap().bytes;
            let file = DocumentFile::from_data(&bytes[..]).unwrap();
            let mut count = 0;
            for landmark in file.view().landmarks().unwrap() {
                let landmark = landmark.unwrap();
                let pointer = pointer_of(Ways::from_root(file.view()).next_to(landmark).unwrap());
                let found =
                    file.view().root().pointer(&pointer).unwrap().expect("the pointer leads somewhere");
                assert_eq!(found.offset(), landmark.value().unwrap().offset(), "{pointer}");
                count += 1;
            }
            assert_eq!(count, 1 + 3 + 3 * 30);
        }
    }

    #[test]
    fn one_pass_finds_the_same_ways() {
        let bytes = compile(package().as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let mut pointers = Vec::new();
        for_each_landmark(file.view(), |landmark, key, way| {
            assert_eq!(landmark.key()?, key);
            let mut single = Ways::from_root(file.view());
            assert_eq!(pointer_of(way), pointer_of(single.next_to(landmark)?));
            pointers.push(pointer_of(way));
            Ok(())
        })
        .unwrap();
        assert_eq!(pointers.len(), 1 + 3 + 3 * 30);
        assert_eq!(pointers[..3], ["", "/modules/m0", "/modules/m0/members/f~10~0"]);
    }

    #[test]
    fn ways_lead_forward_only() {
        let bytes = compile(package().as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let landmark = |ordinal| file.view().landmark(ordinal).unwrap().unwrap();
        for (first, second) in [(9, 9), (9, 8), (9, 1), (9, 0), (40, 1)] {
            let mut ways = Ways::from_root(file.view());
            ways.next_to(landmark(first)).unwrap();
            let error = ways.next_to(landmark(second)).unwrap_err();
            let expected = ErrorKind::IndexRange { table: LANDMARK_OFFSETS }.at(landmark(second).offset());
            assert_eq!(error, expected, "{second} behind {first}");
        }
    }

    #[test]
    fn a_pointer_that_ends_early_says_how_far_it_leads() {
        let bytes = compile(br#"{"a":[{"b":1}]}"#, &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        let root = file.view().root();
        assert_eq!(
            follow(root, "/a/0/b").unwrap().map(|way| pointer_of(&way)).ok(),
            Some("/a/0/b".to_owned())
        );
        assert!(matches!(follow(root, "/a/0/c").unwrap(), Err((2, _))));
        for no_number in ["x", "00", "+0", ""] {
            assert!(matches!(follow(root, &format!("/a/{no_number}")).unwrap(), Err((1, _))), "{no_number}");
        }
    }
}
