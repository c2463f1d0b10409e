//! `coco import`: builds graphs from documents of other systems.

mod documents;

use super::build::profiles;
use crate::destination::{Destination, WriteOptions};
use crate::form::{Form, FormOptions, Layout, Maker};
use clap::Args;
use clap::builder::TypedValueParser;
use coconut_codec::Profile;
use coconut_codec::compile::{CompileError, CompileOptions, LandmarkChoice, compile, writer_options};
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::tree::{Tree, TreeValue};
use coconut_codec::text::SourceErrorKind;
use coconut_codec::write::Writer;
use coconut_codec::write::interner::Interner;
use coconut_format::Value;
use coconut_format::numerals::hex;
use coconut_interop::import::{self, Import as Imported, ImportError, MISSING, SYSTEM};
use coconut_interop::{Options, Source, SourceRecord, System, system_of};
use coconut_pcore::{Dialect, Stream};
use coconut_report::json::{list, number, object, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::choice::choice_of;
use coconut_shell::console::visible;
use coconut_shell::folders::files_below;
use coconut_shell::open::{Opened, Storage, is_document, name_of, open_checked, read, source_format};
use coconut_shell::pcore::{compile_stream, is_stream, read_stream};
use documents::kept_of;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Build a graph from another system's documents
///
/// Finds the resources in Kubernetes objects, Terraform plans and states, Compose files, Puppet
/// catalogs and CloudFormation templates. Also finds the edges that their names, labels, owners and
/// expressions imply. The result is one document, in which each resource has its object, its edges,
/// and its dangling references.
///
/// Kubernetes objects and Compose files of several sources are merged. If two resources are the
/// same, the later one counts. Each plan, state, catalog and template stays separate.
///
/// A stream of Pcore becomes rich data: a plain document, or a graph if values are shared. A
/// catalog in it becomes a graph of its resources.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/import.trycmd"))]
pub(crate) struct Import {
    /// System of the sources; `auto` detects it
    #[arg(value_name = "SYSTEM", value_parser = systems())]
    system: Wanted,
    /// Writer of a stream of Pcore (default: detected)
    #[arg(long, value_name = "NAME", value_parser = dialects(), hide_short_help = true)]
    dialect: Option<Dialect>,
    /// Sources, documents or folders; `-` is standard input
    #[arg(required = true, value_name = "SRC")]
    sources: Vec<PathBuf>,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    form: FormOptions,
    /// First part of all keys: cluster, stack or environment
    #[arg(long, visible_alias = "cluster", value_name = "NAME", default_value = "import")]
    environment: String,
    /// Namespace of Kubernetes objects without one
    #[arg(long, value_name = "NAME", default_value = "default")]
    namespace: String,
    /// Include the contents of `Class[main]` of a Puppet catalog
    #[arg(long, hide_short_help = true)]
    class_main: bool,
    /// Import the other sources and documents if some are refused
    ///
    /// The good documents of a YAML stream or of JSON Lines are imported, too. The exit code is
    /// still that of the refused ones.
    #[arg(long)]
    keep_going: bool,
    /// Storage profile
    #[arg(long, value_name = "PROFILE", default_value = "full", value_parser = profiles())]
    profile: Profile,
    #[command(flatten)]
    write: WriteOptions,
}

/// The system of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// It is detected.
    Auto,
    System(System),
    /// A stream of Pcore.
    Pcore,
}

/// The writers of streams of Pcore.
pub(super) fn dialects() -> impl TypedValueParser<Value = Dialect> {
    choice_of(&Dialect::ALL.map(|dialect| (dialect, dialect.name(), "")))
}

fn systems() -> impl TypedValueParser<Value = Wanted> {
    choice_of(&[
        (Wanted::Auto, "auto", "Detected; all sources must be of the same system"),
        (Wanted::System(System::Kubernetes), "kubernetes", "Kubernetes objects"),
        (Wanted::System(System::Compose), "compose", "Compose files"),
        (Wanted::System(System::Plan), "plan", "Terraform plans as JSON"),
        (Wanted::System(System::Puppet), "puppet", "Puppet catalogs"),
        (Wanted::System(System::TerraformState), "terraform-state", "Terraform states of version 3 and 4"),
        (Wanted::System(System::CloudFormation), "cloudformation", "CloudFormation templates"),
        (Wanted::Pcore, "pcore", "One stream of Pcore, or an XPP file"),
    ])
}

/// A source that was read.
struct Loaded {
    name: String,
    /// Whether it was found in a folder, rather than named itself.
    is_found: bool,
    sha_256: String,
    file: DocumentFile<Storage>,
}

impl Import {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let destination = Destination::of_argument(&self.output)?;
        destination.check_report(console)?;
        let form = Maker::of_every("coco import").form(&destination, self.form.form)?;
        destination.check(form.content(), self.write)?;
        match (self.system, self.dialect) {
            (Wanted::Pcore, _) => return self.run_pcore(&destination, form, console),
            (_, Some(_)) => return Err(Failure::usage("`--dialect` is only for `coco import pcore`")),
            _ => {}
        }
        let (mut loaded, mut failures) = (Vec::new(), Vec::new());
        for (path, is_found) in self.paths()? {
            self.refuse_own_result(&path)?;
            match self.load(&path, is_found, &mut failures, console) {
                Ok(source) => loaded.push(source),
                Err(failure) if failure.code() == SourceErrorKind::YamlEmpty.code() => {
                    let name = name_of(&path);
                    match is_found {
                        true => console.note(&format!("{name} has only comments and is passed over")),
                        false => failures.push(only_comments(&failure, &name)),
                    }
                }
                Err(failure) => failures.push(failure),
            }
        }
        let trees = loaded.iter().map(|source| {
            source.file.view().tree().map_err(|error| Failure::from(error).in_file(&source.name))
        });
        let trees = trees.collect::<Result<Vec<_>, _>>()?;
        let (system, chosen) = self.choose(&loaded, &trees, &mut failures, console)?;
        if !self.keep_going && !failures.is_empty() {
            let others = if chosen.is_empty() { "" } else { "; --keep-going imports the other sources" };
            console.note(&format!("nothing was written{others}"));
            return Ok(console.report(&failures));
        }
        let Some(system) = system else { return Ok(console.report(&failures)) };
        let sources: Vec<Source<'_, TreeValue<'_, '_>>> =
            chosen.iter().map(|&n| Source { name: &loaded[n].name, root: trees[n].root() }).collect();
        let records = chosen
            .iter()
            .map(|&n| SourceRecord { path: loaded[n].name.clone(), sha_256: loaded[n].sha_256.clone() });
        let records: Vec<SourceRecord> = records.collect();
        self.import(system, &sources, &records, (&destination, form), console)?;
        Ok(console.report(&failures))
    }

    /// Imports sources of a system, writes the graph and shows it.
    fn import(
        &self,
        system: System,
        sources: &[Source<'_, TreeValue<'_, '_>>],
        records: &[SourceRecord],
        (destination, form): (&Destination, Form),
        console: &mut Console,
    ) -> Result<(), Failure> {
        let options = Options {
            environment: &self.environment,
            namespace: &self.namespace,
            class_main: self.class_main,
        };
        let imported = import::import(system, sources, &options).map_err(|error| match error {
            ImportError::TooMany { .. } => Failure::new(Exit::Limit, error.code(), error.to_string()),
            ImportError::OtherSystem { source, .. } => {
                Failure::negative(error.code(), error.to_string()).in_file(sources[source].name)
            }
        })?;
        self.put(&imported, records, destination, form)?;
        let names: Vec<&str> = sources.iter().map(|source| source.name).collect();
        show(&imported, &names, destination, console)
    }

    /// Imports a stream of Pcore: a catalog as a graph of its resources, everything else as it is.
    fn run_pcore(
        &self,
        destination: &Destination,
        form: Form,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        let paths = self.paths()?;
        let [(path, _)] = &paths[..] else {
            let failure = Failure::usage(format!("expected one stream of Pcore, found {}", paths.len()));
            return Err(failure.with_hint("import each stream separately"));
        };
        self.refuse_own_result(path)?;
        let (name, bytes) = (name_of(path), read(path)?);
        let stream = read_stream(&bytes, &name, self.dialect)?;
        let options = CompileOptions { profile: self.profile, ..CompileOptions::default() };
        let compiled = compile_stream(&stream, &name, &options)?;
        let file =
            DocumentFile::from_data(&compiled[..]).map_err(|error| Failure::from(error).in_file(&name))?;
        let tree = file.view().tree().map_err(|error| Failure::from(error).in_file(&name))?;
        if system_of(tree.root()) == Some(System::Puppet) {
            let record = SourceRecord { path: name.clone(), sha_256: hex(&Sha256::digest(&bytes)) };
            let source = Source { name: &name, root: tree.root() };
            self.import(System::Puppet, &[source], &[record], (destination, form), console)?;
            return Ok(Exit::Good);
        }
        match form {
            Form::Text(language) => destination.write(form.content(), self.write, |out| {
                language.print(out, Layout::default(), |printer| Ok::<_, Failure>(stream.push(printer)?))
            })?,
            _ => destination.write_bytes(form.content(), self.write, None, &compiled)?,
        }
        show_stream(&stream, &name, destination, console)?;
        Ok(Exit::Good)
    }

    /// The sources, each with whether it was found in a folder.
    fn paths(&self) -> Result<Vec<(PathBuf, bool)>, Failure> {
        let mut paths = Vec::new();
        let mut seen = BTreeSet::new();
        for argument in &self.sources {
            let found = match argument.is_dir() {
                true => files_below(argument, true)?.into_iter().map(|path| (path, true)).collect(),
                false => vec![(argument.clone(), false)],
            };
            paths.extend(found.into_iter().filter(|(path, _)| seen.insert(path.clone())));
        }
        // A result in a folder of sources is not a source.
        paths.retain(|(path, is_found)| !(*is_found && is_same(path, &self.output)));
        match paths.is_empty() {
            true => Err(Failure::usage("there are no sources in the given folders")),
            false => Ok(paths),
        }
    }

    fn refuse_own_result(&self, path: &Path) -> Result<(), Failure> {
        match is_same(path, &self.output) {
            true => {
                let message = format!("`{}` would be replaced by its own import", path.display());
                Err(Failure::usage(message).with_hint("name another file with -o"))
            }
            false => Ok(()),
        }
    }

    /// The system, and the numbers of its sources. A source of another system is a failure if it
    /// was named, and skipped if it was found in a folder.
    fn choose(
        &self,
        loaded: &[Loaded],
        trees: &[Tree<'_>],
        failures: &mut Vec<Failure>,
        console: &mut Console,
    ) -> Result<(Option<System>, Vec<usize>), Failure> {
        let systems: Vec<Option<System>> = trees.iter().map(|tree| system_of(tree.root())).collect();
        let found: BTreeSet<&str> = systems.iter().flatten().map(|system| system.name()).collect();
        let system = match self.system {
            Wanted::System(system) => Some(system),
            _ if found.len() > 1 => {
                let names = found.into_iter().collect::<Vec<_>>().join(" and ");
                let message = format!("expected sources of one system, found {names}");
                let failure = Failure::new(Exit::Usage, SYSTEM, message);
                return Err(failure.with_hint("name the system instead of `auto`, or name fewer sources"));
            }
            _ => systems.iter().flatten().next().copied(),
        };
        let mut chosen = Vec::new();
        for (number, (source, own)) in loaded.iter().zip(&systems).enumerate() {
            let (name, described) = (&source.name, system.map(System::described));
            match own {
                Some(own) if Some(*own) == system => chosen.push(number),
                _ if source.is_found => console.note(&format!("{name} is of another kind, and is skipped")),
                own => {
                    let found = own.map_or("something else", System::name);
                    let expected = described.unwrap_or("a document that can be imported");
                    let message = format!("expected {expected}, found {found}");
                    let hint = "`coco import --help` lists the systems";
                    failures.push(Failure::negative(SYSTEM, message).in_file(name).with_hint(hint));
                }
            }
        }
        if chosen.is_empty() && failures.is_empty() {
            failures.push(Failure::negative(SYSTEM, "no source is of a system that can be imported"));
        }
        Ok((system.filter(|_| !chosen.is_empty()), chosen))
    }

    /// Writes the document of an import.
    fn put(
        &self,
        imported: &Imported<'_, TreeValue<'_, '_>>,
        sources: &[SourceRecord],
        destination: &Destination,
        form: Form,
    ) -> Result<(), Failure> {
        if let Form::Text(language) = form {
            return destination.write(form.content(), self.write, |out| {
                language.print(out, Layout::default(), |printer| {
                    Ok::<_, Failure>(imported.push(sources, printer)?)
                })
            });
        }
        let mut interner = Interner::new();
        imported.push(sources, &mut interner)?;
        let document = interner.finish()?;
        let options = CompileOptions { profile: self.profile, ..CompileOptions::default() };
        let options = writer_options(&document, &options, None);
        let bytes = Writer::new(options).to_bytes(&document).map_err(|error| Failure::from(&error))?;
        destination.write_bytes(form.content(), self.write, None, &bytes)
    }

    /// Reads a source. Its landmarks are not needed, so they are not searched. With `--keep-going`,
    /// reads what is good in a text of several documents, and adds the failures of the others.
    fn load(
        &self,
        path: &Path,
        is_found: bool,
        failures: &mut Vec<Failure>,
        console: &mut Console,
    ) -> Result<Loaded, Failure> {
        let reveal = console.reveal;
        let (name, bytes) = (name_of(path), read(path)?);
        let sha_256 = hex(&Sha256::digest(&bytes));
        let in_file = |failure: Failure| failure.in_file(&name);
        let storage = match is_document(&name, &bytes) {
            true => {
                let opened = open_checked(bytes, &name, reveal)?;
                let held: Vec<u8> = opened.view().bytes().into();
                Storage::new(held)
            }
            false if is_stream(&bytes) || is_rich_msgpack(&bytes) => {
                let stream = read_stream(&bytes, &name, None)?;
                let options = CompileOptions { landmarks: LandmarkChoice::None, ..CompileOptions::default() };
                Storage::new(compile_stream(&stream, &name, &options)?)
            }
            false => {
                let format = source_format(&name, &bytes, None).map_err(|error| in_file(error.into()))?;
                let options = CompileOptions {
                    format: Some(format),
                    landmarks: LandmarkChoice::None,
                    ..CompileOptions::default()
                };
                let failed = |error: &CompileError| Failure::compiling(&name, &bytes, error, reveal);
                let compiled = compile(&bytes, &options).or_else(|error| {
                    let kept = if self.keep_going { kept_of(&bytes, format, &options) } else { None };
                    let kept = kept.ok_or_else(|| failed(&error))?;
                    let compiled = compile(&kept.text, &options).map_err(|_| failed(&error))?;
                    failures.extend(kept.errors.iter().map(failed));
                    if let Some(more @ 1..) = kept.refused.checked_sub(kept.errors.len()) {
                        let message = format!("{more} more documents of the text are refused");
                        failures.push(Failure::new(Exit::Decode, error.code(), message).in_file(&name));
                    }
                    Ok::<_, Failure>(compiled)
                })?;
                let opened = Opened::of_source(&name, Storage::new(compiled.bytes), None, false)?;
                opened.warn_of_source(console);
                let held: Vec<u8> = opened.view().bytes().into();
                Storage::new(held)
            }
        };
        let file = DocumentFile::from_data(storage).map_err(|error| in_file(error.into()))?;
        Ok(Loaded { name, is_found, sha_256, file })
    }
}

/// The failure of a text without documents, which is undamaged but useless here.
fn only_comments(failure: &Failure, name: &str) -> Failure {
    let message = "expected objects to import, found only comments";
    let failure = Failure::new(failure.exit(), SourceErrorKind::YamlEmpty.code(), message);
    failure.in_file(name).with_hint("omit it: it has nothing to import")
}

fn is_same(path: &Path, output: &Path) -> bool {
    match (path.canonicalize(), output.canonicalize()) {
        (Ok(path), Ok(output)) => path == output,
        _ => false,
    }
}

/// §24.8 Whether the bytes are rich data as msgpack, as agents of Puppet store catalogs: one map,
/// which a document of Coconut never begins with.
fn is_rich_msgpack(bytes: &[u8]) -> bool {
    matches!(bytes, [0x80..=0x8f | 0xde | 0xdf, ..])
        && Stream::read(bytes, None).is_ok_and(|stream| stream.is_plain() && stream.values() == 1)
}

/// Shows the imported stream.
fn show_stream(
    stream: &Stream<'_>,
    name: &str,
    destination: &Destination,
    console: &mut Console,
) -> Result<(), Failure> {
    let count = |count: usize| number(count as u64);
    if console.json {
        let members = [
            ("system", text("pcore")),
            ("inference", text(stream.dialect().name())),
            ("output", text(destination.name())),
            ("sources", list(&[name], |name| text(*name))),
            ("resources", count(stream.shared())),
            ("edges", number(0_u64)),
            ("missing", Value::List(Vec::new())),
            ("findings", Value::List(Vec::new())),
        ];
        return console.print_json(&report("import", members));
    }
    if console.is_chatty() && *destination != Destination::Stdout {
        let plural = if stream.len() == 1 { "" } else { "s" };
        console.print(&format!(
            "{}: {} value{plural}, {} shared, as {} writes them\n",
            visible(&destination.name()),
            stream.len(),
            stream.shared(),
            stream.dialect().name()
        ))?;
    }
    Ok(())
}

/// Shows the imported resources and the findings.
fn show(
    imported: &Imported<'_, TreeValue<'_, '_>>,
    sources: &[&str],
    destination: &Destination,
    console: &mut Console,
) -> Result<(), Failure> {
    const SHOWN: usize = 20;
    let (findings, missing) = (imported.findings(), imported.missing());
    let resources = imported.resources().iter().filter(|resource| resource.replaced_by.is_none()).count();
    let source_of = |number: u32| sources.get(number as usize).copied().unwrap_or_default();
    let key_of = |number: u32| &imported.resources()[number as usize];
    if console.json {
        let count = |count: usize| number(count as u64);
        let members = [
            ("system", text(imported.system().name())),
            ("inference", text(imported.system().inference())),
            ("output", text(destination.name())),
            ("sources", list(sources, |name| text(*name))),
            ("resources", count(resources)),
            ("edges", count(imported.edges().len())),
            (
                "missing",
                list(missing, |missing| {
                    let resource = key_of(missing.from);
                    object([
                        ("file", text(source_of(resource.source))),
                        ("pointer", text(&missing.at)),
                        ("from", text(&resource.urn)),
                        ("kind", text(missing.kind.name())),
                        ("name", text(&missing.name)),
                        ("optional", Value::Bool(missing.is_optional)),
                    ])
                }),
            ),
            (
                "findings",
                list(findings, |finding| {
                    object([
                        ("code", text(finding.kind.code())),
                        ("message", text(finding.to_string())),
                        ("file", text(source_of(finding.source))),
                        ("pointer", text(&finding.at)),
                    ])
                }),
            ),
        ];
        return console.print_json(&report("import", members));
    }
    for finding in findings.iter().take(SHOWN) {
        let said = visible(&finding.to_string());
        let message = format!("{said}\n --> {}", place(source_of(finding.source), &finding.at));
        console.warn(Some(finding.kind.code()), &message);
    }
    for missing in missing.iter().take(SHOWN) {
        let resource = key_of(missing.from);
        let optional = if missing.is_optional { " (optional)" } else { "" };
        let message = format!(
            "`{}` has the {} `{}`{optional}, which is in no source\n --> {}",
            visible(&resource.key),
            missing.kind.name(),
            visible(&missing.name),
            place(source_of(resource.source), &missing.at)
        );
        console.warn(Some(MISSING), &message);
    }
    let left = findings.len().saturating_sub(SHOWN) + missing.len().saturating_sub(SHOWN);
    if left > 0 {
        console.note(&format!("{left} more; --json lists all of them"));
    }
    if console.is_chatty() && *destination != Destination::Stdout {
        let plural =
            |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
        let nowhere = match missing.len() {
            0 => String::new(),
            count => {
                format!(
                    "; {} {} nowhere",
                    plural(count, "reference"),
                    if count == 1 { "leads" } else { "lead" }
                )
            }
        };
        console.print(&format!(
            "{}: {}, {}{nowhere}\n",
            visible(&destination.name()),
            plural(resources, "resource"),
            plural(imported.edges().len(), "edge")
        ))?;
    }
    Ok(())
}

/// A place in the form used in messages.
fn place(source: &str, pointer: &str) -> String {
    match pointer {
        "" => visible(source),
        pointer => format!("{}, in {}", visible(source), visible(pointer)),
    }
}
