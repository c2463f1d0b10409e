//! A build without a fleet.

use super::Answer;
use crate::loading::Subject;
use clap::Args;
use coconut_codec::loader::{Fallback, Loader};
use coconut_report::Failure;
use std::convert::Infallible;

/// Accepts no argument. Gives an error for options that need another build.
#[derive(Clone, Debug, Args)]
pub(crate) struct FleetArguments {
    #[arg(long = "fleet", value_name = "URL", hide = true, value_parser = refuse)]
    location: Option<Infallible>,
}

fn refuse(_location: &str) -> Result<Infallible, &'static str> {
    Err(
        "this build has no fleet support; build `coco` with `--features fleet` for file:///, `fleet-http`, `fleet-aws`, `fleet-gcp` or `fleet-azure`",
    )
}

/// No arguments.
#[derive(Clone, Debug, Args)]
pub(crate) struct PublishArguments {}

/// No second level.
pub(crate) struct Level;

/// No request was made.
pub(crate) struct Visit;

impl FleetArguments {
    pub(crate) fn level(&self) -> Level {
        match self.location {
            None => Level,
            Some(never) => match never {},
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(clap::Parser)]
    struct Alone {
        #[command(flatten)]
        fleet: FleetArguments,
    }

    #[test]
    fn a_fleet_is_refused_with_the_features_that_know_it() {
        let parsed = <Alone as clap::Parser>::try_parse_from(["coco", "--fleet", "s3://bucket/path"]);
        let error = parsed.map(|alone| alone.fleet).expect_err("there is none").to_string();
        assert!(
            error.contains("for '--fleet <URL>': this build has no fleet support; build `coco` with"),
            "{error}"
        );
        assert!(
            <Alone as clap::Parser>::try_parse_from(["coco"])
                .is_ok_and(|alone| alone.fleet.location.is_none())
        );
    }
}
