//! `coco convert`: makes a document of another form that says the same.

use super::build::ProfileName;
use crate::destination::{Content, Destination, WriteOptions};
use clap::{Args, ValueEnum};
use coco_inspect::console::visible;
use coco_inspect::json::{self, list, number, object, optional, report, text};
use coco_inspect::open::{Access, Opened, Storage, open, open_checked};
use coco_inspect::shell::examples;
use coco_inspect::{Console, Exit, Failure};
use coconut_codec::compile::{CompileOptions, writer_options};
use coconut_codec::event::SinkError;
use coconut_codec::read::stream::Budget;
use coconut_codec::read::view::WatchedView;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::write::Writer;
use coconut_codec::write::interner::{Interned, Interner};
use coconut_format::api::{self, ApiError, Dialect, Package};
use coconut_interop::package::{ConvertError, Finding, PackageOptions, push_package, push_pulumi_schema};
use std::cell::Cell;
use std::path::PathBuf;

/// Make a document of another form that says the same
///
/// Makes a package of a schema: of Terraform providers, of the CloudFormation registry, of Pulumi
/// packages, and of OpenAPI documents and resource definitions of Kubernetes. `coco pack verify`
/// finds nothing wrong with it. Or makes a Pulumi schema of a package, or of any of these schemas.
///
/// What had to change or has no place in the new form is told. The same source gives the same
/// bytes. `coco pack convert` changes how one document is stored, and not what it says.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../tests/commands/convert.md")))]
pub(crate) struct Translate {
    /// Source or compiled document; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The form of the result
    #[arg(long, value_name = "FORM")]
    to: Target,
    /// Output file; `-` is standard output. JSON if its name ends in `.json`, else compiled
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// The name of the package, if it is to be another than that of the schema
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The class that classes of resources extend, such as `coconut:resource:Resource`; its package
    /// becomes a dependency
    #[arg(long, value_name = "TOKEN")]
    base: Option<String>,
    /// Write nothing and exit with 1 if anything had to change
    #[arg(long)]
    strict: bool,
    /// How values of a compiled document are written
    #[arg(long, value_name = "PROFILE", default_value = "full")]
    profile: ProfileName,
    #[command(flatten)]
    write: WriteOptions,
}

/// The form of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// A package of 2017 (§12)
    Cocopack,
    /// A Pulumi package schema
    PulumiSchema,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Target::Cocopack => "cocopack",
            Target::PulumiSchema => "pulumi-schema",
        }
    }
}

impl Translate {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let destination = Destination::of_argument(&self.output)?;
        if destination == Destination::Stdout && console.json {
            return Err(Failure::usage("standard output cannot take both the document and a report as JSON"));
        }
        let content = match self.is_json() {
            true => Content::Text,
            false => Content::Binary,
        };
        destination.check(content, self.write)?;
        let opened = open(&self.file, Access::Whole, console)?;
        let (document, dialect, findings) = with_model(&opened, |package| self.translated(package))?;
        let is_refused = self.strict && !findings.is_empty();
        if !is_refused {
            self.write(&document, &destination, content)?;
        }
        self.show(&opened, dialect, &findings, is_refused, console)?;
        Ok(if is_refused { Exit::Negative } else { Exit::Good })
    }

    fn is_json(&self) -> bool {
        self.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("json"))
    }

    /// The new document, with what had to change.
    fn translated(&self, package: &Package<'_>) -> Result<(Interned, Vec<Finding>), Failure> {
        let options = PackageOptions { name: self.name.as_deref(), base: self.base.as_deref() };
        let is_package = package.dialect == Dialect::CocoPack;
        let is_schema = package.dialect == Dialect::Pulumi;
        match self.to {
            Target::Cocopack if is_package => Err(same_form("package")),
            Target::PulumiSchema if is_schema => Err(same_form("Pulumi schema")),
            Target::Cocopack => pushed(|sink| push_package(package, options, sink)),
            Target::PulumiSchema if is_package => pushed(|sink| push_pulumi_schema(package, sink)),
            // Over a package, which has names and records for all that is inline in a schema.
            Target::PulumiSchema => {
                let (between, mut findings) = pushed(|sink| push_package(package, options, sink))?;
                let bytes = compiled(&between, &CompileOptions::default())?;
                let opened = open_checked(Storage::new(bytes), "the package", true)?;
                let (document, _, more) =
                    with_model(&opened, |package| pushed(|sink| push_pulumi_schema(package, sink)))?;
                findings.extend(more);
                Ok((document, findings))
            }
        }
    }

    fn write(&self, document: &Interned, to: &Destination, content: Content) -> Result<(), Failure> {
        let options = CompileOptions { profile: self.profile.profile(), ..CompileOptions::default() };
        let bytes = compiled(document, &options)?;
        if content == Content::Binary {
            return to.write_bytes(content, self.write, None, &bytes);
        }
        let opened = open_checked(Storage::new(bytes), &to.name(), true)?;
        to.write(content, self.write, |out| {
            let mut printer = Printer::new(out, JsonStyle::Pretty { indent: 2 }).with_final_newline();
            let streamed = opened.view().stream(&mut printer, Budget::default());
            let printed = streamed.and_then(|()| {
                let finished = printer.finish().map(drop);
                finished.map_err(|error| SinkError::Output(error.to_string()).into())
            });
            printed.map_err(|error| Failure::from(error).in_file(&opened.name))
        })
    }

    fn show(
        &self,
        opened: &Opened,
        dialect: Dialect,
        findings: &[Finding],
        is_refused: bool,
        console: &mut Console,
    ) -> Result<(), Failure> {
        const SHOWN: usize = 20;
        if console.json {
            let finding = |finding: &Finding| {
                object([
                    ("code", text(finding.kind.code())),
                    ("message", text(finding.to_string())),
                    ("token", text(&finding.token)),
                    ("member", optional(finding.member.as_deref())),
                    ("pointer", text(&finding.pointer)),
                ])
            };
            let members = [
                ("from", text(dialect.name())),
                ("to", text(self.to.name())),
                ("file", text(&opened.name)),
                ("output", text(self.output.to_string_lossy())),
                ("written", coconut_format::Value::Bool(!is_refused)),
                ("findings", list(findings, finding)),
                ("count", number(findings.len() as u64)),
            ];
            return json::print(console, &report("convert", members));
        }
        for finding in findings.iter().take(SHOWN) {
            let place = match &*finding.pointer {
                "" => visible(&opened.name),
                pointer => format!("{}, in {}", visible(&opened.name), visible(pointer)),
            };
            console
                .warn(Some(finding.kind.code()), &format!("{}\n --> {place}", visible(&finding.to_string())));
        }
        if findings.len() > SHOWN {
            console.note(&format!("{} more; --json lists all of them", findings.len() - SHOWN));
        }
        if is_refused {
            console.note("nothing was written; leave --strict out to accept this");
        }
        Ok(())
    }
}

fn compiled(document: &Interned, options: &CompileOptions) -> Result<Vec<u8>, Failure> {
    let writer = Writer::new(writer_options(document, options, None));
    writer.to_bytes(document).map_err(|error| Failure::from(&error))
}

fn same_form(what: &str) -> Failure {
    let failure = Failure::usage(format!("the document is a {what} already"));
    failure.with_hint("`coco pack convert` and `coco pack unpack` change how it is stored")
}

/// What `push` pushes.
fn pushed(
    push: impl FnOnce(&mut Interner) -> Result<Vec<Finding>, ConvertError>,
) -> Result<(Interned, Vec<Finding>), Failure> {
    let mut interner = Interner::new();
    let findings = push(&mut interner).map_err(|error| match error {
        ConvertError::Sink(error) => Failure::from(error),
        other => Failure::new(Exit::Limit, other.code(), other.to_string()),
    })?;
    Ok((interner.finish()?, findings))
}

/// What `make` makes of the model of a document.
fn with_model(
    opened: &Opened,
    make: impl FnOnce(&Package<'_>) -> Result<(Interned, Vec<Finding>), Failure>,
) -> Result<(Interned, Dialect, Vec<Finding>), Failure> {
    let fault = Cell::new(None);
    let package = api::read(WatchedView::new(opened.view().root(), &fault));
    if let Some(error) = fault.take() {
        return Err(Failure::from(error).in_file(&opened.name));
    }
    let package = package.map_err(|error: ApiError| {
        let code = error.rule().map_or(coconut_format::code::SOURCE, |rule| rule.id);
        Failure::new(Exit::Decode, code, error.to_string()).in_file(&opened.name).with_hint(error.hint())
    })?;
    let (document, findings) = make(&package).map_err(|failure| failure.in_file(&opened.name))?;
    Ok((document, package.dialect, findings))
}
