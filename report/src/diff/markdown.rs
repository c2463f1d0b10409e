//! The result as a comment for pull requests.

use super::lines::{Line, Lines};
use super::output::{Answer, Counted, Writer};
use super::shown::{Shown, short_name, text_mask};
use super::text::summary;
use crate::failure::Failure;
use crate::safe::visible;
use coconut_diff::{Change, Masks, Planned, ResourceChange};
use std::fmt::Write as _;
use std::io::Write;

/// The maximum size of a comment in bytes.
pub(super) const MOST_BYTES: usize = 65_000;

/// The number of bytes reserved for the end.
pub(super) const END_BYTES: usize = 500;

/// A table of changes, followed by the details.
pub(super) struct MarkdownOutput<'c> {
    out: &'c mut dyn Write,
    reveals: bool,
    form: Lines,
    rows: String,
    details: String,
    left_out: usize,
    title: String,
}

impl<'c> MarkdownOutput<'c> {
    pub(super) fn begin(answer: &Answer<'_>, out: &'c mut dyn Write) -> MarkdownOutput<'c> {
        let title = format!("{} → {}", code(answer.old.name), code(answer.new.name));
        let form = Lines::of(answer.shape);
        let reveals = answer.shape.reveals;
        MarkdownOutput { out, reveals, form, rows: String::new(), details: String::new(), left_out: 0, title }
    }

    /// Adds a row and its details, if there is room. A row comes before details.
    fn add(&mut self, row: &str, details: &str) {
        let left = MOST_BYTES - END_BYTES - self.title.len().min(2_000);
        let used = self.rows.len() + self.details.len();
        if used + row.len() > left {
            self.left_out += 1;
            return;
        }
        self.rows.push_str(row);
        match used + row.len() + details.len() > left {
            true => self.left_out += 1,
            false => self.details.push_str(details),
        }
    }

    fn lines(&self, changes: &[Change<'_>], masks: &Masks) -> Result<String, Failure> {
        let mut lines = String::new();
        for change in changes.iter().filter(|change| change.counts) {
            let shown = Shown::of(change, masks, self.reveals, &text_mask())?;
            for Line { indent, sign, text } in self.form.of_change(change, &shown) {
                // The colour of a line depends on its first sign.
                let sign = if sign == "~" { "!" } else { sign };
                let _ = writeln!(lines, "{sign} {:indent$}{text}", "");
            }
        }
        Ok(lines)
    }
}

impl Writer for MarkdownOutput<'_> {
    fn different_forms(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn front(&mut self, changes: &[Change<'_>], masks: &Masks) -> Result<(), Failure> {
        let lines = self.lines(changes, masks)?;
        if !lines.is_empty() {
            self.add("| changed | | outside of resources |\n", &details("outside of resources", &lines));
        }
        Ok(())
    }

    fn resource(&mut self, resource: &ResourceChange<'_>, masks: &Masks) -> Result<(), Failure> {
        let mut lines = self.lines(&resource.changes, masks)?;
        let edges = [('-', &resource.edges_removed), ('+', &resource.edges_added)];
        for (sign, (kind, key)) in
            edges.iter().flat_map(|(sign, edges)| edges.iter().map(move |edge| (sign, edge)))
        {
            let _ = writeln!(lines, "{sign} edge {} → {}", visible(kind), visible(key));
        }
        let name = short_name(&resource.key);
        let token = resource.resource_type.map_or(String::new(), code);
        let row = format!("| {} | {token} | {} |\n", resource.happened.name(), code(name));
        let from = match &resource.old_key {
            Some(old) => format!("! key = {} → {}\n", visible(old), visible(&resource.key)),
            None => String::new(),
        };
        let title = format!("{} <code>{}</code>", resource.happened.name(), escaped(&visible(&resource.key)));
        let unseen = match resource.planned {
            Some(Planned::UpdateUnseen) => "# the plan does not show what changes\n",
            _ => "",
        };
        let lines = from + unseen + &lines;
        let details = if lines.is_empty() { String::new() } else { details(&title, &lines) };
        self.add(&row, &details);
        Ok(())
    }

    fn end(self: Box<Self>, counted: &Counted) -> Result<(), Failure> {
        let mut text = format!("{}: {}\n", self.title, summary(counted));
        if !self.rows.is_empty() {
            let _ = write!(text, "\n| change | type | name |\n|---|---|---|\n{}", self.rows);
        }
        text.push_str(&self.details);
        if self.left_out > 0 {
            let _ = write!(text, "\n{} more do not fit into a comment.\n", self.left_out);
        }
        Ok(self.out.write_all(text.as_bytes())?)
    }
}

/// A text as code in a table.
pub(super) fn code(text: &str) -> String {
    let text = visible(text).replace('|', "\\|");
    match text.contains('`') {
        true => format!("`` {text} ``"),
        false => format!("`{text}`"),
    }
}

/// A text in a table, in which no character has a meaning for Markdown.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::new();
    for c in visible(text).chars() {
        match c {
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '&' => plain.push_str("&amp;"),
            '|' | '*' | '_' | '[' | ']' | '`' | '\\' | '#' | '~' | '@' => plain.extend(['\\', c]),
            c => plain.push(c),
        }
    }
    plain
}

/// A text in HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Lines folded below a title, which is HTML.
fn details(title: &str, lines: &str) -> String {
    // A fence longer than any in the content.
    let mut fence = "```".to_owned();
    while lines.contains(&fence) {
        fence.push('`');
    }
    format!("\n<details><summary>{title}</summary>\n\n{fence}diff\n{lines}{fence}\n</details>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_document_ends_its_code() {
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("a`b"), "`` a`b ``");
        assert!(details("b", "+ ```\n").contains("````diff\n+ ```\n````\n"));
        assert_eq!(escaped("<b>&"), "&lt;b&gt;&amp;");
    }
}
