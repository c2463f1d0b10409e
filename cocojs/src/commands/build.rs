//! `cocojs build`: compiles a program to a package.

use crate::rendering::failures_of;
use clap::Args;
use cocojs::{Fault, Options, Target, build};
use coconut_codec::bytes::replace::{Replacement, followed};
use coconut_codec::compile::{CompileOptions, compile_document};
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::text::yaml::YamlPrinter;
use coconut_codec::write::interner::Interner;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Compile a program to a package
///
/// Reads the manifest in DIR, `Coconut.yaml` or `Coconut.json`, and all modules of the program. It
/// begins with the files in `tsconfig.json`, or with `index.ts`. Writes one package: JSON if the
/// name ends in `.json`, YAML if it ends in `.yaml` or `.yml`, and a compiled document otherwise.
/// Standard output gets JSON. The same program always gives the same bytes.
///
/// Exits with 1 if the program has errors.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/build.trycmd"))]
pub(crate) struct Build {
    /// Folder of the program
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Write the package to this file; `-` is standard output
    #[arg(short, long, value_name = "PACK")]
    output: PathBuf,
    /// Write the bytes of a compiler of 2017
    #[arg(long, value_name = "COMPILER", value_parser = Target::COMPATIBLE)]
    compat: Option<String>,
    /// A package that the program uses (repeatable)
    ///
    /// Other packages are found by name.
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,
    /// Refuse packages found by name that `coco.lock` does not have
    #[arg(long)]
    locked: bool,
}

/// The form of a package.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Compiled,
    Json,
    Yaml,
}

impl Build {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let is_stream = self.output.as_os_str() == "-";
        if is_stream && console.json {
            let message = "standard output cannot take both the package and a report as JSON";
            return Err(Failure::usage(message).with_hint("name a file with `-o`, or omit `--json`"));
        }
        let form = if is_stream { Form::Json } else { named_form(&self.output) };
        self.check_output()?;
        let target = self.compat.as_deref().and_then(Target::named).unwrap_or_default();
        let options = Options { target, packages: self.with.clone(), is_locked: self.locked };
        match self.package(form, &options, console.reveal) {
            Ok(bytes) if is_stream => {
                print(&bytes)?;
                Ok(Exit::Good)
            }
            Ok(bytes) => {
                self.write(&bytes).map_err(|error| Failure::writing(&self.output, &error))?;
                Ok(Exit::Good)
            }
            Err(failures) => Ok(console.report(&failures)),
        }
    }

    /// The bytes of the package.
    fn package(&self, form: Form, options: &Options, reveal: bool) -> Result<Vec<u8>, Vec<Failure>> {
        let failed = |faults: Vec<Fault>| failures_of(&self.folder, &faults, reveal);
        let unwritten = |error: io::Error| vec![Failure::writing(&self.output, &error)];
        match form {
            Form::Json => {
                let style = JsonStyle::Pretty { indent: 4 };
                let mut printer = Printer::new(Vec::new(), style).with_final_newline();
                build(&self.folder, options, &mut printer).map_err(failed)?;
                printer.finish().map_err(unwritten)
            }
            Form::Yaml => {
                let mut printer = YamlPrinter::new(Vec::new());
                build(&self.folder, options, &mut printer).map_err(failed)?;
                printer.finish().map_err(unwritten)
            }
            Form::Compiled => {
                let mut interner = Interner::new();
                build(&self.folder, options, &mut interner).map_err(failed)?;
                let document = interner.finish().map_err(|error| vec![Failure::from(error)])?;
                let options = CompileOptions {
                    document_type: Some("cocopack".to_owned()),
                    ..CompileOptions::default()
                };
                let compiled = compile_document(&document, &options);
                let name = self.output.to_string_lossy();
                compiled
                    .map(|compiled| compiled.bytes)
                    .map_err(|error| vec![Failure::compiling(&name, b"", &error, false)])
            }
        }
    }

    /// Refuses to replace a source or a manifest.
    fn check_output(&self) -> Result<(), Failure> {
        let name = self.output.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let ending = self.output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let is_source = matches!(ending, "ts" | "js" | "tsx");
        let is_manifest = matches!(name, "Coconut" | "Lumi" | "tsconfig" | "package")
            && named_form(&self.output) != Form::Compiled;
        if is_source || is_manifest {
            let message = format!("`{}` is the name of a source", self.output.display());
            return Err(
                Failure::usage(message).with_hint("end the name of the package in `.coco` or `.json`")
            );
        }
        Ok(())
    }

    fn write(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = Replacement::new(&followed(&self.output)?)?;
        file.write_all(bytes)?;
        file.finish()
    }
}

/// The form for the ending of a name.
fn named_form(path: &Path) -> Form {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "json" => Form::Json,
        "yaml" | "yml" => Form::Yaml,
        _ => Form::Compiled,
    }
}

fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if out.is_terminal() {
        return coconut_shell::console::SafeJson::new(out)
            .write_all(bytes)
            .map_err(|error| Failure::printing(&error));
    }
    out.write_all(bytes).and_then(|()| out.flush()).map_err(|error| Failure::printing(&error))
}
