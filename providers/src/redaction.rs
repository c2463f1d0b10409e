//! Texts of providers without secrets and control characters.

use coconut_format::Value;
use coconut_format::visible::visible;
use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

/// A shorter secret is only replaced where it is a whole word.
const SHORT: usize = 4;

/// The secrets that a provider was sent, or has sent. They are removed from its texts.
#[derive(Debug, Default)]
pub(crate) struct Redaction {
    /// The longest first, so that no part of one remains.
    secrets: RwLock<BTreeSet<(std::cmp::Reverse<usize>, String)>>,
}

impl Redaction {
    /// Adds each text and number in a secret value.
    pub(crate) fn add(&self, secret: &Value) {
        match secret {
            Value::String(text) => {
                self.add_text(text);
                // As it is inside of JSON, and line by line, as a log has it.
                let quoted = secret.to_string();
                self.add_text(&quoted[1..quoted.len() - 1]);
                text.lines().for_each(|line| self.add_text(line.trim()));
            }
            Value::Integer(_) | Value::Float(_) => self.add_text(&secret.to_string()),
            Value::List(items) => items.iter().for_each(|item| self.add(item)),
            Value::Object(entries) => entries.iter().for_each(|(_, value)| self.add(value)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn add_text(&self, text: &str) {
        if text.is_empty() {
            return;
        }
        let entry = (std::cmp::Reverse(text.len()), text.to_owned());
        if !self.secrets.read().unwrap_or_else(PoisonError::into_inner).contains(&entry) {
            self.secrets.write().unwrap_or_else(PoisonError::into_inner).insert(entry);
        }
    }

    /// A text that may be shown: on one line.
    pub(crate) fn shown(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (_, secret) in self.secrets.read().unwrap_or_else(PoisonError::into_inner).iter() {
            if text.contains(secret.as_str()) {
                text = without(&text, secret);
            }
        }
        visible(&text)
    }
}

fn without(text: &str, secret: &str) -> String {
    const MARK: &str = "[secret]";
    if secret.len() >= SHORT {
        return text.replace(secret, MARK);
    }
    let (mut rest, mut result) = (text, String::with_capacity(text.len()));
    while let Some(at) = rest.find(secret) {
        let (before, after) = (&rest[..at], &rest[at + secret.len()..]);
        let is_part = before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
        result.push_str(before);
        result.push_str(if is_part { secret } else { MARK });
        rest = after;
    }
    result + rest
}

/// The sentence of an error message. Python sends tracebacks: their last or their first line is the
/// error.
pub(crate) fn sentence(message: &str) -> &str {
    let mut lines = message.trim_end().lines();
    match message.starts_with("Traceback (most recent call last):") {
        true => lines.next_back().unwrap_or_default().trim(),
        false => {
            let first = message.split("\n  File \"").next().unwrap_or(message);
            if first.len() < message.len() { first.trim_end_matches(':') } else { message.trim_end() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_leave_texts_in_each_form() {
        let redaction = Redaction::default();
        redaction.add(&Value::from_iter([
            ("a", Value::from("pass\"word\nline two")),
            ("b", 4321u64.into()),
            ("c", "x".into()),
        ]));
        assert_eq!(redaction.shown("is 4321, is pass\"word\nline two"), "is [secret], is [secret]");
        assert_eq!(redaction.shown(r#"{"a":"pass\"word\nline two"}"#), r#"{"a":"[secret]"}"#);
        assert_eq!(redaction.shown("at line two"), "at [secret]");
        assert_eq!(redaction.shown("x, but not exit"), "[secret], but not exit");
        assert_eq!(redaction.shown("\u{1b}[31mred"), "\\u{1b}[31mred");
    }

    #[test]
    fn a_traceback_is_its_sentence() {
        let dynamic =
            "Traceback (most recent call last):\n  File \"a.py\", line 1\n    x\nException: refused\n";
        assert_eq!(sentence(dynamic), "Exception: refused");
        assert_eq!(sentence("Unexpected: no type:\n  File \"a.py\", line 2"), "Unexpected: no type");
        assert_eq!(sentence("one\ntwo\n"), "one\ntwo");
    }
}
