//! `coco convert`: converts a document to another form with the same meaning.

mod declarations;
mod graphs;
mod joined;
mod parts;
mod schemas;
mod streams;

use super::build::profiles;
use super::import::dialects;
use crate::destination::{Destination, WriteOptions};
use crate::form::{Form, FormOptions, Layout, Maker};
use clap::{Args, ValueEnum};
use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, writer_options};
use coconut_codec::read::stream::Budget;
use coconut_codec::text::LintKind;
use coconut_codec::write::Writer;
use coconut_codec::write::interner::{Interned, Interner};
use coconut_interop::graph;
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::visible;
use coconut_shell::open::{Access, Opened, Storage, open, open_checked};
use coconut_surface::write::{ConvertError, PackageOptions, TranslationFinding, push_package};
use coconut_surface::{self as surface, ApiError, Dialect, Package};
use joined::Places;
use std::path::PathBuf;

/// Convert a document to another format with the same meaning
///
/// Converts schemas to packages that `coco check` accepts: schemas of Terraform providers, of the
/// CloudFormation registry and of Pulumi packages, OpenAPI documents, and Kubernetes resource
/// definitions. Also converts a package, or any of these schemas, to a Pulumi schema, or to
/// declarations in TypeScript, with which editors check programs for `cocojs`.
///
/// Converts resource graphs to one another: CocoGL, Pulumi exports and checkpoints, Terraform
/// states, the output of `terraform show -json`, and files for `pulumi import`. A CocoGL document
/// keeps all of its source, and can be converted back to it. Between Pulumi and Terraform,
/// properties keep their names.
///
/// The result contains the secrets of the source, as readable as they are there. Secrets of a
/// Terraform state are not encrypted in a file for Pulumi. Commands that show documents hide them.
///
/// Also writes a stream of Pcore, as a release of Puppet or pcore-java would write it. Its source
/// is any document; one that `coco import pcore` made gives the same stream again.
///
/// A JSON schema of 8 MiB or more is read in parts, which takes little memory if the package is
/// written as JSON. A compiled package is held in memory as a whole.
///
/// Every change, assumption and loss is reported. The same source always gives the same bytes.
/// `coco pack repack` changes how a document is stored, and keeps its format.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/convert.trycmd"))]
pub(crate) struct Translate {
    /// Source or compiled document; `-` is standard input
    ///
    /// CloudFormation resource types and Kubernetes resource definitions may be several files or
    /// folders.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Format of the result
    #[arg(long, value_name = "FORM")]
    to: Target,
    /// Output file; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    form: FormOptions,
    /// Name of the package (default: that of the schema)
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Class that the classes of resources extend
    ///
    /// For example, `coconut:resource:Resource`. Its package becomes a dependency.
    #[arg(long, value_name = "TOKEN")]
    base: Option<String>,
    /// Stack of the resources (default: that of the source)
    #[arg(long, value_name = "NAME")]
    stack: Option<String>,
    /// Project of the resources, if the source has none
    #[arg(long, value_name = "NAME")]
    project: Option<String>,
    /// Mapping of a bridged provider (repeatable)
    ///
    /// It contains the Pulumi type of each Terraform type.
    #[arg(long = "mapping", value_name = "FILE")]
    mappings: Vec<PathBuf>,
    /// Dialect of a stream of Pcore (default: ruby-5.4)
    #[arg(long, value_name = "NAME", value_parser = dialects(), hide_short_help = true)]
    dialect: Option<coconut_pcore::Dialect>,
    /// Write nothing if anything is changed, lost or assumed
    ///
    /// The exit code is then 1.
    #[arg(long)]
    strict: bool,
    /// Storage profile of a compiled document
    #[arg(long, value_name = "PROFILE", default_value = "full", value_parser = profiles())]
    profile: Profile,
    #[command(flatten)]
    write: WriteOptions,
}

coconut_format::named! {
    /// The form of the result.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
    enum Target {
        /// A Coconut 2017 package (§12)
        Cocopack = "cocopack";
        /// A Pulumi package schema
        PulumiSchema = "pulumi-schema";
        /// Declarations of a package in TypeScript, for editors
        Dts = "dts";
        /// A Coconut 2017 resource graph (§15)
        Cocogl = "cocogl";
        /// The input of `pulumi stack import`
        PulumiExport = "pulumi-export";
        /// The file in which Pulumi stores a stack
        PulumiCheckpoint = "pulumi-checkpoint";
        /// The input of `pulumi import --file`
        PulumiImport = "pulumi-import";
        /// A Terraform state of version 4
        TerraformState = "terraform-state";
        /// The output of `terraform show -json` for a state
        TerraformShow = "terraform-show";
        /// A stream of Pcore in msgpack, of any document (§24)
        Pcore = "pcore";
        /// The same in JSON
        PcoreJson = "pcore-json";
    }
    fn name;
}

/// The necessary changes.
struct Translated {
    /// The form of the source.
    from: &'static str,
    findings: Vec<Shown>,
}

/// A finding.
struct Shown {
    code: &'static str,
    message: String,
    /// The definition or the resource.
    token: String,
    member: Option<String>,
    /// The file, if there are several.
    file: Option<String>,
    pointer: String,
}

impl Translated {
    fn of(from: &'static str, findings: &[TranslationFinding]) -> Translated {
        Translated { from, findings: findings.iter().map(Shown::from).collect() }
    }
}

impl From<&TranslationFinding> for Shown {
    fn from(finding: &TranslationFinding) -> Shown {
        Shown {
            code: finding.kind.code(),
            message: finding.to_string(),
            token: finding.token.clone(),
            member: finding.member.clone(),
            file: None,
            pointer: finding.pointer.clone(),
        }
    }
}

impl Target {
    /// The form of a graph, if it is one.
    fn graph(self) -> Option<graph::Target> {
        match self {
            Target::Cocopack | Target::PulumiSchema | Target::Dts | Target::Pcore | Target::PcoreJson => None,
            Target::Cocogl => Some(graph::Target::CocoGl),
            Target::PulumiExport => Some(graph::Target::PulumiExport),
            Target::PulumiCheckpoint => Some(graph::Target::PulumiCheckpoint),
            Target::PulumiImport => Some(graph::Target::PulumiImport),
            Target::TerraformState => Some(graph::Target::TerraformState),
            Target::TerraformShow => Some(graph::Target::TerraformShow),
        }
    }
}

impl Translate {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let destination = Destination::of_argument(&self.output)?;
        destination.check_report(console)?;
        if let Some(encoding) = self.to.stream() {
            return self.run_to_stream(encoding, &destination, console);
        }
        if self.to == Target::Dts {
            return self.run_to_declarations(&destination, console);
        }
        let form = Maker::of_every("coco convert").form(&destination, self.form.form)?;
        self.check_options()?;
        destination.check_sources(&self.files, self.write)?;
        destination.check(form.content(), self.write)?;
        if let Some(exit) = self.run_by_parts(&destination, form, console)? {
            return Ok(exit);
        }
        if let Some(exit) = self.run_to_schema(&destination, form, console)? {
            return Ok(exit);
        }
        let (name, document, translated) = self.made(console)?;
        if !self.is_refused(&translated) {
            self.put(&document, &destination, form)?;
        }
        self.shown(&name, &translated, console)
    }

    fn is_refused(&self, translated: &Translated) -> bool {
        self.strict && !translated.findings.is_empty()
    }

    /// The one named file; `None` for several, and for a folder.
    fn only(&self) -> Option<&PathBuf> {
        match &self.files[..] {
            [only] if !only.is_dir() => Some(only),
            _ => None,
        }
    }

    /// The schema or package, and the origin of its parts if there are several.
    fn opened(&self, console: &mut Console) -> Result<(Opened, Option<Places>), Failure> {
        if let Some(only) = self.only() {
            return Ok((open(only, Access::Whole, console)?, None));
        }
        let joined = joined::joined(&self.files, console)?;
        Ok((joined.opened, Some(joined.places)))
    }

    fn package_options(&self) -> PackageOptions<'_> {
        PackageOptions { name: self.name.as_deref(), base: self.base.as_deref() }
    }

    /// The name of the source, and the kind of the result.
    fn made(&self, console: &mut Console) -> Result<(String, Interned, Translated), Failure> {
        let Some(target) = self.to.graph() else {
            let (opened, places) = self.opened(console)?;
            let ((document, findings), dialect) = with_model(&opened, |package| match package.dialect {
                Dialect::CocoPack => Err(same_form("package")),
                _ => pushed_package(|sink| push_package(package, self.package_options(), sink)),
            })?;
            let findings = findings.iter().map(Shown::from);
            let findings = match &places {
                Some(places) => findings.map(|finding| places.placed(finding)).collect(),
                None => findings.collect(),
            };
            return Ok((opened.name, document, Translated { from: dialect.name(), findings }));
        };
        let Some(only) = self.only() else {
            return Err(Failure::usage("a graph is converted from one file")
                .with_hint("convert each file separately"));
        };
        let opened = open(only, Access::Whole, console)?;
        self.check_keys(&opened)?;
        let mappings = graphs::mappings(&self.mappings, console)?;
        let (stack, project) = (self.stack.as_deref(), self.project.as_deref());
        let options = graph::ConversionOptions { stack, project, mappings: Some(&mappings) };
        let (document, translated) = graphs::translated(&opened, target, &options)?;
        Ok((opened.name, document, translated))
    }

    /// Refuses a state whose repeated keys have lost a value.
    fn check_keys(&self, opened: &Opened) -> Result<(), Failure> {
        let code = LintKind::RepeatedKey.code();
        let findings = opened.view().header().source.as_ref().map_or(&[][..], |source| &source.findings);
        match findings.iter().any(|finding| finding.code == code) {
            true if self.strict => {
                Err(Failure::negative(code, LintKind::RepeatedKey.to_string()).in_file(&opened.name))
            }
            _ => Ok(()),
        }
    }

    /// Refuses options without a meaning for this form.
    fn check_options(&self) -> Result<(), Failure> {
        let of_packages = [("--name", self.name.is_some()), ("--base", self.base.is_some())];
        let of_graphs = [
            ("--stack", self.stack.is_some()),
            ("--project", self.project.is_some()),
            ("--mapping", !self.mappings.is_empty()),
        ];
        let of_streams = [("--dialect", self.dialect.is_some())];
        let others = if self.to.graph().is_some() { &of_packages[..] } else { &of_graphs[..] };
        match others.iter().chain(&of_streams).find(|(_, is_given)| *is_given) {
            Some((option, _)) => {
                Err(Failure::usage(format!("{option} has no effect with `--to {}`", self.to.name())))
            }
            None => Ok(()),
        }
    }

    fn put(&self, document: &Interned, to: &Destination, form: Form) -> Result<(), Failure> {
        let options = CompileOptions { profile: self.profile, ..CompileOptions::default() };
        if form == Form::Compiled && !self.write.durable {
            let writer = Writer::new(writer_options(document, &options, None));
            return to.write(form.content(), self.write, |mut out| {
                writer.write_to(document, &mut out).map_err(|error| Failure::from(&error))
            });
        }
        let bytes = compiled(document, &options)?;
        let Form::Text(language) = form else {
            // What it replaces is kept beside it, unless it is the same.
            return to.write_bytes(form.content(), self.write, None, &bytes);
        };
        let opened = open_checked(Storage::new(bytes), &to.name(), true)?;
        to.write(form.content(), self.write, |out| {
            let printed = language.print(out, Layout::default(), |printer| {
                opened.view().stream(printer, Budget::default()).map_err(Failure::from)
            });
            printed.map_err(|failure| failure.in_file(&opened.name))
        })
    }

    /// Shows the necessary changes. The exit code tells whether anything was written.
    fn shown(&self, name: &str, translated: &Translated, console: &mut Console) -> Result<Exit, Failure> {
        const SHOWN: usize = 20;
        let findings = &translated.findings;
        let is_refused = self.is_refused(translated);
        let exit = if is_refused { Exit::Negative } else { Exit::Good };
        if console.json {
            let finding = |finding: &Shown| {
                object([
                    ("code", text(finding.code)),
                    ("message", text(&finding.message)),
                    ("token", text(&finding.token)),
                    ("member", optional(finding.member.as_deref())),
                    ("file", optional(finding.file.as_deref())),
                    ("pointer", text(&finding.pointer)),
                ])
            };
            let members = [
                ("from", text(translated.from)),
                ("to", text(self.to.name())),
                ("file", text(name)),
                ("output", text(self.output.to_string_lossy())),
                ("written", coconut_format::Value::Bool(!is_refused)),
                ("findings", list(findings, finding)),
                ("count", number(findings.len() as u64)),
            ];
            console.print_json(&report("convert", members))?;
            return Ok(exit);
        }
        for finding in findings.iter().take(SHOWN) {
            let file = visible(finding.file.as_deref().unwrap_or(name));
            let place = match &*finding.pointer {
                "" => file,
                pointer => format!("{file}, in {}", visible(pointer)),
            };
            console.warn(Some(finding.code), &format!("{}\n --> {place}", visible(&finding.message)));
        }
        if findings.len() > SHOWN {
            console.note(&format!("{} more; --json lists all of them", findings.len() - SHOWN));
        }
        if is_refused {
            console.note("nothing was written; leave --strict out to accept this");
        }
        Ok(exit)
    }
}

fn compiled(document: &Interned, options: &CompileOptions) -> Result<Vec<u8>, Failure> {
    let writer = Writer::new(writer_options(document, options, None));
    writer.to_bytes(document).map_err(|error| Failure::from(&error))
}

fn same_form(what: &str) -> Failure {
    let failure = Failure::usage(format!("the document is already a {what}"));
    failure.with_hint("`coco pack repack` and `coco pack unpack` change how it is stored")
}

/// The value pushed by `push`.
fn pushed<F>(
    push: impl FnOnce(&mut Interner) -> Result<Vec<F>, Failure>,
) -> Result<(Interned, Vec<F>), Failure> {
    let mut interner = Interner::new();
    let findings = push(&mut interner)?;
    Ok((interner.finish()?, findings))
}

/// The same for a package or a schema.
fn pushed_package(
    push: impl FnOnce(&mut Interner) -> Result<Vec<TranslationFinding>, ConvertError>,
) -> Result<(Interned, Vec<TranslationFinding>), Failure> {
    pushed(|sink| push(sink).map_err(failure_of_package))
}

fn failure_of_package(error: ConvertError) -> Failure {
    match error {
        ConvertError::Sink(error) => Failure::from(error),
        other => Failure::new(Exit::Limit, other.code(), other.to_string()),
    }
}

/// The result of `make` for the model of a document, and the dialect of the document.
fn with_model<T>(
    opened: &Opened,
    make: impl FnOnce(&Package<'_>) -> Result<T, Failure>,
) -> Result<(T, Dialect), Failure> {
    // A tree keeps every value decoded, and a schema has few shared values.
    let tree = opened.view().tree().map_err(|error| Failure::from(error).in_file(&opened.name))?;
    let package = surface::read_whole(tree.root()).map_err(|error: ApiError| {
        let code = error.rule().map_or(coconut_format::code::SOURCE, |rule| rule.id);
        Failure::new(Exit::Decode, code, error.to_string()).in_file(&opened.name).with_hint(error.hint())
    })?;
    let made = make(&package).map_err(|failure| failure.in_file(&opened.name))?;
    Ok((made, package.dialect))
}
