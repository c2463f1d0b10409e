//! The reasons why a reference cannot be resolved, read or written.

use crate::digest::Digest;
use coconut_codec::loader::FleetFault;
use coconut_format::error::DecodeError;
use std::fmt;
use std::io;

/// A failure, with the reference or file that it is about.
#[derive(Debug)]
pub struct HubError(Box<Facts>);

#[derive(Debug)]
struct Facts {
    kind: HubErrorKind,
    place: String,
}

/// The kind of a failure. [`HubErrorKind::code`] is stable. No kind contains credentials.
#[derive(Debug)]
#[non_exhaustive]
pub enum HubErrorKind {
    /// A reference is not valid.
    Reference {
        /// The fault.
        what: &'static str,
        /// The remedy.
        hint: &'static str,
    },
    /// There is no such repository, tag, manifest or layer.
    Absent {
        /// The missing thing.
        what: String,
    },
    /// The registry refuses access.
    Denied {
        /// The answer, or the reason why it could not be satisfied.
        what: String,
    },
    /// The stored credentials cannot be read.
    Credentials {
        /// The fault, without the output of a helper.
        what: String,
    },
    /// The registry cannot be reached, or has broken the connection.
    Unreachable {
        /// The error text.
        what: String,
    },
    /// The registry did not answer in time.
    Time {
        /// The time limit in seconds.
        seconds: u64,
    },
    /// The registry asks to wait, a second time or for too long.
    Busy {
        /// The requested time in seconds.
        seconds: u64,
    },
    /// An answer is not what the specification of registries requires.
    Answer {
        /// The fault.
        what: String,
    },
    /// Bytes do not have the expected digest.
    Digest {
        /// The digest that was requested.
        expected: Digest,
        /// The digest of the received bytes, or the one in the answer.
        found: String,
    },
    /// More or fewer bytes than a descriptor announces.
    Size {
        /// The announced number of bytes.
        expected: u64,
        /// The number of bytes that were received or announced elsewhere.
        found: u64,
    },
    /// A layer or an answer is larger than allowed.
    Limit {
        /// The announced or received number of bytes.
        found: u64,
        /// The maximum.
        limit: u64,
    },
    /// A redirect that is not followed.
    Redirect {
        /// The fault.
        what: &'static str,
        /// The scheme and host of its target.
        to: String,
    },
    /// The manifest is not that of one document.
    Artifact {
        /// The fault.
        what: String,
        /// The remedy, or nothing.
        hint: String,
    },
    /// A document cannot be published as it is.
    Profile {
        /// Its profile.
        found: &'static str,
    },
    /// A layer is not a valid document.
    Document(DecodeError),
    /// A directory is not an image layout.
    Layout {
        /// The fault.
        what: String,
    },
    /// The lock file is not valid.
    LockFile {
        /// The fault.
        what: String,
    },
    /// A reference is not the locked one.
    Locked {
        /// The locked reference, or nothing.
        expected: String,
        /// The requested one.
        found: String,
    },
    /// Off line, and the document is not in the cache.
    Offline {
        /// The missing manifest or layer.
        what: String,
    },
    /// There is no valid signature of the key.
    Signature {
        /// The fault.
        what: String,
    },
    /// An object of a store cannot be read.
    Object(FleetFault),
    /// A file cannot be read or written.
    Io {
        /// The operation: `read`, `write`, …
        operation: &'static str,
        /// The error of the system.
        error: io::Error,
    },
}

impl HubErrorKind {
    /// All codes.
    pub const CODES: [&str; 20] = [
        "HUB-REFERENCE",
        "HUB-ABSENT",
        "HUB-DENIED",
        "HUB-CREDENTIALS",
        "HUB-UNREACHABLE",
        "HUB-TIME",
        "HUB-BUSY",
        "HUB-ANSWER",
        "HUB-DIGEST",
        "HUB-SIZE",
        "HUB-LIMIT",
        "HUB-REDIRECT",
        "HUB-ARTIFACT",
        "HUB-PROFILE",
        "HUB-DOCUMENT",
        "HUB-LAYOUT",
        "HUB-LOCK-FILE",
        "HUB-LOCKED",
        "HUB-OFFLINE",
        "HUB-SIGNATURE",
    ];

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            HubErrorKind::Reference { .. } => "HUB-REFERENCE",
            HubErrorKind::Absent { .. } => "HUB-ABSENT",
            HubErrorKind::Denied { .. } => "HUB-DENIED",
            HubErrorKind::Credentials { .. } => "HUB-CREDENTIALS",
            HubErrorKind::Unreachable { .. } => "HUB-UNREACHABLE",
            HubErrorKind::Time { .. } => "HUB-TIME",
            HubErrorKind::Busy { .. } => "HUB-BUSY",
            HubErrorKind::Answer { .. } => "HUB-ANSWER",
            HubErrorKind::Digest { .. } => "HUB-DIGEST",
            HubErrorKind::Size { .. } => "HUB-SIZE",
            HubErrorKind::Limit { .. } => "HUB-LIMIT",
            HubErrorKind::Redirect { .. } => "HUB-REDIRECT",
            HubErrorKind::Artifact { .. } => "HUB-ARTIFACT",
            HubErrorKind::Profile { .. } => "HUB-PROFILE",
            HubErrorKind::Document(_) => "HUB-DOCUMENT",
            HubErrorKind::Layout { .. } => "HUB-LAYOUT",
            HubErrorKind::LockFile { .. } => "HUB-LOCK-FILE",
            HubErrorKind::Locked { .. } => "HUB-LOCKED",
            HubErrorKind::Offline { .. } => "HUB-OFFLINE",
            HubErrorKind::Signature { .. } => "HUB-SIGNATURE",
            HubErrorKind::Object(fault) => fault.code(),
            HubErrorKind::Io { .. } => "IO",
        }
    }

    /// The remedy, if there is one to name.
    pub fn hint(&self) -> Option<&str> {
        Some(match self {
            HubErrorKind::Reference { hint, .. } => hint,
            HubErrorKind::Artifact { hint, .. } if !hint.is_empty() => hint,
            HubErrorKind::Denied { .. } => "log in with `docker login HOST`, which stores the credentials",
            HubErrorKind::Profile { .. } => "write it again with `coco pack repack --profile full`",
            HubErrorKind::Locked { .. } => "`coco hub lock` writes the lock file again",
            HubErrorKind::Offline { .. } => "run `coco hub pull --locked` while on line",
            HubErrorKind::Limit { .. } => "`--max-bytes` sets another limit",
            _ => return None,
        })
    }
}

impl HubError {
    /// A failure about a reference or a file.
    pub(crate) fn new(place: impl fmt::Display, kind: HubErrorKind) -> HubError {
        HubError(Box::new(Facts { kind, place: place.to_string() }))
    }

    /// A failure of the file system.
    pub(crate) fn io(operation: &'static str, path: &std::path::Path, error: io::Error) -> HubError {
        HubError::new(path.display(), HubErrorKind::Io { operation, error })
    }

    /// Its kind.
    pub fn kind(&self) -> &HubErrorKind {
        &self.0.kind
    }

    /// The reference, URL or file that it is about.
    pub fn place(&self) -> &str {
        &self.0.place
    }
}

impl fmt::Display for HubErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HubErrorKind::Reference { what, .. } => write!(f, "invalid reference: {what}"),
            HubErrorKind::Absent { what } => write!(f, "there is no {what}"),
            HubErrorKind::Denied { what } => write!(f, "the registry refuses access: {what}"),
            HubErrorKind::Credentials { what } => write!(f, "the stored credentials cannot be used: {what}"),
            HubErrorKind::Unreachable { what } => write!(f, "the registry cannot be reached: {what}"),
            HubErrorKind::Time { seconds } => write!(f, "the registry did not answer within {seconds} s"),
            HubErrorKind::Busy { seconds } => {
                write!(f, "the registry is busy, and asks to wait for {seconds} s")
            }
            HubErrorKind::Answer { what } => write!(f, "unexpected answer of the registry: {what}"),
            HubErrorKind::Digest { expected, found } => {
                write!(f, "the received bytes have the digest {found}, expected {expected}")
            }
            HubErrorKind::Size { expected, found } => {
                write!(f, "the registry has {found} bytes where the manifest announces {expected}")
            }
            HubErrorKind::Limit { found, limit } => {
                write!(f, "{found} bytes are more than the limit of {limit}")
            }
            HubErrorKind::Redirect { what, to } => write!(f, "a redirect to {to} is not followed: {what}"),
            HubErrorKind::Artifact { what, .. } => {
                write!(f, "the manifest is not that of a document: {what}")
            }
            HubErrorKind::Profile { found } => {
                write!(f, "the document has the profile `{found}`; only `full` is published")
            }
            HubErrorKind::Document(error) => write!(f, "the layer is not a valid document: {error}"),
            HubErrorKind::Layout { what } => write!(f, "the directory is not an image layout: {what}"),
            HubErrorKind::LockFile { what } => write!(f, "the lock file is not valid: {what}"),
            HubErrorKind::Locked { expected, found } if expected.is_empty() => {
                write!(f, "{found} is not in the lock file")
            }
            HubErrorKind::Locked { expected, found } => {
                write!(f, "{found} differs from the lock file, which has {expected}")
            }
            HubErrorKind::Offline { what } => write!(f, "off line, and {what} is not in the cache"),
            HubErrorKind::Signature { what } => write!(f, "the signature does not verify: {what}"),
            HubErrorKind::Object(fault) => fault.fmt(f),
            HubErrorKind::Io { operation, error } => write!(f, "cannot {operation}: {error}"),
        }
    }
}

impl fmt::Display for HubError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.kind())
    }
}

impl std::error::Error for HubError {}
