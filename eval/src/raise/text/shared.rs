//! Values that occur several times, and become constants.

use super::super::expression::Expression;
use crate::script::{Text, number, quoted};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The shortest text of a value that becomes a constant, in bytes.
const SHORTEST: usize = 24;

/// Occurrences that make a string a constant. A list or an object needs two.
const STRINGS: usize = 3;

#[derive(Default)]
pub(super) struct Shared {
    counts: HashMap<String, usize>,
    names: HashMap<String, String>,
    /// The statements that declare the constants.
    pub(super) declarations: String,
}

impl Shared {
    /// Counts the values inside these. A value inside another is counted only where the other first
    /// occurs.
    pub(super) fn of(values: &[Expression]) -> Shared {
        let mut shared = Shared::default();
        values.iter().for_each(|value| shared.count_in(value));
        shared
    }

    fn count_in(&mut self, value: &Expression) {
        match value {
            Expression::List(items) => items.iter().for_each(|item| self.count(item)),
            Expression::Object(entries) => entries.iter().for_each(|(_, value)| self.count(value)),
            _ => {}
        }
    }

    fn count(&mut self, value: &Expression) {
        let is_first = raw(value).is_none_or(|raw| {
            let count = self.counts.entry(raw).or_default();
            *count += 1;
            *count == 1
        });
        if is_first {
            self.count_in(value);
        }
    }

    /// The value as a key, if it occurs so often that it becomes a constant.
    pub(super) fn repeated(&self, value: &Expression) -> Option<String> {
        let least = if matches!(value, Expression::Text(_)) { STRINGS } else { 2 };
        raw(value).filter(|raw| self.counts.get(raw).is_some_and(|count| *count >= least))
    }

    pub(super) fn name(&self, raw: &str) -> Option<&str> {
        self.names.get(raw).map(String::as_str)
    }

    pub(super) fn declare(&mut self, raw: String, name: &str, value: &Text) {
        let _ = write!(self.declarations, "const {name} = ");
        value.push(&mut self.declarations, 0, 1);
        self.declarations.push_str(";\n");
        self.names.insert(raw, name.to_owned());
    }
}

/// A value that is long enough as a key. `None` if it is short, depends on resources or is secret.
fn raw(value: &Expression) -> Option<String> {
    let mut key = String::new();
    let is_whole = matches!(value, Expression::Text(_) | Expression::List(_) | Expression::Object(_));
    (is_whole && push_raw(value, &mut key) && key.len() >= SHORTEST).then_some(key)
}

/// Recursion is bounded by the levels of properties.
fn push_raw(value: &Expression, out: &mut String) -> bool {
    match value {
        Expression::Null => out.push_str("null"),
        Expression::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Expression::Number(value) => out.push_str(&number(value)),
        Expression::Text(text) => out.push_str(&quoted(text)),
        Expression::List(items) => {
            out.push('[');
            if !items.iter().all(|item| {
                let is_constant = push_raw(item, out);
                out.push(',');
                is_constant
            }) {
                return false;
            }
            out.push(']');
        }
        Expression::Object(entries) => {
            out.push('{');
            if !entries.iter().all(|(key, value)| {
                out.push_str(&quoted(key));
                out.push(':');
                let is_constant = push_raw(value, out);
                out.push(',');
                is_constant
            }) {
                return false;
            }
            out.push('}');
        }
        Expression::Hidden(_)
        | Expression::Resource(_)
        | Expression::Output(..)
        | Expression::Binary(..)
        | Expression::Property(..)
        | Expression::Sized(..) => return false,
    }
    true
}
