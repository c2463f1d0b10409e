//! `explain`: prints the meaning of an error code or a rule, and the remedy.

use clap::Args;
use coconut_format::Value;
use coconut_format::explain::TEXTS;
use coconut_format::suggest::near_keys;
use coconut_format::truncated::Truncated;
use coconut_format::verify::Rule;
use coconut_report::code::CODE_MISSING;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{self, list, object, report, text};
use coconut_shell::console::Console;
use coconut_surface::ApiRule;
use std::collections::BTreeSet;

/// Explain an error code or a rule
///
/// Without a code, lists all codes and rules.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/explain.trycmd"))]
pub struct Explain {
    /// A code such as SRC-JSON, or a rule such as GRF-CYCLE
    code: Option<String>,
}

/// The codes of compiled documents with their sections and messages.
const REGISTRY: &str = include_str!("explain/errors.tsv");

/// The explanation of a code.
#[derive(Debug)]
struct Explanation<'a> {
    code: &'a str,
    /// Section of the specification. `None` for codes about sources or the command line.
    section: Option<&'a str>,
    /// The message, with variable parts as names in angle brackets.
    message: Option<String>,
    /// For a rule: `error`, `warning` or `note`; for one of changes `breaking` to `info`.
    severity: Option<&'a str>,
    /// For a rule: the error numbers of the same complaint in the toolchain of 2017.
    original: &'a [u16],
    text: String,
}

impl Explain {
    pub(super) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let all = explanations();
        let chosen: Vec<Explanation<'_>> = match &self.code {
            None => all,
            Some(wanted) => {
                let is_meant = |known: &Explanation<'_>| known.code.eq_ignore_ascii_case(wanted);
                let near = near_keys(wanted, all.iter().map(|known| known.code.to_owned()));
                let chosen: Vec<_> = all.into_iter().filter(is_meant).collect();
                if chosen.is_empty() {
                    let message = format!("no error has the code `{}`", Truncated(wanted));
                    let failure = Failure::negative(CODE_MISSING, message);
                    return Err(failure.similar_to(near, "`explain` lists all codes"));
                }
                chosen
            }
        };
        if console.json {
            let codes = list(&chosen, Explanation::to_value);
            console.print_json(&report("explain", [("codes", codes)]))?;
        } else if self.code.is_some() {
            chosen.iter().try_for_each(|explanation| console.print(&explanation.page()))?;
        } else {
            for explanation in &chosen {
                console.line(&format!("{:16} {}", explanation.code, explanation.first_sentence()))?;
            }
        }
        Ok(Exit::Good)
    }
}

/// The codes of errors that have a text. Codes of rules are not included.
pub fn explained_codes() -> BTreeSet<&'static str> {
    let errors = explanations().into_iter().filter(|explanation| explanation.severity.is_none());
    errors.map(|explanation| explanation.code).collect()
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

    fn to_value(&self) -> Value {
        let original = list(self.original, |&number| json::number(u64::from(number)));
        object([
            ("code", text(self.code)),
            ("section", json::optional(self.section)),
            ("message", json::optional(self.message.as_deref())),
            ("severity", json::optional(self.severity)),
            ("original", original),
            ("text", text(&self.text)),
        ])
    }

    fn first_sentence(&self) -> &str {
        self.text.split(". ").next().unwrap_or_default().trim_end_matches('.')
    }
}

/// A message of the registry, with `{name:#x}` replaced by `<name>`.
fn with_names(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some((before, (name, after))) =
        rest.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)))
    {
        let name = name.split(':').next().unwrap_or_default();
        out.push_str(&format!("{before}<{name}>"));
        rest = after;
    }
    out + rest
}

/// Joins the lines of a paragraph.
fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Wraps the text for a terminal.
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

/// All codes in the order of their texts, then all rules, first those of verification.
fn explanations() -> Vec<Explanation<'static>> {
    let sections = TEXTS.split("\n## ").skip(1);
    let explanations = sections.filter_map(|section| {
        let (code, text) = section.split_once('\n')?;
        let row = REGISTRY
            .lines()
            .map(|line| line.split('\t'))
            .find_map(|mut row| (row.next()? == code).then(|| (row.next(), row.next())));
        let (section, message) = row.unwrap_or_default();
        let message = message.map(with_names);
        Some(Explanation { code, section, message, severity: None, original: &[], text: unwrapped(text) })
    });
    let of_changes = ApiRule::all().map(Explanation::from);
    explanations.chain(Rule::all().map(Explanation::from)).chain(of_changes).collect()
}

impl From<&'static Rule> for Explanation<'static> {
    fn from(rule: &'static Rule) -> Self {
        Explanation {
            code: rule.id,
            section: Some(rule.section.trim_start_matches('§')),
            message: Some(rule.summary.to_owned()),
            severity: Some(rule.severity.name()),
            original: rule.original,
            text: rule.explanation.to_owned(),
        }
    }
}

impl From<&'static ApiRule> for Explanation<'static> {
    fn from(rule: &'static ApiRule) -> Self {
        Explanation {
            code: rule.id,
            section: Some("20.4"),
            message: Some(rule.text.to_owned()),
            severity: Some(rule.severity.name()),
            original: &[],
            text: rule.explanation.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(found.message.as_deref(), Some("checksum of the block is <found>, should be <expected>"));
    }
}
