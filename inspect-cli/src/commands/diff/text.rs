//! The answer for people.

use super::output::{Answer, Counted, Writer};
use super::shown::{Shown, one_line, text_mask};
use crate::console::{BAD, Console, DIM, GOOD, STRONG, visible};
use crate::failure::Failure;
use crate::text::grouped;
use anstyle::Style;
use coconut_codec::diff::{Change, Happened, Masks, ResourceChange};
use coconut_format::Value;
use coconut_format::diff::{Action, Class, Finding, common, gaps};
use coconut_format::graph::UnknownType;
use coconut_format::pointer;
use std::collections::BTreeMap;

/// Writes lines to the console.
pub(super) struct TextOutput<'c> {
    console: &'c mut Console,
    names_only: bool,
    shows_all: bool,
    width: usize,
    context: usize,
    hidden_front: usize,
    /// The place of the instance that is told. Its key says which it is.
    instance: String,
    /// Resources of which nothing else is to be said, by what they moved with.
    moved_with: BTreeMap<String, u64>,
}

/// Lines of two texts that are compared, together.
const MOST_LINES: usize = 100_000;

/// The style of a sign.
fn style_of(sign: &str) -> Style {
    match sign {
        "+" => GOOD,
        "-" | "-/+" => BAD,
        _ => STRONG,
    }
}

impl<'c> TextOutput<'c> {
    pub(super) fn begin(answer: &Answer<'_>, console: &'c mut Console) -> Result<TextOutput<'c>, Failure> {
        let diff = answer.diff;
        if !diff.name_only && !diff.stat {
            let header = format!("{} → {}", visible(&answer.old.name), visible(&answer.new.name));
            let header = console.paint(DIM, &header);
            console.line(&header)?;
        }
        Ok(TextOutput {
            console,
            names_only: diff.name_only,
            shows_all: diff.full,
            width: diff.width.max(8),
            context: diff.context,
            hidden_front: 0,
            instance: String::new(),
            moved_with: BTreeMap::new(),
        })
    }

    fn line(&mut self, indent: usize, sign: &str, rest: &str) -> Result<(), Failure> {
        let sign = self.console.paint(style_of(sign), sign);
        self.console.line(&format!("{:indent$}{sign} {rest}", ""))
    }

    /// Whether a resource only moved with what is around it. Then one line says so for all.
    fn joins(&mut self, resource: &ResourceChange<'_>) -> bool {
        let Some(around) = resource.moved_with.as_deref().filter(|_| !self.shows_all) else { return false };
        let is_more = |change: &Change<'_>| change.counts && !is_said(resource, change);
        if resource.changes.iter().any(is_more)
            || !resource.edges_added.is_empty()
            || !resource.edges_removed.is_empty()
        {
            return false;
        }
        *self.moved_with.entry(around.to_owned()).or_default() += 1;
        true
    }

    fn change(&mut self, indent: usize, change: &Change<'_>, masks: &Masks) -> Result<(), Failure> {
        if !change.counts && !self.shows_all && change.finding.class == Class::Metadata {
            return Ok(());
        }
        let shown = Shown::of(change, masks, self.console.reveal, &text_mask())?;
        match &change.inner {
            Some(inner) if !inner.is_same() => {
                let place = self.place(&change.finding);
                self.line(indent, "~", &format!("{place} = {}(…)", inner.notation))?;
                for finding in &inner.findings {
                    let value = |value: &Option<(Value, _)>| value.as_ref().map(|(value, _)| value.clone());
                    let shown = Shown { old: value(&finding.old), new: value(&finding.new) };
                    self.finding(indent + 4, finding, &shown)?;
                }
                Ok(())
            }
            _ => self.finding(indent, &change.finding, &shown),
        }
    }

    fn finding<N, M>(
        &mut self,
        indent: usize,
        finding: &Finding<N, M>,
        shown: &Shown,
    ) -> Result<(), Failure> {
        let sign = finding.action.sign().to_string();
        let place = self.place(finding);
        let rest = match (finding.class, &shown.old, &shown.new) {
            _ if finding.action == Action::Reorder => format!("{place}  (order)"),
            (Class::Identity, ..) if finding.is_secret => format!("{place} = [secret], but only on one side"),
            (_, Some(Value::String(old)), Some(Value::String(new)))
                if old.contains('\n') && new.contains('\n') && finding.class != Class::Secret =>
            {
                self.line(indent, &sign, &format!("{place} ="))?;
                return self.lines(indent + 4, old, new);
            }
            (class, Some(old), Some(new)) if class == Class::Secret && old == new => {
                let how = if finding.is_possible { "possibly changed" } else { "changed" };
                format!("{place} = [secret] {how}")
            }
            (Class::Unknown, Some(old), _) => format!("{place} = {} → (known later)", self.value(old)),
            (Class::Unknown, None, _) => format!("{place} = (known later)"),
            (_, Some(old), Some(new)) => {
                let (old, new) = cut_pair(&one_line(old), &one_line(new), self.width);
                let note = if finding.class == Class::Order { "  (same)" } else { "" };
                format!("{place} = {} → {}{note}", visible(&old), visible(&new))
            }
            (_, Some(value), None) | (_, None, Some(value)) => format!("{place} = {}", self.value(value)),
            (_, None, None) => place,
        };
        self.line(indent, &sign, &rest)
    }

    /// The place of a difference, in an instance without that of the instance.
    fn place<N, M>(&self, finding: &Finding<N, M>) -> String {
        path_of(finding.pointer.strip_prefix(&*self.instance).unwrap_or(&finding.pointer))
    }

    fn value(&self, value: &Value) -> String {
        let unknown = one_line(&Value::String(UnknownType::String.sentinel().to_owned()));
        visible(&cut(&one_line(value).replace(&unknown, "(known later)"), self.width))
    }

    /// The lines of two texts that differ, with some around them.
    fn lines(&mut self, indent: usize, old: &str, new: &str) -> Result<(), Failure> {
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
                self.console.line(&format!("{:indent$}  …", ""))?;
            }
            for line in &old[from..gone.start] {
                self.line(indent, " ", &visible(&cut(line, self.width)))?;
            }
            for line in &old[gone.clone()] {
                self.line(indent, "-", &visible(&cut(line, self.width)))?;
            }
            for line in &new[come] {
                self.line(indent, "+", &visible(&cut(line, self.width)))?;
            }
            next = (gone.end + self.context).min(old.len());
            // Lines that follow, up to the next gap, are the same in both.
            let following = pairs.iter().filter(|(a, _)| (gone.end..next).contains(a)).count();
            next = gone.end + following;
            for line in &old[gone.end..next] {
                self.line(indent, " ", &visible(&cut(line, self.width)))?;
            }
        }
        Ok(())
    }
}

impl Writer for TextOutput<'_> {
    fn different_forms(&mut self) -> Result<(), Failure> {
        if self.names_only {
            return Ok(());
        }
        let text = "the documents are of different dialects: only inputs and outputs are compared";
        let text = self.console.paint(DIM, text);
        self.console.line(&text)
    }

    fn front(&mut self, changes: &[Change<'_>], masks: &Masks) -> Result<(), Failure> {
        self.hidden_front = changes.iter().filter(|change| !change.counts).count();
        if self.names_only {
            return Ok(());
        }
        for change in changes.iter().filter(|change| change.counts || self.shows_all).collect::<Vec<_>>() {
            self.change(0, change, masks)?;
        }
        Ok(())
    }

    fn resource(&mut self, resource: &ResourceChange<'_>, masks: &Masks) -> Result<(), Failure> {
        let sign = resource.happened.sign();
        let name = resource.key.rsplit_once("::").map_or(&*resource.key, |(_, name)| name);
        if self.names_only {
            return self.line(0, sign, &visible(&resource.key));
        }
        if self.joins(resource) {
            return Ok(());
        }
        let token = resource.resource_type.map_or(String::new(), |token| format!("{}  ", visible(token)));
        let name = self.console.paint(STRONG, name);
        self.line(0, sign, &format!("{token}{name}  {}", visible(&what_happened(resource))))?;
        if name != visible(&resource.key) && resource.key.contains("::") {
            let key = self.console.paint(DIM, &resource.key);
            self.console.line(&format!("    {key}"))?;
        }
        let of = resource.instance.as_ref().filter(|of| of.resource != resource.key);
        self.instance = of.map_or(String::new(), |of| of.place.clone());
        for change in resource.changes.iter().filter(|change| !is_said(resource, change)) {
            self.change(4, change, masks)?;
        }
        self.instance.clear();
        for (sign, edges, arrow) in [("-", &resource.edges_removed, "→"), ("+", &resource.edges_added, "→")]
        {
            for (kind, key) in edges {
                self.line(4, sign, &format!("edge {} {arrow} {}", visible(kind), visible(key)))?;
            }
        }
        Ok(())
    }

    fn end(mut self: Box<Self>, counted: &Counted) -> Result<(), Failure> {
        if self.names_only {
            return Ok(());
        }
        for (around, count) in std::mem::take(&mut self.moved_with) {
            let name = around.rsplit_once("::").map_or(&*around, |(_, name)| name);
            let children = if count == 1 { "child" } else { "children" };
            self.line(0, ">", &format!("{} {children} moved with {}", grouped(count), visible(name)))?;
        }
        let line = summary(counted);
        self.console.line(&line)
    }
}

/// Whether the first line of a resource says this: what its key and id were.
fn is_said(resource: &ResourceChange<'_>, change: &Change<'_>) -> bool {
    let pointer = &*change.finding.pointer;
    let place = resource.instance.as_ref().map_or("", |instance| &*instance.place);
    match pointer.strip_prefix(place).unwrap_or(pointer) {
        "/urn" | "/address" | "/index_key" => resource.old_key.is_some(),
        "/name" | "/module" if !place.is_empty() => resource.old_key.is_some(),
        "/attributes/id" if !place.is_empty() => resource.happened == Happened::Replaced,
        "/id" => resource.happened == Happened::Replaced,
        _ => false,
    }
}

fn what_happened(resource: &ResourceChange<'_>) -> String {
    let mut text = resource.happened.name().to_owned();
    let ids = resource.ids;
    match resource.happened {
        Happened::Replaced => {
            if let (Some(old), Some(new)) = ids
                && old != new
            {
                text.push_str(&format!(": id {old} → {new}"));
            }
            if resource.is_retired_later {
                text.push_str(", the old one is still to be deleted");
            }
        }
        Happened::Moved => {
            let why = resource.why.map_or("", coconut_format::diff::Evidence::name);
            text.push_str(&format!(" from {} (same {why})", resource.old_key.as_deref().unwrap_or_default()));
        }
        Happened::Created if resource.is_ambiguous => {
            text.push_str(", or moved: several have the same content");
        }
        Happened::Created if resource.alias_in_use.is_some() => {
            let alias = resource.alias_in_use.as_deref().unwrap_or_default();
            text.push_str(&format!(", not moved: its alias {alias} is still in use"));
        }
        _ => {}
    }
    text
}

/// The counts, in one sentence.
pub(super) fn summary(counted: &Counted) -> String {
    let numbers = &counted.summary;
    let mut parts = Vec::new();
    let shown = [
        (numbers.changed, "changed"),
        (numbers.replaced, "replaced"),
        (numbers.moved, "moved"),
        (numbers.created, "created"),
        (numbers.deleted, "deleted"),
        (numbers.unchanged, "unchanged"),
    ];
    if !counted.is_any() {
        parts.push("no difference".to_owned());
    } else {
        parts.extend(
            shown
                .iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, word)| format!("{} {word}", grouped(*count as u64))),
        );
        if counted.front > 0 {
            parts.push(format!("{} outside of resources", grouped(counted.front as u64)));
        }
    }
    let mut text = parts.join(", ");
    if numbers.metadata_only > 0 {
        text.push_str(&format!("; {} in metadata or order only", grouped(numbers.metadata_only as u64)));
    }
    let (order, unknown) = (counted.front_order, counted.front_unknown);
    let of_front = [
        (order, "difference", "of order or form only"),
        (unknown, "value", "outside of resources known later"),
        (counted.front_all - counted.front - order - unknown, "note", "of tools outside of resources"),
    ];
    for (count, word, what) in of_front.into_iter().filter(|(count, ..)| *count > 0) {
        let end = if count == 1 { "" } else { "s" };
        text.push_str(&format!("; {} {word}{end} {what}", grouped(count as u64)));
    }
    if counted.ignored > 0 {
        let rules = if counted.rules == 1 { "rule" } else { "rules" };
        text.push_str(&format!("; {} ignored by {} {rules}", grouped(counted.ignored as u64), counted.rules));
    }
    if counted.not_shown > 0 {
        text.push_str(&format!("; {} changes not shown", grouped(counted.not_shown as u64)));
    }
    text
}

/// The place of a difference, as a path: `inputs.ingress[0]`. An item of a set has no place.
pub(super) fn place_of<N, M>(finding: &Finding<N, M>) -> String {
    path_of(&finding.pointer)
}

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

/// Two texts of which the middle that differs is kept.
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
