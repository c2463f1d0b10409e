//! Equality of values (§4), in one file or in two.

use super::{Content, Same, ValueView};
use crate::limits;
use coconut_format::error::{DecodeError, ErrorKind};
use std::collections::HashSet;

impl ValueView<'_> {
    /// Returns whether this value and `other` are equal: of the same kind, with the same content,
    /// and with the entries of objects in the same order. An integer never equals a float.
    ///
    /// Parts of one file that are stored once are equal without being read. A pair of shared parts
    /// of two files is compared once, however often it occurs. Costs a pass over the other parts.
    ///
    /// # Errors
    ///
    /// Fails if a file is damaged, or if the work exceeds the limit for the larger file: 16 steps
    /// per byte, at least 4 Mi.
    pub fn equals(&self, other: &ValueView<'_>) -> Result<bool, DecodeError> {
        let sizes = [self, other].map(|value| value.document().data.len());
        let mut comparison = Comparison {
            is_one_file: std::ptr::eq(self.document().frame, other.document().frame),
            known: HashSet::new(),
            left: limits::search_budget(sizes[0].max(sizes[1])),
            open: vec![(*self, *other)],
        };
        while let Some((one, other)) = comparison.open.pop() {
            if !comparison.heads_are_equal(one, other)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns whether this value and `other` are one stored value of one file, and therefore
    /// equal. `false` proves nothing: the values can be equal but stored twice.
    ///
    /// Reads a few bytes of each. Use it to skip content that two places share.
    pub fn is_same(&self, other: &ValueView<'_>) -> Result<bool, DecodeError> {
        if !std::ptr::eq(self.document().frame, other.document().frame) {
            return Ok(false);
        }
        if self.position == other.position && self.slot == other.slot {
            return Ok(true);
        }
        Ok(match (self.same_everywhere()?, other.same_everywhere()?) {
            (Some(one), Some(other)) => one == other,
            _ => false,
        })
    }
}

struct Comparison<'a, 'b> {
    is_one_file: bool,
    /// Pairs of shared parts that were compared or are scheduled.
    known: HashSet<(Same, Same)>,
    /// The remaining steps.
    left: u64,
    open: Vec<(ValueView<'a>, ValueView<'b>)>,
}

impl<'a, 'b> Comparison<'a, 'b> {
    /// Compares one level, and adds the values below it to `open`.
    fn heads_are_equal(&mut self, one: ValueView<'a>, other: ValueView<'b>) -> Result<bool, DecodeError> {
        if let (Some(left), Some(right)) = (one.same_everywhere()?, other.same_everywhere()?)
            && (self.is_one_file && left == right || !self.known.insert((left, right)))
        {
            return Ok(true);
        }
        self.step(one, 1)?;
        Ok(match (one.content()?, other.content()?) {
            (Content::Null, Content::Null) => true,
            (Content::Bool(one), Content::Bool(other)) => one == other,
            (Content::Integer(one), Content::Integer(other)) => one == other,
            (Content::Float(one), Content::Float(other)) => one.to_bits() == other.to_bits(),
            (Content::String(text), Content::String(other)) => {
                self.step(one, text.len() as u64 / limits::BYTES_PER_STEP)?;
                text == other
            }
            (Content::List(list), Content::List(other)) => {
                if list.len() != other.len() {
                    return Ok(false);
                }
                for (item, other) in list.items().zip(other.items()) {
                    self.step(one, 1)?;
                    self.open.push((item?, other?));
                }
                true
            }
            (Content::Object(object), Content::Object(other)) => {
                if object.len() != other.len() {
                    return Ok(false);
                }
                for (entry, other) in object.iter().zip(other.iter()) {
                    let ((key, value), (other_key, other)) = (entry?, other?);
                    self.step(one, 1 + key.len() as u64 / limits::BYTES_PER_STEP)?;
                    if key != other_key {
                        return Ok(false);
                    }
                    self.open.push((value, other));
                }
                true
            }
            _ => false,
        })
    }

    fn step(&mut self, at: ValueView<'_>, steps: u64) -> Result<(), DecodeError> {
        self.left = self.left.saturating_sub(steps);
        match self.left {
            0 => {
                let limit = limits::search_budget(at.document().data.len());
                Err(ErrorKind::Work { limit }.at(at.offset()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;
    use crate::wire::header::Profile;

    fn file(text: &str, profile: Profile) -> DocumentFile<Vec<u8>> {
        let options = CompileOptions { profile, ..CompileOptions::default() };
        DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap()
    }

    #[test]
    fn values_are_equal_by_kind_content_and_order() {
        let values = [
            "null",
            "true",
            "false",
            "1",
            "1.0",
            "\"1\"",
            "[]",
            "{}",
            "[1]",
            "[1,2]",
            "[2,1]",
            r#"{"a":1,"b":2}"#,
            r#"{"b":2,"a":1}"#,
            r#"{"a":1,"b":3}"#,
            r#"{"a":{"x":[1]}}"#,
            "0.0",
            "-0.0",
        ];
        for one in values {
            for other in values {
                for (left, right) in [(Profile::Full, Profile::Full), (Profile::Plain, Profile::Full)] {
                    let (left, right) = (file(one, left), file(other, right));
                    let is_equal = left.view().root().equals(&right.view().root()).unwrap();
                    assert_eq!(is_equal, one == other, "{one} {other}");
                }
            }
        }
    }

    #[test]
    fn equal_values_have_one_digest_whatever_their_file() {
        let part = r#"{"name": "a name", "list": [1, -2, 3.5, null, true], "of": {"x": "yyyyyyyyyyyy"}}"#;
        // Records, shared values, constants and values in place.
        let items = vec![part; 20].join(",");
        let texts = [format!("[{items}]"), format!(r#"{{"a": {part}, "b": [0, {part}]}}"#), part.to_owned()];
        let expected = file(part, Profile::Plain).header().digest;
        for profile in Profile::ALL {
            for (text, pointers) in texts.iter().zip([&["/0", "/7", "/19"][..], &["/a", "/b/1"], &[""]]) {
                let file = file(text, profile);
                let root = file.view().root();
                assert_eq!(root.digest(), Ok(file.header().digest));
                for pointer in pointers {
                    let value = root.pointer(pointer).unwrap().unwrap();
                    assert_eq!(value.digest(), Ok(expected), "{pointer} of {text}");
                    let below = value.pointer("/list").unwrap().unwrap();
                    assert_ne!(below.digest(), Ok(expected));
                }
            }
        }
    }

    #[test]
    fn shared_parts_are_the_same_in_one_file_and_equal_across_files() {
        let part = r#"{"name": "a name", "list": [1, 2, 3, 4, 5, 6, 7, 8], "of": {"x": "yyyyyyyyyyyy"}}"#;
        let text = format!(r#"{{"a": {part}, "b": {part}, "c": {{"name": "other"}}}}"#);
        let (one, other) = (file(&text, Profile::Full), file(&text, Profile::Full));
        let [a, b, c] = ["/a", "/b", "/c"].map(|at| one.view().root().pointer(at).unwrap().unwrap());
        assert!(a.is_same(&b).unwrap() && a.equals(&b).unwrap());
        assert!(!a.is_same(&c).unwrap() && !a.equals(&c).unwrap());
        let across = other.view().root().pointer("/b").unwrap().unwrap();
        assert!(!a.is_same(&across).unwrap() && a.equals(&across).unwrap());
        assert!(one.view().root().equals(&other.view().root()).unwrap());
    }
}
