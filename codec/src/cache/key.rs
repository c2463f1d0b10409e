//! What an entry depends on, and the names that follow from it.

use crate::compile::{CompileOptions, LandmarkChoice};
use crate::writer::{Layout, PRODUCER};
use coconut_format::envelope::VERSION;
use coconut_format::landmark::LandmarkRule;
use coconut_format::names::PackageReference;
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::Path;

/// On whose behalf something is kept: two packages never share an entry, even if their sources are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// A package, by base, name and version as they were asked for.
    Package(String),
    /// A file that was asked for by its path.
    File,
}

impl Identity {
    /// The identity of a package: its name and what tells it from others of that name. The protocol does not.
    pub fn of_package(reference: &PackageReference) -> Identity {
        let base = reference.base.as_deref().unwrap_or_default();
        let version = reference.version.as_ref().map_or_else(|| "latest".to_owned(), ToString::to_string);
        Identity::Package(format!("{base}{}#{version}", reference.name))
    }

    fn text(&self) -> &str {
        match self {
            Identity::Package(text) => text,
            // No package is called so: a name is never empty.
            Identity::File => "",
        }
    }
}

/// What an entry was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Source text, compiled.
    Source,
    /// A compiled document from elsewhere, verified.
    Binary,
}

/// Everything that an entry depends on.
#[derive(Clone, Copy, Debug)]
pub struct EntryInputs<'a> {
    /// On whose behalf.
    pub identity: &'a Identity,
    /// What it was made from.
    pub kind: InputKind,
    /// SHA-256 of that.
    pub digest: [u8; 32],
    /// The [`options_digest`].
    pub options: [u8; 32],
}

impl EntryInputs<'_> {
    /// The key: a digest of all inputs, of the version of the format, and of name and version of this library.
    pub fn key(&self) -> EntryKey {
        let kind: &[u8] = match self.kind {
            InputKind::Source => b"source",
            InputKind::Binary => b"binary",
        };
        let mut fields = Fields::new("coconut cache entry");
        fields.put(self.identity.text().as_bytes());
        fields.put(kind);
        fields.put(&self.digest);
        fields.put(&self.options);
        fields.put(&VERSION.to_le_bytes());
        fields.put(PRODUCER.as_bytes());
        EntryKey(fields.finish())
    }
}

/// The key of an entry. Prints as its file name: 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryKey(pub(super) [u8; 32]);

impl EntryKey {
    /// The key that a file name stands for.
    pub fn parse(name: &str) -> Option<EntryKey> {
        let digits = name.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut key = [0; 32];
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = hex_digit(pair[0])? << 4 | hex_digit(pair[1])?;
        }
        Some(EntryKey(key))
    }
}

/// Lower case only, so that one key has one name on every file system.
fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The file name of the sighting of the source at `path`.
pub(super) fn sighting_name(path: &Path, identity: &Identity) -> String {
    let mut fields = Fields::new("coconut sighting");
    fields.put(path.as_os_str().as_encoded_bytes());
    fields.put(identity.text().as_bytes());
    EntryKey(fields.finish()).to_string()
}

/// A digest of everything in `options` that the bytes of a document depend on.
pub fn options_digest(options: &CompileOptions) -> [u8; 32] {
    let CompileOptions { format, document_type, landmarks, profile, layout, strip_locations } = options;
    let mut fields = Fields::new("coconut compile options");
    fields.put(format.map_or("", |format| format.name()).as_bytes());
    fields.put(document_type.as_deref().unwrap_or_default().as_bytes());
    put_landmarks(&mut fields, landmarks);
    fields.put(profile.name().as_bytes());
    put_layout(&mut fields, layout);
    if *strip_locations {
        fields.put(b"strip locations");
    }
    fields.finish()
}

fn put_landmarks(fields: &mut Fields, landmarks: &LandmarkChoice) {
    match landmarks {
        LandmarkChoice::Detect => fields.put(b"detect"),
        LandmarkChoice::Automatic => fields.put(b"automatic"),
        LandmarkChoice::None => fields.put(b"none"),
        LandmarkChoice::Dialect(dialect) => {
            fields.put(b"dialect");
            fields.put(dialect.name.as_bytes());
        }
        LandmarkChoice::Rule(rule) => {
            fields.put(b"rule");
            put_rule(fields, rule);
        }
    }
}

fn put_rule(fields: &mut Fields, rule: &LandmarkRule) {
    fields.put(rule.join().unwrap_or_default().as_bytes());
    fields.put(&(rule.patterns().len() as u64).to_le_bytes());
    for pattern in rule.patterns() {
        fields.put(pattern.to_string().as_bytes());
    }
    for edge in rule.edges() {
        fields.put(edge.to_string().as_bytes());
    }
}

/// Field by field, so that a new one cannot be forgotten here.
fn put_layout(fields: &mut Fields, layout: &Layout) {
    let Layout {
        shared_values,
        shared_min_uses,
        shared_min_bytes,
        string_min_uses,
        nested_slots,
        constant_slots,
        integer_slots,
        discriminators,
        wide,
        blocks_from,
        index_from,
        frequent_first,
    } = layout;
    let flags =
        [shared_values, nested_slots, constant_slots, integer_slots, discriminators, wide, frequent_first];
    fields.put(&flags.map(|flag| u8::from(*flag)));
    for number in [shared_min_uses, shared_min_bytes, string_min_uses] {
        fields.put(&number.to_le_bytes());
    }
    for size in [blocks_from, index_from] {
        fields.put(&(*size as u64).to_le_bytes());
    }
}

/// A digest over fields, each after its length, so that no two lists of fields run together.
struct Fields(Sha256);

impl Fields {
    fn new(purpose: &str) -> Fields {
        let mut fields = Fields(Sha256::new());
        fields.put(purpose.as_bytes());
        fields
    }

    fn put(&mut self, field: &[u8]) {
        self.0.update((field.len() as u64).to_le_bytes());
        self.0.update(field);
    }

    fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::header::Profile;
    use coconut_format::names::PackageUrl;

    fn identity(text: &str) -> Identity {
        match PackageUrl::parse(text).unwrap() {
            PackageUrl::Package(reference) => Identity::of_package(&reference),
            PackageUrl::Any => panic!("`{text}` names no package"),
        }
    }

    fn key(identity: &Identity, digest: u8, options: u8) -> EntryKey {
        let (digest, options) = ([digest; 32], [options; 32]);
        EntryInputs { identity, kind: InputKind::Source, digest, options }.key()
    }

    #[test]
    fn every_input_changes_the_key() {
        let one = identity("aws");
        let first = key(&one, 1, 1);
        assert_eq!(first, key(&one, 1, 1));
        let binary =
            EntryInputs { identity: &one, kind: InputKind::Binary, digest: [1; 32], options: [1; 32] };
        let others = [
            key(&one, 2, 1),
            key(&one, 1, 2),
            key(&identity("AWS"), 1, 1),
            key(&identity("aws#1.0.0"), 1, 1),
            key(&identity("github.com/aws"), 1, 1),
            key(&Identity::File, 1, 1),
            binary.key(),
        ];
        for (number, other) in others.iter().enumerate() {
            assert_ne!(first, *other, "input {number}");
        }
    }

    #[test]
    fn the_protocol_and_a_latest_that_is_spelled_out_do_not_count() {
        assert_eq!(identity("git://github.com/aws#latest"), identity("github.com/aws"));
    }

    #[test]
    fn fields_do_not_run_together() {
        assert_ne!(identity("a/b"), identity("a.x/b"));
        let digest = |parts: &[&str]| {
            let mut fields = Fields::new("test");
            parts.iter().for_each(|part| fields.put(part.as_bytes()));
            fields.finish()
        };
        assert_ne!(digest(&["ab", "c"]), digest(&["a", "bc"]));
        assert_ne!(digest(&["ab"]), digest(&["ab", ""]));
    }

    #[test]
    fn options_that_change_the_bytes_change_the_digest() {
        let plain = CompileOptions { profile: Profile::Plain, ..CompileOptions::default() };
        let none = CompileOptions { landmarks: LandmarkChoice::None, ..CompileOptions::default() };
        let typed = CompileOptions { document_type: Some("cocogl".into()), ..CompileOptions::default() };
        let mut digests = vec![options_digest(&CompileOptions::default())];
        digests.extend([plain, none, typed].iter().map(options_digest));
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), 4);
    }

    #[test]
    fn a_key_is_named_by_lower_case_digits_only() {
        let name = key(&Identity::File, 0xab, 0).to_string();
        assert_eq!(EntryKey::parse(&name).unwrap().to_string(), name);
        let loud = name.to_uppercase();
        assert_ne!(loud, name);
        assert_eq!(EntryKey::parse(&loud), None);
        assert_eq!(EntryKey::parse(&name[1..]), None);
    }
}
