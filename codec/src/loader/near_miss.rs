//! Files with nearly the name of a package.

use crate::cache::shown;
use std::fmt;
use std::path::PathBuf;

/// A file that was probably intended but has the wrong name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NearMiss {
    /// The file.
    pub path: PathBuf,
    /// The name that it should have.
    pub expected: String,
}

impl fmt::Display for NearMiss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} was ignored: expected the name `{}`", shown(&self.path), self.expected)
    }
}
