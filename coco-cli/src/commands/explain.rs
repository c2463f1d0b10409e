//! `coco explain`: what an error code means, and what to do.

use crate::command_line::examples;
use crate::failure::{Exit, Failure, code};
use crate::screen::{FORMAT_VERSION, Screen};
use clap::Args;
use serde::Serialize;

/// Explain an error code
///
/// Without a code, lists all of them.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../tests/commands/explain.md")))]
pub(crate) struct Explain {
    /// A code such as SRC-JSON, in any case
    code: Option<String>,
}

/// The codes of compiled documents with their sections and messages.
const REGISTRY: &str = include_str!("../../../spec/registry/errors.tsv");

/// One paragraph or more for each code, below a heading of its name.
const TEXTS: &str = include_str!("explain/texts.md");

#[derive(Serialize)]
struct ExplainJson<'a> {
    format_version: u32,
    codes: Vec<Explanation<'a>>,
}

/// What is known about a code.
#[derive(Debug, Serialize)]
struct Explanation<'a> {
    code: &'a str,
    /// Section of the specification. Absent for what is about sources or the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    section: Option<&'a str>,
    /// The message, with names in braces for what differs from case to case.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<&'a str>,
    text: String,
}

impl Explain {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let all = explanations();
        let chosen: Vec<Explanation<'_>> = match &self.code {
            None => all,
            Some(wanted) => all.into_iter().filter(|known| known.code.eq_ignore_ascii_case(wanted)).collect(),
        };
        if let (Some(wanted), []) = (&self.code, &chosen[..]) {
            let failure = Failure::negative(code::MISSING, format!("no error has the code `{wanted}`"));
            return Err(failure.with_hint("`coco explain` lists all codes"));
        }
        if screen.is_json() {
            screen.print_json(&ExplainJson { format_version: FORMAT_VERSION, codes: chosen })?;
        } else if self.code.is_some() {
            chosen.iter().try_for_each(|explanation| screen.print(&explanation.page()))?;
        } else {
            let lines = chosen
                .iter()
                .map(|explanation| format!("{:16} {}\n", explanation.code, explanation.first_sentence()));
            screen.print(&lines.collect::<String>())?;
        }
        Ok(Exit::Good)
    }
}

impl Explanation<'_> {
    fn page(&self) -> String {
        let mut page = format!("{}\n", self.code);
        if let Some(message) = self.message {
            page.push_str(&format!("\n  {message}\n"));
        }
        page.push_str(&format!("\n{}\n", wrapped(&self.text)));
        if let Some(section) = self.section {
            page.push_str(&format!("\nSpecification: section {section}.\n"));
        }
        page
    }

    fn first_sentence(&self) -> &str {
        self.text.split(". ").next().unwrap_or_default().trim_end_matches('.')
    }
}

/// One line of the lines of a paragraph.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lines that fit a terminal.
fn wrapped(text: &str) -> String {
    const WIDTH: usize = 80;
    let mut lines = String::new();
    let mut used = 0;
    for word in text.split(' ') {
        let width = word.chars().count();
        if used > 0 && used + 1 + width > WIDTH {
            lines.push('\n');
            used = 0;
        } else if used > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += width;
    }
    lines
}

/// All codes in the order of their texts.
fn explanations() -> Vec<Explanation<'static>> {
    let sections = TEXTS.split("\n## ").skip(1);
    let explanations = sections.filter_map(|section| {
        let (code, text) = section.split_once('\n')?;
        let row = REGISTRY
            .lines()
            .map(|line| line.split('\t'))
            .find_map(|mut row| (row.next()? == code).then(|| (row.next(), row.next())));
        let (section, message) = row.unwrap_or_default();
        Some(Explanation { code, section, message, text: unwrapped(text) })
    });
    explanations.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::source::{LintKind, SourceErrorKind};
    use coconut_format::ErrorKind;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_a_text_and_every_text_a_code() {
        let known = [ErrorKind::CODES, SourceErrorKind::CODES, LintKind::CODES, code::ALL].concat();
        let known: BTreeSet<&str> = known.into_iter().collect();
        let explained: BTreeSet<&str> = explanations().iter().map(|explanation| explanation.code).collect();
        assert_eq!(known.difference(&explained).collect::<Vec<_>>(), [&""; 0], "without a text");
        assert_eq!(explained.difference(&known).collect::<Vec<_>>(), [&""; 0], "without a code");
    }

    #[test]
    fn codes_of_compiled_documents_come_with_section_and_message() {
        let all = explanations();
        let found = all.iter().find(|explanation| explanation.code == "SUM-MISMATCH").unwrap();
        assert_eq!(found.section, Some("7.2"));
        assert_eq!(found.message, Some("checksum of the block is {found:#010x}, should be {expected:#010x}"));
    }
}
