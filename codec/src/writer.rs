//! §5 Documents into files.
//!
//! A [`Writer`] turns a [`Dag`] into the bytes of a file, in one pass over decisions and one over bytes:
//!
//! ```text
//! landmarks ─▶ spine ─▶ sharing ─▶ shapes ─▶ ids ─▶ bytes of the elements ─▶ tables ─▶ checksums
//! ```
//!
//! The bytes are a function of the document, the options and this version of the writer: nothing depends on
//! time, host, hash seeds or threads.

mod assemble;
mod digest;
mod emit;
mod numbering;
mod plain;
mod shapes;
mod sharing;
mod spine;
mod texts;

use crate::dag::{Dag, DagNode};
use crate::index::{Index, TooMuch, bounded};
use crate::limits;
use crate::wire::header::{Header, Profile, SourceRecord};
use coconut_format::envelope::{Encoding, Envelope, InvalidEnvelope};
use coconut_format::landmark::{LandmarkRule, Landmarks, Walk};
use std::fmt;

pub use digest::document_digest;

/// Name and version of this writer, as files name it.
pub const PRODUCER: &str = concat!("coconut ", env!("CARGO_PKG_VERSION"));

/// The thresholds of the layout. `benches/layout` varies them; the figures behind the defaults are in
/// `spec/rationale.md`. Files of any layout are read alike.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// Whether equal subtrees are stored once.
    pub shared_values: bool,
    /// Uses from which a subtree may be shared.
    pub shared_min_uses: u32,
    /// Estimated bytes from which a subtree may be shared.
    pub shared_min_bytes: u32,
    /// Uses from which a string may be in the table.
    pub string_min_uses: u32,
    /// Whether frequent strings, shapes and shared values have the shortest ids, and not the first ones.
    pub frequent_first: bool,
    /// Whether small objects are written inside the records of their parents.
    pub nested_slots: bool,
    /// Whether values that all records of a shape have are written in the shape.
    pub constant_slots: bool,
    /// Whether shapes say where integers stand.
    pub integer_slots: bool,
    /// Whether objects of one key list get several shapes where one key tells them apart.
    pub discriminators: bool,
    /// Whether offsets take eight bytes although four would do.
    pub wide: bool,
    /// Bytes of content from which a file gets a block table.
    pub blocks_from: usize,
    /// Landmarks from which a file gets an index.
    pub index_from: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Layout {
            shared_values: true,
            shared_min_uses: 2,
            shared_min_bytes: 4,
            string_min_uses: 2,
            frequent_first: true,
            nested_slots: true,
            constant_slots: true,
            integer_slots: true,
            discriminators: true,
            wide: false,
            blocks_from: 16 << 10,
            index_from: crate::wire::landmarks::INDEX_FROM,
        }
    }
}

/// What a [`Writer`] is to write.
#[derive(Clone, Debug)]
pub struct WriterOptions {
    /// What sort of document it is: `cocopack`, `cocogl`, `document`, or another token.
    pub document_type: String,
    /// How values are written.
    pub profile: Profile,
    /// Which values can be looked up.
    pub rule: LandmarkRule,
    /// Where the rule came from, for display.
    pub dialect: Option<String>,
    /// The text that the document came from.
    pub source: Option<SourceRecord>,
    /// Thresholds.
    pub layout: Layout,
}

impl WriterOptions {
    /// A document of this type, in the default profile, without landmarks.
    pub fn new(document_type: &str) -> Self {
        WriterOptions {
            document_type: document_type.to_owned(),
            profile: Profile::Full,
            rule: LandmarkRule::default(),
            dialect: None,
            source: None,
            layout: Layout::default(),
        }
    }
}

/// Why a document could not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// The document type cannot stand in an envelope.
    Envelope(InvalidEnvelope),
    /// The header has more bytes than it may have (§9), most of them of the landmark rule.
    LongHeader {
        /// How many it has.
        length: u64,
        /// How many it may have.
        limit: u64,
    },
    /// More of something than the format can number.
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How much there is.
        count: u64,
        /// How much there may be.
        limit: u64,
    },
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Envelope(error) => write!(f, "cannot write the envelope: {error}"),
            WriteError::LongHeader { length, limit } => {
                write!(f, "{length} bytes of the header, the limit is {limit}; most are of the landmark rule")
            }
            WriteError::TooMany { what, count, limit } => write!(f, "{count} {what}, the limit is {limit}"),
        }
    }
}

impl std::error::Error for WriteError {}

impl WriteError {
    /// The stable code of a limit, for machines. What cannot stand in an envelope is no limit, and has none.
    pub fn code(&self) -> Option<&'static str> {
        match self {
            WriteError::Envelope(_) => None,
            WriteError::LongHeader { .. } => Some("LIM-HEADER"),
            WriteError::TooMany { .. } => Some("LIM-COUNT"),
        }
    }
}

impl From<TooMuch> for WriteError {
    fn from(TooMuch { what, count, limit }: TooMuch) -> Self {
        WriteError::TooMany { what, count, limit }
    }
}

/// Writes documents as files.
#[derive(Clone, Debug)]
pub struct Writer {
    options: WriterOptions,
}

impl Writer {
    /// A writer with these options.
    pub fn new(options: WriterOptions) -> Self {
        Writer { options }
    }

    /// The bytes of the file. Costs a few passes over the distinct parts of the document, one over the whole
    /// document for its digest, and memory of about the file's size.
    pub fn to_bytes(&self, dag: &Dag) -> Result<Vec<u8>, WriteError> {
        self.write(dag).map(|(bytes, _)| bytes)
    }

    /// The bytes of the file, and how many landmarks it has.
    pub(crate) fn write(&self, dag: &Dag) -> Result<(Vec<u8>, u64), WriteError> {
        let options = &self.options;
        let layout = &self.effective_layout();
        let envelope =
            Envelope::new(&options.document_type, Encoding::Msgpack).map_err(WriteError::Envelope)?;
        let root = DagNode { dag, handle: dag.root() };
        for pattern in options.rule.patterns() {
            let pieces = pattern.key().pieces() as u64;
            TooMuch::check("pieces of a template", pieces, limits::TEMPLATE_PIECES as u64)?;
        }
        let walk = bounded(Walk::new(&options.rule, root));
        let index = Index::of(Landmarks::of_walk(&options.rule, walk), |_| 0, limits::edges_of(dag.size()))?;
        let spine = spine::Spine::find(dag, &options.rule);
        let header = Header {
            document_type: options.document_type.clone(),
            version: coconut_format::envelope::VERSION,
            profile: options.profile,
            requires_write: Vec::new(),
            optional: Vec::new(),
            producer: PRODUCER.to_owned(),
            values: digest::expanded_values(dag),
            depth: dag.depth(),
            landmarks: index.len() as u64,
            source: options.source.clone(),
            digest: [0; 32],
            dialect: options.dialect.clone(),
            rule: options.rule.clone(),
        };
        let (length, limit) = (header.length() as u64, limits::HEADER_BYTES as u64);
        if length > limit {
            return Err(WriteError::LongHeader { length, limit });
        }
        let landmarks = header.landmarks;
        let bytes = match options.profile {
            Profile::Plain => assemble::plain_file(&envelope, header, dag, &spine, index, layout),
            Profile::Full | Profile::Transport => {
                let header = Header { digest: document_digest(dag), ..header };
                assemble::file(&envelope, &header, dag, &spine, index, layout)
            }
        };
        Ok((bytes, landmarks))
    }

    fn effective_layout(&self) -> Layout {
        let mut layout = self.options.layout.clone();
        if self.options.profile == Profile::Transport {
            layout.blocks_from = usize::MAX;
            layout.index_from = usize::MAX;
        }
        layout
    }
}
