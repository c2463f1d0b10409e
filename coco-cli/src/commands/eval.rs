//! `coco pack eval`: runs a package, and writes the graph of its resources.

use super::running::{ProgramOptions, failed};
use crate::destination::{Destination, WriteOptions};
use crate::form::{FormOptions, Layout, Maker};
use crate::loading::Packages;
use clap::Args;
use coconut_codec::compile::CompileOptions;
use coconut_codec::text::json::JsonStyle;
use coconut_eval::Evaluator;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::open::{Access, Documents};
use std::path::PathBuf;

/// Run a package and write the graph of its resources
///
/// A package is a program. Its result is a graph: the resources in the order in which it constructs
/// them, their properties, and references between them. Values that only a deployment can know are
/// listed under `unknowns`. Only packages and modules that the program uses are read. Its output
/// and notes go to standard error.
///
/// Exits with 1 if the program throws an exception, and with 7 if it exceeds a limit.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/pack-eval.trycmd"))]
pub(crate) struct Eval {
    /// A package: a source, a compiled document, or a name
    #[arg(value_name = "PACK")]
    pack: PathBuf,
    #[command(flatten)]
    program: ProgramOptions,
    /// Write the graph to this file (default: standard output)
    #[arg(short, long, value_name = "GRAPH")]
    output: Option<PathBuf>,
    #[command(flatten)]
    form: FormOptions,
    #[command(flatten)]
    packages: Packages,
    #[command(flatten)]
    write: WriteOptions,
}

impl Eval {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let destination = self.output.as_deref().map_or(Ok(Destination::Stdout), Destination::of_argument)?;
        let form = Maker::of_every("coco pack eval").form(&destination, self.form.form)?;
        destination.check(form.content(), self.write)?;
        let program = self.packages.open(&self.pack, Access::Lookup, console)?;
        let options = self.program.options(None, &self.packages, console)?;
        let (outcome, explained, file) = {
            let found = self.program.packages(program, &self.packages, console)?;
            let outcome = Evaluator::new(&found).evaluate(found.name(), &options);
            let outcome = outcome.map_err(|error| failed(&error, &found.file, Exit::Negative))?;
            let explained = self.program.explained(&outcome, &found)?;
            (outcome, explained, found.file.clone())
        };
        self.program.show(&outcome, explained.as_ref(), &file, console);
        // A report is one line.
        let style = if console.json { JsonStyle::Minified } else { Layout::default().style };
        let layout = Layout { style, ..Layout::default() };
        let bytes = form.of_value(&outcome.graph(), layout, &CompileOptions::default())?;
        destination.write_bytes(form.content(), self.write, None, &bytes)?;
        Ok(Exit::Good)
    }
}
