//! §20.4 Changes from one version to the next.

use crate::model::Role;
use crate::rules::{ApiRule, Severity};
use coconut_format::verify::Listed;
use std::fmt;

/// The place of a change inside a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The definition itself.
    Itself,
    /// Among the inputs that are not outputs.
    Inputs,
    /// Among the outputs that are not inputs.
    Outputs,
    /// Among the members that are both.
    Properties,
    /// Among the inputs for looking up a resource.
    State,
}

impl Place {
    /// The word in reports.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Place::Itself => None,
            Place::Inputs => Some("inputs"),
            Place::Outputs => Some("outputs"),
            Place::Properties => Some("properties"),
            Place::State => Some("state"),
        }
    }
}

/// A change of a package that its users can notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The rule that applies.
    pub rule: &'static ApiRule,
    /// The severity of the change: that of the rule, for inputs or for outputs.
    pub severity: Severity,
    /// The role of the definition; `None` for modules and exports.
    pub role: Option<Role>,
    /// The token of the definition: the old one if it existed before.
    pub token: String,
    /// The new token, if it differs.
    pub new_token: Option<String>,
    /// The place inside the definition.
    pub place: Place,
    /// The member, with its path: `ingress[*].cidr_blocks`.
    pub member: Option<String>,
    /// The new name of the member, if it differs.
    pub new_member: Option<String>,
    /// The old value: a type, a default, a bound.
    pub old: Option<String>,
    /// The new value.
    pub new: Option<String>,
    /// The JSON pointer of the definition: in the old document, or in the new one for an addition.
    pub pointer: String,
}

impl Change {
    /// Whether the pointer refers to the new document.
    pub fn is_new(&self) -> bool {
        self.rule.id.ends_with("-ADDED") && self.place == Place::Itself && self.member.is_none()
    }

    /// A description of the change, in one line.
    pub fn message(&self) -> String {
        let mut text = self.rule.text.to_owned();
        let renamed = self.new_token.as_ref().or(self.new_member.as_ref());
        if let Some(renamed) = renamed {
            text.push_str(&format!(": now `{renamed}`"));
        }
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => text.push_str(&format!(": was {old}, is {new}")),
            (Some(old), None) => text.push_str(&format!(": was {old}")),
            (None, Some(new)) => text.push_str(&format!(": {new}")),
            (None, None) => {}
        }
        text
    }
}

impl Listed for Change {
    fn text_bytes(&self) -> usize {
        let texts = [&self.new_token, &self.member, &self.new_member, &self.old, &self.new];
        let of_texts: usize = texts.into_iter().flatten().map(String::len).sum();
        self.token.len() + self.pointer.len() + of_texts
    }
}

impl fmt::Display for Change {
    /// One line: `breaking API-INPUT-GONE aws_instance inputs ami: an input is gone`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.severity.name(), self.rule.id, self.token)?;
        if let Some(place) = self.place.name() {
            write!(f, " {place}")?;
        }
        if let Some(member) = &self.member {
            write!(f, " {member}")?;
        }
        write!(f, ": {}", self.message())
    }
}
