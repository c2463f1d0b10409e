//! Filters, and the way that each is run.

use super::direct::Direct;
use super::program::{self, Program};
use coconut_report::failure::Failure;

/// A filter.
#[derive(Debug)]
pub struct Filter {
    pub(crate) way: Way,
    sees_landmarks: bool,
}

/// The way that a filter is run.
#[derive(Debug)]
pub(crate) enum Way {
    Direct(Direct),
    Compiled(Program),
}

impl Filter {
    /// A filter that only chooses, such as `.a[] | select(.b == 1)`, if it is one.
    ///
    /// Its time, memory and stack are bounded by those of the document, so that one that nobody
    /// has reviewed can be run. It sees no variables.
    pub fn choosing(text: &str) -> Option<Filter> {
        let way = Way::Direct(Direct::of(text)?);
        Some(Filter { way, sees_landmarks: program::sees_landmarks(text) })
    }

    /// Compiles any filter, which can use these variables. Their names begin with `$`.
    ///
    /// Run it on a thread with a large stack, and in a process with limits if nobody has reviewed
    /// it: only its steps are counted.
    pub fn compile(text: &str, variables: &[String]) -> Result<Filter, Failure> {
        let way = Way::Compiled(program::compile(text, variables)?);
        Ok(Filter { way, sees_landmarks: program::sees_landmarks(text) })
    }

    /// Whether it names a function that sees more of a document than its input.
    pub fn sees_landmarks(&self) -> bool {
        self.sees_landmarks
    }
}
