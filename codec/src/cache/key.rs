//! The inputs of an entry, and the names that follow from them.

use crate::compile::{CompileOptions, DocumentRule, LandmarkChoice};
use crate::write::PRODUCER;
use coconut_format::envelope::VERSION;
use coconut_format::hex::{self, Hex};
use coconut_format::landmark::LandmarkRule;
use coconut_format::names::PackageReference;
use sha2::{Digest, Sha256};
use std::fmt;
use std::path::Path;

/// The owner of an entry. Two packages never share an entry, even if their sources are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    /// A package, by base, name and version as requested.
    Package(String),
    /// A file that was requested by its path.
    File,
}

/// The identity of a package: its base, name and version. The protocol does not count.
impl From<&PackageReference> for Identity {
    fn from(reference: &PackageReference) -> Identity {
        let base = reference.base.as_deref().unwrap_or_default();
        let version = reference.version.as_ref().map_or_else(|| "latest".to_owned(), ToString::to_string);
        Identity::Package(format!("{base}{}#{version}", reference.name))
    }
}

impl Identity {
    pub(super) fn text(&self) -> &str {
        match self {
            Identity::Package(text) => text,
            // A package cannot have this identity: its name is never empty.
            Identity::File => "",
        }
    }

    pub(super) fn of_text(text: &str) -> Identity {
        match text.is_empty() {
            true => Identity::File,
            false => Identity::Package(text.to_owned()),
        }
    }
}

/// Everything that an entry depends on.
#[derive(Clone, Copy, Debug)]
pub struct EntryInputs<'a> {
    /// The owner.
    pub identity: &'a Identity,
    /// SHA-256 of the source.
    pub digest: [u8; 32],
    /// The [`options_digest`].
    pub options: [u8; 32],
}

impl EntryInputs<'_> {
    /// The key: a digest of all inputs, the version of the format, and the name and version of this
    /// library.
    pub fn key(&self) -> EntryKey {
        // Entries under "coconut cache entry" could be copies of documents made elsewhere.
        let mut fields = Fields::new("coconut cache entry, compiled here");
        fields.put(self.identity.text().as_bytes());
        fields.put(&self.digest);
        fields.put(&self.options);
        fields.put(&VERSION.to_le_bytes());
        fields.put(PRODUCER.as_bytes());
        EntryKey(fields.finish())
    }
}

/// The key of an entry. It prints as its file name: 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryKey(pub(super) [u8; 32]);

impl EntryKey {
    /// Parses a file name as a key.
    pub fn parse(name: &str) -> Option<EntryKey> {
        // Lower case only, so that one key has one name on every file system.
        let is_lower = !name.contains(|c: char| c.is_ascii_uppercase());
        hex::parse(name).filter(|_| is_lower).map(EntryKey)
    }
}

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(&self.0).fmt(f)
    }
}

impl fmt::Debug for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The file name of the stamp of the source at `path`.
pub(super) fn stamp_name(path: &Path, identity: &Identity) -> String {
    let mut fields = Fields::new("coconut source stamp");
    fields.put(path.as_os_str().as_encoded_bytes());
    fields.put(identity.text().as_bytes());
    EntryKey(fields.finish()).to_string()
}

/// A digest of all options that affect the bytes of a document. A new option does not compile until
/// it is listed here.
pub fn options_digest(options: &CompileOptions) -> [u8; 32] {
    let CompileOptions { format, document_type, landmarks, profile, digests, strip_locations, yaml_tags } =
        options;
    let mut fields = Fields::new("coconut compile options");
    fields.put(format.map_or("", |format| format.name()).as_bytes());
    fields.put(document_type.as_deref().unwrap_or_default().as_bytes());
    put_landmarks(&mut fields, landmarks);
    fields.put(profile.name().as_bytes());
    if *strip_locations {
        fields.put(b"strip locations");
    }
    if *digests {
        fields.put(b"digests");
    }
    fields.put(yaml_tags.name().as_bytes());
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
        LandmarkChoice::ByDocument(rules) => {
            fields.put(b"by document");
            for DocumentRule { keys, over_dialect, rule } in rules.iter() {
                fields.put(&(keys.len() as u64).to_le_bytes());
                keys.iter().for_each(|key| fields.put(key.as_bytes()));
                fields.put(&[u8::from(*over_dialect)]);
                put_rule(fields, rule);
            }
        }
    }
}

fn put_rule(fields: &mut Fields, rule: &LandmarkRule) {
    fields.put(rule.join().unwrap_or_default().as_bytes());
    fields.put(&(rule.patterns().len() as u64).to_le_bytes());
    for pattern in rule.patterns() {
        fields.put(pattern.to_string().as_bytes());
    }
    fields.put(&(rule.edges().len() as u64).to_le_bytes());
    for edge in rule.edges() {
        fields.put(edge.to_string().as_bytes());
    }
}

/// A digest over fields. Each field follows its length, so two lists of fields cannot run together.
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
    use crate::text::YamlTags;
    use crate::wire::header::Profile;
    use coconut_format::names::PackageUrl;

    fn identity(text: &str) -> Identity {
        match PackageUrl::parse(text).unwrap() {
            PackageUrl::Package(reference) => Identity::from(&reference),
            PackageUrl::Any => panic!("`{text}` names no package"),
        }
    }

    fn key(identity: &Identity, digest: u8, options: u8) -> EntryKey {
        let (digest, options) = ([digest; 32], [options; 32]);
        EntryInputs { identity, digest, options }.key()
    }

    #[test]
    fn every_input_changes_the_key() {
        let one = identity("aws");
        let first = key(&one, 1, 1);
        assert_eq!(first, key(&one, 1, 1));
        let others = [
            key(&one, 2, 1),
            key(&one, 1, 2),
            key(&identity("AWS"), 1, 1),
            key(&identity("aws#1.0.0"), 1, 1),
            key(&identity("github.com/aws"), 1, 1),
            key(&Identity::File, 1, 1),
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
        let tagged = CompileOptions { yaml_tags: YamlTags::CloudFormation, ..CompileOptions::default() };
        let by_document = |keys: &[&str], over_dialect| {
            let keys = keys.iter().map(|&key| key.to_owned()).collect();
            let rule = DocumentRule { keys, over_dialect, rule: LandmarkRule::default() };
            let landmarks = LandmarkChoice::ByDocument([rule].into());
            CompileOptions { landmarks, ..CompileOptions::default() }
        };
        let documents =
            [by_document(&["a"], false), by_document(&["a"], true), by_document(&["a", ""], false)];
        let mut digests = vec![options_digest(&CompileOptions::default())];
        digests.extend(documents.iter().map(options_digest));
        let landmarks = CompileOptions { digests: true, ..CompileOptions::default() };
        digests.extend([plain, none, typed, tagged, landmarks].iter().map(options_digest));
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), 9);
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
