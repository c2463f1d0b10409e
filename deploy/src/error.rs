//! The reasons why an environment cannot be opened, or a deployment ends before its time.

use crate::provider::{CallError, package_of};
use crate::state::{State, StateError};
use coconut_codec::compile::CompileError;
use coconut_codec::durable::DurableError;
use coconut_format::error::DecodeError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// The reason why an environment cannot be opened, or a deployment ends before its time.
///
/// Failures of steps are not errors: see [`Outcome`](crate::Outcome).
#[derive(Debug)]
#[non_exhaustive]
pub enum DeployError {
    /// Another process works on the environment.
    Locked {
        /// The lock file.
        path: PathBuf,
        /// The contents of the lock file: the process that holds the lock.
        holder: String,
    },
    /// A file cannot be read or written.
    Io {
        /// The operation.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// The kind of failure.
        error: io::Error,
    },
    /// The snapshot is damaged.
    Snapshot(DecodeError),
    /// The snapshot is not a state.
    State(StateError),
    /// The new snapshot cannot be written.
    Durable(DurableError),
    /// The new state cannot be a document.
    Compile(CompileError),
    /// A record in the middle of the journal is damaged. Later ones are good.
    Journal {
        /// The journal.
        path: PathBuf,
        /// The offset of the record in bytes.
        offset: u64,
        /// The reason.
        reason: &'static str,
    },
    /// A later version has written the journal.
    NewerJournal {
        /// The journal.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// The journal continues another snapshot than the one beside it.
    OtherBase {
        /// The journal.
        path: PathBuf,
        /// SHA-256 of the snapshot that the journal continues; absent if it began without one.
        expected: Option<String>,
        /// SHA-256 of the snapshot; absent if there is none.
        found: Option<String>,
    },
    /// The journal cannot be written. Calls that had begun were finished.
    JournalWrite {
        /// The kind of failure.
        error: io::Error,
        /// The state with all results, which no file has.
        state: Box<State>,
    },
    /// The program fails, or its rounds contradict each other.
    Program(String),
    /// No provider has the package of a type.
    NoProvider {
        /// The URN of a resource of the type.
        urn: String,
        /// The package.
        package: String,
    },
    /// A provider cannot be started.
    Unavailable {
        /// The package.
        package: String,
        /// The reason.
        message: String,
    },
    /// A provider refuses its configuration.
    Configure {
        /// The package.
        package: String,
        /// The message of the provider.
        message: String,
    },
    /// A value is secret. The environment has no key to encrypt it with, and no secret is written
    /// without.
    Secret {
        /// The URN of the resource.
        urn: String,
        /// The property.
        property: String,
    },
    /// There is no unresolved operation of this URN.
    NotUnresolved(String),
    /// A provider cannot read a resource.
    Read {
        /// The URN of the resource.
        urn: String,
        /// The message of the provider.
        message: String,
    },
    /// The key of the environment cannot be used.
    Key(String),
    /// The state already has a resource of this URN.
    Exists(String),
    /// A [`Fault`](crate::Fault) ended the run.
    Killed,
}

impl DeployError {
    /// All codes of [`DeployError::code`] that no other crate has.
    pub const CODES: &[&str] = &[
        "DEPLOY-LOCKED",
        "DEPLOY-STATE",
        "DEPLOY-JOURNAL",
        "DEPLOY-NEWER",
        "DEPLOY-BASE",
        "DEPLOY-WRITE",
        "DEPLOY-PROGRAM",
        "DEPLOY-PROVIDER",
        "DEPLOY-CONFIGURE",
        "DEPLOY-SECRET",
        "DEPLOY-RESOLVED",
        "DEPLOY-READ",
        "DEPLOY-EXISTS",
        "DEPLOY-KEY",
    ];

    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            DeployError::Locked { .. } => "DEPLOY-LOCKED",
            DeployError::Io { operation: "read" | "open", .. } => coconut_format::code::FILE_READ,
            DeployError::Io { .. } => coconut_format::code::FILE_WRITE,
            DeployError::Snapshot(error) => error.code(),
            DeployError::State(_) | DeployError::Compile(_) => "DEPLOY-STATE",
            DeployError::Durable(error) => error.code(),
            DeployError::Journal { .. } => "DEPLOY-JOURNAL",
            DeployError::NewerJournal { .. } => "DEPLOY-NEWER",
            DeployError::OtherBase { .. } => "DEPLOY-BASE",
            DeployError::JournalWrite { .. } | DeployError::Killed => "DEPLOY-WRITE",
            DeployError::Program(_) => "DEPLOY-PROGRAM",
            DeployError::NoProvider { .. } | DeployError::Unavailable { .. } => "DEPLOY-PROVIDER",
            DeployError::Configure { .. } => "DEPLOY-CONFIGURE",
            DeployError::Secret { .. } => "DEPLOY-SECRET",
            DeployError::NotUnresolved(_) => "DEPLOY-RESOLVED",
            DeployError::Read { .. } => "DEPLOY-READ",
            DeployError::Exists(_) => "DEPLOY-EXISTS",
            DeployError::Key(_) => "DEPLOY-KEY",
        }
    }

    /// A provider refuses its configuration.
    pub(crate) fn refused((package, error): (String, CallError)) -> DeployError {
        DeployError::Configure { package, message: error.message }
    }

    pub(crate) fn no_provider(urn: &str, type_token: &str) -> DeployError {
        DeployError::NoProvider { urn: urn.to_owned(), package: package_of(type_token).to_owned() }
    }
}

impl fmt::Display for DeployError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digest = |digest: &Option<String>| digest.clone().unwrap_or_else(|| "none".to_owned());
        match self {
            DeployError::Locked { path, holder } => {
                write!(f, "the environment is locked by {holder}; the lock is {}", path.display())
            }
            DeployError::Io { operation, path, error } => {
                write!(f, "cannot {operation} {}: {error}", path.display())
            }
            DeployError::Snapshot(error) => error.fmt(f),
            DeployError::State(error) => error.fmt(f),
            DeployError::Durable(error) => error.fmt(f),
            DeployError::Compile(error) => error.fmt(f),
            DeployError::Journal { path, offset, reason } => {
                write!(f, "{}: damaged record at byte {offset}: {reason}", path.display())
            }
            DeployError::NewerJournal { path, found } => {
                write!(f, "{}: version {found} of the journal, expected at most 1", path.display())
            }
            DeployError::OtherBase { path, expected, found } => write!(
                f,
                "{}: the journal continues the snapshot {}, found {}; restore that snapshot, or remove the \
                 journal if nothing in it is needed",
                path.display(),
                digest(expected),
                digest(found)
            ),
            DeployError::JournalWrite { error, .. } => write!(f, "cannot write the journal: {error}"),
            DeployError::Program(message) => f.write_str(message),
            DeployError::NoProvider { urn, package } => {
                write!(f, "no provider for the package `{package}` of `{urn}`")
            }
            DeployError::Unavailable { package, message } => {
                write!(f, "the provider of `{package}` cannot be started: {message}")
            }
            DeployError::Configure { package, message } => {
                write!(f, "the provider of `{package}` refuses its configuration: {message}")
            }
            DeployError::Secret { urn, property } => {
                write!(f, "`{property}` of `{urn}` is secret, and there is no key to encrypt it with")
            }
            DeployError::NotUnresolved(urn) => write!(f, "no operation on `{urn}` is unresolved"),
            DeployError::Read { urn, message } => write!(f, "cannot read `{urn}`: {message}"),
            DeployError::Key(message) => f.write_str(message),
            DeployError::Exists(urn) => write!(f, "the state already has `{urn}`"),
            DeployError::Killed => f.write_str("ended by a fault"),
        }
    }
}

impl std::error::Error for DeployError {}

impl From<StateError> for DeployError {
    fn from(error: StateError) -> DeployError {
        DeployError::State(error)
    }
}

impl From<DurableError> for DeployError {
    fn from(error: DurableError) -> DeployError {
        DeployError::Durable(error)
    }
}
