//! §14.1 Findings. A violation of a rule at a place in the document.

use std::fmt;

use super::{Rule, Severity};
use crate::location::Location;

/// A violation of a rule: the rule, the place, and the remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The violated rule.
    pub rule: &'static Rule,
    /// The JSON pointer (RFC 6901) of the offending value; empty for the whole document.
    pub path: String,
    /// The place of the value in the source, for nodes that record it.
    pub location: Option<Location>,
    /// The expected value, if it can be described in a few words.
    pub expected: Option<String>,
    /// The value found.
    pub found: Option<String>,
    /// The remedy for the author.
    pub hint: Option<String>,
}

impl Finding {
    /// A violation of `rule` at `path`, a JSON pointer.
    pub fn new(rule: &'static Rule, path: impl Into<String>) -> Finding {
        Finding { rule, path: path.into(), location: None, expected: None, found: None, hint: None }
    }

    /// Adds the place in the source.
    #[must_use]
    pub fn from_source(mut self, location: Option<&Location>) -> Finding {
        self.location = location.cloned();
        self
    }

    /// Adds the expected value.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Finding {
        self.expected = Some(expected.into());
        self
    }

    /// Adds the value found.
    #[must_use]
    pub fn found(mut self, found: impl Into<String>) -> Finding {
        self.found = Some(found.into());
        self
    }

    /// Adds the remedy.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Finding {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the remedy, if it is known.
    #[must_use]
    pub(super) fn perhaps(mut self, hint: Option<String>) -> Finding {
        self.hint = hint;
        self
    }

    /// Describes the fault in one line: the fault text of its rule, with the value found.
    pub fn message(&self) -> String {
        match (self.rule.fault.split_once("{found}"), &self.found) {
            (Some((before, after)), Some(found)) => format!("{before}{found}{after}"),
            (Some((before, _)), None) => before.trim_end_matches([' ', ':']).to_owned(),
            (None, _) => self.rule.fault.to_owned(),
        }
    }

    /// Whether [`message`](Self::message) includes the value found.
    pub fn says_found(&self) -> bool {
        self.found.is_some() && self.rule.fault.contains("{found}")
    }

    /// The severity of its rule.
    pub fn severity(&self) -> Severity {
        self.rule.severity
    }
}

impl fmt::Display for Finding {
    /// One line: `error PKG-NAME at /name: the package name is not ...: expected ..., found ...;
    /// hint`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at `{}`", self.severity(), self.rule.id, self.path)?;
        if let Some(location) = &self.location {
            write!(f, " ({location})")?;
        }
        write!(f, ": {}", self.message())?;
        match (&self.expected, self.found.as_ref().filter(|_| !self.says_found())) {
            (Some(expected), Some(found)) => write!(f, ": expected {expected}, found {found}")?,
            (Some(expected), None) => write!(f, ": expected {expected}")?,
            (None, Some(found)) => write!(f, ": found {found}")?,
            (None, None) => {}
        }
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Serializes the finding with the keys of `coco check --json`: `rule`, `severity`, `pointer`,
/// `message`, and those of `expected`, `found`, `hint` and `location` that are known.
#[cfg(feature = "serde")]
impl serde::Serialize for Finding {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap as _;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("rule", self.rule.id)?;
        map.serialize_entry("severity", self.severity().name())?;
        map.serialize_entry("pointer", &self.path)?;
        map.serialize_entry("message", &self.message())?;
        for (key, text) in [("expected", &self.expected), ("found", &self.found), ("hint", &self.hint)] {
            if let Some(text) = text {
                map.serialize_entry(key, text)?;
            }
        }
        if let Some(location) = &self.location {
            map.serialize_entry("location", location)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "serde")]
    #[test]
    fn a_finding_is_serialized_with_the_keys_that_are_known() {
        let rule = &super::super::PACKAGE_RULES[0];
        let location = Location {
            file: Some("a.ts".into()),
            start: crate::location::Position { line: 3, column: 14 },
            end: None,
        };
        let finding = Finding::new(rule, "/name").found("7").from_source(Some(&location));
        let expected = serde_json::json!({
            "rule": rule.id, "severity": rule.severity.name(), "pointer": "/name",
            "message": finding.message(), "found": "7",
            "location": {"file": "a.ts", "line": 3, "column": 14},
        });
        assert_eq!(serde_json::to_value(&finding).expect("it is serialized"), expected);
    }
    use crate::verify::graph_rules::GRF_CYCLE;
    use crate::verify::package_rules::PKG_NAME;

    #[test]
    fn a_finding_prints_rule_place_both_sides_and_hint() {
        let finding = Finding::new(&PKG_NAME, "/name").expected("a letter").found("`9`").hint("rename it");
        assert_eq!(
            finding.to_string(),
            format!("error PKG-NAME at `/name`: {}: expected a letter, found `9`; rename it", PKG_NAME.fault)
        );
    }

    #[test]
    fn a_finding_says_what_is_wrong() {
        let circle = Finding::new(&GRF_CYCLE, "/a").found("`a` → `b` → `a`");
        assert_eq!(circle.message(), "resources depend on one another in a circle: `a` → `b` → `a`");
        assert_eq!(
            circle.to_string(),
            "error GRF-CYCLE at `/a`: resources depend on one another in a circle: `a` → `b` → `a`"
        );
        let unknown = Finding::new(&GRF_CYCLE, "");
        assert_eq!(unknown.message(), "resources depend on one another in a circle");
    }
}
