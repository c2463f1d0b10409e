//! Failures of registries, for people and for machines.

use coconut_hub::{HubError, HubErrorKind};
use coconut_report::{Exit, Failure};

/// The failure of a command about a reference.
pub(crate) fn failure_of(error: &HubError) -> Failure {
    let kind = error.kind();
    let exit = match kind {
        HubErrorKind::Absent { .. } | HubErrorKind::Locked { .. } | HubErrorKind::Signature { .. } => {
            Exit::Negative
        }
        HubErrorKind::Digest { .. }
        | HubErrorKind::Size { .. }
        | HubErrorKind::Artifact { .. }
        | HubErrorKind::Document(_)
        | HubErrorKind::Layout { .. }
        | HubErrorKind::LockFile { .. } => Exit::Decode,
        HubErrorKind::Limit { .. } => Exit::Limit,
        _ => Exit::Usage,
    };
    let failure = Failure::new(exit, kind.code(), kind.to_string()).in_file(error.place());
    match kind.hint() {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

/// Turns an error of a registry into a failure.
pub(crate) trait OrFail<T> {
    /// The result, with the failure of a command.
    fn or_fail(self) -> Result<T, Failure>;
}

impl<T> OrFail<T> for Result<T, HubError> {
    fn or_fail(self) -> Result<T, Failure> {
        self.map_err(|error| failure_of(&error))
    }
}

#[cfg(test)]
mod tests {
    use coconut_hub::HubErrorKind;
    use coconut_report::code;

    #[test]
    fn every_code_is_one_that_the_tools_explain() {
        for found in HubErrorKind::CODES {
            assert!(code::CODES.contains(&found), "{found}");
        }
    }
}
