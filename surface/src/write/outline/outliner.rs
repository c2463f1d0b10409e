//! Building the outline of a text that arrives in pieces.

use crate::write::outline::{BASES, Member, Outline, Section, Stub};
use coconut_format::pointer::push_key;

/// Sections by their steps, where `*` is any key, and whether other members may need the type of a
/// member.
const SECTIONS: [(&[&str], bool); 8] = [
    (&["resources"], false),
    (&["functions"], false),
    (&["types"], true),
    (&["provider_schemas", "*", "resource_schemas"], false),
    (&["provider_schemas", "*", "data_source_schemas"], false),
    (&["provider_schemas", "*", "ephemeral_resource_schemas"], false),
    (&["provider_schemas", "*", "list_resource_schemas"], false),
    (&["provider_schemas", "*", "action_schemas"], false),
];

/// The number of levels whose keys are tracked: those above a section, and its own.
const LEVELS: usize = 4;

/// The maximum length of a tracked key. Tokens are much shorter.
const MOST_KEY: usize = 4096;

/// The maximum length of a kept type without properties.
const MOST_KEPT: usize = 1 << 16;

/// The maximum size of the outline text that is read again with each part.
const MOST_REST: usize = 4 << 20;

/// Builds an [`Outline`] of a text that arrives in pieces.
///
/// ```
/// use coconut_surface::write::Outliner;
///
/// let mut outliner = Outliner::new();
/// outliner.feed(br#"{"name": "a", "resour"#);
/// outliner.feed(br#"ces": {"a:b:C": {"properties": {}}}}"#);
/// assert!(outliner.finish().is_some());
/// ```
#[derive(Debug, Default)]
pub struct Outliner {
    rest: Vec<u8>,
    sections: Vec<Section>,
    members: Vec<Member>,
    keys: Vec<u8>,
    kept: Vec<u8>,
    /// The first open levels outside members. There may be more.
    levels: Vec<Level>,
    depth: usize,
    offset: u64,
    place: Place,
    text: Text,
    is_unfit: bool,
}

/// The position of the next byte.
#[derive(Debug, Default)]
enum Place {
    #[default]
    Rest,
    /// Between the members of a section, or inside the key of one.
    Section(Awaited),
    Member(Cut),
}

/// The next expected token in a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Awaited {
    KeyOrEnd,
    Key,
    EndOfKey,
    Colon,
    Value,
    CommaOrEnd,
}

/// Whether a byte is in a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    /// In a key of the innermost level, if that level is tracked.
    Key,
    Value,
    /// After a backslash.
    Escape,
}

/// An open list or object.
#[derive(Debug, Default)]
struct Level {
    is_object: bool,
    expects_key: bool,
    key: Vec<u8>,
}

/// A member that is being skipped.
#[derive(Debug)]
struct Cut {
    start: u64,
    /// The number of open levels in it, including itself.
    depth: usize,
    level: Level,
    /// The known facts about its type.
    seen: Option<Seen>,
}

/// The known facts about a type so far.
#[derive(Debug, Default)]
struct Seen {
    has_properties: bool,
    is_enum: bool,
    /// The word of `type`.
    word: Option<Vec<u8>>,
    is_in_word: bool,
    /// The text of the type, as long as it may have to be kept.
    text: Vec<u8>,
}

impl Outliner {
    /// Creates an outliner without input.
    pub fn new() -> Outliner {
        Outliner::default()
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((&byte, after)) = rest.split_first() {
            if self.is_unfit {
                return;
            }
            // Most of a schema is the inside of strings.
            if self.text == Text::Value {
                let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')).unwrap_or(rest.len());
                if end > 0 {
                    let (middle, after) = rest.split_at(end);
                    self.put(middle);
                    self.offset += middle.len() as u64;
                    rest = after;
                    continue;
                }
            }
            self.take(byte);
            self.is_unfit |= self.rest.len().max(self.kept.len()) > MOST_REST;
            self.offset += 1;
            rest = after;
        }
    }

    /// The outline; `None` if the text has no member of a large section, or one that cannot be cut
    /// out.
    pub fn finish(self) -> Option<Outline> {
        let is_whole = !self.is_unfit && self.depth == 0 && self.text == Text::Outside;
        if !is_whole || self.members.is_empty() {
            return None;
        }
        let Outliner { rest, sections, members, keys, kept, .. } = self;
        Some(Outline { rest, sections, members, keys: String::from_utf8(keys).ok()?, kept })
    }

    fn put(&mut self, bytes: &[u8]) {
        match &mut self.place {
            Place::Rest => self.rest.extend_from_slice(bytes),
            Place::Section(_) => {}
            Place::Member(cut) => {
                if let Some(seen) = &mut cut.seen {
                    self.is_unfit |= !seen.put(bytes);
                }
            }
        }
    }

    fn take(&mut self, byte: u8) {
        match &mut self.place {
            Place::Rest => self.take_of_rest(byte),
            Place::Section(awaited) => {
                let awaited = *awaited;
                self.take_of_section(byte, awaited);
            }
            Place::Member(cut) => {
                let (is_fit, is_end) = cut.take(byte, &mut self.text);
                self.is_unfit |= !is_fit;
                if is_end {
                    self.end_member();
                }
            }
        }
    }

    fn take_of_rest(&mut self, byte: u8) {
        let is_known = self.depth == self.levels.len();
        match (self.text, byte) {
            (Text::Outside, b'{' | b'[') => {
                self.put(&[byte]);
                self.depth += 1;
                if is_known && self.levels.len() < LEVELS {
                    self.levels.push(Level::new(byte));
                    self.begin_section();
                }
                return;
            }
            (Text::Outside, b'}' | b']') => self.close(),
            _ => {
                let mut unknown = Level::default();
                let level = self.levels.last_mut().filter(|_| is_known).unwrap_or(&mut unknown);
                // A key with escapes would have to be decoded first.
                self.is_unfit |= level.take(byte, &mut self.text).is_err();
            }
        }
        self.put(&[byte]);
    }

    fn close(&mut self) {
        if self.depth == self.levels.len() {
            self.levels.pop();
        }
        match self.depth.checked_sub(1) {
            Some(depth) => self.depth = depth,
            None => self.is_unfit = true,
        }
    }

    /// Records the beginning of a section, if the opened object is one.
    fn begin_section(&mut self) {
        let Some((_, above)) = self.levels.split_last() else { return };
        if !self.levels.iter().all(|level| level.is_object) || !is_section(above, |_| true) {
            return;
        }
        let mut pointer = String::new();
        for level in above {
            match std::str::from_utf8(&level.key) {
                Ok(key) => push_key(&mut pointer, key),
                Err(_) => self.is_unfit = true,
            }
        }
        let members = self.members.len()..self.members.len();
        self.sections.push(Section { pointer, at: self.rest.len(), members });
        self.place = Place::Section(Awaited::KeyOrEnd);
    }

    fn take_of_section(&mut self, byte: u8, awaited: Awaited) {
        self.place = Place::Section(match (awaited, byte) {
            (Awaited::EndOfKey, b'"') => Awaited::Colon,
            (Awaited::EndOfKey, _) => {
                self.keys.push(byte);
                self.is_unfit |= byte == b'\\';
                awaited
            }
            (_, b' ' | b'\t' | b'\n' | b'\r') => awaited,
            (Awaited::KeyOrEnd | Awaited::Key, b'"') => Awaited::EndOfKey,
            (Awaited::Colon, b':') => Awaited::Value,
            (Awaited::Value, b'{') => return self.begin_member(),
            (Awaited::CommaOrEnd, b',') => Awaited::Key,
            (Awaited::KeyOrEnd | Awaited::CommaOrEnd, b'}') => {
                self.place = Place::Rest;
                self.close();
                return self.put(&[byte]);
            }
            _ => {
                self.is_unfit = true;
                awaited
            }
        });
    }

    fn begin_member(&mut self) {
        let above = self.levels.split_last().map_or(&[][..], |(_, above)| above);
        let seen = is_section(above, |has_names| has_names).then(Seen::default);
        let mut cut = Cut { start: self.offset, depth: 1, level: Level::new(b'{'), seen };
        if let Some(seen) = &mut cut.seen {
            seen.put(b"{");
        }
        self.place = Place::Member(cut);
    }

    fn end_member(&mut self) {
        let place = std::mem::replace(&mut self.place, Place::Section(Awaited::CommaOrEnd));
        let Place::Member(cut) = place else { return };
        let stub = match &cut.seen {
            None => Some(Stub::Nothing),
            Some(seen) => seen.stub(&mut self.kept),
        };
        self.is_unfit |= stub.is_none();
        let range = cut.start..self.offset + 1;
        self.members.push(Member { key_end: self.keys.len(), range, stub: stub.unwrap_or(Stub::Nothing) });
        if let Some(section) = self.sections.last_mut() {
            section.members.end = self.members.len();
        }
    }
}

/// Whether the keys of these levels lead to a section with this property.
fn is_section(levels: &[Level], is_so: impl Fn(bool) -> bool) -> bool {
    let leads = |steps: &[&str]| {
        steps.len() == levels.len()
            && steps.iter().zip(levels).all(|(step, level)| *step == "*" || level.key == step.as_bytes())
    };
    SECTIONS.iter().any(|(steps, has_names)| is_so(*has_names) && leads(steps))
}

/// A key that has escapes, or is longer than any token.
struct UnknownKey;

impl Level {
    fn new(byte: u8) -> Level {
        Level { is_object: byte == b'{', expects_key: byte == b'{', key: Vec::new() }
    }

    /// Handles a byte of this level that opens and closes nothing. Returns whether a key ended with
    /// it.
    fn take(&mut self, byte: u8, text: &mut Text) -> Result<bool, UnknownKey> {
        match (*text, byte) {
            (Text::Outside, b'"') if self.expects_key => {
                self.key.clear();
                *text = Text::Key;
            }
            (Text::Outside, b'"') | (Text::Escape, _) => *text = Text::Value,
            (Text::Outside, b':') => self.expects_key = false,
            (Text::Outside, b',') => self.expects_key = self.is_object,
            (Text::Outside, _) => {}
            (Text::Key, b'\\') => return Err(UnknownKey),
            (Text::Key, b'"') => {
                *text = Text::Outside;
                return Ok(true);
            }
            (Text::Key, _) if self.key.len() == MOST_KEY => return Err(UnknownKey),
            (Text::Key, _) => self.key.push(byte),
            (Text::Value, b'"') => *text = Text::Outside,
            (Text::Value, b'\\') => *text = Text::Escape,
            (Text::Value, _) => {}
        }
        Ok(false)
    }
}

impl Cut {
    /// Handles the next byte. Returns whether it is valid, and whether the member ends with it.
    fn take(&mut self, byte: u8, text: &mut Text) -> (bool, bool) {
        let mut is_fit = self.seen.as_mut().is_none_or(|seen| seen.put_byte(byte, *text));
        match (*text, byte) {
            (Text::Outside, b'{' | b'[') => self.depth += 1,
            (Text::Outside, b'}' | b']') => self.depth -= 1,
            // For most members, keys carry no information.
            _ if self.depth == 1 && self.seen.is_some() => {
                let was_outside = *text == Text::Outside;
                match (self.level.take(byte, text), &mut self.seen) {
                    (Ok(true), Some(seen)) => seen.note(&self.level.key),
                    (Ok(_), Some(seen)) if was_outside && *text == Text::Value => {
                        seen.is_in_word = self.level.key == b"type" && seen.word.is_none();
                        if seen.is_in_word {
                            seen.word = Some(Vec::new());
                        }
                    }
                    (Ok(_), _) => {}
                    (Err(UnknownKey), _) => is_fit = false,
                }
            }
            _ => drop(Level::default().take(byte, text)),
        }
        (is_fit, self.depth == 0)
    }
}

impl Seen {
    /// Records a key of the type.
    fn note(&mut self, key: &[u8]) {
        match key {
            b"properties" => {
                self.has_properties = true;
                self.text = Vec::new();
            }
            b"enum" => self.is_enum = true,
            _ => {}
        }
    }

    fn put_byte(&mut self, byte: u8, text: Text) -> bool {
        if text == Text::Value && byte == b'"' {
            self.is_in_word = false;
        }
        self.put(&[byte])
    }

    /// Adds a part of the type; returns `false` if it is too long.
    fn put(&mut self, bytes: &[u8]) -> bool {
        if let Some(word) = self.word.as_mut().filter(|_| self.is_in_word) {
            word.extend_from_slice(bytes);
        }
        if !self.has_properties {
            self.text.extend_from_slice(bytes);
        }
        self.text.len() <= MOST_KEPT
    }

    /// The replacement for the type; `None` if it is unknown.
    fn stub(&self, kept: &mut Vec<u8>) -> Option<Stub> {
        let word = self.word.as_deref();
        if self.has_properties {
            return (!self.is_enum && word.is_none_or(|word| word == b"object")).then_some(Stub::Object);
        }
        let base = BASES.iter().position(|base| Some(base.as_bytes()) == word).filter(|_| self.is_enum);
        if let Some(base) = base.and_then(|base| u8::try_from(base).ok()) {
            return Some(Stub::Enum(base));
        }
        let start = kept.len();
        kept.extend_from_slice(&self.text);
        Some(Stub::Kept(start..kept.len()))
    }
}
