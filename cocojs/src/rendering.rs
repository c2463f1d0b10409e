//! Faults as failures, with the lines of the source.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use cocojs::Fault;
use coconut_codec::secrets::names_secrets;
use coconut_report::Failure;
use coconut_shell::console::visible;
use std::fs;
use std::path::Path;

/// A longer line is not shown.
const LONGEST_LINE: usize = 400;

/// The failures for the faults of the program in `folder`. A line that names secrets is shown only
/// with `reveal`.
pub(crate) fn failures_of(folder: &Path, faults: &[Fault], reveal: bool) -> Vec<Failure> {
    faults.iter().map(|fault| failure_of(folder, fault, reveal)).collect()
}

fn failure_of(folder: &Path, fault: &Fault, reveal: bool) -> Failure {
    let path = folder.join(&fault.file);
    // A fault of a whole file has a path of its own.
    let path = if fault.position.is_some() { path } else { fault.file.as_str().into() };
    let mut failure =
        Failure::negative(fault.code.text(), fault.message.clone()).in_file(&path.to_string_lossy());
    if let Some(help) = &fault.help {
        failure = failure.with_hint(help.clone());
    }
    let Some(position) = fault.position else { return failure };
    failure = failure.at_position(position.line, position.column);
    match fs::read_to_string(&path).ok().and_then(|text| rendered(&text, &path, fault, reveal)) {
        Some(rendering) => failure.with_rendering(rendering),
        None => failure,
    }
}

/// The message with the line of the fault.
fn rendered(text: &str, path: &Path, fault: &Fault, reveal: bool) -> Option<String> {
    let before = text.get(..fault.range.start)?;
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..)?.lines().next()?;
    if line.len() > LONGEST_LINE || (!reveal && names_secrets(line.as_bytes())) {
        return None;
    }
    let shown = |part: &str| part.split('\t').map(visible).collect::<Vec<_>>().join("\t");
    let (from, to) = (fault.range.start - start, (fault.range.end - start).min(line.len()));
    let (front, marked, rest) = (line.get(..from)?, line.get(from..to.max(from))?, line.get(to.max(from)..)?);
    let (front, marked) = (shown(front), shown(marked));
    let range = front.len()..front.len() + marked.len();
    let source = format!("{front}{marked}{}", shown(rest));
    let name = visible(&path.to_string_lossy());
    let number = fault.position.map_or(1, |position| position.line as usize);
    let snippet =
        Snippet::source(source).line_start(number).path(name).annotation(AnnotationKind::Primary.span(range));
    let title = Level::ERROR.primary_title(visible(&fault.message)).id(fault.code.text());
    let mut group = Group::with_title(title).element(snippet);
    if let Some(help) = &fault.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    let rendering = Renderer::plain().render(&[group]);
    // The console prints the severity and the code.
    let prefix = format!("error[{}]: ", fault.code.text());
    Some(rendering.strip_prefix(&prefix).unwrap_or(&rendering).to_owned())
}
