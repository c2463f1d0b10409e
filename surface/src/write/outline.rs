//! A schema as text, of which only an outline is in memory: everything except the members of the
//! large sections, whose places in the text are recorded.
//!
//! ```text
//! {"name": "aws", "resources": {"aws:s3/bucket:Bucket": { … }, …}, "types": { … }}
//!                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ cut out
//! ```
//!
//! Only the text between members is checked here. The outline with some of the members is again a
//! text, which the JSON reader checks.

mod outliner;

pub use outliner::Outliner;

use coconut_format::pointer::push_key;
use std::ops::Range;

/// The outline of a schema.
#[derive(Debug)]
pub struct Outline {
    /// All text except the members of sections, which are empty here.
    rest: Vec<u8>,
    sections: Vec<Section>,
    members: Vec<Member>,
    /// The keys of all members.
    keys: String,
    /// The texts of members that are in memory.
    kept: Vec<u8>,
}

/// An object from which the members were cut out.
#[derive(Debug)]
pub(crate) struct Section {
    pointer: String,
    /// The position of its members in the rest.
    at: usize,
    /// The numbers of its members.
    pub(crate) members: Range<usize>,
}

/// A member that was cut out.
#[derive(Debug)]
struct Member {
    /// The end of its key among all keys. The next key begins there.
    key_end: usize,
    /// Its bytes in the source.
    range: Range<u64>,
    stub: Stub,
}

/// The replacement for a member that is not needed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stub {
    Nothing,
    /// A type with properties.
    Object,
    /// A type that is one of several values, by its index in [`BASES`].
    Enum(u8),
    /// The member itself, kept in the outline. Other members may need its type.
    Kept(Range<usize>),
}

/// The base types of enums.
const BASES: [&str; 4] = ["string", "integer", "number", "boolean"];

/// The members to include in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'g> {
    /// All of them, with stubs for their contents.
    Stubs,
    /// Those with these numbers, in order.
    Only(&'g [usize]),
}

impl Outline {
    pub(crate) fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The JSON pointer of a member of a section.
    pub(crate) fn pointer(&self, section: &Section, member: usize) -> String {
        let mut pointer = section.pointer.clone();
        push_key(&mut pointer, self.key(member));
        pointer
    }

    /// The bytes of a member in the source.
    pub(crate) fn length(&self, member: usize) -> u64 {
        self.members.get(member).map_or(0, |member| member.range.end.saturating_sub(member.range.start))
    }

    /// These members, and the permanent ones, in order.
    pub(crate) fn with_kept(&self, mut members: Vec<usize>) -> Vec<usize> {
        let is_kept =
            |(number, member): (usize, &Member)| matches!(member.stub, Stub::Kept(_)).then_some(number);
        members.extend(self.members.iter().enumerate().filter_map(is_kept));
        if members.is_empty() {
            // A schema with only a provider has no such members.
            members.push(0);
        }
        members.sort_unstable();
        members.dedup();
        members
    }

    fn key(&self, member: usize) -> &str {
        let end = |member: usize| self.members.get(member).map_or(0, |member| member.key_end);
        self.keys.get(member.checked_sub(1).map_or(0, end)..end(member)).unwrap_or_default()
    }

    /// The text with some of the members. `read` appends a part of the source.
    pub(crate) fn with<E>(
        &self,
        given: Given<'_>,
        read: &mut impl FnMut(Range<u64>, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Vec<u8>, E> {
        let mut text = Vec::with_capacity(self.rest.len());
        let (mut from, mut only) = (0, 0);
        for section in &self.sections {
            text.extend_from_slice(&self.rest[from..section.at]);
            from = section.at;
            let mut is_first = true;
            let mut put = |number: usize, text: &mut Vec<u8>| {
                if !std::mem::take(&mut is_first) {
                    text.push(b',');
                }
                text.push(b'"');
                text.extend_from_slice(self.key(number).as_bytes());
                text.extend_from_slice(b"\":");
            };
            match given {
                Given::Stubs => {
                    for number in section.members.clone() {
                        put(number, &mut text);
                        self.put_stub(&self.members[number], &mut text);
                    }
                }
                Given::Only(numbers) => {
                    let own = numbers.get(only..).unwrap_or_default();
                    let own = own.iter().take_while(|&&number| number < section.members.end);
                    for &number in own {
                        only += 1;
                        put(number, &mut text);
                        match &self.members[number].stub {
                            Stub::Kept(kept) => text.extend_from_slice(&self.kept[kept.clone()]),
                            _ => read(self.members[number].range.clone(), &mut text)?,
                        }
                    }
                }
            }
        }
        text.extend_from_slice(&self.rest[from..]);
        Ok(text)
    }

    fn put_stub(&self, member: &Member, text: &mut Vec<u8>) {
        match &member.stub {
            Stub::Nothing => text.extend_from_slice(b"{}"),
            Stub::Object => text.extend_from_slice(br#"{"type":"object"}"#),
            Stub::Enum(base) => {
                let base = BASES.get(usize::from(*base)).unwrap_or(&BASES[0]);
                text.extend_from_slice(format!(r#"{{"type":"{base}","enum":[]}}"#).as_bytes());
            }
            Stub::Kept(kept) => text.extend_from_slice(&self.kept[kept.clone()]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(text: &str, piece: usize) -> Option<Outline> {
        let mut outliner = Outliner::new();
        text.as_bytes().chunks(piece).for_each(|piece| outliner.feed(piece));
        outliner.finish()
    }

    const SCHEMA: &str = r#"{"name": "a", "resources": { "a:b:C": {"properties": {"x": {"type": "}\"{"}}} , "a:b:D" : {} },
        "types": {"a:b:E": {"type": "string", "enum": [{"value": "1"}]}, "a:b:F": {"properties": {}},
        "a:b:G": {"type": "array", "items": {"type": "string"}}, "a:b:H": {"enum": [{"value": 1}]}}, "functions": {}}"#;

    #[test]
    fn members_of_sections_are_cut_out_and_put_back() {
        for piece in [1, 2, 7, 1000] {
            let outline = outline(SCHEMA, piece).expect("it has members");
            let pointers: Vec<String> = outline
                .sections()
                .iter()
                .flat_map(|section| section.members.clone().map(|member| outline.pointer(section, member)))
                .collect();
            let types = ["E", "F", "G", "H"].map(|name| format!("/types/a:b:{name}"));
            assert_eq!(
                pointers,
                [&["C", "D"].map(|name| format!("/resources/a:b:{name}"))[..], &types].concat()
            );
            let with = |given: Given<'_>| {
                let mut read = |range: Range<u64>, text: &mut Vec<u8>| {
                    let at = |offset: u64| usize::try_from(offset).expect("it is in the text");
                    text.extend_from_slice(&SCHEMA.as_bytes()[at(range.start)..at(range.end)]);
                    Ok::<_, ()>(())
                };
                let text = outline.with(given, &mut read).expect("it is read");
                String::from_utf8(text).expect("it is a text")
            };
            assert_eq!(
                with(Given::Stubs),
                r#"{"name": "a", "resources": {"a:b:C":{},"a:b:D":{}},
        "types": {"a:b:E":{"type":"string","enum":[]},"a:b:F":{"type":"object"},"a:b:G":{"type": "array", "items": {"type": "string"}},"a:b:H":{"enum": [{"value": 1}]}}, "functions": {}}"#
            );
            assert_eq!(outline.with_kept(vec![0, 5]), [0, 4, 5]);
            assert_eq!(
                with(Given::Only(&[0, 2, 5])),
                r#"{"name": "a", "resources": {"a:b:C":{"properties": {"x": {"type": "}\"{"}}}},
        "types": {"a:b:E":{"type": "string", "enum": [{"value": "1"}]},"a:b:H":{"enum": [{"value": 1}]}}, "functions": {}}"#
            );
        }
    }

    #[test]
    fn unsuitable_texts_have_no_outline() {
        for text in [
            "",
            "[]",
            r#"{"name": "a"}"#,
            r#"{"resources": {"a\u003ab": {}}}"#,
            r#"{"resources": {"a": {}}"#,
            r#"{"resources": {"a": {}}}}"#,
            r#"[{"resources": {"a": {}}}]"#,
            r#"{"resources": [{"a": {}}]}"#,
            r#"{"resources": {"a": {}, }}"#,
            r#"{"resources": {"a": {} "b": {}}}"#,
            r#"{"resources": {, "b": {}}}"#,
            r#"{"resources": {"a": {}, "b": 1}}"#,
            r#"{"resources": {"a": {}, "b" {}}}"#,
            r#"{"resources": {"a": {}]}"#,
            // The types of such members are known only after reading them.
            r#"{"types": {"a": {"properties": {}, "enum": []}}}"#,
            r#"{"types": {"a": {"properties": {}, "type": "string"}}}"#,
            r#"{"types": {"a": {"properties": {}, "type": "obj\u0065ct"}}}"#,
            r#"{"types": {"a": {"\u0074ype": "string"}}}"#,
        ] {
            assert!(outline(text, 3).is_none(), "{text}");
        }
    }
}
