//! Writes documents to files (§5).
//!
//! A [`Writer`] turns an [`Interned`] into the bytes of a file. One pass makes decisions, and one
//! writes bytes:
//!
//! ```text
//! landmarks ─▶ ancestors ─▶ sharing ─▶ shapes ─▶ ids ─▶ elements ─▶ tables ─▶ checksums
//! ```
//!
//! The bytes depend on the document, the options and this version of the writer. They do not depend
//! on the time, host, hash seeds or threads.

mod ancestors;
mod assemble;
mod digest;
mod emit;
pub mod interner;
mod numbering;
mod output;
mod plain;
mod shapes;
mod sharing;
mod texts;
mod tuning;

use crate::index::{Index, TooMuch, bounded};
use crate::limits;
use crate::wire::header::{Header, Profile, SourceRecord};
pub use crate::wire::kept::Kept;
use crate::write::interner::{Interned, InternedNode};
use coconut_format::envelope::{Encoding, Envelope, InvalidEnvelope};
use coconut_format::landmark::{LandmarkRule, Landmarks, Walk};
use std::cell::RefCell;
use std::fmt;
use std::io;

use digest::Digests;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use digest::document_digest;
#[cfg(not(feature = "tooling"))]
pub(crate) use digest::document_digest;
#[cfg(any(test, feature = "tooling"))]
#[doc(hidden)]
pub use tuning::Tuning;
#[cfg(not(any(test, feature = "tooling")))]
use tuning::Tuning;

/// Name and version of this writer, for the header of a file.
#[doc(hidden)]
pub const PRODUCER: &str = concat!("coconut ", env!("CARGO_PKG_VERSION"));

/// Options of a [`Writer`].
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct WriterOptions {
    /// The document type: `cocopack`, `cocogl`, `document`, or another token.
    pub document_type: String,
    /// The encoding of values.
    pub profile: Profile,
    /// The rule for landmarks, the values that can be looked up.
    pub rule: LandmarkRule,
    /// The origin of the rule, for display.
    pub dialect: Option<String>,
    /// The source text of the document.
    pub source: Option<SourceRecord>,
    /// Whether the file contains the digests of its landmarks (part 37), which make comparing two
    /// large files cheap. Not in profile `transport`, which has no index.
    pub digests: bool,
    /// The content of the file that this one is made from, where this version does not know it.
    pub kept: Kept,
}

crate::setters::setters! {
    WriterOptions: profile: Profile, rule: LandmarkRule, digests: bool, kept: Kept; dialect: String, source: SourceRecord
}

impl WriterOptions {
    /// Options for a document of this type, in the default profile, without landmarks.
    pub fn new(document_type: &str) -> Self {
        WriterOptions {
            document_type: document_type.to_owned(),
            profile: Profile::Full,
            rule: LandmarkRule::default(),
            dialect: None,
            source: None,
            digests: false,
            kept: Kept::default(),
        }
    }
}

/// The reason why a document could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// The document type is not valid in an envelope.
    Envelope(InvalidEnvelope),
    /// The header exceeds its limit (§9.7). Most of its bytes are the landmark rule.
    LongHeader {
        /// Bytes of the header.
        length: u64,
        /// Maximum number of bytes.
        limit: u64,
    },
    /// The file could not be written.
    Output(String),
    /// More items than the format can number.
    TooMany {
        /// The kind of item, in the plural.
        what: &'static str,
        /// The number of items.
        count: u64,
        /// Maximum number of items.
        limit: u64,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Envelope(error) => write!(f, "cannot write the envelope: {error}"),
            WriteError::LongHeader { length, limit } => {
                write!(
                    f,
                    "the header has {length} bytes, the limit is {limit}; most of them are the landmark rule"
                )
            }
            WriteError::Output(text) => write!(f, "cannot write: {text}"),
            WriteError::TooMany { what, count, limit } => write!(f, "{count} {what}, the limit is {limit}"),
        }
    }
}

impl std::error::Error for WriteError {}

impl WriteError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            WriteError::Envelope(error) => error.code(),
            WriteError::LongHeader { .. } => "LIM-HEADER",
            WriteError::Output(_) => coconut_format::code::OUTPUT,
            WriteError::TooMany { .. } => "LIM-COUNT",
        }
    }
}

coconut_format::explained!(WriteError);

impl From<TooMuch> for WriteError {
    fn from(TooMuch { what, count, limit }: TooMuch) -> Self {
        WriteError::TooMany { what, count, limit }
    }
}

/// Writes documents as files.
#[derive(Clone, Debug)]
pub struct Writer {
    options: WriterOptions,
    tuning: Tuning,
}

impl Writer {
    /// A writer with these options.
    pub fn new(options: WriterOptions) -> Self {
        Writer { options, tuning: Tuning::default() }
    }

    /// Returns the writer with another layout.
    #[cfg(any(test, feature = "tooling"))]
    #[must_use]
    pub fn tuned(self, tuning: Tuning) -> Self {
        Writer { tuning, ..self }
    }

    /// Returns the bytes of the file.
    ///
    /// Costs a few passes over the distinct parts of the document, and one pass over the whole
    /// document for its digest. Takes memory of about the size of the file.
    pub fn to_bytes(&self, document: &Interned) -> Result<Vec<u8>, WriteError> {
        self.write(document).map(|(bytes, _)| bytes)
    }

    /// Writes the bytes of the file to `out`, in many small pieces.
    ///
    /// Costs as much as [`to_bytes`](Self::to_bytes), but without the memory of the size of the
    /// file. Profiles `plain` and `transport` still need that memory. In `plain`, the header
    /// contains the digest of the following bytes; in `transport`, the trailer contains the
    /// checksum of all previous bytes.
    ///
    /// # Errors
    ///
    /// Those of [`to_bytes`](Self::to_bytes), and [`WriteError::Output`] if `out` fails. A part of
    /// the file may then have been written.
    pub fn write_to(&self, document: &Interned, out: &mut dyn io::Write) -> Result<(), WriteError> {
        let (bytes, _) = self.write_or_pass_on(document, Some(out))?;
        out.write_all(&bytes).map_err(|error| WriteError::Output(error.to_string()))
    }

    /// The bytes of the file, and the number of its landmarks.
    pub(crate) fn write(&self, document: &Interned) -> Result<(Vec<u8>, u64), WriteError> {
        self.write_or_pass_on(document, None)
    }

    /// The same, without the bytes passed to `to`.
    fn write_or_pass_on(
        &self,
        document: &Interned,
        to: Option<&mut dyn io::Write>,
    ) -> Result<(Vec<u8>, u64), WriteError> {
        let options = &self.options;
        let tuning = &self.effective_tuning();
        let envelope =
            Envelope::new(&options.document_type, Encoding::Msgpack).map_err(WriteError::Envelope)?;
        let root = InternedNode { document, handle: document.root() };
        for pattern in options.rule.patterns() {
            let pieces = pattern.key().pieces() as u64;
            TooMuch::check("pieces of a template", pieces, limits::TEMPLATE_PIECES as u64)?;
        }
        let walk = bounded(Walk::new(&options.rule, root));
        let values = RefCell::new(Vec::new());
        let note_value = |node: InternedNode<'_>| {
            if options.digests {
                values.borrow_mut().push(node.handle);
            }
            0
        };
        let landmarks = Landmarks::of_walk(&options.rule, walk);
        let index = Index::of(landmarks, note_value, limits::max_edges(document.size()))?;
        let values = values.into_inner();
        let ancestors = ancestors::Ancestors::find(document, &options.rule);
        // A rule that this version does not understand is a claim of the old file.
        let kept_rule = options.kept.rule.clone();
        let (rule_text, landmarks) =
            kept_rule.unwrap_or_else(|| (options.rule.clone().into(), index.len() as u64));
        let header = Header {
            document_type: options.document_type.clone(),
            version: coconut_format::envelope::VERSION,
            profile: options.profile,
            requires_write: Vec::new(),
            optional: options.kept.optional.clone(),
            producer: PRODUCER.to_owned(),
            values: digest::expanded_values(document),
            depth: document.depth(),
            landmarks,
            source: options.source.clone(),
            digest: [0; 32],
            dialect: options.dialect.clone(),
            rule_text,
        };
        let (length, limit) = (header.length(options.kept.entries()) as u64, limits::HEADER_BYTES as u64);
        if length > limit {
            return Err(WriteError::LongHeader { length, limit });
        }
        let digests = options.digests.then_some(Digests { document, values: &values });
        let index = (index, digests);
        let beginning = (&envelope, &options.kept);
        let bytes = match options.profile {
            Profile::Plain => assemble::plain_file(beginning, header, document, &ancestors, index, tuning)?,
            Profile::Full | Profile::Transport => {
                let header = Header { digest: document_digest(document), ..header };
                assemble::file(beginning, &header, document, &ancestors, index, tuning, to)?
            }
        };
        Ok((bytes, landmarks))
    }

    fn effective_tuning(&self) -> Tuning {
        let mut tuning = self.tuning.clone();
        if self.options.digests {
            // They belong to the index.
            tuning.index_from = tuning.index_from.min(1);
        }
        if self.options.profile == Profile::Transport {
            tuning.blocks_from = usize::MAX;
            tuning.index_from = usize::MAX;
        }
        tuning
    }
}
