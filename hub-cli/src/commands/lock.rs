//! `lock`: records the documents of packages.

use super::network::{NetworkOptions, byte_bar};
use crate::failure::OrFail;
use clap::Args;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::loader::LOCK_FILE;
use coconut_codec::read::file::DocumentFile;
use coconut_format::Value;
use coconut_format::names::PackageUrl;
use coconut_hub::{Hub, LockFile, LockedArtifact, Pulled, Reference, package_name};
use coconut_report::json::{list, object, optional, report, text};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::open::{is_document, name_of, read};
use std::path::{Path, PathBuf};

/// Record which documents the names of packages stand for
///
/// Writes `coco.lock`: for each package its reference, and the digests of manifest, layer and
/// document. `coco pack eval`, `coco plan` and `cocojs` then find these packages by name, and no
/// others. Each package is fetched and verified first.
///
/// With references, these are added or replaced. With `--manifest`, so are the dependencies of a
/// package: of each, the newest tag that its version admits. Without either, all tags in the file
/// are resolved again.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/lock.trycmd"))]
pub(crate) struct Lock {
    /// References of packages; NAME is that of the package and can be omitted
    #[arg(value_name = "[NAME=]REF")]
    packages: Vec<String>,
    /// Lock the dependencies of this package: its manifest, source or compiled form
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// The place of dependencies without a host: `oci://HOST/PREFIX`
    #[arg(long, value_name = "PLACE", requires = "manifest")]
    hub: Option<String>,
    #[command(flatten)]
    lock_file: LockFileOption,
    #[command(flatten)]
    network: NetworkOptions,
}

/// The option that names the lock file.
#[derive(Clone, Debug, Args)]
pub(crate) struct LockFileOption {
    /// The lock file
    #[arg(long, value_name = "FILE", default_value = LOCK_FILE)]
    lock_file: PathBuf,
}

impl LockFileOption {
    pub(crate) fn path(&self) -> &Path {
        &self.lock_file
    }

    /// The file, which must exist.
    pub(crate) fn existing(&self) -> Result<LockFile, Failure> {
        let lock = LockFile::read(&self.lock_file).or_fail()?;
        lock.ok_or_else(|| {
            let failure = Failure::negative(code::HUB_LOCK_FILE, "there is no lock file");
            failure.in_file(&name_of(&self.lock_file)).with_hint("`coco hub lock` writes one")
        })
    }
}

impl Lock {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let bar = byte_bar(console);
        let hub = self.network.hub(&bar);
        let known = LockFile::read(self.lock_file.path()).or_fail()?;
        let is_new = known.is_none();
        let mut lock = known.unwrap_or_default();
        let mut wanted = Vec::new();
        for package in &self.packages {
            // A name has no colon, and a reference has one.
            let (name, reference) = match package.split_once('=').filter(|(name, _)| !name.contains(':')) {
                Some((name, reference)) => (Some(name.to_owned()), reference),
                None => (None, package.as_str()),
            };
            wanted.push((name, Reference::parse(reference).or_fail()?));
        }
        if let Some(manifest) = &self.manifest {
            let place = self.hub.as_deref().map(Reference::parse_place).transpose().or_fail()?;
            for package in dependencies(manifest, console.reveal)? {
                let newest = hub.newest(&package, place.as_ref()).or_fail()?;
                wanted.push((Some(package.name.as_str().to_owned()), newest));
            }
        } else if self.packages.is_empty() {
            if is_new {
                return Err(Failure::usage("name packages to lock, or a `--manifest`"));
            }
            for (name, package) in &lock.packages {
                wanted.push((Some(name.clone()), Reference::parse_place(&package.reference).or_fail()?));
            }
        }
        let mut changed = Vec::new();
        for (name, reference) in &wanted {
            for pulled in fetch(&hub, name.as_deref(), reference)? {
                let found = package_name(&pulled);
                let name = named(name.as_deref(), found, reference)?;
                let entry = LockedArtifact::of(reference, &pulled);
                if lock.packages.get(&name) != Some(&entry) {
                    changed.push(name.clone());
                    lock.packages.insert(name, entry);
                }
            }
        }
        bar.finish_and_clear();
        // An unchanged file keeps its time.
        if is_new || !changed.is_empty() {
            lock.write(self.lock_file.path()).or_fail()?;
        }
        print(console, &lock, &changed)
    }
}

/// The documents of a reference: of a release all, or that with the name.
fn fetch(hub: &Hub, name: Option<&str>, reference: &Reference) -> Result<Vec<Pulled>, Failure> {
    let mut found = hub.find(reference).or_fail()?;
    if found.len() > 1 && name.is_some() {
        found = vec![hub.find_one(reference, name).or_fail()?];
    }
    found.iter().map(|found| hub.pull(found)).collect::<Result<Vec<_>, _>>().or_fail()
}

/// The name under which a package is loaded: the one that it states.
fn named(wanted: Option<&str>, found: Option<String>, reference: &Reference) -> Result<String, Failure> {
    let fail = |message: String| {
        Err(Failure::new(Exit::Decode, code::HUB_ARTIFACT, message).in_file(&reference.to_string()))
    };
    match (wanted, found) {
        (None, Some(found)) => Ok(found),
        (Some(wanted), Some(found)) if wanted == found => Ok(found),
        (Some(wanted), Some(found)) => fail(format!("the package is `{found}`, not `{wanted}`")),
        (_, None) => fail("the document has no `name`, so it is not a package".to_owned()),
    }
}

/// The dependencies that a package declares.
fn dependencies(file: &Path, reveal: bool) -> Result<Vec<coconut_format::names::PackageReference>, Failure> {
    let (bytes, file_name) = (read(file)?, name_of(file));
    let document = match is_document(&file_name, &bytes) {
        true => bytes.to_vec(),
        false => {
            compile(&bytes, &CompileOptions::default())
                .map_err(|error| Failure::compiling(&file_name, &bytes, &error, reveal))?
                .bytes
        }
    };
    let in_file = |error: coconut_format::DecodeError| Failure::from(error).in_file(&file_name);
    let document = DocumentFile::from_data(document).map_err(in_file)?;
    let Some(value) = document.view().root().pointer("/dependencies").map_err(in_file)? else {
        return Ok(Vec::new());
    };
    let Value::Object(members) = value.to_value().map_err(in_file)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (name, reference) in members {
        let reference = reference.as_str().unwrap_or("*");
        let wrong = |error: coconut_format::names::NameError| {
            Failure::negative(error.code(), error.to_string())
                .in_file(&file_name)
                .at_path(format!("/dependencies/{name}"))
        };
        found.push(match PackageUrl::parse(reference).map_err(wrong)? {
            PackageUrl::Package(package) => package,
            PackageUrl::Any => match PackageUrl::parse(&name).map_err(wrong)? {
                PackageUrl::Package(package) => package,
                PackageUrl::Any => continue,
            },
        });
    }
    Ok(found)
}

fn print(console: &mut Console, lock: &LockFile, changed: &[String]) -> Result<Exit, Failure> {
    if console.json {
        let packages = list(&lock.packages, |(name, package)| {
            object([
                ("name", text(name.as_str())),
                ("reference", text(package.reference.as_str())),
                ("version", optional(package.version.as_deref())),
                ("manifest", text(package.manifest.to_string())),
                ("layer", text(package.layer.to_string())),
                ("document", text(package.document.to_string())),
                ("is_changed", Value::Bool(changed.contains(name))),
            ])
        });
        console.print_json(&report("hub lock", [("packages", packages)]))?;
        return Ok(Exit::Good);
    }
    for (name, package) in &lock.packages {
        let mark = if changed.contains(name) { "locked" } else { "same" };
        console.line(&format!("{mark:6}  {name}  {}@{}", package.reference, package.manifest))?;
    }
    Ok(Exit::Good)
}
