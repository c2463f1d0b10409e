//! `coco explain`: what an error code or a rule means, and what to do.

use crate::command_line::examples;
use crate::failure::{Exit, Failure, code};
use crate::screen::{FORMAT_VERSION, Screen};
use clap::Args;
use coconut_format::verify::Rule;
use serde::Serialize;
use std::borrow::Cow;

/// Explain an error code, or a rule of verification
///
/// Without a code, lists all of them.
#[derive(Debug, Args)]
#[command(after_long_help = examples(include_str!("../../tests/commands/explain.md")))]
pub(crate) struct Explain {
    /// A code such as SRC-JSON, or a rule such as GRF-CYCLE, in any case
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
    /// The message, with a name such as `<part>` for what differs from case to case.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Cow<'a, str>>,
    /// Of a rule: `error`, `warning` or `note`.
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'a str>,
    /// Of a rule: the numbers of the same complaint in the toolchain of 2017.
    #[serde(skip_serializing_if = "<[u16]>::is_empty")]
    original: &'a [u16],
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
            let failure = Failure::negative(code::CODE_MISSING, format!("no error has the code `{wanted}`"));
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
        let mut page = self.code.to_owned();
        if let Some(severity) = self.severity {
            page.push_str(&format!(" ({severity})"));
        }
        page.push('\n');
        if let Some(message) = &self.message {
            page.push_str(&format!("\n  {message}\n"));
        }
        page.push_str(&format!("\n{}\n", wrapped(&self.text)));
        if let Some(section) = self.section {
            page.push_str(&format!("\nSpecification: section {section}.\n"));
        }
        if !self.original.is_empty() {
            let numbers: Vec<String> = self.original.iter().map(u16::to_string).collect();
            page.push_str(&format!("In the toolchain of 2017: error {}.\n", numbers.join(", ")));
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

/// The message of a row of the registry, with `<found>` for `{found}` and for `{found:#010x}`.
fn message_of(row: &str) -> Cow<'_, str> {
    let mut pieces = row.split('{');
    let mut message = Cow::Borrowed(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (field, text) = piece.split_once('}').unwrap_or((piece, ""));
        let name = field.split(':').next().unwrap_or_default();
        message.to_mut().push_str(&format!("<{name}>{text}"));
    }
    message
}

/// All codes in the order of their texts, then all rules.
fn explanations() -> Vec<Explanation<'static>> {
    let sections = TEXTS.split("\n## ").skip(1);
    let explanations = sections.filter_map(|section| {
        let (code, text) = section.split_once('\n')?;
        let row = REGISTRY
            .lines()
            .map(|line| line.split('\t'))
            .find_map(|mut row| (row.next()? == code).then(|| (row.next(), row.next())));
        let (section, message) = row.unwrap_or_default();
        let message = message.map(message_of);
        Some(Explanation { code, section, message, severity: None, original: &[], text: unwrapped(text) })
    });
    explanations.chain(Rule::all().map(Explanation::from)).collect()
}

impl From<&'static Rule> for Explanation<'static> {
    fn from(rule: &'static Rule) -> Self {
        Explanation {
            code: rule.id,
            section: Some(rule.section.trim_start_matches('§')),
            message: Some(rule.summary.into()),
            severity: Some(rule.severity.name()),
            original: rule.original,
            text: rule.explanation.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_codec::cache::CacheFault;
    use coconut_codec::durable::DurableError;
    use coconut_codec::loader::{FallbackReason, FleetFault, LoadErrorKind};
    use coconut_codec::text::{LintKind, SourceErrorKind};
    use coconut_format::ErrorKind;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_has_a_text_and_every_text_a_code() {
        let of_documents = [ErrorKind::CODES, SourceErrorKind::CODES, LintKind::CODES];
        let of_loading = [CacheFault::CODES, FallbackReason::CODES, LoadErrorKind::CODES];
        let of_storing = [FleetFault::CODES, DurableError::CODES];
        let known = [of_documents.concat(), of_loading.concat(), of_storing.concat(), codes_of_tools()];
        let known = known.concat();
        let known: BTreeSet<&str> = known.into_iter().collect();
        let all = explanations();
        let explained = all.iter().filter(|explanation| explanation.severity.is_none());
        let explained: BTreeSet<&str> = explained.map(|explanation| explanation.code).collect();
        assert_eq!(known.difference(&explained).collect::<Vec<_>>(), [&""; 0], "without a text");
        assert_eq!(explained.difference(&known).collect::<Vec<_>>(), [&""; 0], "without a code");
    }

    /// The codes that the tools share, and those of each alone.
    fn codes_of_tools() -> Vec<&'static str> {
        [coconut_format::code::CODES, code::OWN, &codes_of_inspect()].concat()
    }

    /// The codes that only `coco-inspect` has. It is a program and cannot be imported, so its list is read as text.
    fn codes_of_inspect() -> Vec<&'static str> {
        let list = include_str!("../../../inspect-cli/src/code.rs");
        let codes = list.lines().filter_map(|line| line.strip_prefix("pub(crate) const ")?.split('"').nth(1));
        codes.collect()
    }

    #[test]
    fn codes_of_the_other_tool_are_known() {
        let codes = codes_of_inspect();
        assert_eq!((codes.len(), codes.first(), codes.last()), (4, Some(&"GIT"), Some(&"SOURCE-DIFFERS")));
    }

    #[test]
    fn what_both_tools_name_has_its_name_in_one_place() {
        let mut codes = codes_of_tools();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count, "a code stands in two lists");
    }

    #[test]
    fn no_rule_has_the_code_of_an_error() {
        let mut codes: Vec<&str> = explanations().iter().map(|explanation| explanation.code).collect();
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
    }

    #[test]
    fn codes_of_compiled_documents_come_with_section_and_message() {
        let all = explanations();
        let found = all.iter().find(|explanation| explanation.code == "SUM-MISMATCH").unwrap();
        assert_eq!(found.section, Some("7.2"));
        let message = "checksum of the block is <found>, should be <expected>";
        assert_eq!(found.message.as_deref(), Some(message));
    }

    #[test]
    fn no_message_shows_a_placeholder_of_the_code() {
        let shown: Vec<_> =
            explanations().into_iter().filter_map(|explanation| explanation.message).collect();
        let with_braces = shown.iter().filter(|message| message.contains(['{', '}']));
        assert_eq!(with_braces.collect::<Vec<_>>(), [""; 0]);
        let with_names = shown.iter().filter(|message| message.contains('<')).count();
        assert_eq!(with_names, ErrorKind::MESSAGES.iter().filter(|message| message.contains('{')).count());
    }
}
