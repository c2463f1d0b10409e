//! `attach`: publishes a signature.

use super::network::NetworkOptions;
use crate::failure::OrFail;
use clap::Args;
use coconut_hub::Reference;
use coconut_report::json::{report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::read_text;
use indicatif::ProgressBar;
use std::path::PathBuf;

/// Publish a signature of a document
///
/// The signature is one of `minisign` over a file that contains the digest of the layer, `sha256:`
/// and 64 digits, without a line end. `resolve --json` shows this digest. `pull --verify-key`
/// requires such a signature, and `copy` copies it with the document.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/attach.trycmd"))]
pub(crate) struct Attach {
    /// The document
    #[arg(value_name = "REF")]
    reference: String,
    /// The signature: `FILE.minisig`
    #[arg(value_name = "FILE")]
    signature: PathBuf,
    /// The name of a document in an index
    #[arg(long)]
    name: Option<String>,
    #[command(flatten)]
    network: NetworkOptions,
}

impl Attach {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let reference = Reference::parse(&self.reference).or_fail()?;
        let signature = read_text(&self.signature)?;
        let hub = self.network.hub(&ProgressBar::hidden());
        let found = hub.find_one(&reference, self.name.as_deref()).or_fail()?;
        let digest = hub.attach(&found, &signature).or_fail()?;
        let reference = found.reference.to_string();
        match console.json {
            true => {
                let members = [("reference", text(reference)), ("signature", text(digest.to_string()))];
                console.print_json(&report("hub attach", members))?;
            }
            false => console.line(&digest.to_string())?,
        }
        Ok(Exit::Good)
    }
}
