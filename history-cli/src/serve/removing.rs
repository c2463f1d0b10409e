//! `serve rm`: removes a state.

use super::states::States;
use crate::failure::OrFail;
use crate::named::{entry_now, now, user};
use clap::Args;
use coconut_history::{Entry, Pack, Unlock};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Remove a state
///
/// Keeps a copy of its pack beside it, as `NAME.cocohist.removed-TIME`: rename it to undo the
/// removal. With --purge, nothing is left. Refuses a state that is locked. Works while the server
/// runs; a later write creates a new state.
#[derive(Args, Debug)]
pub(super) struct Remove {
    /// Folder of the packs
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// Name of the state
    state: String,
    /// Keep no copy: all versions are lost
    #[arg(long)]
    purge: bool,
}

impl Remove {
    pub(super) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let wrong = || Failure::usage(format!("`{}` cannot be the name of a state", self.state));
        let file = States::new(&self.root).file(&self.state).ok_or_else(wrong)?;
        let mut pack = Pack::open(&file).or_fail()?;
        let who = user();
        let entry = Entry { account: who.as_deref(), ..entry_now("file") };
        // With the lock, nobody can write between the copy and the removal.
        let id = format!("removal-{:x}-{}", now(), std::process::id());
        let info = format!("{{\"ID\":\"{id}\",\"Operation\":\"serve rm\"}}");
        pack.lock(&id, &info, &entry).or_fail()?;
        let copy = with_suffix(&file, &format!(".removed-{}", now()));
        let removed = self.removed(&pack, &file, &copy, &id, &entry);
        if removed.is_err() {
            // The state stays, so it must not stay locked.
            let _ = pack.unlock(Unlock::Id(&id), &entry);
        }
        removed?;
        console.note(&match self.purge {
            true => format!("removed `{}` with all its versions", self.state),
            false => format!("removed `{}`; {} has its versions", self.state, copy.display()),
        });
        Ok(Exit::Good)
    }

    fn removed(
        &self,
        pack: &Pack,
        file: &Path,
        copy: &Path,
        id: &str,
        entry: &Entry<'_>,
    ) -> Result<(), Failure> {
        if !self.purge {
            pack.backup(copy).or_fail()?;
            Pack::open(copy).and_then(|mut copy| copy.unlock(Unlock::Id(id), entry).map(drop)).or_fail()?;
        }
        fs::remove_file(file).map_err(|error| Failure::writing(file, &error))?;
        // A log that stays would be read as that of the next pack with this name.
        for suffix in ["-wal", "-shm"] {
            let beside = with_suffix(file, suffix);
            match fs::remove_file(&beside) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Failure::writing(&beside, &error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
