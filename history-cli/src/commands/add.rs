//! `add`: stores files as new versions.

use super::progress::bar;
use crate::failure::OrFail;
use crate::named::{entry_now, user};
use clap::Args;
use coconut_format::numerals::{grouped, hex};
use coconut_history::{Added, Entry, Pack};
use coconut_report::json::{list, number, object, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::read;
use std::path::PathBuf;

/// Store files as new versions
///
/// Creates the pack if it does not exist. Each file becomes a version, in the given order, unless
/// it is equal to the newest one. Prints the chain digest: recorded elsewhere, it proves all
/// versions up to this one (`verify --expect`).
///
/// For states, the lineage must be that of the newest version, and the serial number must be
/// larger.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/add.trycmd"))]
pub(crate) struct Add {
    /// The history pack
    pack: PathBuf,
    /// Documents: JSON or YAML, also compressed; `-` is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// A label for the last of the new versions
    #[arg(long)]
    label: Option<String>,
    /// Only if the newest version has this SHA-256 (64 hexadecimal digits)
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    if_newest: Option<[u8; 32]>,
    /// Store states of another lineage, and old serial numbers
    #[arg(long)]
    force: bool,
}

impl Add {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        // Nothing is created for a file that cannot be read.
        let texts = self.files.iter().map(|file| read(file)).collect::<Result<Vec<_>, _>>()?;
        let mut pack = Pack::create(&self.pack).or_fail()?;
        let (bar, who) = (bar(texts.len() as u64, console), user());
        let (mut expected, mut added) = (self.if_newest, Vec::new());
        for (position, bytes) in texts.iter().enumerate() {
            let label = self.label.as_deref().filter(|_| position + 1 == texts.len());
            let entry = Entry {
                who: who.as_deref(),
                if_newest: expected.take(),
                force: self.force,
                label,
                ..entry_now("file")
            };
            let result = pack.add(bytes, &entry).or_fail()?;
            if let (Added::Same(version), Some(label)) = (&result, label) {
                pack.label(version.n, label, &entry).or_fail()?;
            }
            added.push(result);
            bar.inc(1);
        }
        bar.finish_and_clear();
        if console.json {
            let versions = list(&added, |added| {
                let version = added.version();
                object([
                    ("n", number(version.n)),
                    ("is_new", coconut_format::Value::Bool(matches!(added, Added::New(_)))),
                    ("bytes", number(version.length)),
                    ("stored", number(version.stored)),
                    ("sha256", text(hex(&version.sha_256))),
                    ("chain", text(hex(&version.chain))),
                ])
            });
            console.print_json(&report("history add", [("versions", versions)]))?;
            return Ok(Exit::Good);
        }
        for added in &added {
            let version = added.version();
            let line = match added {
                Added::New(version) => format!(
                    "version {}: {} bytes, stored as {}, chain {}",
                    version.n,
                    grouped(version.length),
                    grouped(version.stored),
                    hex(&version.chain)
                ),
                Added::Same(_) => format!("version {} is the same, chain {}", version.n, hex(&version.chain)),
            };
            console.line(&line)?;
        }
        Ok(Exit::Good)
    }
}

/// Reads a SHA-256.
pub(crate) fn digest(text: &str) -> Result<[u8; 32], String> {
    let wrong = || "expected 64 hexadecimal digits".to_owned();
    let mut digest = [0; 32];
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    for (byte, digits) in digest.iter_mut().zip(text.as_bytes().chunks(2)) {
        let digits = std::str::from_utf8(digits).map_err(|_| wrong())?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| wrong())?;
    }
    Ok(digest)
}
