//! The lines that show a difference to users.

use super::shape::Shape;
use super::shown::{Shown, one_line};
use crate::safe::visible;
use coconut_diff::Change;
use coconut_diff::value::{Action, Class, Difference, common, gaps};
use coconut_format::Value;
use coconut_format::graph::UnknownType;
use coconut_format::pointer;

/// One line of an answer.
pub struct Line {
    /// Its indentation.
    pub indent: usize,
    /// `+`, `-`, `~`, or a space.
    pub sign: &'static str,
    /// The text, safe for a terminal.
    pub text: String,
}

/// Converts differences to lines.
pub struct Lines {
    width: usize,
    context: usize,
    shows_all: bool,
    /// Whether secrets may be shown.
    reveals: bool,
    /// The place of the reported instance. Its key identifies it.
    pub(super) instance: String,
}

/// Lines of two texts that are compared, together.
const MOST_LINES: usize = 100_000;

fn sign_of(action: Action) -> &'static str {
    match action {
        Action::Add => "+",
        Action::Remove => "-",
        Action::Update | Action::Reorder => "~",
    }
}

impl Lines {
    pub(super) fn of(shape: &Shape) -> Lines {
        Lines {
            width: shape.width.max(8),
            context: shape.context,
            shows_all: shape.is_full,
            reveals: shape.reveals,
            instance: String::new(),
        }
    }

    /// For whole files, whose lines are not cut.
    pub fn of_files(context: usize) -> Lines {
        Lines::of(&Shape { width: usize::MAX, context, ..Shape::default() })
    }

    /// The lines that differ, with some context. Empty if only line ends differ.
    pub fn between(&self, old: &str, new: &str) -> Vec<Line> {
        let mut lines = Vec::new();
        self.texts(0, old, new, &mut lines);
        lines
    }

    /// The lines of one change. Differences inside JSON or YAML strings are indented.
    pub(super) fn of_change(&self, change: &Change<'_>, shown: &Shown) -> Vec<Line> {
        let mut lines = Vec::new();
        match &change.inner {
            Some(inner) if !inner.is_same() => {
                let text = format!("{} = {}(…)", self.place(&change.difference), inner.notation);
                lines.push(Line { indent: 0, sign: "~", text });
                let is_shown =
                    |difference: &&Difference<_, _>| self.shows_all || difference.class != Class::Order;
                for difference in inner.differences.iter().filter(is_shown) {
                    let value = |value: Option<&(Value, _)>| value.map(|(value, _)| value.clone());
                    let (old, new) = (difference.revealed_old(), difference.revealed_new());
                    let shown = Shown { old: value(old), new: value(new) };
                    self.difference(4, difference, &shown, &mut lines);
                }
            }
            _ => self.difference(0, &change.difference, shown, &mut lines),
        }
        if let Some(first) = lines.first_mut() {
            first.text.push_str(if change.is_computed { "  (computed)" } else { "" });
            first.text.push_str(if change.forces_replacement { "  (forces replacement)" } else { "" });
        }
        lines
    }

    /// The place of a difference; for an instance, without the place of the instance.
    fn place<N, M>(&self, difference: &Difference<N, M>) -> String {
        path_of(difference.pointer.strip_prefix(&*self.instance).unwrap_or(&difference.pointer))
    }

    fn difference<N, M>(
        &self,
        indent: usize,
        difference: &Difference<N, M>,
        shown: &Shown,
        lines: &mut Vec<Line>,
    ) {
        let sign = sign_of(difference.action);
        let place = self.place(difference);
        let rest = match (difference.class, &shown.old, &shown.new) {
            _ if difference.action == Action::Reorder => format!("{place}  (order)"),
            (Class::Identity, ..) if difference.is_secret && !self.reveals => {
                format!("{place} = [secret], but only on one side")
            }
            (_, Some(Value::String(old)), Some(Value::String(new)))
                if old.contains('\n') && new.contains('\n') && difference.class != Class::Secret =>
            {
                lines.push(Line { indent, sign, text: format!("{place} =") });
                return self.texts(indent + 4, old, new, lines);
            }
            (class, Some(old), Some(new)) if class == Class::Secret && old == new => {
                let how = if difference.is_possible { "possibly changed" } else { "changed" };
                format!("{place} = [secret] {how}")
            }
            (Class::Unknown, Some(old), None) if is_unknown(old) => format!("{place} = (known later)"),
            (Class::Unknown, Some(old), Some(new)) if is_unknown(old) && *new != Value::Null => {
                format!("{place} = (known later) → {}", self.value(new))
            }
            (Class::Unknown, Some(old), _) => format!("{place} = {} → (known later)", self.value(old)),
            (Class::Unknown, None, _) => format!("{place} = (known later)"),
            (_, Some(old), Some(new)) => {
                let (old, new) = cut_pair(&one_line(old), &one_line(new), self.width);
                let note = if difference.class == Class::Order { "  (same)" } else { "" };
                format!("{place} = {} → {}{note}", visible(&old), visible(&new))
            }
            (_, Some(value), None) | (_, None, Some(value)) => format!("{place} = {}", self.value(value)),
            (_, None, None) => place,
        };
        lines.push(Line { indent, sign, text: rest });
    }

    fn value(&self, value: &Value) -> String {
        let unknown = one_line(&Value::String(UnknownType::String.sentinel().to_owned()));
        visible(&cut(&one_line(value).replace(&unknown, "(known later)"), self.width))
    }

    /// The lines of two texts that differ, with some context.
    fn texts(&self, indent: usize, old: &str, new: &str, lines: &mut Vec<Line>) {
        let mut add = |sign, text: &str| {
            lines.push(Line { indent, sign, text: visible(&cut(text, self.width)) });
        };
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut numbers = std::collections::HashMap::new();
        let mut number = |line: &&str| {
            let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
            *numbers.entry((*line).to_owned()).or_insert(next)
        };
        let tokens: (Vec<u32>, Vec<u32>) =
            (old.iter().map(&mut number).collect(), new.iter().map(&mut number).collect());
        let pairs = match old.len() + new.len() <= MOST_LINES {
            true => common(&tokens.0, &tokens.1, 10_000_000),
            false => None,
        };
        let pairs = pairs.unwrap_or_default();
        let mut next = 0;
        for (gone, come) in gaps(&pairs, old.len(), new.len()) {
            let from = gone.start.saturating_sub(self.context).max(next);
            if from > next {
                add(" ", "…");
            }
            for line in &old[from..gone.start] {
                add(" ", line);
            }
            for line in &old[gone.clone()] {
                add("-", line);
            }
            for line in &new[come] {
                add("+", line);
            }
            next = (gone.end + self.context).min(old.len());
            // Lines up to the next gap are the same in both.
            let following = pairs.iter().filter(|(a, _)| (gone.end..next).contains(a)).count();
            next = gone.end + following;
            for line in &old[gone.end..next] {
                add(" ", line);
            }
        }
    }
}

/// Whether a value is the text of an unknown value.
fn is_unknown(value: &Value) -> bool {
    value.as_str().is_some_and(|text| UnknownType::of_sentinel(text).is_some())
}

/// The place of a difference, as a path: `inputs.ingress[0]`. An item of a set has no place.
fn path_of(place: &str) -> String {
    let mut path = String::new();
    for key in pointer::keys(place).into_iter().flatten() {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '$' | '@');
        match &*key {
            index if !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit()) => {
                path.push_str(&format!("[{index}]"));
            }
            key if !key.is_empty() && key.chars().all(is_plain) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(key);
            }
            key => path.push_str(&format!("[{}]", one_line(&Value::String(key.to_owned())))),
        }
    }
    if path.is_empty() {
        path.push_str("(whole)");
    }
    visible(&path)
}

/// The first characters of a text.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// Two texts, reduced to the differing middle parts.
fn cut_pair(old: &str, new: &str, most: usize) -> (String, String) {
    let is_short = |text: &str| text.chars().nth(most).is_none();
    if is_short(old) && is_short(new) {
        return (old.to_owned(), new.to_owned());
    }
    let same = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).count();
    let skipped = same.saturating_sub(most / 4);
    let from = |text: &str| {
        let rest: String = text.chars().skip(skipped).collect();
        let start = if skipped > 0 { "…" } else { "" };
        format!("{start}{}", cut(&rest, most))
    };
    (from(old), from(new))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_that_differs_is_kept() {
        let old = format!("{}x{}", "a".repeat(100), "b".repeat(100));
        let new = format!("{}y{}", "a".repeat(100), "b".repeat(100));
        let (old, new) = cut_pair(&old, &new, 8);
        assert_eq!((&*old, &*new), ("…aaxbbbbb…", "…aaybbbbb…"));
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("äbcd", 3), "äbc…");
    }
}
