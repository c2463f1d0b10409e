//! The reasons why a compiled form was not used.

use super::fleet_fault::FleetFault;
use crate::cache::{CacheFault, IoFault, shown};
use crate::codes::codes;
use crate::wire::header::Profile;
use coconut_format::error::DecodeError;
use coconut_format::hex::Hex;
use coconut_format::truncated::Truncated;
use std::fmt;
use std::path::PathBuf;

/// A compiled form or another source of a package that was not used, and the reason.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct Fallback {
    /// The entry, the cache directory, or the precompiled document. For a fleet, its location or
    /// that of the object.
    pub binary: PathBuf,
    /// The reason.
    pub reason: FallbackReason,
}

impl Fallback {
    /// A fallback that a fleet reports.
    #[cfg(feature = "tooling")]
    #[doc(hidden)]
    pub fn new(binary: PathBuf, reason: FallbackReason) -> Fallback {
        Fallback { binary, reason }
    }
}

/// The reasons why a compiled form was not used.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum FallbackReason {
    /// The cache, or something in it, cannot be used.
    Cache(CacheFault),
    /// The fleet cannot be used.
    Fleet(FleetFault),
    /// The document is damaged, or needs a newer reader.
    Damaged(DecodeError),
    /// The precompiled document cannot be read.
    Unreadable(IoFault),
    /// The precompiled document, its folder, or a link in its path belongs to another user.
    Owner {
        /// The file or folder.
        path: PathBuf,
        /// Its owner.
        owner: u32,
        /// The user of this process.
        expected: u32,
    },
    /// Other users may write to the precompiled document or its folder.
    Mode {
        /// The file or folder.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// This platform has no file owners and modes to show which user wrote a precompiled document.
    Platform,
    /// It was made from another source than the current one.
    Stale {
        /// SHA-256 of the source.
        expected: [u8; 32],
        /// SHA-256 of the source that it was made from.
        found: [u8; 32],
    },
    /// It does not have the digest in the lock file.
    NotLocked {
        /// The SHA-256 in the lock file.
        expected: [u8; 32],
        /// The SHA-256 of the document.
        found: [u8; 32],
    },
    /// It does not record its source.
    NoSourceRecord,
    /// The source that would prove it fresh does not exist, and the policy demands the proof.
    SourceAbsent,
    /// Another version of the library made it, and might have compiled the source differently.
    Producer {
        /// This version.
        expected: String,
        /// The library that made it.
        found: String,
    },
    /// It has another profile.
    Profile {
        /// The requested profile.
        expected: Profile,
        /// Its profile.
        found: Profile,
    },
    /// Its landmarks differ from those of the source.
    LandmarkRule,
    /// It is a second source of the package. The first by extension is used.
    OtherSource {
        /// The source that is used.
        used: PathBuf,
    },
    /// It is another package, or not a package.
    Name {
        /// The requested package.
        expected: String,
        /// Its name.
        found: Option<String>,
    },
    /// It is another version of the package.
    Version {
        /// The requested version.
        expected: String,
        /// Its version.
        found: String,
    },
}

impl FallbackReason {
    codes! {
        /// The codes of all reasons, except those of the cache, of a fleet, or of a damaged
        /// document.
        CODES;
        /// The stable code of the reason, for machines.
        code;
        FallbackReason::Unreadable(_) => "LOAD-READ",
        FallbackReason::Owner { .. } => "LOAD-OWNER",
        FallbackReason::Mode { .. } => "LOAD-MODE",
        FallbackReason::Platform => "LOAD-PLATFORM",
        FallbackReason::Stale { .. } => "LOAD-STALE",
        FallbackReason::NotLocked { .. } => "LOAD-DIGEST",
        FallbackReason::NoSourceRecord => "LOAD-NORECORD",
        FallbackReason::SourceAbsent => "LOAD-NOSOURCE",
        FallbackReason::Producer { .. } => "LOAD-PRODUCER",
        FallbackReason::Profile { .. } => "LOAD-PROFILE",
        FallbackReason::LandmarkRule => "LOAD-RULE",
        FallbackReason::OtherSource { .. } => "LOAD-OTHER",
        FallbackReason::Name { .. } => "LOAD-NAME",
        FallbackReason::Version { .. } => "LOAD-VERSION";
        FallbackReason::Cache(fault) => fault.code(),
        FallbackReason::Fleet(fault) => fault.code(),
        FallbackReason::Damaged(error) => error.kind().code()
    }

    /// Whether the compiled form itself is bad. A file that could not be read now may be good
    /// later.
    pub(super) fn is_proof(&self) -> bool {
        match self {
            FallbackReason::Cache(fault) => fault.is_proof(),
            _ => true,
        }
    }

    /// Whether this is the same fault of the cache, found in another call.
    pub(super) fn is_fault(&self, other: &CacheFault) -> bool {
        matches!(self, FallbackReason::Cache(fault) if fault.repeats(other))
    }
}

impl Fallback {
    /// Whether it is redundant after `other` was reported.
    pub fn repeats(&self, other: &Fallback) -> bool {
        match &other.reason {
            FallbackReason::Cache(fault) => self == other || self.reason.is_fault(fault),
            _ => self == other,
        }
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fallback { binary, reason } = self;
        match reason {
            // These texts contain the path.
            FallbackReason::Cache(_)
            | FallbackReason::Unreadable(_)
            | FallbackReason::Owner { .. }
            | FallbackReason::Mode { .. } => {
                write!(f, "{}: {reason}", reason.code())
            }
            _ => write!(f, "{}: {}: {reason}", reason.code(), shown(binary)),
        }
    }
}

coconut_format::explained!(FallbackReason);

impl std::error::Error for FallbackReason {}

impl fmt::Display for FallbackReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FallbackReason::Cache(fault) => fault.fmt(f),
            FallbackReason::Fleet(fault) => fault.fmt(f),
            // The code is that of the reason, and precedes this text.
            FallbackReason::Damaged(error) => write!(f, "{} at byte {}", error.kind(), error.offset()),
            FallbackReason::Unreadable(fault) => fault.fmt(f),
            FallbackReason::Owner { path, owner, expected } => {
                write!(f, "{} belongs to user {owner}, expected {expected}", shown(path))?;
                if *expected == 0 { Ok(()) } else { write!(f, " or 0") }
            }
            FallbackReason::Mode { path, mode } => {
                let path = shown(path);
                write!(f, "other users may write to {path} (mode {mode:04o}); run `chmod go-w {path}`")
            }
            FallbackReason::Platform => {
                write!(f, "this platform has no file owners and modes to show which user wrote it")
            }
            FallbackReason::Stale { expected, found } => {
                let (expected, found) = (Digits(expected), Digits(found));
                write!(f, "it was made from source {found}, but the current source is {expected}")
            }
            FallbackReason::NotLocked { expected, found } => {
                let (expected, found) = (Digits(expected), Digits(found));
                write!(f, "its SHA-256 is {found}, but the lock file has {expected}")
            }
            FallbackReason::NoSourceRecord => write!(
                f,
                "it records no source, so another command made it; build it again, or give it another name"
            ),
            FallbackReason::SourceAbsent => {
                write!(
                    f,
                    "it cannot be proven fresh without its source; require compiled forms, or trust them"
                )
            }
            FallbackReason::Producer { expected, found } => {
                write!(
                    f,
                    "it was made by `{}`, expected `{expected}`",
                    Truncated(found).to_text().escape_debug()
                )
            }
            FallbackReason::Profile { expected, found } => {
                write!(f, "its profile is `{}`, expected `{}`", found.name(), expected.name())
            }
            FallbackReason::LandmarkRule => write!(f, "its landmarks differ from those of its source"),
            FallbackReason::OtherSource { used } => {
                write!(f, "another source of the package takes precedence: {}", shown(used))
            }
            FallbackReason::Name { expected, found: Some(found) } => {
                write!(
                    f,
                    "it is the package `{}`, expected `{expected}`",
                    Truncated(found).to_text().escape_debug()
                )
            }
            FallbackReason::Name { expected, found: None } => {
                write!(f, "it has no name, expected the package `{expected}`")
            }
            FallbackReason::Version { expected, found } => {
                write!(
                    f,
                    "it is version `{}`, expected `{expected}`",
                    Truncated(found).to_text().escape_debug()
                )
            }
        }
    }
}

/// The beginning of a digest: enough to see that two differ.
struct Digits<'a>(&'a [u8; 32]);

impl fmt::Display for Digits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}…", Hex(&self.0[..4]))
    }
}
