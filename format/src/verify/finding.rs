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

#[cfg(test)]
mod tests {
    use super::*;
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
