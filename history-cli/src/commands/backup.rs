//! `backup`: copies a pack while others write.

use crate::failure::OrFail;
use clap::Args;
use coconut_history::Pack;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// Copy a pack while others write to it
///
/// The copy is one state of the pack. A copy by other tools may lack the newest versions. `-`
/// writes to standard output: `coco history backup x.cocohist - | age -r KEY > x.age`.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/keep.trycmd"))]
pub(crate) struct Backup {
    /// The history pack
    pack: PathBuf,
    /// A new file; `-` is standard output
    copy: PathBuf,
}

impl Backup {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let pack = Pack::open_read_only(&self.pack).or_fail()?;
        if self.copy.as_os_str() != "-" {
            pack.backup(&self.copy).map_err(|error| {
                let message = format!("cannot write: {}", error.kind());
                Failure::new(Exit::Usage, code::FILE_WRITE, message).in_file(&self.copy.to_string_lossy())
            })?;
            return Ok(Exit::Good);
        }
        if console.is_terminal() {
            let failure = Failure::new(Exit::Usage, code::TERMINAL, "the pack would go to a terminal");
            return Err(failure.with_hint("name a file, or pipe it to another program"));
        }
        let folder = tempfile::tempdir().map_err(|error| Failure::writing(&std::env::temp_dir(), &error))?;
        let copy = folder.path().join("pack");
        pack.backup(&copy).or_fail()?;
        let mut file = File::open(&copy).map_err(|error| Failure::reading(&copy, &error))?;
        io::copy(&mut file, console)?;
        Ok(Exit::Good)
    }
}
