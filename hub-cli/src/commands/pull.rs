//! `pull`: fetches a document.

use super::lock::LockFileOption;
use super::network::{NetworkOptions, byte_bar};
use crate::failure::OrFail;
use clap::Args;
use coconut_codec::bytes::replace::replace;
use coconut_format::Value;
use coconut_format::numerals::grouped;
use coconut_hub::{Found, Hub, Pulled, Reference, VerifyKey};
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::open::read_text;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The ending of compiled documents.
const ENDING: &str = ".coco";

/// Fetch a document, and verify it
///
/// The document is verified whole before it enters the cache: its digest, all its checksums, tables
/// and rules of the format. With `-o FILE` it is written there, too; with `-o DIR` under its
/// published name. Without a name, all documents of an index are fetched.
///
/// With `--locked`, only documents of `coco.lock` are fetched, with the digests recorded there; all
/// of them without a reference. Then packages are found by their names off line, too.
///
/// Prints the reference with the digest of the manifest, and the path of the document.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/pull.trycmd"))]
pub(crate) struct Pull {
    /// The reference: `oci://HOST/REPOSITORY:TAG`, `oci-layout:DIR:TAG`
    #[arg(value_name = "REF", required_unless_present = "locked")]
    reference: Option<String>,
    /// Fetch only what the lock file has
    #[arg(long)]
    locked: bool,
    #[command(flatten)]
    lock_file: LockFileOption,
    /// The name of a document in an index
    #[arg(long)]
    name: Option<String>,
    /// Require a signature of this minisign key
    ///
    /// The text of the key, or the file with it. The signature is checked before the document is
    /// fetched.
    #[arg(long, value_name = "KEY")]
    verify_key: Option<String>,
    /// Write the document to this file or folder (default: only to the cache)
    #[arg(short, long, value_name = "PATH")]
    output: Option<PathBuf>,
    #[command(flatten)]
    network: NetworkOptions,
}

impl Pull {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let bar = byte_bar(console);
        let hub = self.network.hub(&bar);
        let reference = self.reference.as_deref().map(Reference::parse).transpose().or_fail()?;
        let found = match (reference, self.locked) {
            (Some(reference), false) => self.find(&hub, &reference)?,
            (reference, _) => self.find_locked(&hub, reference.as_ref())?,
        };
        if let Some(key) = &self.verify_key {
            let key = verify_key(key)?;
            found.iter().try_for_each(|found| hub.verify(found, &key)).or_fail()?;
        }
        bar.set_length(found.iter().map(|found| found.layer.size).sum());
        self.check_names(&found)?;
        let mut lines = Vec::new();
        for found in &found {
            let pulled = hub.pull(found).or_fail()?;
            if self.locked {
                self.check(&pulled)?;
            }
            let path = self.keep(&hub, &pulled)?;
            lines.push((pulled, path));
        }
        bar.finish_and_clear();
        print(console, &lines)
    }

    fn find(&self, hub: &Hub, reference: &Reference) -> Result<Vec<Found>, Failure> {
        let is_one = self.output.as_ref().is_some_and(|output| !output.is_dir());
        match self.name.is_some() || is_one {
            true => Ok(vec![hub.find_one(reference, self.name.as_deref()).or_fail()?]),
            false => hub.find(reference).or_fail(),
        }
    }

    /// Refuses documents that would be written to the same file.
    fn check_names(&self, found: &[Found]) -> Result<(), Failure> {
        let mut names = HashSet::new();
        match found.iter().find(|found| !names.insert(file_name(found))) {
            Some(second) if self.output.is_some() => {
                let message = format!("two documents have the name `{}`", file_name(second));
                let failure = Failure::new(Exit::Decode, code::HUB_ARTIFACT, message);
                Err(failure.in_file(&second.reference.to_string()).with_hint("choose one with `--name`"))
            }
            _ => Ok(()),
        }
    }

    /// The documents of the lock file: that of the reference, or all.
    fn find_locked(&self, hub: &Hub, reference: Option<&Reference>) -> Result<Vec<Found>, Failure> {
        let lock = self.lock_file.existing()?;
        if let Some(reference) = reference {
            return self.find(hub, &lock.locked(reference).or_fail()?);
        }
        let locked = lock.packages.values().map(|package| hub.find_one(&package.parse()?, None));
        locked.collect::<Result<Vec<_>, _>>().or_fail()
    }

    /// Refuses a document other than the locked one.
    fn check(&self, pulled: &Pulled) -> Result<(), Failure> {
        let lock = self.lock_file.existing()?;
        let manifest = pulled.found.reference.digest;
        let mut same = lock.packages.values().filter(|package| Some(package.manifest) == manifest);
        same.try_for_each(|package| package.check(pulled)).or_fail()
    }

    /// Writes the document, and returns its path.
    fn keep(&self, hub: &Hub, pulled: &Pulled) -> Result<Option<PathBuf>, Failure> {
        let layer = pulled.found.layer.digest;
        let Some(output) = &self.output else {
            return Ok(hub.options().cache.as_ref().map(|cache| cache.layer_path(layer)));
        };
        let path = match output.is_dir() {
            true => output.join(file_name(&pulled.found)),
            false => output.clone(),
        };
        replace(&path, &pulled.bytes).map_err(|error| Failure::writing(&path, &error))?;
        Ok(Some(path))
    }
}

/// The key in a file, or the argument itself.
fn verify_key(argument: &str) -> Result<VerifyKey, Failure> {
    let path = Path::new(argument);
    match path.is_file() {
        true => VerifyKey::parse(argument, &read_text(path)?).or_fail(),
        false => VerifyKey::parse(argument, argument).or_fail(),
    }
}

/// The published name, if it is that of a visible file in this folder, with the ending of
/// documents: no publisher replaces another file there.
fn file_name(found: &Found) -> String {
    let is_plain = |title: &&str| {
        let has_parts = title.contains(['/', '\\', ':']) || title.chars().any(char::is_control);
        !has_parts && !title.is_empty() && !title.starts_with('.') && Path::new(title).file_name().is_some()
    };
    let title = found.title.as_deref().filter(is_plain);
    let stem = title.map_or_else(|| found.layer.digest.digits(), str::to_owned);
    if stem.ends_with(ENDING) { stem } else { format!("{stem}{ENDING}") }
}

fn print(console: &mut Console, pulled: &[(Pulled, Option<PathBuf>)]) -> Result<Exit, Failure> {
    if console.json {
        let documents = list(pulled, |(pulled, path)| in_json(pulled, path.as_deref()));
        console.print_json(&report("hub pull", [("documents", documents)]))?;
        return Ok(Exit::Good);
    }
    for (pulled, path) in pulled {
        let place = path.as_ref().map(|path| format!("  {}", path.display())).unwrap_or_default();
        console.line(&format!("{}{place}", pulled.found.reference))?;
        let from = if pulled.was_cached { ", from the cache" } else { "" };
        console.note(&format!("{} bytes, verified{from}", grouped(pulled.found.layer.size)));
    }
    Ok(Exit::Good)
}

fn in_json(pulled: &Pulled, path: Option<&Path>) -> Value {
    let found = &pulled.found;
    object([
        ("reference", text(found.reference.to_string())),
        ("title", optional(found.title.as_deref())),
        ("artifact_type", optional(found.artifact_type.as_deref())),
        ("layer", text(found.layer.digest.to_string())),
        ("document", text(pulled.document_digest.to_string())),
        ("bytes", number(found.layer.size)),
        ("was_cached", Value::Bool(pulled.was_cached)),
        ("path", optional(path.map(|path| path.to_string_lossy()))),
    ])
}
