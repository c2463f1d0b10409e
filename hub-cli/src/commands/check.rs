//! `check`: compares the lock file with the registries.

use super::lock::LockFileOption;
use super::network::NetworkOptions;
use crate::failure::OrFail;
use clap::Args;
use coconut_hub::LockState;
use coconut_report::json::{list, object, optional, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use indicatif::ProgressBar;

/// Compare the lock file with the registries
///
/// Each package is the same, moved (its tag leads to another manifest now) or gone (its tag does
/// not exist any more). With `--offline`, whether the cache has all of them.
///
/// Exits with 1 if a package is moved, gone or missing.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/lock.trycmd"))]
pub(crate) struct Check {
    #[command(flatten)]
    lock_file: LockFileOption,
    #[command(flatten)]
    network: NetworkOptions,
}

impl Check {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let lock = self.lock_file.existing()?;
        let hub = self.network.hub(&ProgressBar::hidden());
        let mut states = Vec::new();
        for (name, package) in &lock.packages {
            let (state, digest) = match hub.options().is_offline {
                true => match hub.options().cache.as_ref().map(|cache| cache.layer(package.layer)) {
                    Some(Ok(Some(_))) => ("cached", None),
                    _ => ("missing", None),
                },
                false => match hub.lock_state(package).or_fail()? {
                    LockState::Same => ("same", None),
                    LockState::Moved(digest) => ("moved", Some(digest.to_string())),
                    LockState::Gone => ("gone", None),
                },
            };
            states.push((name, package, state, digest));
        }
        let is_good = states.iter().all(|(_, _, state, _)| matches!(*state, "same" | "cached"));
        if console.json {
            let packages = list(&states, |(name, package, state, digest)| {
                object([
                    ("name", text(name.as_str())),
                    ("reference", text(package.reference.as_str())),
                    ("state", text(*state)),
                    ("locked", text(package.manifest.to_string())),
                    ("found", optional(digest.as_deref())),
                ])
            });
            console.print_json(&report("hub check", [("packages", packages)]))?;
        } else {
            for (name, package, state, digest) in &states {
                let to = digest.as_ref().map(|digest| format!(" -> {digest}")).unwrap_or_default();
                console
                    .line(&format!("{state:7}  {name}  {}@{}{to}", package.reference, package.manifest))?;
            }
        }
        Ok(if is_good { Exit::Good } else { Exit::Negative })
    }
}
