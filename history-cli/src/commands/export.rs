//! `export`: writes exact texts.

use super::progress::bar;
use crate::failure::OrFail;
use crate::named::Named;
use clap::Args;
use coconut_codec::bytes::replace::Replacement;
use coconut_history::Pack;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Write the exact text of versions
///
/// The text contains all secrets, so a terminal is refused. Without --all, writes one version.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/keep.trycmd"))]
pub(crate) struct Export {
    /// The version: PACK or PACK@REV
    #[arg(value_name = "PACK[@REV]")]
    named: String,
    /// Write the text to this file; `-` is standard output
    #[arg(short, long, value_name = "FILE", default_value = "-", conflicts_with = "all")]
    output: PathBuf,
    /// Write every version to this folder: `000001`, `000002` and so on
    #[arg(long, value_name = "DIR")]
    all: Option<PathBuf>,
}

impl Export {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let named = Named::parse(&self.named);
        if let Some(folder) = &self.all {
            if named.revision.is_some() {
                return Err(Failure::usage("`--all` writes all versions; omit the revision"));
            }
            return export_all(&Pack::open_read_only(&named.pack).or_fail()?, folder, console);
        }
        let (pack, version) = named.open()?;
        if self.output.as_os_str() == "-" {
            if console.is_terminal() {
                let failure = Failure::new(
                    Exit::Usage,
                    code::TERMINAL,
                    "the text would go to a terminal, with its secrets",
                );
                return Err(failure.with_hint("name a file with `-o`, or use `show`"));
            }
            console.write_all(&pack.text(version.n).or_fail()?)?;
            return Ok(Exit::Good);
        }
        write_text(&self.output, &pack.text(version.n).or_fail()?)?;
        Ok(Exit::Good)
    }
}

fn export_all(pack: &Pack, folder: &Path, console: &mut Console) -> Result<Exit, Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
    let versions = pack.versions().or_fail()?;
    let bar = bar(versions.len() as u64, console);
    let mut faults = Vec::new();
    for version in versions.iter().filter(|version| version.slot.is_some()) {
        // The others are written if one is damaged.
        match pack.text(version.n).or_fail() {
            Ok(text) => write_text(&folder.join(format!("{:06}", version.n)), &text)?,
            Err(failure) => faults.push(failure),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(console.report(&faults))
}

/// Writes a file that appears when it is whole.
fn write_text(file: &Path, text: &[u8]) -> Result<(), Failure> {
    let write = || {
        let mut replacement = Replacement::new(file)?;
        replacement.write_all(text)?;
        replacement.finish()
    };
    write().map_err(|error| Failure::writing(file, &error))
}
