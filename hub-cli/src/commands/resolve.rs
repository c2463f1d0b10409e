//! `resolve`: shows the digest of a reference.

use super::network::NetworkOptions;
use crate::failure::OrFail;
use clap::Args;
use coconut_hub::Reference;
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use indicatif::ProgressBar;

/// Show the digest of a reference
///
/// Fetches manifests alone, and prints the reference with the digest of its manifest. `pull` with
/// this reference fetches exactly this document, even if the tag is moved.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/push.trycmd"))]
pub(crate) struct Resolve {
    /// The reference: `oci://HOST/REPOSITORY:TAG`, `oci-layout:DIR:TAG`
    #[arg(value_name = "REF")]
    reference: String,
    #[command(flatten)]
    network: NetworkOptions,
}

impl Resolve {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let reference = Reference::parse(&self.reference).or_fail()?;
        let hub = self.network.hub(&ProgressBar::hidden());
        let received = hub.resolve(&reference).or_fail()?;
        let resolved = reference.at(received.digest);
        if !console.json {
            console.line(&resolved.to_string())?;
            return Ok(Exit::Good);
        }
        let found = hub.find(&resolved).or_fail()?;
        let documents = list(&found, |found| {
            object([
                ("title", optional(found.title.as_deref())),
                ("artifact_type", optional(found.artifact_type.as_deref())),
                ("layer", text(found.layer.digest.to_string())),
                ("bytes", number(found.layer.size)),
            ])
        });
        let members = [("reference", text(resolved.to_string())), ("documents", documents)];
        console.print_json(&report("hub resolve", members))?;
        Ok(Exit::Good)
    }
}
