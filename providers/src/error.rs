//! Failures before a provider can be called.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The failure to find or to launch a provider. Its texts contain no control characters.
#[derive(Debug)]
#[non_exhaustive]
pub enum LaunchError {
    /// There is no program for the provider.
    NotFound {
        /// The name of the provider.
        name: String,
        /// The places that were searched.
        searched: Vec<PathBuf>,
    },
    /// The name cannot be that of a provider.
    Name(String),
    /// The program could not be started.
    Start {
        /// The program.
        program: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The program has ended before it could be called.
    Ended {
        /// The program.
        program: PathBuf,
        /// Its exit status.
        status: String,
        /// The last lines that it printed.
        lines: Vec<String>,
    },
    /// The first line that the program printed is not the address of a server.
    Address {
        /// The program.
        program: PathBuf,
        /// The line.
        line: String,
    },
    /// The program did not answer in time.
    Silent {
        /// The program, or the address.
        provider: String,
        /// The time that it had.
        time: Duration,
    },
    /// The first calls have failed.
    Call {
        /// The method.
        method: &'static str,
        /// The answer.
        message: String,
    },
    /// The system refused a socket or a thread.
    System(io::Error),
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LaunchError::NotFound { name, searched } => {
                write!(f, "there is no provider `{name}`; searched")?;
                for (index, place) in searched.iter().enumerate() {
                    write!(f, "{} {}", if index > 0 { "," } else { "" }, place.display())?;
                }
                f.write_str("; install it, or give the path of its program")
            }
            LaunchError::Name(name) => write!(f, "`{name}` cannot be the name of a provider"),
            LaunchError::Start { program, error } => {
                write!(f, "`{}` cannot be started: {error}", program.display())
            }
            LaunchError::Ended { program, status, lines } => {
                write!(f, "`{}` has ended before it could be called ({status})", program.display())?;
                lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
            }
            LaunchError::Address { program, line } => {
                write!(f, "the first line of `{}` is no address of a server: `{line}`", program.display())
            }
            LaunchError::Silent { provider, time } => write!(f, "no answer of `{provider}` in {time:?}"),
            LaunchError::Call { method, message } => write!(f, "`{method}` has failed: {message}"),
            LaunchError::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LaunchError {}
