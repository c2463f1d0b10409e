//! Lines that providers print or send.

use crate::redaction::Redaction;
use std::fmt;
use std::sync::Arc;

/// The importance of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// For the authors of the provider. Everything that it prints by itself is of this kind.
    Debug,
    /// For users.
    Info,
    /// Something may be wrong.
    Warning,
    /// Something is wrong.
    Error,
}

type Receive = dyn Fn(Severity, &str) + Send + Sync;

/// Receives the lines of a provider. They contain no control characters and no known secrets.
#[derive(Clone)]
pub struct Log(Arc<Receive>);

impl Log {
    /// Calls a function for each line. Calls may come from several threads at once.
    pub fn new(receive: impl Fn(Severity, &str) + Send + Sync + 'static) -> Log {
        Log(Arc::new(receive))
    }

    pub(crate) fn line(&self, severity: Severity, text: &str, redaction: &Redaction) {
        (self.0)(severity, &redaction.shown(text));
    }
}

/// Drops all lines.
impl Default for Log {
    fn default() -> Log {
        Log::new(|_, _| {})
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}
