//! `coco graph raise`: converts a graph to a program that creates it.

use crate::destination::{Destination, WriteOptions};
use crate::form::{Form, Language, Layout, Maker};
use crate::loading::Packages;
use clap::Args;
use clap::builder::TypedValueParser;
use coconut_codec::compile::CompileOptions;
use coconut_eval::{RaiseError, Raised};
use coconut_format::{Package, Value};
use coconut_report::json::{list, number, object, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::choice::choice_of;
use coconut_shell::console::visible;
use coconut_shell::open::{Access, Documents, Opened};
use std::fs;
use std::path::{Path, PathBuf};

/// Turn a graph into a program that constructs it
///
/// Writes a package that constructs the resources of the graph, one after the other. Evaluating it
/// gives the same resources: their URNs, types, properties and references. Programs have no ids and
/// outputs. The classes of the resources are written to packages of their own, as far as the graph
/// shows them. You can use the real packages instead.
///
/// With `--as cocojs`, PACK is a folder. It gets the sources of the program: a manifest,
/// `index.ts`, and the modules with its own classes. The other packages are below `.coconut/packs`
/// in it, where `cocojs build` finds them.
///
/// Anything that a program cannot express is reported as a finding: references that form a circle,
/// dependencies on missing resources, and resources that are about to be deleted. Exits with 1 if
/// there are findings.
///
/// The program contains the secrets of the graph. In a package, they are marked there and in its
/// result, so that commands hide them. Sources contain them as plain text.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/graph-raise.trycmd"))]
pub(crate) struct Raise {
    /// A graph of `pack eval`, a CocoGL graph, or a checkpoint
    #[arg(value_name = "GRAPH")]
    graph: PathBuf,
    /// Write the program to this file or folder; `-` is standard output
    #[arg(short, long, value_name = "PACK")]
    output: PathBuf,
    /// Form of the program (default: by the ending of its name)
    ///
    /// A name that ends in `.json` gets JSON, one in `.jsonl` JSON Lines, one in `.yaml` YAML, and
    /// any other a compiled package. Standard output (`-`) gets JSON.
    #[arg(long = "as", value_name = "FORM", value_parser = forms())]
    program: Option<ProgramForm>,
    /// Folder for packages of classes (default: that of the program)
    #[arg(long, value_name = "FOLDER")]
    stubs: Option<PathBuf>,
    #[command(flatten)]
    packages: Packages,
    #[command(flatten)]
    write: WriteOptions,
}

/// The form of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ProgramForm {
    Package(Form),
    Sources,
}

fn forms() -> impl TypedValueParser<Value = ProgramForm> {
    choice_of(&[
        (ProgramForm::Package(Form::Compiled), "compiled", "A compiled package"),
        (ProgramForm::Package(Form::Text(Language::Json)), "json", "A package in JSON"),
        (ProgramForm::Package(Form::Text(Language::Lines)), "jsonl", "A package in JSON Lines"),
        (ProgramForm::Package(Form::Text(Language::Yaml)), "yaml", "A package in YAML"),
        (ProgramForm::Sources, "cocojs", "A folder with the sources of a package"),
    ])
}

/// The text of a package of classes.
const STUBS: Form = Form::Text(Language::Json);

impl Raise {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.program {
            None => self.package(None, console),
            Some(ProgramForm::Package(form)) => self.package(Some(form), console),
            Some(ProgramForm::Sources) => self.sources(console),
        }
    }

    fn package(self, form: Option<Form>, console: &mut Console) -> Result<Exit, Failure> {
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
        let form = Maker::of_every("coco graph raise").form(&program, form)?;
        let (value, opened) = self.graph(console)?;
        let raised = Raised::of(&value).map_err(|error| failed(&error, &opened))?;
        let stubs = raised.stubs().iter().map(|stub| (stub, folder.join(file_of(stub)))).collect();
        let bytes = bytes_of(raised.program(), form)?;
        let files = vec![(program, form, bytes)];
        self.finish(&raised, raised.program().name().unwrap_or_default(), files, stubs, console)
    }

    fn sources(self, console: &mut Console) -> Result<Exit, Failure> {
        if self.output.as_os_str() == "-" {
            let message = "standard output cannot take a folder";
            return Err(Failure::usage(message).with_hint("name a folder with -o"));
        }
        let (value, opened) = self.graph(console)?;
        let raised = Raised::text_of(&value).map_err(|error| failed(&error, &opened))?;
        let text = raised.program();
        let path = |name: &str| name.split('/').fold(self.output.clone(), |path, part| path.join(part));
        let files = text
            .files()
            .map(|(name, text)| (Destination::File(path(name)), STUBS, text.as_bytes().to_vec()))
            .collect();
        // The place where the loader finds a package by its name.
        let packs = path(".coconut/packs");
        let file = |stub: &Package| match &self.stubs {
            Some(folder) => folder.join(file_of(stub)),
            None => packs.join(stub.name().unwrap_or_default()).join("Cocopack.json"),
        };
        let stubs = raised.stubs().iter().map(|stub| (stub, file(stub))).collect();
        if text.secrets() > 0 {
            let count = text.secrets();
            console.warn(None, &format!("the sources contain secrets as plain text: {count}"));
        }
        self.finish(&raised, text.package(), files, stubs, console)
    }

    fn graph(&self, console: &mut Console) -> Result<(Value, Opened), Failure> {
        let opened = self.packages.open(&self.graph, Access::Whole, console)?;
        let value = opened.view().to_value().map_err(|error| Failure::from(error).in_file(&opened.name))?;
        Ok((value, opened))
    }

    /// Writes all files, and the report.
    fn finish<P>(
        &self,
        raised: &Raised<P>,
        package: &str,
        mut files: Vec<(Destination, Form, Vec<u8>)>,
        stubs: Vec<(&Package, PathBuf)>,
        console: &mut Console,
    ) -> Result<Exit, Failure> {
        for (stub, path) in &stubs {
            files.push((Destination::File(path.clone()), STUBS, bytes_of(stub, STUBS)?));
        }
        // Nothing is written if one of them cannot be.
        for (destination, form, _) in &files {
            destination.check(form.content(), self.write)?;
        }
        for (destination, form, bytes) in &files {
            if self.program == Some(ProgramForm::Sources)
                && let Some(folder) = destination.file().and_then(Path::parent)
            {
                fs::create_dir_all(folder).map_err(|error| Failure::writing(folder, &error))?;
            }
            destination.write_bytes(form.content(), self.write, None, bytes)?;
        }
        let path = |path: &Path| text(path.to_string_lossy());
        if console.json {
            let findings = list(raised.findings(), |finding| {
                object([
                    ("urn", text(&finding.urn)),
                    ("kind", text(finding.kind.as_str())),
                    ("text", text(&finding.text)),
                ])
            });
            let members = [
                ("program", path(&self.output)),
                ("package", text(package)),
                ("stubs", list(&stubs, |(stub, file)| stub_of(stub, file))),
                ("scheme", text(raised.scheme())),
                ("environment", text(raised.environment())),
                ("resources", number(raised.resources() as u64)),
                ("findings", findings),
            ];
            console.print_json(&report("graph-raise", members))?;
        } else {
            for finding in raised.findings() {
                console.warn(None, &visible(&format!("{}: {}", finding.urn, finding.text)));
            }
            for (_, path) in &stubs {
                console.note(&visible(&format!("classes are in {}", path.display())));
            }
        }
        Ok(if raised.findings().is_empty() { Exit::Good } else { Exit::Negative })
    }
}

fn failed(error: &RaiseError, opened: &Opened) -> Failure {
    Failure::usage(error.to_string()).in_file(&opened.name)
}

fn bytes_of(package: &Package, form: Form) -> Result<Vec<u8>, Failure> {
    form.of_value(&package.to_value(), Layout::default(), &CompileOptions::default())
}

fn stub_of(stub: &Package, file: &Path) -> Value {
    object([("package", text(stub.name().unwrap_or_default())), ("path", text(file.to_string_lossy()))])
}

/// The file of a package of classes. A slash in its name is not allowed in a file name.
fn file_of(stub: &Package) -> String {
    format!("{}.cocopack.json", stub.name().unwrap_or_default().replace('/', "-"))
}
