//! A schema as text, of which only an outline is in memory: all but the members of the large
//! sections, each with its place in the text.
//!
//! ```text
//! {"name": "aws", "resources": {"aws:s3/bucket:Bucket": { … }, …}, "types": { … }}
//!                                                       ^^^^^ cut out
//! ```
//!
//! Nothing is checked here. The outline with some of the members is a text again, which the reader
//! of JSON checks.

use coconut_format::pointer::push_key;
use std::ops::Range;

/// Sections by their steps, where `*` is any key. A type that has no properties stays, because
/// others may need to know what it stands for.
const SECTIONS: [(&[&str], Stub); 8] = [
    (&["resources"], Stub::Nothing),
    (&["functions"], Stub::Nothing),
    (&["types"], Stub::Object),
    (&["provider_schemas", "*", "resource_schemas"], Stub::Nothing),
    (&["provider_schemas", "*", "data_source_schemas"], Stub::Nothing),
    (&["provider_schemas", "*", "ephemeral_resource_schemas"], Stub::Nothing),
    (&["provider_schemas", "*", "list_resource_schemas"], Stub::Nothing),
    (&["provider_schemas", "*", "action_schemas"], Stub::Nothing),
];

/// Levels whose keys are known: those above a member, and its own.
const LEVELS: usize = 5;

/// The longest key whose end is awaited. Tokens are much shorter.
const MOST_KEY: usize = 4096;

/// What stands for a member that was cut out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stub {
    Nothing,
    /// A type with properties.
    Object,
}

impl Stub {
    fn text(self) -> &'static [u8] {
        match self {
            Stub::Nothing => b"{}",
            Stub::Object => br#"{"type": "object"}"#,
        }
    }
}

/// A member that was cut out.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) pointer: String,
    /// Its bytes in the source.
    pub(super) range: Range<u64>,
    /// Its place in the rest.
    at: usize,
    stub: Stub,
}

/// The outline of a schema.
#[derive(Debug)]
pub struct Outline {
    rest: Vec<u8>,
    members: Vec<Member>,
}

impl Outline {
    /// The members that were cut out, in order.
    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// The text with some of the members, by number and in order, and stubs for all others. `read`
    /// appends a part of the source.
    pub(super) fn with<E>(
        &self,
        members: &[usize],
        read: &mut impl FnMut(Range<u64>, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Vec<u8>, E> {
        let stubs: usize = self.members.iter().map(|member| member.stub.text().len()).sum();
        let own = members.iter().filter_map(|&number| self.members.get(number));
        let own: u64 = own.map(|member| member.range.end.saturating_sub(member.range.start)).sum();
        let own = usize::try_from(own).unwrap_or(0);
        let mut text = Vec::with_capacity(self.rest.len().saturating_add(own).saturating_add(stubs));
        let (mut from, mut given) = (0, members.iter().peekable());
        for (number, member) in self.members.iter().enumerate() {
            text.extend_from_slice(&self.rest[from..member.at]);
            from = member.at;
            match given.next_if_eq(&&number) {
                Some(_) => read(member.range.clone(), &mut text)?,
                None => text.extend_from_slice(member.stub.text()),
            }
        }
        text.extend_from_slice(&self.rest[from..]);
        Ok(text)
    }
}

/// Makes an [`Outline`] of a text that comes in pieces.
///
/// ```
/// use coconut_interop::package::Outliner;
///
/// let mut outliner = Outliner::new();
/// outliner.feed(br#"{"name": "a", "resour"#);
/// outliner.feed(br#"ces": {"a:b:C": {"properties": {}}}}"#);
/// assert!(outliner.finish().is_some());
/// ```
#[derive(Debug, Default)]
pub struct Outliner {
    rest: Vec<u8>,
    members: Vec<Member>,
    /// The first levels of what is open. There may be more.
    levels: Vec<Level>,
    depth: usize,
    offset: u64,
    text: Text,
    cut: Option<Cut>,
    is_unfit: bool,
}

/// Whether a byte is in a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    /// In a key of the innermost level, if that is known.
    Key,
    Value,
    /// After a backslash.
    Escape,
}

/// An open list or object.
#[derive(Debug)]
struct Level {
    is_object: bool,
    expects_key: bool,
    key: Vec<u8>,
}

/// A member that is being passed.
#[derive(Debug)]
struct Cut {
    start: u64,
    depth: usize,
    stub: Stub,
    has_properties: bool,
    text: Vec<u8>,
}

impl Outliner {
    /// An outliner that has seen nothing.
    pub fn new() -> Outliner {
        Outliner::default()
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if self.is_unfit {
                return;
            }
            // The middle of strings is most of a schema.
            if self.text == Text::Value {
                let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
                if end > 0 {
                    let (middle, after) = rest.split_at(end);
                    self.put(middle);
                    rest = after;
                    continue;
                }
            }
            self.take(byte);
            rest = after;
        }
    }

    /// The outline; `None` if the text has no member of a large section, or one that is not fit to
    /// be cut.
    pub fn finish(self) -> Option<Outline> {
        let is_whole = !self.is_unfit && self.depth == 0 && self.text == Text::Outside;
        (is_whole && !self.members.is_empty()).then_some(Outline { rest: self.rest, members: self.members })
    }

    fn put(&mut self, bytes: &[u8]) {
        self.offset += bytes.len() as u64;
        match &mut self.cut {
            Some(cut) => cut.text.extend_from_slice(bytes),
            None => self.rest.extend_from_slice(bytes),
        }
    }

    fn take(&mut self, byte: u8) {
        match (self.text, byte) {
            (Text::Outside, b'"') => {
                let is_key = self.depth == self.levels.len()
                    && self.levels.last().is_some_and(|level| level.is_object && level.expects_key);
                if let Some(level) = self.levels.last_mut().filter(|_| is_key) {
                    level.key.clear();
                }
                self.text = if is_key { Text::Key } else { Text::Value };
            }
            (Text::Outside, b'{' | b'[') => {
                if byte == b'{' {
                    self.begin_member();
                }
                self.depth += 1;
                if self.depth <= LEVELS {
                    self.levels.push(Level { is_object: byte == b'{', expects_key: true, key: Vec::new() });
                }
            }
            (Text::Outside, b'}' | b']') => return self.close(byte),
            (Text::Outside, b':' | b',') if self.depth == self.levels.len() => {
                if let Some(level) = self.levels.last_mut() {
                    level.expects_key = byte == b',';
                }
            }
            (Text::Outside, _) => {}
            // A key with escapes would have to be read to be known.
            (Text::Key, b'\\') => self.is_unfit = true,
            (Text::Key, b'"') => {
                self.text = Text::Outside;
                self.note_key();
            }
            (Text::Key, _) => {
                if let Some(level) = self.levels.last_mut() {
                    level.key.push(byte);
                    self.is_unfit |= level.key.len() > MOST_KEY;
                }
            }
            (Text::Value, b'"') => self.text = Text::Outside,
            (Text::Escape, _) => self.text = Text::Value,
            (Text::Value, b'\\') => self.text = Text::Escape,
            (Text::Value, _) => {}
        }
        self.put(&[byte]);
    }

    fn close(&mut self, byte: u8) {
        if self.depth <= LEVELS {
            self.levels.pop();
        }
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => self.is_unfit = true,
        }
        self.put(&[byte]);
        let Some(cut) = self.cut.take_if(|cut| cut.depth == self.depth) else { return };
        if cut.stub == Stub::Object && !cut.has_properties {
            return self.rest.extend_from_slice(&cut.text);
        }
        let mut pointer = String::new();
        for level in &self.levels {
            match std::str::from_utf8(&level.key) {
                Ok(key) => push_key(&mut pointer, key),
                Err(_) => self.is_unfit = true,
            }
        }
        let range = cut.start..self.offset;
        self.members.push(Member { pointer, range, at: self.rest.len(), stub: cut.stub });
    }

    /// Notes that a member begins, if one does.
    fn begin_member(&mut self) {
        if self.cut.is_some() || self.depth != self.levels.len() {
            return;
        }
        let Some((_, sections)) = self.levels.split_last() else { return };
        let is_section = |steps: &[&str]| {
            steps.len() == sections.len()
                && self.levels.iter().all(|level| level.is_object)
                && steps
                    .iter()
                    .zip(sections)
                    .all(|(step, level)| *step == "*" || level.key == step.as_bytes())
        };
        if let Some((_, stub)) = SECTIONS.iter().find(|(steps, _)| is_section(steps)) {
            let (start, depth, stub) = (self.offset, self.depth, *stub);
            self.cut = Some(Cut { start, depth, stub, has_properties: false, text: Vec::new() });
        }
    }

    /// Notes that a member has properties, if this key says so.
    fn note_key(&mut self) {
        let (depth, levels) = (self.depth, &self.levels);
        if let Some(cut) = self.cut.as_mut().filter(|cut| cut.depth + 1 == depth) {
            cut.has_properties |= levels.last().is_some_and(|level| level.key == b"properties");
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

    const SCHEMA: &str = r#"{"name": "a", "resources": {"a:b:C": {"properties": {"x": {"type": "}\"{"}}}, "a:b:D": {}},
        "types": {"a:b:E": {"enum": [{"value": "1"}]}, "a:b:F": {"properties": {}}}}"#;

    #[test]
    fn members_of_sections_are_cut_out_and_put_back() {
        for piece in [1, 2, 7, 1000] {
            let outline = outline(SCHEMA, piece).expect("it has members");
            let pointers: Vec<&str> = outline.members().iter().map(|member| &*member.pointer).collect();
            assert_eq!(pointers, ["/resources/a:b:C", "/resources/a:b:D", "/types/a:b:F"]);
            let with = |members: &[usize]| {
                let read = |range: Range<u64>, text: &mut Vec<u8>| {
                    let at = |offset: u64| usize::try_from(offset).expect("it is in the text");
                    text.extend_from_slice(&SCHEMA.as_bytes()[at(range.start)..at(range.end)]);
                    Ok::<_, ()>(())
                };
                let mut read = read;
                String::from_utf8(outline.with(members, &mut read).expect("it is read"))
                    .expect("it is a text")
            };
            assert_eq!(with(&[0, 1, 2]), SCHEMA);
            let none = with(&[]);
            let expected = SCHEMA
                .replace(r#"{"properties": {"x": {"type": "}\"{"}}}"#, "{}")
                .replace(r#"{"properties": {}}"#, r#"{"type": "object"}"#);
            assert_eq!(none, expected);
        }
    }

    #[test]
    fn what_is_not_fit_has_no_outline() {
        for text in [
            "",
            "[]",
            r#"{"name": "a"}"#,
            r#"{"resources": {"a\u003ab": {}}}"#,
            r#"{"resources": {"a": {}}"#,
            r#"{"resources": {"a": {}}}}"#,
            r#"[{"resources": {"a": {}}}]"#,
            r#"{"resources": [{"a": {}}]}"#,
        ] {
            assert!(outline(text, 3).is_none(), "{text}");
        }
    }
}
