//! The facts of a text that a pack records: its keys with their digests, and those of a state.

use crate::error::HistoryErrorKind;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::read::file::{DocumentFile, DocumentView};
use coconut_codec::read::view::{ObjectView, ValueView};
use std::collections::BTreeMap;

/// §23.4 The digest of a key in one version: that of §8.8.
pub(crate) type KeyDigest = [u8; 16];

/// The dialect of a state that the client has encrypted.
pub(crate) const ENCRYPTED: &str = "encrypted";

/// A compiled text and its facts.
#[derive(Debug)]
pub(crate) struct Facts {
    /// The compiled form.
    pub(crate) document: DocumentFile<Vec<u8>>,
    /// The dialect, or `encrypted`.
    pub(crate) dialect: Option<String>,
    /// `serial` of a state.
    pub(crate) serial: Option<u64>,
    /// `lineage` of a state.
    pub(crate) lineage: Option<String>,
    /// Whether it has `version`, or the members of an encrypted state.
    pub(crate) has_version: bool,
    /// The number of resources; `None` if the form of the document is not known.
    pub(crate) resources: Option<u64>,
    /// Whether it is a state without resources and outputs.
    pub(crate) is_empty: bool,
    /// The digest of each key.
    pub(crate) keys: BTreeMap<String, KeyDigest>,
}

impl Facts {
    /// Compiles a text, and reads its facts. Costs one compilation with digests.
    pub(crate) fn of(text: &[u8]) -> Result<Facts, HistoryErrorKind> {
        let document = compiled(text, true)?;
        let view = document.view();
        let mut facts = Facts {
            dialect: view.header().dialect.clone(),
            serial: None,
            lineage: None,
            has_version: false,
            resources: None,
            is_empty: false,
            keys: BTreeMap::new(),
            document,
        };
        let view = facts.document.view();
        let mut is_encrypted = false;
        if let Some(root) = view.root().as_object()? {
            facts.serial = field(root, "serial")?.map(|value| value.as_u64()).transpose()?.flatten();
            facts.lineage =
                field(root, "lineage")?.map(|value| value.as_str()).transpose()?.flatten().map(str::to_owned);
            is_encrypted =
                field(root, "encrypted_data")?.is_some() && field(root, "encryption_version")?.is_some();
            facts.has_version = is_encrypted || field(root, "version")?.is_some();
            facts.is_empty = facts.serial.is_some()
                && facts.lineage.is_some()
                && !is_encrypted
                && has_nothing(field(root, "resources")?)?
                && has_nothing(field(root, "outputs")?)?;
        }
        if is_encrypted {
            facts.dialect = Some(ENCRYPTED.to_owned());
            return Ok(facts);
        }
        (facts.keys, facts.resources) = keys(view)?;
        Ok(facts)
    }
}

/// The compiled form of a text.
pub(crate) fn compiled(text: &[u8], digests: bool) -> Result<DocumentFile<Vec<u8>>, HistoryErrorKind> {
    let options = CompileOptions::default().digests(digests);
    Ok(DocumentFile::from_data(compile(text, &options)?.bytes)?)
}

fn field<'a>(object: ObjectView<'a>, key: &str) -> Result<Option<ValueView<'a>>, HistoryErrorKind> {
    Ok(object.get(key)?)
}

/// Whether a value is missing, null, or has no items.
fn has_nothing(value: Option<ValueView<'_>>) -> Result<bool, HistoryErrorKind> {
    let Some(value) = value else { return Ok(true) };
    Ok(match (value.as_list()?, value.as_object()?) {
        (Some(list), _) => list.is_empty(),
        (_, Some(object)) => object.is_empty(),
        _ => value.is_null()?,
    })
}

/// The digest of each key, and the number of resources if the rule of the document has any.
///
/// Landmarks with the same key have one digest: that of their digests in the order of the index.
fn keys(view: DocumentView<'_>) -> Result<(BTreeMap<String, KeyDigest>, Option<u64>), HistoryErrorKind> {
    let patterns: Vec<String> = view.header().rule()?.patterns().iter().map(ToString::to_string).collect();
    let is_of_resources =
        |class: u8| patterns.get(usize::from(class)).is_some_and(|pattern| names_resources(pattern));
    let has_resources = patterns.iter().any(|pattern| names_resources(pattern));
    let mut of_ordinals: BTreeMap<u32, KeyDigest> = BTreeMap::new();
    if let Some(digests) = view.unverified_digests() {
        // The file was made here, so its digests are right.
        for entry in digests {
            let (landmark, digest) = entry?;
            of_ordinals.insert(landmark.ordinal()?, digest);
        }
    }
    let (mut several, mut resources) = (BTreeMap::<String, Vec<KeyDigest>>::new(), 0);
    let mut listed = view.keys()?;
    while let Some((landmark, key)) = listed.read_next()? {
        if is_of_resources(landmark.class()?) && landmark.parent()?.is_none() {
            resources += 1;
        }
        let Some(digest) = of_ordinals.get(&landmark.ordinal()?) else { continue };
        match several.get_mut(key) {
            Some(digests) => digests.push(*digest),
            None => drop(several.insert(key.to_owned(), vec![*digest])),
        }
    }
    let keys = several.into_iter().map(|(key, mut digests)| {
        digests.sort_unstable();
        let digest = match digests[..] {
            [digest] => digest,
            _ => joined(&digests),
        };
        (key, digest)
    });
    Ok((keys.collect(), has_resources.then_some(resources)))
}

/// Whether the landmarks of a pattern are resources.
fn names_resources(pattern: &str) -> bool {
    pattern.contains("/resources/*") || pattern.contains("/vertices/*")
}

/// The first 16 bytes of the SHA-256 of several digests.
fn joined(digests: &[KeyDigest]) -> KeyDigest {
    use sha2::{Digest as _, Sha256};
    let whole: [u8; 32] = Sha256::digest(digests.concat()).into();
    let mut first = KeyDigest::default();
    first.copy_from_slice(&whole[..16]);
    first
}
