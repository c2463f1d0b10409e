//! Renders findings as text: the rule, the lines of the source, the fault there, and the remedy.

use super::subject::{Located, Place, Verified};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use coconut_codec::text::{Stretch, TextPosition};
use coconut_format::location::Location;
use coconut_format::truncated::Truncated;
use coconut_format::verify::{Finding, Severity};
use coconut_shell::console::visible;
use std::ops::Range;
use std::path::{Component, Path};

/// A longer line is minified text, for which a snippet is useless.
const LONGEST_LINE: usize = 400;

/// A finding with its lines, ready to be printed.
pub(super) fn render(document: &Verified, located: &Located, is_coloured: bool) -> String {
    let Located { finding, place } = located;
    let level = match finding.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let name = visible(&document.name);
    let label = label(finding);
    let mut group = Group::with_title(
        level.primary_title(visible(&Truncated(&finding.message()).to_text())).id(finding.rule.id),
    );

    let program = finding.location.as_ref().and_then(|location| Program::find(&document.name, location));
    if let Some(Program { file, lines }) = &program {
        group = group.element(lines.snippet(file, &label));
    }
    let lines = match place {
        Place::Text(stretch) => Lines::of(&document.text, stretch),
        Place::Byte(_) | Place::Unknown => None,
    };
    match &lines {
        // The label is shown in the source program if that is available.
        Some(lines) => {
            let label = if program.is_some() { "" } else { &label };
            group = group.element(lines.snippet(&name, label));
        }
        None => {
            group = group.element(Origin::path(name.as_str()));
            if program.is_none() && !label.is_empty() {
                group = group.element(Level::NOTE.message(label.as_str()));
            }
        }
    }
    let number = match place {
        Place::Text(Stretch { start, .. }) if lines.is_none() => {
            Some(format!("line {}, column {}", start.line, start.column))
        }
        Place::Byte(offset) => Some(format!("byte {offset}")),
        _ => None,
    };
    if let Some(number) = number {
        group = group.element(Level::NOTE.with_name("at").message(number));
    }
    let pointer = visible(&finding.path);
    if !pointer.is_empty() {
        group = group.element(Level::NOTE.with_name("in").message(pointer));
    }
    if let (None, Some(location)) = (&program, &finding.location) {
        group = group.element(Level::NOTE.with_name("from").message(visible(&location.to_string())));
    }
    if let Some(hint) = &finding.hint {
        group = group.element(Level::HELP.message(visible(hint)));
    }
    let renderer = if is_coloured { Renderer::styled() } else { Renderer::plain() };
    format!("{}\n\n", renderer.render(&[group]))
}

/// Both sides of the mismatch, unless the title contains them.
fn label(finding: &Finding) -> String {
    let found = finding.found.as_ref().filter(|_| !finding.says_found());
    let text = match (&finding.expected, found) {
        (Some(expected), Some(found)) => format!("expected {expected}, found {found}"),
        (Some(expected), None) => format!("expected {expected}"),
        (None, Some(found)) => format!("found {found}"),
        (None, None) => String::new(),
    };
    visible(&text)
}

/// A part of a source line, with everything escaped that a terminal would interpret. Tabs are kept
/// and widened later.
fn in_snippet(text: &str) -> String {
    text.split('\t').map(visible).collect::<Vec<_>>().join("\t")
}

/// Lines of a text, and a range in them.
struct Lines {
    text: String,
    first_line: usize,
    marked: Range<usize>,
}

impl Lines {
    fn of(text: &[u8], stretch: &Stretch) -> Option<Lines> {
        let at = |position: TextPosition| usize::try_from(position.offset).ok();
        Lines::around(text, at(stretch.start)?..at(stretch.end)?)
    }

    /// The line in which `place` begins. Following lines are not marked.
    fn around(text: &[u8], place: Range<usize>) -> Option<Lines> {
        let before = text.get(..place.start)?;
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let length = text.get(start..)?.iter().position(|&byte| byte == b'\n').unwrap_or(text.len() - start);
        if length > LONGEST_LINE {
            return None;
        }
        let line = std::str::from_utf8(text.get(start..start + length)?).ok()?;
        // Half of a line end is not part of the line; it would be shown as a symbol.
        let line = line.strip_suffix('\r').unwrap_or(line);
        let [from, to] = [place.start, place.end].map(|at| (at - start).min(line.len()));
        let mut front = line.get(..from)?;
        if start == 0 {
            front = front.trim_start_matches('\u{feff}');
        }
        let [front, marked, back] = [front, line.get(from..to)?, line.get(to..)?].map(in_snippet);
        let place = front.len()..front.len() + marked.len();
        let first_line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        Some(Lines { text: [front, marked, back].concat(), first_line, marked: place })
    }

    fn snippet<'a>(
        &'a self,
        path: &'a str,
        label: &'a str,
    ) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
        let annotation = AnnotationKind::Primary.span(self.marked.clone());
        let annotation = if label.is_empty() { annotation } else { annotation.label(label) };
        Snippet::source(self.text.as_str()).path(path).line_start(self.first_line).annotation(annotation)
    }
}

/// The program from which a package was compiled, if it is next to the package.
struct Program {
    file: String,
    lines: Lines,
}

impl Program {
    /// Opens only files below the folder of the package: a package could name any file of the
    /// machine.
    fn find(document: &str, location: &Location) -> Option<Program> {
        let file = Path::new(location.file.as_deref()?);
        if !file.components().all(|component| matches!(component, Component::Normal(_))) {
            return None;
        }
        let text = coconut_codec::bytes::input::read(Path::new(document).parent()?.join(file)).ok()?;
        let (line, column) = (location.start.line.checked_sub(1)?, location.start.column.checked_sub(1)?);
        let start = offset_of(&text, line, column)?;
        let end = location
            .end
            .and_then(|end| offset_of(&text, end.line.checked_sub(1)?, end.column.checked_sub(1)?));
        let lines = Lines::around(&text, start..end.unwrap_or(start).max(start))?;
        Some(Program { file: visible(&file.to_string_lossy()), lines })
    }
}

/// The line of a program at a place, and the mark below it, if the program is next to the package.
pub(in crate::commands) fn program_lines(document: &str, location: &Location) -> Option<[String; 2]> {
    let Lines { text, marked, .. } = Program::find(document, location)?.lines;
    let text = text.replace('\t', " ");
    let count = |range: Range<usize>| text.get(range).map_or(0, |part| part.chars().count());
    let mark = format!("{}{}", " ".repeat(count(0..marked.start)), "^".repeat(count(marked).max(1)));
    Some([text, mark])
}

/// The byte offset of a line and column, both from 0. Columns count characters.
fn offset_of(text: &[u8], line: u32, column: u32) -> Option<usize> {
    let mut start = 0;
    for _ in 0..line {
        start += text.get(start..)?.iter().position(|&byte| byte == b'\n')? + 1;
    }
    let rest = std::str::from_utf8(text.get(start..)?.split(|&byte| byte == b'\n').next()?).ok()?;
    let column = usize::try_from(column).ok()?;
    let within = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(column)?;
    Some(start + within)
}

#[cfg(test)]
mod tests {
    use super::super::subject::Rules;
    use super::*;
    use coconut_format::verify::Rule;

    #[test]
    fn text_of_a_document_does_not_begin_a_line() {
        let rule = Rule::by_id("GRF-REF").expect("it is a rule");
        let finding = Finding::new(rule, "/a\nb").found("`c\nd`").hint("did you mean `e\nf`?");
        let name = "g\nh".to_owned();
        let document = Verified {
            name,
            text: Vec::new(),
            dialect: None,
            rules: Rules::Graph,
            findings: Vec::new(),
            source: Vec::new(),
        };
        let text = render(&document, &Located { finding, place: Place::Unknown }, true);
        for expected in [r"/a\nb", r"`c\nd`", r"`e\nf`", r"g\nh"] {
            assert!(text.contains(expected), "no {expected} in {text}");
        }
    }

    #[test]
    fn a_line_ends_before_its_line_end() {
        let text = b"a\r\n\"b\": [1,\r\n2]\r\n";
        let lines = Lines::around(text, 8..13).expect("the place is in the text");
        assert_eq!((lines.text.as_str(), lines.first_line, lines.marked), ("\"b\": [1,", 2, 5..8));
    }

    #[test]
    fn a_line_is_shown_without_control_characters() {
        let text = "\u{feff}\u{9b}31m\t\"\u{200b}é\"".as_bytes();
        let lines = Lines::around(text, 9..text.len()).expect("the place is in the text");
        assert_eq!(lines.text, "\\u{9b}31m\t\"\\u{200b}é\"");
        assert_eq!(&lines.text[lines.marked], "\"\\u{200b}é\"");
    }

    #[test]
    fn places_of_programs_count_characters() {
        let text = "a\né€b\n".as_bytes();
        assert_eq!(offset_of(text, 0, 1), Some(1));
        assert_eq!(offset_of(text, 1, 2), Some(7));
        assert_eq!(offset_of(text, 1, 3), Some(8), "the end of a line is a place");
        assert_eq!(offset_of(text, 1, 4), None);
        assert_eq!(offset_of(text, 5, 0), None);
    }

    #[test]
    fn a_package_cannot_name_files_elsewhere() {
        let position = coconut_format::location::Position { line: 1, column: 1 };
        for file in ["/etc/passwd", "../Cargo.toml", "src/../../Cargo.toml"] {
            let location = Location { file: Some(file.into()), start: position, end: None };
            assert!(Program::find("Cargo.toml", &location).is_none(), "{file}");
        }
        let location = Location { file: Some("src/main.rs".into()), start: position, end: None };
        assert_eq!(
            Program::find("Cargo.toml", &location).map(|program| program.file).as_deref(),
            Some("src/main.rs")
        );
    }
}
