//! §19.5 Notes on what an evaluation made.

use coconut_format::location::Location;

/// A place where the graph may differ from the intent of the program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Note {
    /// The text of the note.
    pub text: String,
    /// The place in the source.
    pub location: Option<Location>,
}
