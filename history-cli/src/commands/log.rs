//! `log`: shows the history of one key.

use super::diff::shape;
use crate::failure::OrFail;
use crate::shown::{Opened, write_diff};
use clap::Args;
use coconut_format::Value;
use coconut_history::{KeyAction, Pack, Version, time};
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::safe::visible;
use coconut_report::style::{BAD, GOOD, STRONG};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::collections::HashMap;
use std::path::PathBuf;

/// Show the versions that changed one resource
///
/// The newest comes first, with the time, the user and the operation. With --patch, each also has
/// what changed. Versions whose texts were removed count with the next one that stays.
///
/// Exits with 1 if no version has the key. Secrets are hidden.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/look.trycmd"))]
pub(crate) struct Log {
    /// The history pack
    pack: PathBuf,
    /// The key of a resource or another landmark
    key: String,
    /// Show what changed
    #[arg(short, long)]
    patch: bool,
}

impl Log {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        console.page_output();
        let pack = Pack::open_read_only(&self.pack).or_fail()?;
        let log = pack.log(&self.key).or_fail()?;
        if log.is_empty() {
            return Err(self.missing(&pack)?);
        }
        if console.json {
            console.print_json(&history_of(&pack, &self.key)?)?;
            return Ok(Exit::Good);
        }
        let versions: HashMap<u64, Version> =
            pack.versions().or_fail()?.into_iter().map(|version| (version.n, version)).collect();
        let of = |n: &u64| versions.get(n);
        for (n, action) in log.iter().rev() {
            let Some(version) = of(n) else { continue };
            let (sign, style) = match action {
                KeyAction::Created => ("+", GOOD),
                KeyAction::Changed => ("~", STRONG),
                KeyAction::Deleted => ("-", BAD),
            };
            let mut line = format!("{} {n:>6}  {}", console.paint(style, sign), time::to_text(version.time));
            for text in [&version.who, &version.operation].into_iter().flatten() {
                line.push_str("  ");
                line.push_str(&visible(text));
            }
            console.line(&line)?;
            if self.patch {
                self.write_patch(&pack, &versions, version, console)?;
            }
        }
        Ok(Exit::Good)
    }

    /// Writes what a version changed in the resource.
    fn write_patch(
        &self,
        pack: &Pack,
        versions: &HashMap<u64, Version>,
        version: &Version,
        console: &mut Console,
    ) -> Result<(), Failure> {
        let before =
            (1..version.n).rev().find_map(|n| versions.get(&n).filter(|before| before.slot.is_some()));
        let old = before.map_or_else(Opened::nothing, |before| Opened::version(pack, before))?;
        let new = Opened::version(pack, version)?;
        let mut changes = Vec::new();
        write_diff(&old, &new, std::slice::from_ref(&self.key), &shape(console), &mut changes)?;
        for line in String::from_utf8_lossy(&changes).lines() {
            console.line(&format!("    {line}"))?;
        }
        Ok(())
    }

    fn missing(&self, pack: &Pack) -> Result<Failure, Failure> {
        let keys = pack.keys().or_fail()?;
        let near = coconut_format::suggest::near_keys(&self.key, keys.into_iter());
        let message = format!("no version has the key `{}`", visible(&self.key));
        let failure = Failure::negative(code::KEY_MISSING, message).in_file(&self.pack.to_string_lossy());
        Ok(failure.with_list("near", near.iter().map(|key| text(key.as_str())).collect(), near.clone()))
    }
}

/// The report of the versions that changed a key.
pub(crate) fn history_of(pack: &Pack, key: &str) -> Result<Value, Failure> {
    let versions: HashMap<u64, Version> =
        pack.versions().or_fail()?.into_iter().map(|version| (version.n, version)).collect();
    let versions = list(pack.log(key).or_fail()?.iter().rev(), |(n, action)| {
        let version = versions.get(n);
        object([
            ("n", number(*n)),
            ("action", text(name_of(*action))),
            ("time", optional(version.map(|version| time::to_text(version.time)))),
            ("who", optional(version.and_then(|version| version.who.as_deref()))),
            ("operation", optional(version.and_then(|version| version.operation.as_deref()))),
            ("lock_id", optional(version.and_then(|version| version.lock_id.as_deref()))),
        ])
    });
    Ok(report("history log", [("key", text(key)), ("versions", versions)]))
}

fn name_of(action: KeyAction) -> &'static str {
    match action {
        KeyAction::Created => "created",
        KeyAction::Changed => "changed",
        KeyAction::Deleted => "deleted",
    }
}
