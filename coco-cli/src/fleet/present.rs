//! A build with a fleet.

use super::Answer;
use crate::loading::Subject;
use clap::Args;
use coconut_codec::loader::{Fallback, FallbackReason, FleetFault, Loader, RemoteRequest};
use coconut_fleet::{Fleet, FleetOptions, Outcome};
use coconut_report::Failure;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The environment variable for the location, if the command line gives none.
const LOCATION_VARIABLE: &str = "COCONUT_FLEET";

/// The location of compiled documents of other machines.
#[derive(Clone, Debug, Args)]
pub(crate) struct FleetArguments {
    /// Object store with compiled documents (default: COCONUT_FLEET)
    ///
    /// The location is file:///PATH, or https://, s3://, gs:// or az:// if built in. On any fault,
    /// the sources are used.
    #[arg(long = "fleet", value_name = "URL", hide_short_help = true)]
    location: Option<String>,
    /// Time limit for a document from the fleet, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 500, hide_short_help = true)]
    fleet_deadline: u64,
}

/// Whether documents are also published to the fleet.
#[derive(Clone, Debug, Args)]
pub(crate) struct PublishArguments {
    /// Publish documents that the fleet lacks
    ///
    /// Anyone with write access to the fleet decides what all its users load.
    #[arg(long, hide_short_help = true)]
    publish: bool,
}

/// The given fleet, or the reason why it cannot be used.
pub(crate) struct Level(Option<Result<Fleet, Fallback>>);

/// The result of a request for one document.
pub(crate) struct Visit {
    answer: Option<Answer>,
    asked: Option<(RemoteRequest, Outcome)>,
}

impl FleetArguments {
    /// Opens the fleet without a connection yet.
    pub(crate) fn level(&self) -> Level {
        let named = || std::env::var_os(LOCATION_VARIABLE).filter(|location| !location.is_empty());
        let Some(location) = self.location.clone().map(OsString::from).or_else(named) else {
            return Level(None);
        };
        let deadline = Duration::from_millis(self.fleet_deadline);
        let options = FleetOptions { deadline, ..FleetOptions::default() };
        let opened = match location.to_str() {
            Some(location) => Fleet::open(location, options),
            None => Err(FleetFault::Location { what: "it is not UTF-8".to_owned() }),
        };
        Level(Some(opened.map_err(|fault| {
            // A text that is not a location may contain anything, including a secret.
            let binary = PathBuf::from("the fleet");
            Fallback { binary, reason: FallbackReason::Fleet(fault) }
        })))
    }
}

impl PublishArguments {
    pub(crate) fn is_wanted(&self) -> bool {
        self.publish
    }

    /// Refuses to publish without a fleet: the caller would believe that the documents are
    /// available there.
    pub(crate) fn check(&self, level: &Level) -> Result<(), Failure> {
        match self.publish && level.0.is_none() {
            true => {
                Err(Failure::usage("--publish needs a fleet")
                    .with_hint("name one with --fleet or COCONUT_FLEET"))
            }
            false => Ok(()),
        }
    }
}

impl Level {
    /// Fetches the document into the cache, if that lacks it.
    pub(crate) fn pull(&self, loader: &Loader, subject: &Subject) -> Visit {
        self.visit(loader, subject, Fleet::pull)
    }

    /// The result that fetching the document would have.
    pub(crate) fn look(&self, loader: &Loader, subject: &Subject) -> Option<Answer> {
        self.visit(loader, subject, Fleet::look).answer
    }

    /// Publishes the document that was loaded since. Returns `written`, `present` or `absent`.
    pub(crate) fn publish(&self, loader: &Loader, visit: &Visit) -> Result<Option<&'static str>, Fallback> {
        let (Some(Ok(fleet)), Some((request, outcome))) = (&self.0, &visit.asked) else { return Ok(None) };
        let published = fleet.publisher().publish(loader, request, outcome)?;
        Ok(Some(published.name()))
    }

    fn visit(
        &self,
        loader: &Loader,
        subject: &Subject,
        ask: impl FnOnce(&Fleet, &Loader, &RemoteRequest) -> Outcome,
    ) -> Visit {
        let fleet = match &self.0 {
            None => return Visit { answer: None, asked: None },
            Some(Err(fallback)) => {
                let (location, fallback) = (fallback.binary.to_string_lossy().into_owned(), fallback.clone());
                let answer = Answer { location, answer: "passed", bytes: None, fallback: Some(fallback) };
                return Visit { answer: Some(answer), asked: None };
            }
            Some(Ok(fleet)) => fleet,
        };
        // The load that follows reports faults of the source.
        let Ok(Some(request)) = subject.remote_request(loader) else {
            return Visit { answer: None, asked: None };
        };
        let outcome = ask(fleet, loader, &request);
        let answer = Answer {
            location: fleet.location().to_owned(),
            answer: outcome.name(),
            bytes: match outcome {
                Outcome::Found { bytes } => Some(bytes),
                _ => None,
            },
            fallback: outcome.fallback().cloned(),
        };
        Visit { answer: Some(answer), asked: Some((request, outcome)) }
    }
}

impl Visit {
    pub(crate) fn answer(&self) -> Option<&Answer> {
        self.answer.as_ref()
    }
}
