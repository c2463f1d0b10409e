//! A build without a fleet.

use super::Answer;
use crate::failure::Failure;
use crate::loading::Subject;
use clap::Args;
use coconut_codec::loader::{Fallback, Loader};

/// No arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct FleetArguments {}

/// No arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct PublishArguments {}

/// No second level.
pub(crate) struct Level;

/// Nothing was asked.
pub(crate) struct Visit;

impl FleetArguments {
    pub(crate) fn level(&self) -> Level {
        Level
    }
}

impl PublishArguments {
    pub(crate) fn is_wanted(&self) -> bool {
        false
    }

    pub(crate) fn check(&self, _level: &Level) -> Result<(), Failure> {
        Ok(())
    }
}

impl Level {
    pub(crate) fn pull(&self, _loader: &Loader, _subject: &Subject) -> Visit {
        Visit
    }

    pub(crate) fn look(&self, _loader: &Loader, _subject: &Subject) -> Option<Answer> {
        None
    }

    pub(crate) fn publish(&self, _loader: &Loader, _visit: &Visit) -> Result<Option<&'static str>, Fallback> {
        Ok(None)
    }
}

impl Visit {
    pub(crate) fn answer(&self) -> Option<&Answer> {
        None
    }
}
