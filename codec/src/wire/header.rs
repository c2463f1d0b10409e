//! §5.3, §5.11 and §5.12 Header, profiles and versions: the description of the document, readable
//! by any msgpack library.

#[cfg(any(test, not(feature = "graphs")))]
mod known_rules;
mod rule;

pub use rule::HeaderRule;
use rule::Texts;

use super::distinct_keys::DistinctKeys;
use crate::msgpack::{Cursor, Token, put_array_header, put_bin, put_map_header, put_plain_integer, put_str};
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::landmark::LandmarkRule;

coconut_format::named! {
    /// The encoding of values, and the parts for finding them (§5.11).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    pub enum Profile, ALL {
        /// References, records, index and block checksums.
        #[default]
        Full = "full";
        /// Ordinary msgpack maps and strings, with index and block checksums.
        Plain = "plain";
        /// Like [`Full`](Profile::Full), without the parts that can be rebuilt on arrival: for
        /// compression and transport.
        Transport = "transport";
    }
    /// The name in the header.
    pub fn name;
}

impl Profile {
    /// The profile of this name.
    pub fn named(name: &str) -> Option<Profile> {
        Profile::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

/// The text that a document was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SourceRecord {
    /// `json` or `yaml`.
    pub format: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha_256: [u8; 32],
    /// The findings about the text, one for each kind.
    pub findings: Vec<SourceFinding>,
}

/// The findings of one kind about the text that a document was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct SourceFinding {
    /// The code of the kind.
    pub code: String,
    /// The number of places.
    pub count: u64,
    /// The line of the first place, from 1.
    pub line: u64,
    /// Its column, from 1.
    pub column: u64,
}

/// The header of a file. Counts are unverified and only for display and buffer sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Header {
    /// The document type: `cocopack`, `cocogl`, `document`, or another name.
    pub document_type: String,
    /// Major version of the wire.
    pub version: u16,
    /// The encoding of values.
    pub profile: Profile,
    /// Features that a program must understand to rewrite the file.
    pub requires_write: Vec<String>,
    /// Features in use that a reader may ignore.
    pub optional: Vec<String>,
    /// Name and version of the writer.
    pub producer: String,
    /// Values of the expanded document, the root included.
    pub values: u64,
    /// Levels of the document.
    pub depth: u32,
    /// Landmarks of the document.
    pub landmarks: u64,
    /// The text that the document was compiled from, if any.
    pub source: Option<SourceRecord>,
    /// The document digest (§4.7).
    pub digest: [u8; 32],
    /// The source of the landmark rule.
    pub dialect: Option<String>,
    /// The landmark rule, which is parsed on first use: see [`rule`](Header::rule).
    pub rule_text: HeaderRule,
}

/// File offsets of the header values that are compared with other data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HeaderPlaces {
    pub(crate) document_type: u64,
    pub(crate) version: u64,
    pub(crate) values: u64,
    pub(crate) depth: u64,
    pub(crate) landmarks: u64,
    pub(crate) digest: u64,
}

impl Header {
    /// Returns the landmark rule.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::NewerRule`], [`ErrorKind::LandmarkRule`] or [`ErrorKind::TooMany`] at the text
    /// that this version does not understand. The document can be decoded without the rule.
    #[inline]
    pub fn rule(&self) -> Result<&LandmarkRule, DecodeError> {
        self.rule_text.get()
    }

    /// Reads the header at the cursor, and leaves the cursor after it. Refuses every required
    /// feature, because this version knows none. This is reported before any fault of a field: a
    /// later version may give fields other values.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<(Header, HeaderPlaces), DecodeError> {
        let start = cursor.position() as u64;
        let count = match cursor.token()? {
            Token::Map(count) => count,
            _ => return Err(ErrorKind::PayloadForm { expected: "header map" }.at(start)),
        };
        refuse_requirements(*cursor, count)?;
        let mut fields = Fields::default();
        let mut keys = DistinctKeys::default();
        for _ in 0..count {
            let key = new_key(&mut keys, "a key of the header", cursor)?;
            fields.read(key, cursor)?;
        }
        let places = fields.places;
        Ok((fields.finish(start)?, places))
    }

    /// Length of the header in bytes (§9) with `more` as in [`write`](Self::write), whatever its
    /// digest.
    pub(crate) fn length(&self, more: (usize, &[u8])) -> usize {
        let mut out = Vec::new();
        self.write(more, &mut out);
        out.len()
    }

    /// Appends the header, keys in the order of the specification, then `more`: that many keys with
    /// their values.
    pub(crate) fn write(&self, (more, bytes): (usize, &[u8]), out: &mut Vec<u8>) {
        let is_package = is_package(&self.document_type);
        let rule = &self.rule_text;
        let is_implied = is_package && *rule == HeaderRule::of_package();
        let (patterns, edges) = (rule.pattern_texts(), rule.edge_texts());
        // An empty list means that there are no patterns. Without it, a package would have those of
        // packages.
        let says_patterns = !is_implied && (is_package || !patterns.is_empty());
        let optional_keys = [
            !self.requires_write.is_empty(),
            !self.optional.is_empty(),
            self.source.is_some(),
            self.dialect.is_some(),
            says_patterns,
            rule.join().is_some() && !is_implied,
            !edges.is_empty(),
        ];
        const REQUIRED_KEYS: usize = 8;
        let count = optional_keys.into_iter().map(usize::from).fold(REQUIRED_KEYS, usize::saturating_add);
        put_map_header(out, count.saturating_add(more));
        put_text(out, "document-type", &self.document_type);
        put_number(out, "version", self.version.into());
        put_text(out, "profile", self.profile.name());
        put_texts(out, "requires-write", &self.requires_write);
        put_texts(out, "optional", &self.optional);
        put_text(out, "producer", &self.producer);
        put_number(out, "values", self.values);
        put_number(out, "depth", self.depth.into());
        put_number(out, "landmarks", self.landmarks);
        if let Some(source) = &self.source {
            put_str(out, "source");
            put_map_header(out, if source.findings.is_empty() { 3 } else { 4 });
            put_text(out, "format", &source.format);
            put_number(out, "bytes", source.bytes);
            put_str(out, "sha-256");
            put_bin(out, &source.sha_256);
            put_findings(out, &source.findings);
        }
        put_str(out, "digest");
        put_bin(out, &self.digest);
        if let Some(dialect) = &self.dialect {
            put_text(out, "dialect", dialect);
        }
        if says_patterns {
            put_str(out, "patterns");
            put_array_header(out, patterns.len());
            patterns.iter().for_each(|pattern| put_str(out, pattern));
        }
        if let Some(join) = rule.join().filter(|_| !is_implied) {
            put_text(out, "join", join);
        }
        put_texts(out, "edges", &edges);
        out.extend_from_slice(bytes);
    }
}

/// The keys of the header that this version knows.
#[cfg(feature = "write")]
const KEYS: [&str; 16] = [
    "requires",
    "document-type",
    "version",
    "profile",
    "requires-write",
    "optional",
    "producer",
    "values",
    "depth",
    "landmarks",
    "source",
    "digest",
    "dialect",
    "patterns",
    "join",
    "edges",
];

/// Whether this version knows the key of a header.
#[cfg(feature = "write")]
pub(super) fn is_known_key(key: &str) -> bool {
    KEYS.contains(&key)
}

/// The document type whose landmark rule may be omitted.
const PACKAGE: &str = "cocopack";

/// Document types are compared case-insensitively.
fn is_package(document_type: &str) -> bool {
    document_type.eq_ignore_ascii_case(PACKAGE)
}

fn put_text(out: &mut Vec<u8>, key: &str, value: &str) {
    put_str(out, key);
    put_str(out, value);
}

fn put_number(out: &mut Vec<u8>, key: &str, value: u64) {
    put_str(out, key);
    put_plain_integer(out, value.into());
}

fn put_texts(out: &mut Vec<u8>, key: &str, texts: &[String]) {
    if texts.is_empty() {
        return;
    }
    put_str(out, key);
    put_array_header(out, texts.len());
    texts.iter().for_each(|text| put_str(out, text));
}

/// Each finding is an array of its four fields.
fn put_findings(out: &mut Vec<u8>, findings: &[SourceFinding]) {
    if findings.is_empty() {
        return;
    }
    put_str(out, "findings");
    put_array_header(out, findings.len());
    for SourceFinding { code, count, line, column } in findings {
        put_array_header(out, 4);
        put_str(out, code);
        for number in [*count, *line, *column] {
            put_plain_integer(out, number.into());
        }
    }
}

/// A text and its offset.
struct Placed<'a> {
    text: &'a str,
    at: u64,
}

/// The fields read so far, in any order.
#[derive(Default)]
struct Fields<'a> {
    document_type: Option<&'a str>,
    version: Option<u16>,
    profile: Option<Profile>,
    requires_write: Vec<Placed<'a>>,
    optional: Vec<Placed<'a>>,
    producer: Option<&'a str>,
    values: Option<u64>,
    depth: Option<u32>,
    landmarks: Option<u64>,
    source: Option<SourceRecord>,
    digest: Option<[u8; 32]>,
    dialect: Option<&'a str>,
    patterns: Option<Vec<Placed<'a>>>,
    join: Option<&'a str>,
    edges: Option<Vec<Placed<'a>>>,
    places: HeaderPlaces,
}

impl<'a> Fields<'a> {
    fn read(&mut self, key: &str, cursor: &mut Cursor<'a>) -> Result<(), DecodeError> {
        let at = cursor.position() as u64;
        match key {
            "document-type" => {
                self.places.document_type = at;
                self.document_type = Some(text("document-type", cursor)?);
            }
            "version" => {
                self.places.version = at;
                let version = number("version", cursor)?;
                self.version = Some(u16::try_from(version).map_err(|_| field("version").at(at))?);
            }
            "profile" => {
                let profile = Profile::named(text("profile", cursor)?);
                self.profile = Some(profile.ok_or_else(|| field("profile").at(at))?);
            }
            // Already refused, unless the list is empty.
            "requires" => drop(texts("requires", cursor)?),
            "requires-write" => self.requires_write = texts("requires-write", cursor)?,
            "optional" => self.optional = texts("optional", cursor)?,
            "producer" => self.producer = Some(text("producer", cursor)?),
            "values" => {
                self.places.values = at;
                self.values = Some(number("values", cursor)?);
            }
            "depth" => {
                self.places.depth = at;
                let depth = number("depth", cursor)?;
                self.depth = Some(u32::try_from(depth).map_err(|_| field("depth").at(at))?);
            }
            "landmarks" => {
                self.places.landmarks = at;
                self.landmarks = Some(number("landmarks", cursor)?);
            }
            "source" => self.source = Some(source(cursor)?),
            "digest" => {
                self.places.digest = at;
                self.digest = Some(digest("digest", cursor)?);
            }
            "dialect" => self.dialect = Some(text("dialect", cursor)?),
            "patterns" => self.patterns = Some(texts("patterns", cursor)?),
            "join" => self.join = Some(text("join", cursor)?),
            "edges" => self.edges = Some(texts("edges", cursor)?),
            _ => cursor.skip(1)?,
        }
        Ok(())
    }

    fn finish(self, start: u64) -> Result<Header, DecodeError> {
        let rule_text = self.rule();
        match self {
            Fields {
                document_type: Some(document_type),
                version: Some(version),
                profile: Some(profile),
                producer: Some(producer),
                values: Some(values),
                depth: Some(depth),
                landmarks: Some(landmarks),
                digest: Some(digest),
                ..
            } => Ok(Header {
                document_type: document_type.to_owned(),
                version,
                profile,
                requires_write: owned(&self.requires_write),
                optional: owned(&self.optional),
                producer: producer.to_owned(),
                values,
                depth,
                landmarks,
                source: self.source,
                digest,
                dialect: self.dialect.map(str::to_owned),
                rule_text,
            }),
            _ => Err(field(self.missing()).at(start)),
        }
    }

    /// The first missing required field.
    fn missing(&self) -> &'static str {
        let required = [
            ("document-type", self.document_type.is_some()),
            ("version", self.version.is_some()),
            ("profile", self.profile.is_some()),
            ("producer", self.producer.is_some()),
            ("values", self.values.is_some()),
            ("depth", self.depth.is_some()),
            ("landmarks", self.landmarks.is_some()),
            ("digest", self.digest.is_some()),
        ];
        required.into_iter().find(|(_, is_there)| !is_there).map_or("", |(key, _)| key)
    }

    /// The landmark rule of the header, or that of packages for a package without one.
    fn rule(&self) -> HeaderRule {
        let is_package = self.document_type.is_some_and(is_package);
        if is_package && self.patterns.is_none() && self.join.is_none() && self.edges.is_none() {
            return HeaderRule::of_package();
        }
        let (patterns, edges) = (owned_places(&self.patterns), owned_places(&self.edges));
        HeaderRule::of(Texts { patterns, join: self.join.map(str::to_owned), edges }, self.dialect)
    }
}

#[inline(never)]
fn owned(texts: &[Placed<'_>]) -> Vec<String> {
    texts.iter().map(|placed| placed.text.to_owned()).collect()
}

#[inline(never)]
fn owned_places(texts: &Option<Vec<Placed<'_>>>) -> Vec<(String, u64)> {
    let texts = texts.as_deref().unwrap_or_default();
    texts.iter().map(|placed| (placed.text.to_owned(), placed.at)).collect()
}

/// Refuses features that a reader must know (§5.12): this version knows none, so it refuses
/// everything except an empty list. The cursor is after the head of the map, which has `count`
/// entries.
fn refuse_requirements(mut cursor: Cursor<'_>, count: u32) -> Result<(), DecodeError> {
    for _ in 0..count {
        // The keys are checked with the fields.
        let more = match cursor.token()? {
            Token::Str(b"requires") => {
                let at = cursor.position() as u64;
                return match cursor.token()? {
                    Token::Array(0) => Ok(()),
                    Token::Array(_) => Err(ErrorKind::RequiredFeature.at(cursor.position() as u64)),
                    _ => Err(ErrorKind::RequiredFeature.at(at)),
                };
            }
            Token::Array(count) => u64::from(count),
            Token::Map(count) => u64::from(count).saturating_mul(2),
            _ => 0,
        };
        cursor.skip(more.saturating_add(1))?;
    }
    Ok(())
}

fn field(key: &'static str) -> ErrorKind {
    ErrorKind::HeaderField { key }
}

/// Reads a key that is not in `keys` yet. Refuses a duplicate at its value, like a wrong value.
fn new_key<'a>(
    keys: &mut DistinctKeys<'a>,
    what: &'static str,
    cursor: &mut Cursor<'a>,
) -> Result<&'a str, DecodeError> {
    let key = cursor.str()?;
    match keys.insert(key) {
        true => Ok(key),
        false => Err(field(what).at(cursor.position() as u64)),
    }
}

#[inline(never)]
fn text<'a>(key: &'static str, cursor: &mut Cursor<'a>) -> Result<&'a str, DecodeError> {
    let at = cursor.position() as u64;
    match cursor.token()? {
        Token::Str(bytes) => cursor.text(bytes),
        _ => Err(field(key).at(at)),
    }
}

#[inline(never)]
fn number(key: &'static str, cursor: &mut Cursor<'_>) -> Result<u64, DecodeError> {
    let at = cursor.position() as u64;
    match cursor.token()? {
        Token::Unsigned(number) => Ok(number),
        _ => Err(field(key).at(at)),
    }
}

#[inline(never)]
fn digest(key: &'static str, cursor: &mut Cursor<'_>) -> Result<[u8; 32], DecodeError> {
    let at = cursor.position() as u64;
    match cursor.token()? {
        Token::Bin(bytes) => bytes.try_into().map_err(|_| field(key).at(at)),
        _ => Err(field(key).at(at)),
    }
}

#[inline(never)]
fn texts<'a>(key: &'static str, cursor: &mut Cursor<'a>) -> Result<Vec<Placed<'a>>, DecodeError> {
    let at = cursor.position() as u64;
    let count = match cursor.token()? {
        Token::Array(count) => count,
        _ => return Err(field(key).at(at)),
    };
    (0..count)
        .map(|_| {
            let at = cursor.position() as u64;
            Ok(Placed { text: text(key, cursor)?, at })
        })
        .collect()
}

fn source(cursor: &mut Cursor<'_>) -> Result<SourceRecord, DecodeError> {
    let at = cursor.position() as u64;
    let Token::Map(count) = cursor.token()? else { return Err(field("source").at(at)) };
    let (mut format, mut bytes, mut sha_256, mut found) = (None, None, None, Vec::new());
    let mut keys = DistinctKeys::default();
    for _ in 0..count {
        match new_key(&mut keys, "source", cursor)? {
            "format" => format = Some(text("source", cursor)?),
            "bytes" => bytes = Some(number("source", cursor)?),
            "sha-256" => sha_256 = Some(digest("source", cursor)?),
            "findings" => {
                // For display: another form than this version's is skipped like an unknown key.
                let mut ahead = *cursor;
                found = findings(&mut ahead).unwrap_or_default();
                cursor.skip(1)?;
            }
            _ => cursor.skip(1)?,
        }
    }
    match (format, bytes, sha_256) {
        (Some(format), Some(bytes), Some(sha_256)) => {
            Ok(SourceRecord { format: format.to_owned(), bytes, sha_256, findings: found })
        }
        _ => Err(field("source").at(at)),
    }
}

fn findings(cursor: &mut Cursor<'_>) -> Result<Vec<SourceFinding>, DecodeError> {
    let at = cursor.position() as u64;
    let Token::Array(count) = cursor.token()? else { return Err(field("source").at(at)) };
    let mut findings = Vec::new();
    for _ in 0..count {
        let at = cursor.position() as u64;
        let count = match cursor.token()? {
            Token::Array(count) => u64::from(count).checked_sub(4),
            _ => None,
        };
        let more = count.ok_or_else(|| field("source").at(at))?;
        let code = text("source", cursor)?.to_owned();
        let mut next = || number("source", cursor);
        findings.push(SourceFinding { code, count: next()?, line: next()?, column: next()? });
        cursor.skip(more)?;
    }
    Ok(findings)
}

#[cfg(test)]
mod tests;
