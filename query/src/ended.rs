//! The ends of filters.

use super::value::Val;
use coconut_format::truncated::Truncated;
use coconut_report::code;
use coconut_report::failure::{Exit, Failure};

/// The end of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// There are no more results.
    Whole,
    /// The receiver accepts no more.
    Stopped,
    /// The filter requests the end of the whole run with this code.
    Halted(Exit),
}

/// The failure of a filter that did not catch this error.
pub(crate) fn failure(error: &Val) -> Failure {
    let message = match error {
        Val::String(text) => Truncated(text).to_text().into_owned(),
        other => format!("{} (not a string)", Truncated(&other.to_string()).to_text()),
    };
    let is_name_in_list = message.starts_with(NAME_IN_LIST);
    let failure = Failure::new(Exit::Run, code::QUERY_ERROR, message);
    match is_name_in_list {
        true => failure
            .with_hint("`.[]` yields the items of a list, and `--each` runs the filter for each landmark"),
        false => failure,
    }
}

/// The beginning of the error when a filter for an object is applied to a list, such as that of a
/// YAML stream.
const NAME_IN_LIST: &str = "Cannot index array with string";
