//! `info`: prints one screen about a document.

use clap::Args;
use coconut_format::Value;
use coconut_report::answers::info::Info as Answer;
use coconut_report::failure::{Exit, Failure};
use coconut_report::safe::visible;
use coconut_report::style::STRONG;
use coconut_shell::console::Console;
use coconut_shell::open::{Access, Documents};
use coconut_shell::sources::{Marks, Sources};
use std::path::PathBuf;

/// Show type, size, counts, digest and parts of a document
///
/// Of an XPP file, also shows the syntax tree, and the errors and warnings of its parser.
///
/// Reads the header, the directory and the classes of the landmarks, and follows the references. A
/// file of more than 1 MiB without an index is not searched for landmarks and references.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/info.trycmd"))]
pub struct Info {
    /// Documents, sources or folders; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
}

impl Info {
    pub(super) fn run(&self, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
        Sources::of(documents, &self.files).each(console, Marks::Heading, |file, console| {
            let opened = documents.open(file, Access::Outline, console)?;
            let in_file = |failure: Failure| opened.read_fault().unwrap_or(failure).in_file(&opened.name);
            let envelope = opened.envelope().map_err(Failure::from).map_err(in_file)?;
            let answer = Answer::of(opened.source(), envelope).map_err(in_file)?;
            // Uncounted landmarks may mean that the file is changing.
            if let Some(fault) = opened.read_fault() {
                return Err(fault.in_file(&opened.name));
            }
            let mut report = console.json.then(|| answer.to_report());
            if let (Some(Value::Object(members)), Some(facts)) = (&mut report, &opened.pcore) {
                members.push(("pcore".to_owned(), facts.to_value()));
            }
            match report {
                Some(report) => console.print_json(&report)?,
                None => answer.write_text(&mut console.text())?,
            }
            if let (false, Some(facts)) = (console.json, &opened.pcore) {
                let mut out = console.text();
                for (name, fact) in facts.rows() {
                    let name = out.paint(STRONG, &format!("{name:<12}"));
                    out.line(&format!("{name} {}", visible(&fact)))?;
                }
            }
            Ok(Exit::Good)
        })
    }
}
