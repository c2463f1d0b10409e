//! `coco graph raise`: converts a graph to a program that creates it.

use crate::destination::{Destination, WriteOptions};
use crate::form::{Form, FormOptions, Language, Layout, Maker};
use crate::loading::Packages;
use clap::Args;
use coconut_codec::compile::CompileOptions;
use coconut_eval::Raised;
use coconut_format::Package;
use coconut_report::json::{list, number, object, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::visible;
use coconut_shell::open::{Access, Documents};
use std::path::{Path, PathBuf};

/// Turn a graph into a program that constructs it
///
/// Writes a package that constructs the resources of the graph, one after the other. Evaluating it
/// gives the same resources: their URNs, types, properties and references. Programs have no ids and
/// outputs. The classes of the resources are written to packages of their own, as far as the graph
/// shows them. You can use the real packages instead.
///
/// Anything that a program cannot express is reported as a finding: the types of parents in a URN,
/// dependencies that no property shows, and resources that are about to be deleted. Exits with 1 if
/// there are findings.
///
/// The program contains the secrets of the graph. They are marked there and in its result, so that
/// commands hide them.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/graph-raise.trycmd"))]
pub(crate) struct Raise {
    /// A graph of `pack eval`, a CocoGL graph, or a checkpoint
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// Write the program to this file; `-` is standard output
    #[arg(short, long, value_name = "PACK")]
    output: PathBuf,
    #[command(flatten)]
    form: FormOptions,
    /// Folder for packages of classes (default: that of the program)
    #[arg(long, value_name = "FOLDER")]
    stubs: Option<PathBuf>,
    #[command(flatten)]
    packages: Packages,
    #[command(flatten)]
    write: WriteOptions,
}

impl Raise {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let program = Destination::of_argument(&self.output)?;
        program.check_report(console)?;
        let folder = match (&self.stubs, &program) {
            (Some(folder), _) => folder.clone(),
            (None, Destination::File(path)) => path.parent().unwrap_or(Path::new("")).to_owned(),
            (None, Destination::Stdout) => {
                let message =
                    "standard output takes one package, and the classes are in packages of their own";
                return Err(Failure::usage(message).with_hint("name a folder for them with --stubs"));
            }
        };
        let form = Maker::of_every("coco graph raise").form(&program, self.form.form)?;
        let opened = self.packages.open(&self.graph, Access::Whole, console)?;
        let value = opened.view().to_value().map_err(|error| Failure::from(error).in_file(&opened.name))?;
        let raised =
            Raised::of(&value).map_err(|error| Failure::usage(error.to_string()).in_file(&opened.name))?;
        let stubs: Vec<(&Package, PathBuf)> =
            raised.stubs().iter().map(|stub| (stub, folder.join(file_of(stub)))).collect();
        const STUBS: Form = Form::Text(Language::Json);
        let mut files = vec![(raised.program(), program, form)];
        files.extend(stubs.iter().map(|(stub, path)| (*stub, Destination::File(path.clone()), STUBS)));
        // Nothing is written if one of them cannot be.
        for (_, destination, form) in &files {
            destination.check(form.content(), self.write)?;
        }
        for (package, destination, form) in &files {
            let bytes = form.of_value(&package.to_value(), Layout::default(), &CompileOptions::default())?;
            destination.write_bytes(form.content(), self.write, None, &bytes)?;
        }
        let path = |path: &Path| text(path.to_string_lossy());
        match console.json {
            true => {
                let stubs = list(&stubs, |(stub, file)| {
                    object([("package", text(stub.name().unwrap_or_default())), ("path", path(file))])
                });
                let findings = list(raised.findings(), |finding| {
                    object([
                        ("urn", text(&finding.urn)),
                        ("kind", text(finding.kind.as_str())),
                        ("text", text(&finding.text)),
                    ])
                });
                let members = [
                    ("program", path(&self.output)),
                    ("package", text(raised.program().name().unwrap_or_default())),
                    ("stubs", stubs),
                    ("scheme", text(raised.scheme())),
                    ("environment", text(raised.environment())),
                    ("resources", number(raised.resources() as u64)),
                    ("findings", findings),
                ];
                console.print_json(&report("graph-raise", members))?;
            }
            false => {
                for finding in raised.findings() {
                    console.warn(None, &visible(&format!("{}: {}", finding.urn, finding.text)));
                }
                for (_, path) in &stubs {
                    console.note(&visible(&format!("classes are in {}", path.display())));
                }
            }
        }
        Ok(if raised.findings().is_empty() { Exit::Good } else { Exit::Negative })
    }
}

/// The file of a package of classes. A slash in its name is not allowed in a file name.
fn file_of(stub: &Package) -> String {
    format!("{}.cocopack.json", stub.name().unwrap_or_default().replace('/', "-"))
}
