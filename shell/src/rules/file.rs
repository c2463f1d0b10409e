//! The text of a file of landmark rules.
//!
//! ```toml
//! [[rule]]
//! files = "*.inventory.json"       # patterns of file names, one or a list
//! keys = ["hosts", "site"]         # keys that the document has, one or a list
//! landmarks = "/hosts/*[name]"     # as --landmarks of `pack build`, one or a list
//! edges = "gateway=0/gateway"      # as --edges, one or a list
//! join = "/"                       # as --join
//! over-dialect = true              # also for documents of a dialect
//! ```

use super::{NamePattern, NamedRule};
use coconut_codec::compile::DocumentRule;
use coconut_format::landmark::{LandmarkRule, LandmarkRuleError, RulePart};
use coconut_format::truncated::Truncated;
use coconut_report::code;
use coconut_report::failure::{Exit, Failure};
use std::ops::Range;
use toml_edit::{Document, Item, Table, Value};

/// The entries of a rule.
const ENTRIES: [&str; 6] = ["files", "keys", "landmarks", "edges", "join", "over-dialect"];

/// Parses the rules of a file.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<NamedRule>, Failure> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        Source(&valid).fault(valid.len()..valid.len(), "the file is not UTF-8")
    })?;
    let source = Source(text);
    let document = Document::parse(text)
        .map_err(|error| source.fault(error.span().unwrap_or_default(), one_line(error.message())))?;
    let mut rules = Vec::new();
    for (key, item) in document.as_table() {
        let tables = match (key, item.as_array_of_tables()) {
            ("rule", Some(tables)) => tables,
            ("rule", None) => {
                let message = format!("expected tables `[[rule]]`, found {}", item.type_name());
                return Err(source.fault(span_of(document.as_table(), key), message));
            }
            _ => {
                let message = format!("unknown entry `{}`, expected `[[rule]]`", Truncated(key));
                return Err(source.fault(span_of(document.as_table(), key), message));
            }
        };
        for table in tables {
            rules.push(source.rule(table)?);
        }
    }
    Ok(rules)
}

/// The text of the file, to report places in it.
struct Source<'t>(&'t str);

/// Texts of an entry, each with its place.
type Texts = Vec<(String, Range<usize>)>;

impl Source<'_> {
    fn rule(&self, table: &Table) -> Result<NamedRule, Failure> {
        let whole = table.span().unwrap_or_default();
        if let Some((key, _)) = table.iter().find(|(key, _)| !ENTRIES.contains(key)) {
            let (key_shown, expected) =
                (Truncated(key), ENTRIES.map(|entry| format!("`{entry}`")).join(", "));
            let message = format!("unknown entry `{key_shown}`, expected one of {expected}");
            return Err(self.fault(span_of(table, key), message));
        }
        let (patterns, edges) = (self.texts(table, "landmarks")?, self.texts(table, "edges")?);
        if patterns.is_empty() {
            let failure = self.fault(whole, "the rule has no `landmarks`");
            return Err(failure.with_hint("name the values, for instance `landmarks = \"/items/*\"`"));
        }
        let (names, keys) = (self.texts(table, "files")?, self.texts(table, "keys")?);
        if names.is_empty() && keys.is_empty() {
            let failure = self.fault(whole, "the rule has neither `files` nor `keys`");
            return Err(failure.with_hint("for all files, write `files = \"*\"`"));
        }
        let files = names.iter().map(|(name, span)| {
            let is_path = name.contains('/');
            let parsed = match is_path {
                true => Err("a pattern is for the name of a file, without folders".to_owned()),
                false => NamePattern::parse(name).map_err(|failure| failure.message().to_owned()),
            };
            parsed.map_err(|message| self.fault(span.clone(), message))
        });
        let document = DocumentRule {
            rule: self.landmark_rule(&patterns, table, &edges)?,
            keys: keys.into_iter().map(|(key, _)| key).collect(),
            over_dialect: self.flag(table, "over-dialect")?,
        };
        let (line, _) = self.position(whole.start);
        Ok(NamedRule { line, files: files.collect::<Result<_, _>>()?, document })
    }

    fn landmark_rule(&self, patterns: &Texts, table: &Table, edges: &Texts) -> Result<LandmarkRule, Failure> {
        let join = self.texts(table, "join")?;
        if let Some((_, span)) = join.get(1) {
            return Err(self.fault(span.clone(), "expected one `join`, found several"));
        }
        let only_texts = |texts: &Texts| texts.iter().map(|(text, _)| text.clone()).collect::<Vec<String>>();
        let join = join.first().map(|(text, _)| text.as_str());
        LandmarkRule::parse(&only_texts(patterns), join, &only_texts(edges)).map_err(|error| {
            let (part, number) = match error.part() {
                RulePart::Pattern(number) => (patterns.get(number), Some(number)),
                RulePart::Edge(number) => (edges.get(number), Some(number)),
                RulePart::Text => (None, None),
            };
            match (part, number) {
                (Some((text, span)), Some(_)) => {
                    self.fault(self.inside(text, span.clone(), &error), error.kind().to_string())
                }
                _ => self.fault(span_of(table, "landmarks"), error.kind().to_string()),
            }
        })
    }

    /// The place of an error in `text`. Its bytes are those of the file if it has no escapes.
    fn inside(&self, text: &str, span: Range<usize>, error: &LandmarkRuleError) -> Range<usize> {
        let quoted = self.0.get(span.start + 1..span.end.saturating_sub(1));
        match quoted == Some(text) {
            true => span.start + 1 + error.position()..span.end,
            false => span,
        }
    }

    /// One text, or a list of texts. Empty if there is no such entry.
    fn texts(&self, table: &Table, key: &str) -> Result<Texts, Failure> {
        let wrong = |found: &str, span: Range<usize>| {
            let expected = if key == "join" { "a string" } else { "a string or a list of strings" };
            self.fault(span, format!("`{key}`: expected {expected}, found {found}"))
        };
        let own = span_of(table, key);
        let text = |value: &Value| {
            let span = value.span().unwrap_or_else(|| own.clone());
            match value.as_str() {
                Some(text) => Ok((text.to_owned(), span)),
                None => Err(wrong(value.type_name(), span)),
            }
        };
        match table.get(key) {
            None => Ok(Texts::new()),
            Some(Item::Value(Value::Array(values))) => values.iter().map(text).collect(),
            Some(Item::Value(value)) => Ok(vec![text(value)?]),
            Some(item) => Err(wrong(item.type_name(), own)),
        }
    }

    fn flag(&self, table: &Table, key: &str) -> Result<bool, Failure> {
        let Some(item) = table.get(key) else { return Ok(false) };
        item.as_bool().ok_or_else(|| {
            let span = item.span().unwrap_or_else(|| span_of(table, key));
            self.fault(span, format!("`{key}`: expected true or false, found {}", item.type_name()))
        })
    }

    fn fault(&self, span: Range<usize>, message: impl Into<String>) -> Failure {
        let (line, column) = self.position(span.start);
        Failure::new(Exit::Usage, code::RULES, message).at_position(line, column)
    }

    /// The line and column of a byte, from 1.
    fn position(&self, at: usize) -> (u32, u32) {
        let before = self.0.get(..at).unwrap_or(self.0);
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let line = before.bytes().filter(|byte| *byte == b'\n').count();
        (count(line + 1), count(before[line_start..].chars().count() + 1))
    }
}

/// The place of an entry's key.
fn span_of(table: &Table, key: &str) -> Range<usize> {
    let span = table.get_key_value(key).and_then(|(key, item)| key.span().or_else(|| item.span()));
    span.or_else(|| table.span()).unwrap_or_default()
}

/// The parser reports several lines.
fn one_line(message: &str) -> String {
    message.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The place and the message of the failure.
    #[track_caller]
    fn fault(text: &str) -> String {
        let failure = parse(text.as_bytes()).unwrap_err().in_file("r");
        assert_eq!((failure.code(), failure.exit()), ("RULES", Exit::Usage));
        let text = failure.to_lines();
        let mut lines = text.lines();
        let message = lines.next().unwrap().to_owned();
        format!("{} {message}", lines.next().unwrap().trim_start_matches([' ', '-', '>']))
    }

    #[test]
    fn one_text_represents_a_list() {
        let one = parse(b"\n[[rule]]\nfiles = 'a'\nlandmarks = '/a/*[id]'\nedges = 'up=0/up'\njoin = ':'\n")
            .unwrap();
        let list =
            parse(b"\n[[rule]]\nfiles = ['a']\nlandmarks = ['/a/*[id]']\nedges = ['up=0/up']\njoin = ':'\n")
                .unwrap();
        assert_eq!((one[0].line, &one[0].document), (2, &list[0].document));
        let rule = &one[0].document.rule;
        assert_eq!((rule.patterns().len(), rule.edges().len(), rule.join()), (1, 1, Some(":")));
        assert!(!one[0].document.over_dialect && one[0].document.keys.is_empty());
        assert!(parse(b"").unwrap().is_empty());
    }

    #[test]
    fn an_error_has_its_line_and_column() {
        assert_eq!(fault("a = 1\n"), "r:1:1 unknown entry `a`, expected `[[rule]]`");
        assert_eq!(fault("\nrule = 1\n"), "r:2:1 expected tables `[[rule]]`, found integer");
        let unknown = fault("[[rule]]\nlandmark = '/a'\n");
        assert!(unknown.starts_with("r:2:1 unknown entry `landmark`, expected one of `files`"), "{unknown}");
        assert_eq!(fault("[[rule]]\nfiles = 'a'\n"), "r:1:1 the rule has no `landmarks`");
        let neither = fault("\n\n[[rule]]\nlandmarks = '/a/*'\n");
        assert_eq!(neither, "r:3:1 the rule has neither `files` nor `keys`");
        let rule = |entry: &str| fault(&format!("[[rule]]\nkeys = 'k'\n{entry}\n"));
        assert_eq!(
            rule("landmarks = 1"),
            "r:3:13 `landmarks`: expected a string or a list of strings, found integer"
        );
        assert_eq!(
            rule("landmarks = ['/a/*', 1]"),
            "r:3:22 `landmarks`: expected a string or a list of strings, found integer"
        );
        assert_eq!(
            rule("landmarks = '/a/*'\nover-dialect = 'yes'"),
            "r:4:16 `over-dialect`: expected true or false, found string"
        );
        assert_eq!(
            rule("landmarks = '/a/*'\nfiles = 'a/b'"),
            "r:4:9 a pattern is for the name of a file, without folders"
        );
        assert_eq!(rule("landmarks = '/a/*'\nedges = 'up=1/up'"), "r:4:10 there is no pattern 1");
    }

    #[test]
    fn an_error_in_a_pattern_has_the_place_of_the_fault() {
        let rule = |entry: &str| fault(&format!("[[rule]]\nkeys = 'k'\n{entry}\n"));
        let wrong = rule("landmarks = ['/a/*', '/b)']");
        assert!(wrong.starts_with("r:3:25 "), "{wrong}");
        // With an escape, the place is that of the text.
        let wrong = rule(r#"landmarks = "/\u0062)""#);
        assert!(wrong.starts_with("r:3:13 "), "{wrong}");
    }

    #[test]
    fn a_text_other_than_toml_is_an_error_with_a_place() {
        assert!(fault("[[rule]]\nfiles = \n").starts_with("r:2:"), "{}", fault("[[rule]]\nfiles = \n"));
        let failure = parse(b"# a\n\xff").unwrap_err().in_file("r");
        assert!(failure.to_lines().contains("r:2:1"), "{}", failure.to_lines());
    }
}
