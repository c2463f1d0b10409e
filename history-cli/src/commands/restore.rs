//! `restore`: stores an old version as the newest.

use super::diff::shape;
use crate::failure::OrFail;
use crate::named::{Named, entry_now, user, version_in};
use crate::shown::{Opened, write_diff};
use clap::Args;
use coconut_format::numerals::hex;
use coconut_history::{Added, Entry, Pack};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Store an old version as the newest one
///
/// Nothing is rewound: all versions stay. In a state, only the serial number changes: it becomes
/// one larger than the newest. Prints what changes. This restores the state, not the resources in
/// it.
///
/// Refused while the lock is held.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/keep.trycmd"))]
pub(crate) struct Restore {
    /// The old version: PACK@REV
    #[arg(value_name = "PACK@REV")]
    named: String,
    /// Also if the lineage is another one
    #[arg(long)]
    force: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

impl Restore {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let named = Named::parse(&self.named);
        let Some(revision) = &named.revision else {
            return Err(Failure::usage("name the version to restore: PACK@REV"));
        };
        let mut pack = Pack::open(&named.pack).or_fail()?;
        let (version, newest) = (version_in(&pack, Some(revision))?, version_in(&pack, None)?);
        let restored = Opened::text(
            &format!("{}@{}", named.pack.display(), version.n),
            &pack.restored_text(version.n).or_fail()?,
        )?;
        let counted =
            write_diff(&Opened::version(&pack, &newest)?, &restored, &[], &shape(console), console)?;
        if self.dry_run {
            return Ok(if counted.is_any() { Exit::Negative } else { Exit::Good });
        }
        let who = user();
        let entry = Entry { who: who.as_deref(), force: self.force, ..entry_now("restore") };
        match pack.restore(version.n, &entry).or_fail()? {
            Added::New(added) => {
                console.note(&format!(
                    "version {}: restored from {}, chain {}",
                    added.n,
                    version.n,
                    hex(&added.chain)
                ));
            }
            Added::Same(newest) => console.note(&format!("version {} is the same already", newest.n)),
        }
        Ok(Exit::Good)
    }
}
