//! §8 Where a value lies in its document: the way to it from the root.

use crate::failure::Failure;
use coconut_codec::file::DocumentView;
use coconut_codec::lookup::LandmarkView;
use coconut_codec::view::{Content, ValueView};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::Trail;

/// One level on the way from the root to a value: how the value lies in the one before, and itself.
pub(crate) type Step<'a> = (Trail<'a>, ValueView<'a>);

/// The way from the root to the value of a landmark. Empty for the root.
///
/// An index says where a landmark is and not what is around it, so the way is found by stepping over what lies
/// before it, level by level.
pub(crate) fn way_to<'a>(landmark: LandmarkView<'a>) -> Result<Vec<Step<'a>>, DecodeError> {
    let target = landmark.value()?.offset();
    let mut way: Vec<Step<'a>> = Vec::new();
    let mut value = landmark.document().root();
    while value.offset() != target {
        let step = child_around(value, target)?;
        // A landmark that its document does not hold, in an index that lies.
        let step =
            step.ok_or_else(|| ErrorKind::IndexRange { table: LANDMARK_OFFSETS }.at(landmark.offset()))?;
        value = step.1;
        way.push(step);
    }
    Ok(way)
}

/// §5.8 The part that lists the landmarks.
const LANDMARK_OFFSETS: u8 = 32;

/// The child whose bytes `target` is in: the last one that does not begin after it. Constants of a record lie in
/// the shape part, before the record itself.
fn child_around(value: ValueView<'_>, target: u64) -> Result<Option<Step<'_>>, DecodeError> {
    let around = value.offset();
    let is_candidate = |child: &ValueView<'_>| child.offset() >= around && child.offset() <= target;
    let mut last = None;
    match value.content()? {
        Content::Object(object) => {
            for entry in object.iter() {
                let (key, child) = entry?;
                if child.offset() > target {
                    break;
                }
                if is_candidate(&child) {
                    last = Some((Trail::Entry(key), child));
                }
            }
        }
        Content::List(list) => {
            for (index, item) in list.items().enumerate() {
                let child = item?;
                if child.offset() > target {
                    break;
                }
                if is_candidate(&child) {
                    last = Some((Trail::Item(index), child));
                }
            }
        }
        _ => {}
    }
    Ok(last)
}

/// Calls `each` with every landmark in document order, its full key and the way to it. Unlike [`way_to`] for each, costs
/// one pass over the containers that hold landmarks.
pub(crate) fn for_each_landmark<'a>(
    document: DocumentView<'a>,
    mut each: impl FnMut(LandmarkView<'a>, &str, &[Step<'a>]) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut keys = document.keys()?;
    let Some((mut next, mut key)) = keys.read_next()? else { return Ok(()) };
    let mut target = next.value()?.offset();
    let mut way: Vec<Step<'a>> = Vec::new();
    let mut pending = vec![Pending { trail: Trail::Root, value: document.root(), depth: 0, end: u64::MAX }];
    while let Some(Pending { trail, value, depth, end }) = pending.pop() {
        if target >= end {
            continue;
        }
        if depth > 0 {
            way.truncate(depth - 1);
            way.push((trail, value));
        }
        if target == value.offset() {
            each(next, key, &way)?;
            (next, key) = match keys.read_next()? {
                Some(landmark) => landmark,
                None => return Ok(()),
            };
            target = next.value()?.offset();
        }
        if target < end {
            let first = pending.len();
            push_children(value, depth + 1, end, &mut pending)?;
            pending[first..].reverse();
        }
    }
    Err(ErrorKind::IndexRange { table: LANDMARK_OFFSETS }.at(next.offset()).into())
}

/// A value in which landmarks may lie that are not reached yet.
struct Pending<'a> {
    trail: Trail<'a>,
    value: ValueView<'a>,
    depth: usize,
    /// Where the next value begins, which is not inside of this one.
    end: u64,
}

fn push_children<'a>(
    value: ValueView<'a>,
    depth: usize,
    end: u64,
    pending: &mut Vec<Pending<'a>>,
) -> Result<(), DecodeError> {
    let first = pending.len();
    let around = value.offset();
    let mut push = |(trail, value): Step<'a>| {
        if value.offset() >= around {
            if let Some(before) = pending[first..].last_mut() {
                before.end = value.offset();
            }
            pending.push(Pending { trail, value, depth, end });
        }
    };
    match value.content()? {
        Content::Object(object) => {
            for entry in object.iter() {
                let (key, value) = entry?;
                push((Trail::Entry(key), value));
            }
        }
        Content::List(list) => {
            for (index, item) in list.items().enumerate() {
                push((Trail::Item(index), item?));
            }
        }
        _ => {}
    }
    Ok(())
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
        let segment = segment.replace("~1", "/").replace("~0", "~");
        let step = match here.content()? {
            Content::Object(object) => entry(object, &segment)?,
            Content::List(list) => match segment.parse() {
                Ok(index) => list.get(index)?.map(|item| (Trail::Item(index), item)),
                Err(_) => None,
            },
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
    object: coconut_codec::view::ObjectView<'a>,
    key: &str,
) -> Result<Option<Step<'a>>, DecodeError> {
    for entry in object.iter() {
        let (found, value) = entry?;
        if found == key {
            return Ok(Some((Trail::Entry(found), value)));
        }
    }
    Ok(None)
}

/// The JSON pointer of a way.
pub(crate) fn pointer_of(way: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for (trail, _) in way {
        match trail {
            Trail::Root => {}
            Trail::Entry(key) => push_token(&mut pointer, key),
            Trail::Item(index) => push_token(&mut pointer, &index.to_string()),
        }
    }
    pointer
}

/// Appends one reference token to a JSON pointer (RFC 6901).
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::Profile;
    use coconut_codec::compile::{CompileOptions, compile};
    use coconut_codec::file::DocumentFile;

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
                let pointer = pointer_of(&way_to(landmark).unwrap());
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
            let single = way_to(landmark)?;
            assert_eq!(pointer_of(way), pointer_of(&single));
            pointers.push(pointer_of(way));
            Ok(())
        })
        .unwrap();
        assert_eq!(pointers.len(), 1 + 3 + 3 * 30);
        assert_eq!(pointers[..3], ["", "/modules/m0", "/modules/m0/members/f~10~0"]);
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
        assert!(matches!(follow(root, "/a/x").unwrap(), Err((1, _))));
    }
}
