//! Renders a source error for display: message, place, the line with a caret, advice.

use super::error::{BYTE_ORDER_MARK, SourceError, TextPosition};
#[cfg(feature = "yaml")]
use super::yaml::is_stream;
use coconut_format::truncated::Truncated;
use coconut_format::visible::is_deceptive;
use std::fmt::Write as _;

/// Characters of a line shown before and after the caret.
const CONTEXT: usize = 60;

impl SourceError {
    /// Renders the error with its lines of `text`, the source named `name`.
    ///
    /// ```text
    /// SRC-JSON: a comma is missing after this value
    ///   --> network.json:32:18, in "/vertices/Group/properties/ingress"
    ///    |
    /// 32 |                 ]
    ///    |                  ^
    ///    = insert `,` here
    /// ```
    ///
    /// Long lines are cut around the caret. Control characters, invalid bytes and marks that change
    /// the direction of text are escaped, so the output is safe for terminals and cannot be
    /// reordered. Every character counts as one column.
    pub fn render(&self, name: &str, text: &[u8]) -> String {
        let TextPosition { line, column, .. } = self.at();
        let number_width = line.max(self.related().map_or(0, |related| related.line)).to_string().len();
        let mut out = format!("{}: {}\n", self.code(), self.kind());
        let margin = " ".repeat(number_width);
        let _ = write!(out, "{margin}--> {}:{line}:{column}", escaped(name.as_bytes()));
        if !self.path().is_empty() {
            let (document, path) = document_and_path(self.path(), text);
            if !path.is_empty() {
                let _ = write!(out, ", in {}", escaped(shown_path(path).as_bytes()));
            }
            if let Some(document) = document {
                let _ = write!(out, ", in document {document}");
            }
        }
        out.push('\n');
        render_line(&mut out, text, self.at(), number_width, "");
        if let Some(related) = self.related() {
            let _ = writeln!(out, "{margin} :");
            render_line(&mut out, text, related, number_width, " see here");
        }
        if let Some(hint) = self.hint() {
            let _ = writeln!(out, "{margin} = {hint}");
        }
        out
    }
}

/// The number of the document of a stream, from 1, and the path in it. Documents outside of
/// streams have no numbers.
fn document_and_path<'p>(path: &'p str, text: &[u8]) -> (Option<usize>, &'p str) {
    let steps = path.strip_prefix('/').unwrap_or(path);
    let (first, rest) = steps.split_at(steps.find('/').unwrap_or(steps.len()));
    match first.parse::<usize>() {
        Ok(number) if is_stream(text) => (number.checked_add(1), rest),
        _ => (None, path),
    }
}

/// Only YAML has streams.
#[cfg(not(feature = "yaml"))]
fn is_stream(_: &[u8]) -> bool {
    false
}

/// A JSON pointer for display. For a very deep place, only the outer steps are useful.
fn shown_path(path: &str) -> String {
    const STEPS: usize = 32;
    match path.match_indices('/').map(|(at, _)| at).nth(STEPS) {
        None => Truncated(path).to_text().into_owned(),
        Some(end) => {
            let (outer, count) = (Truncated(&path[..end]).to_text(), path.matches('/').count());
            format!("{outer}/… ({count} levels)")
        }
    }
}

/// Appends the line of `place` and a caret below it.
fn render_line(out: &mut String, text: &[u8], place: TextPosition, number_width: usize, remark: &str) {
    let offset = usize::try_from(place.offset).unwrap_or(usize::MAX).min(text.len());
    let (mut before, mut after) = text.split_at(offset);
    before = before.strip_prefix(BYTE_ORDER_MARK).unwrap_or(before);
    let is_line_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    // The LF of a CR LF belongs to the previous line, and may itself be the place.
    let line_start = match before {
        [rest @ .., b'\r'] if after.first() == Some(&b'\n') => rest.iter().rposition(is_line_end),
        _ => before.iter().rposition(is_line_end),
    };
    before = &before[line_start.map_or(0, |index| index + 1)..];
    before = before.strip_suffix(b"\r").unwrap_or(before);
    after = &after[..after.iter().position(is_line_end).unwrap_or(after.len())];

    let cut_before = start_of_last_chars(before, CONTEXT);
    let cut_after = end_of_first_chars(after, CONTEXT);
    let mut shown_before = escaped(&before[cut_before..]);
    if cut_before > 0 {
        shown_before.insert(0, '…');
    }
    let mut shown_after = escaped(&after[..cut_after]);
    if cut_after < after.len() {
        shown_after.push('…');
    }
    let caret = " ".repeat(shown_before.chars().count());
    let _ = writeln!(out, "{:number_width$} |", "");
    let _ =
        writeln!(out, "{:number_width$} | {}", place.line, format!("{shown_before}{shown_after}").trim_end());
    let _ = writeln!(out, "{:number_width$} | {caret}^{remark}", "");
}

/// The start of the last `count` characters of `bytes`. Each byte that is not UTF-8 counts as one,
/// roughly.
fn start_of_last_chars(bytes: &[u8], count: usize) -> usize {
    let starts = bytes.iter().enumerate().rev().filter(|(_, byte)| *byte & 0xC0 != 0x80);
    starts.map(|(index, _)| index).nth(count - 1).unwrap_or(0)
}

/// The end of the first `count` characters of `bytes`.
fn end_of_first_chars(bytes: &[u8], count: usize) -> usize {
    let starts = bytes.iter().enumerate().filter(|(_, byte)| *byte & 0xC0 != 0x80);
    starts.map(|(index, _)| index).nth(count).unwrap_or(bytes.len())
}

/// `bytes` as text that is safe to print on one line.
fn escaped(bytes: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\t' => shown.push_str("    "),
                c if is_deceptive(c) => {
                    let _ = write!(shown, "\\u{{{:x}}}", u32::from(c));
                }
                c => shown.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::super::SourceErrorKind;
    use super::super::json::JsonFault;
    use super::*;

    fn comma_missing(text: &[u8], offset: usize) -> SourceError {
        SourceError::new(SourceErrorKind::Json { fault: JsonFault::MissingComma }, text, offset)
    }

    #[test]
    fn of_a_deep_place_the_outer_steps_are_shown() {
        let deep = "/0".repeat(512);
        assert_eq!(shown_path(&deep), format!("{}/… (512 levels)", "/0".repeat(32)));
        assert_eq!(shown_path(&deep[..64]), "/0".repeat(32));
    }

    #[test]
    fn shows_the_line_a_caret_and_the_advice() {
        let text = b"[\n  true\n  false\n]";
        let error = comma_missing(text, 8).within("/0".into());
        assert_eq!(
            error.render("a.json", text),
            "SRC-JSON: a comma is missing after this value\n\
             \x20--> a.json:2:7, in /0\n\
             \x20 |\n\
             2 |   true\n\
             \x20 |       ^\n\
             \x20 = insert `,` here\n"
        );
    }

    #[test]
    fn shows_the_related_place_too() {
        let mut text = b"{\"a\":1,".to_vec();
        text.extend([b'\n'; 9]);
        text.extend(b"\"a\":2}");
        let kind = SourceErrorKind::DuplicateKey { key: "a".into() };
        let error = SourceError::new(kind, &text, 16).related_to(&text, 1);
        assert_eq!(
            error.render("b.json", &text),
            "SRC-DUPKEY: duplicate key \"a\" in object\n\
             \x20 --> b.json:10:1\n\
             \x20  |\n\
             10 | \"a\":2}\n\
             \x20  | ^\n\
             \x20  :\n\
             \x20  |\n\
             \x201 | {\"a\":1,\n\
             \x20  |  ^ see here\n\
             \x20  = rename or delete one of the two\n"
        );
    }

    #[test]
    fn cuts_a_long_line_around_the_caret() {
        let text = format!("[{}\"x\" 1{}]", "\"é\",".repeat(500), ",2".repeat(500));
        let offset = text.find(" 1").expect("it exists");
        let rendered = comma_missing(text.as_bytes(), offset).render("c.json", text.as_bytes());
        let lines: Vec<&str> = rendered.lines().collect();
        assert_eq!(lines[3].chars().count(), "1 | ".len() + 1 + CONTEXT + CONTEXT + 1);
        assert!(lines[3].starts_with("1 | …") && lines[3].ends_with('…'), "{}", lines[3]);
        let caret = lines[4].chars().position(|c| c == '^').expect("there is a caret");
        assert_eq!(lines[3].chars().skip(caret - 3).take(5).collect::<String>(), "\"x\" 1");
    }

    #[test]
    fn escapes_what_could_deceive_a_terminal() {
        let text = "[\"\u{1b}[31m\u{202e}evil\" 1]".as_bytes();
        let offset = text.len() - 3;
        let rendered = comma_missing(text, offset).render("\u{7}d.json", text);
        assert!(rendered.contains("--> \\u{7}d.json:1:"), "{rendered}");
        assert!(rendered.contains("1 | [\"\\u{1b}[31m\\u{202e}evil\" 1]\n"), "{rendered}");
        assert!(!rendered.contains(['\u{1b}', '\u{202e}', '\u{7}']));
        let lines: Vec<&str> = rendered.lines().collect();
        assert_eq!(lines[4].find('^'), lines[3].rfind(" 1]"));
    }

    #[test]
    fn shows_bytes_that_are_not_utf8() {
        let text = b"\"a\xFFb\"";
        let error = crate::text::utf8::check(text).unwrap_err();
        assert!(error.render("e", text).contains("1 | \"a\\xffb\"\n  |   ^\n"));
    }

    #[test]
    fn a_place_between_cr_and_lf_is_on_the_line_they_end() {
        let text = b"[1\r\n2]";
        assert!(comma_missing(text, 3).render("f", text).contains("1 | [1\n"));
        assert!(comma_missing(text, 2).render("f", text).contains("1 | [1\n  |   ^\n"));
    }
}
