//! `copy`: copies an artifact to another place.

use super::network::{NetworkOptions, byte_bar};
use crate::failure::OrFail;
use clap::Args;
use coconut_hub::Reference;
use coconut_report::json::{number, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Copy an artifact with its signatures
///
/// From a registry to another, to a directory with an image layout, or back: a directory takes
/// packages to where there is no network. Artifacts of all kinds are copied byte by byte, so their
/// digests and signatures stay valid.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/copy.trycmd"))]
pub(crate) struct Copy {
    /// The artifact
    #[arg(value_name = "SRC")]
    from: String,
    /// The new reference; the tag may be omitted
    #[arg(value_name = "DST")]
    to: String,
    #[command(flatten)]
    network: NetworkOptions,
}

impl Copy {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let from = Reference::parse(&self.from).or_fail()?;
        let mut to = Reference::parse_place(&self.to).or_fail()?;
        if to.tag.is_none() {
            to.tag.clone_from(&from.tag);
        }
        if to.tag.is_none() || to.digest.is_some() {
            return Err(Failure::usage("the copy needs a tag, and gets its digest from the original"));
        }
        let bar = byte_bar(console);
        let copied = self.network.hub(&bar).copy(&from, &to);
        bar.finish_and_clear();
        let (digest, blobs) = copied.or_fail()?;
        let reference = to.at(digest).to_string();
        match console.json {
            true => {
                let members = [("reference", text(reference)), ("copied_blobs", number(blobs as u64))];
                console.print_json(&report("hub copy", members))?;
            }
            false => console.line(&reference)?,
        }
        Ok(Exit::Good)
    }
}
