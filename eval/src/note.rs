//! §19.5 Notes on what an evaluation made.

use coconut_format::location::Location;

/// A place where the graph may not be what the program means.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Note {
    /// What is to be said.
    pub text: String,
    /// Where in the source.
    pub location: Option<Location>,
}
