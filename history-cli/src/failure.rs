//! Failures of packs, for people and for machines.

use coconut_history::{HistoryError, HistoryErrorKind};
use coconut_report::failure::name_of;
use coconut_report::{Exit, Failure};

/// The failure of a command about a pack.
pub(crate) fn failure_of(error: &HistoryError) -> Failure {
    let kind = error.kind();
    let exit = match kind {
        HistoryErrorKind::Revision { .. }
        | HistoryErrorKind::Pruned(_)
        | HistoryErrorKind::Damaged { .. }
        | HistoryErrorKind::Chain { .. } => Exit::Negative,
        HistoryErrorKind::Document(_) | HistoryErrorKind::NotAState(_) | HistoryErrorKind::Decode(_) => {
            Exit::Decode
        }
        HistoryErrorKind::TooLong { .. } => Exit::Limit,
        _ => Exit::Usage,
    };
    let failure = Failure::new(exit, kind.code(), kind.to_string()).in_file(&name_of(error.file()));
    match kind.hint().filter(|hint| !hint.is_empty()) {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

/// Turns an error of a pack into a failure.
pub(crate) trait OrFail<T> {
    /// The result, with the failure of a command.
    fn or_fail(self) -> Result<T, Failure>;
}

impl<T> OrFail<T> for Result<T, HistoryError> {
    fn or_fail(self) -> Result<T, Failure> {
        self.map_err(|error| failure_of(&error))
    }
}
