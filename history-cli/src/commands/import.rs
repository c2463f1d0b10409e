//! `import`: stores the versions that other tools have kept.

use super::progress::bar;
use crate::failure::OrFail;
use crate::named::entry_now;
use clap::{Args, Subcommand};
use coconut_codec::bytes::expand::{Compression, expanded};
use coconut_history::{Added, Entry, Pack};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::open::read;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

/// Store the versions that git or a folder has
#[derive(Debug, Subcommand)]
pub(crate) enum Import {
    Git(FromGit),
    Dir(FromFolder),
}

/// Store the versions of a file in a git repository
///
/// Each commit that changed the file becomes a version, with its time and author. Only the first
/// parents of merges are followed. Equal texts are stored once.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/import.trycmd"))]
pub(crate) struct FromGit {
    /// The history pack; created if it does not exist
    pack: PathBuf,
    /// The repository
    repository: PathBuf,
    /// The file, from the top of the repository
    path: String,
    /// Store states of another lineage, and old serial numbers
    #[arg(long)]
    force: bool,
}

/// Store the files of a folder
///
/// Each file becomes a version: states in the order of their serial numbers, others in the order of
/// their names. The time is that of the last change of the file. Equal texts are stored once.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/import.trycmd"))]
pub(crate) struct FromFolder {
    /// The history pack; created if it does not exist
    pack: PathBuf,
    /// The folder; folders in it are not searched
    folder: PathBuf,
    /// Store states of another lineage, and old serial numbers
    #[arg(long)]
    force: bool,
}

/// A version from elsewhere.
struct Found {
    name: String,
    time: i64,
    who: Option<String>,
    source: &'static str,
}

impl Import {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self {
            Import::Git(git) => git.run(console),
            Import::Dir(folder) => folder.run(console),
        }
    }
}

impl FromGit {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let format = "--format=%H%x09%at%x09%an <%ae>";
        let log = self.git(&["log", "--first-parent", "--reverse", format, "--", &self.path])?;
        let log = String::from_utf8_lossy(&log).into_owned();
        let found: Vec<Found> = log.lines().filter_map(commit).collect();
        if found.is_empty() {
            let message = format!("no commit has changed `{}`", self.path);
            return Err(
                Failure::new(Exit::Usage, code::GIT, message).in_file(&self.repository.to_string_lossy())
            );
        }
        let text = |found: &Found| {
            // A commit that deletes the file has no text.
            let name = format!("{}:{}", found.name, self.path);
            let has_file = self.git(&["cat-file", "-e", &name]).is_ok();
            has_file.then(|| self.git(&["cat-file", "blob", &name])).transpose()
        };
        import(&self.pack, &found, text, self.force, console)
    }

    fn git(&self, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
        let in_file = |message: String| {
            Failure::new(Exit::Usage, code::GIT, message).in_file(&self.repository.to_string_lossy())
        };
        let mut all: Vec<OsString> = vec!["-C".into(), self.repository.clone().into()];
        all.extend(arguments.iter().map(OsString::from));
        let output = Command::new("git")
            .args(all)
            .output()
            .map_err(|error| in_file(format!("cannot run git: {error}")))?;
        match output.status.success() {
            true => Ok(output.stdout),
            false => {
                let message = String::from_utf8_lossy(&output.stderr);
                Err(in_file(format!("git: {}", message.lines().next().unwrap_or("it failed"))))
            }
        }
    }
}

/// A line of the log: digest, time and author, with tabs between.
fn commit(line: &str) -> Option<Found> {
    let mut parts = line.splitn(3, '\t');
    let (name, seconds, who) = (parts.next()?, parts.next()?.parse::<i64>().ok()?, parts.next()?);
    Some(Found {
        name: name.to_owned(),
        time: seconds.saturating_mul(1000),
        who: Some(who.to_owned()),
        source: "git",
    })
}

impl FromFolder {
    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let failed = |error: &std::io::Error| Failure::reading(&self.folder, error);
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(|error| failed(&error))? {
            let entry = entry.map_err(|error| failed(&error))?;
            let metadata = entry.metadata().map_err(|error| failed(&error))?;
            if !metadata.is_file() {
                continue;
            }
            let since = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            let time = since.and_then(|since| i64::try_from(since.as_millis()).ok()).unwrap_or(0);
            let name = entry.path();
            let serial = read(&name).ok().and_then(|text| serial_of(&text));
            found.push((serial, name, time));
        }
        found.sort();
        if found.is_empty() {
            return Err(Failure::usage("the folder has no files").in_file(&self.folder.to_string_lossy()));
        }
        let found: Vec<Found> = found
            .into_iter()
            .map(|(_, name, time)| Found {
                name: name.to_string_lossy().into_owned(),
                time,
                who: None,
                source: "file",
            })
            .collect();
        let text = |found: &Found| read(Path::new(&found.name)).map(|text| Some(text.to_vec()));
        import(&self.pack, &found, text, self.force, console)
    }
}

/// The serial number of a state.
fn serial_of(text: &[u8]) -> Option<u64> {
    use coconut_codec::compile::{CompileOptions, compile};
    let compiled = compile(text, &CompileOptions::default()).ok()?;
    let document = coconut_codec::read::file::DocumentFile::from_data(compiled.bytes).ok()?;
    document.view().root().as_object().ok()??.get("serial").ok()??.as_u64().ok()?
}

fn import(
    pack: &Path,
    all: &[Found],
    text: impl Fn(&Found) -> Result<Option<Vec<u8>>, Failure>,
    force: bool,
    console: &mut Console,
) -> Result<Exit, Failure> {
    let mut pack = Pack::create(pack).or_fail()?;
    let (bar, mut added) = (bar(all.len() as u64, console), 0u64);
    for found in all {
        bar.inc(1);
        let Some(bytes) = text(found)? else { continue };
        let bytes = match Compression::of(&bytes) {
            None => bytes,
            Some(_) => {
                let text = expanded(&bytes).map(Vec::from);
                text.map_err(|error| Failure::reading(Path::new(&found.name), &error))?
            }
        };
        let entry = Entry { time: found.time, who: found.who.as_deref(), force, ..entry_now(found.source) };
        let result = pack.add(&bytes, &entry).or_fail();
        let result =
            result.map_err(|failure| failure.with_hint(format!("it is the text of {}", found.name)))?;
        added += u64::from(matches!(result, Added::New(_)));
    }
    bar.finish_and_clear();
    console.line(&format!("{added} new versions from {}", all.len()))?;
    Ok(Exit::Good)
}
