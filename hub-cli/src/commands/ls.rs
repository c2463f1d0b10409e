//! `ls`: lists tags.

use super::network::NetworkOptions;
use crate::failure::OrFail;
use clap::Args;
use coconut_hub::Reference;
use coconut_report::json::{list, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::visible;
use indicatif::ProgressBar;

/// List the tags of a repository
///
/// One tag a line, sorted.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/push.trycmd"))]
pub(crate) struct Ls {
    /// The repository: `oci://HOST/REPOSITORY`, `oci-layout:DIR`
    #[arg(value_name = "REPOSITORY")]
    repository: String,
    #[command(flatten)]
    network: NetworkOptions,
}

impl Ls {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        console.page_output();
        let reference = Reference::parse_place(&self.repository).or_fail()?;
        let tags = self.network.hub(&ProgressBar::hidden()).tags(&reference).or_fail()?;
        if console.json {
            let tags = list(&tags, |tag| text(tag.as_str()));
            let members = [("repository", text(reference.place.to_string())), ("tags", tags)];
            console.print_json(&report("hub ls", members))?;
            return Ok(Exit::Good);
        }
        for tag in &tags {
            console.line(&visible(tag))?;
        }
        Ok(Exit::Good)
    }
}
