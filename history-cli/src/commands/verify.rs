//! `verify`: reads a whole pack.

use super::progress::bar;
use crate::failure::OrFail;
use clap::Args;
use coconut_format::numerals::{grouped, hex};
use coconut_history::Pack;
use coconut_report::json::{number, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use std::path::PathBuf;

/// Check every text, and the chain of digests
///
/// The chain digest of a version covers all versions before it. One that was recorded elsewhere
/// proves that none of them was changed since. Without such a record, whoever can write to the file
/// can also compute all digests again.
///
/// Exits with 1 if the pack is damaged, and names the affected versions.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/keep.trycmd"))]
pub(crate) struct Verify {
    /// The history pack
    pack: PathBuf,
    /// A chain digest that a version must have, or its first digits
    #[arg(long, value_name = "CHAIN")]
    expect: Option<String>,
}

impl Verify {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        if let Some(expected) = &self.expect
            && (expected.len() < 16 || !expected.bytes().all(|byte| byte.is_ascii_hexdigit()))
        {
            return Err(Failure::usage("`--expect` needs 16 or more hexadecimal digits"));
        }
        let pack = Pack::open_read_only(&self.pack).or_fail()?;
        let newest = pack.newest().or_fail()?;
        let bar = bar(newest.map_or(0, |newest| newest.n), console);
        let verified = pack.verify(self.expect.as_deref(), &mut |n| bar.set_position(n));
        bar.finish_and_clear();
        let verified = verified.or_fail()?;
        match console.json {
            true => {
                let members = [
                    ("versions", number(verified.versions)),
                    ("texts", number(verified.texts)),
                    ("chain", text(hex(&verified.chain))),
                ];
                console.print_json(&report("history verify", members))?;
            }
            false => {
                let (versions, texts) = (grouped(verified.versions), grouped(verified.texts));
                console.line(&format!(
                    "{versions} versions, {texts} texts: whole, chain {}",
                    hex(&verified.chain)
                ))?;
            }
        }
        Ok(Exit::Good)
    }
}
