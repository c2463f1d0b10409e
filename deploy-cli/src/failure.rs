//! Failures of deployments, for people and for machines.

use coconut_deploy::{DeployError, State};
use coconut_report::{Exit, Failure};

/// The failure of a command about an environment.
pub(crate) fn failure_of(error: &DeployError) -> Failure {
    let exit = match error {
        DeployError::Snapshot(_)
        | DeployError::State(_)
        | DeployError::Journal { .. }
        | DeployError::NewerJournal { .. }
        | DeployError::OtherBase { .. }
        | DeployError::Program(_) => Exit::Decode,
        DeployError::Configure { .. } | DeployError::Read { .. } => Exit::Run,
        DeployError::NotUnresolved(_) => Exit::Negative,
        _ => Exit::Usage,
    };
    let failure = match error {
        DeployError::Snapshot(error) => Failure::from(error.clone()),
        error => Failure::new(exit, error.code(), error.to_string()),
    };
    match hint(error) {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

fn hint(error: &DeployError) -> Option<&'static str> {
    Some(match error {
        DeployError::Locked { .. } => "wait for its end; the lock ends with the process",
        DeployError::NotUnresolved(_) => "`coco env show` lists the unresolved operations",
        DeployError::NoProvider { .. } => {
            "install its plug-in, or name it in the settings of the environment"
        }
        DeployError::Secret { .. } => "set COCONUT_PASSPHRASE to encrypt it with a key",
        DeployError::JournalWrite { .. } => "the state with all results is on standard error",
        _ => return None,
    })
}

/// The state that no file has, if the error has it.
pub(crate) fn unsaved(error: &DeployError) -> Option<&State> {
    match error {
        DeployError::JournalWrite { state, .. } => Some(state),
        _ => None,
    }
}

/// Turns an error of a deployment into a failure.
pub(crate) trait OrFail<T> {
    /// The result, with the failure of a command.
    fn or_fail(self) -> Result<T, Failure>;
}

impl<T> OrFail<T> for Result<T, DeployError> {
    fn or_fail(self) -> Result<T, Failure> {
        self.map_err(|error| failure_of(&error))
    }
}

#[cfg(test)]
mod tests {
    use coconut_deploy::DeployError;
    use coconut_report::code;

    #[test]
    fn every_code_is_one_that_the_tools_explain() {
        for found in DeployError::CODES {
            assert!(code::CODES.contains(found), "{found}");
        }
    }
}
