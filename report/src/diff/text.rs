//! The result for users.

use super::lines::Lines;
use super::output::{Answer, Counted, Writer};
use super::shown::{Shown, is_changed_too, is_said, short_name, text_mask};
use crate::failure::Failure;
use crate::safe::visible;
use crate::style::{BAD, DIM, GOOD, STRONG, paint};
use crate::text::grouped;
use anstyle::Style;
use coconut_diff::value::Class;
use coconut_diff::{Change, Happened, Masks, Planned, ResourceChange};
use std::collections::BTreeMap;
use std::io::Write;

/// Writes lines for people.
pub(super) struct TextOutput<'c> {
    out: &'c mut dyn Write,
    is_coloured: bool,
    reveals: bool,
    names_only: bool,
    shows_all: bool,
    lines: Lines,
    hidden_front: usize,
    /// Resources without further changes, by the resource with which they moved.
    moved_with: BTreeMap<String, u64>,
}

/// The style of a sign.
fn style_of(sign: &str) -> Style {
    match sign {
        "+" => GOOD,
        "-" | "-/+" => BAD,
        _ => STRONG,
    }
}

impl<'c> TextOutput<'c> {
    pub(super) fn begin(answer: &Answer<'_>, out: &'c mut dyn Write) -> Result<TextOutput<'c>, Failure> {
        let shape = answer.shape;
        if !shape.only_names && !shape.only_summary {
            let header = format!("{} → {}", visible(answer.old.name), visible(answer.new.name));
            writeln!(out, "{}", paint(shape.is_coloured, DIM, &header))?;
        }
        Ok(TextOutput {
            out,
            is_coloured: shape.is_coloured,
            reveals: shape.reveals,
            names_only: shape.only_names,
            shows_all: shape.is_full,
            lines: Lines::of(shape),
            hidden_front: 0,
            moved_with: BTreeMap::new(),
        })
    }

    fn paint(&self, style: Style, text: &str) -> String {
        paint(self.is_coloured, style, text)
    }

    fn line(&mut self, indent: usize, sign: &str, rest: &str) -> Result<(), Failure> {
        let sign = self.paint(style_of(sign), sign);
        Ok(writeln!(self.out, "{:indent$}{sign} {rest}", "")?)
    }

    /// Whether a resource only moved with the resource around it. Then one line reports all of
    /// them.
    fn joins(&mut self, resource: &ResourceChange<'_>) -> bool {
        let Some(around) = resource.moved_with.as_deref().filter(|_| !self.shows_all) else { return false };
        if is_changed_too(resource) {
            return false;
        }
        *self.moved_with.entry(around.to_owned()).or_default() += 1;
        true
    }

    fn change(&mut self, indent: usize, change: &Change<'_>, masks: &Masks) -> Result<(), Failure> {
        let is_minor = matches!(change.difference.class, Class::Metadata | Class::Order);
        if !change.counts && !self.shows_all && is_minor {
            return Ok(());
        }
        let shown = Shown::of(change, masks, self.reveals, &text_mask())?;
        for line in self.lines.of_change(change, &shown) {
            self.line(indent + line.indent, line.sign, &line.text)?;
        }
        Ok(())
    }
}

impl Writer for TextOutput<'_> {
    fn different_forms(&mut self) -> Result<(), Failure> {
        if self.names_only {
            return Ok(());
        }
        let text =
            "the documents are of different dialects: only inputs and outputs of resources are compared";
        let text = self.paint(DIM, text);
        Ok(writeln!(self.out, "{text}")?)
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
        let name = short_name(&resource.key);
        if self.names_only {
            return self.line(0, sign, &visible(&resource.key));
        }
        if self.joins(resource) {
            return Ok(());
        }
        let token = resource.resource_type.map_or(String::new(), |token| format!("{}  ", visible(token)));
        let name = self.paint(STRONG, name);
        self.line(0, sign, &format!("{token}{name}  {}", visible(&what_happened(resource))))?;
        if short_name(&resource.key) != resource.key {
            let key = self.paint(DIM, &resource.key);
            writeln!(self.out, "    {key}")?;
        }
        let of = resource.instance.as_ref().filter(|of| of.resource != resource.key);
        self.lines.instance = of.map_or(String::new(), |of| of.place.clone());
        for change in resource.changes.iter().filter(|change| !is_said(resource, change)) {
            self.change(4, change, masks)?;
        }
        self.lines.instance.clear();
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
            let name = short_name(&around);
            let children = if count == 1 { "child" } else { "children" };
            self.line(0, ">", &format!("{} {children} moved with {}", grouped(count), visible(name)))?;
        }
        let line = summary(counted);
        Ok(writeln!(self.out, "{line}")?)
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
            } else if resource.has_secret_id {
                text.push_str(": id [secret] changed");
            }
            if resource.is_retired_later {
                text.push_str(", the old one is still to be deleted");
            }
            text.push_str(match resource.planned {
                Some(Planned::CreateThenDelete) => ", created before the old one is deleted",
                Some(Planned::CreateThenForget) => ", and the old one stays, no longer managed",
                _ => "",
            });
        }
        Happened::Moved => {
            let why = resource.why.map_or("", coconut_diff::value::Evidence::name);
            text.push_str(&format!(" from {} (same {why})", resource.old_key.as_deref().unwrap_or_default()));
        }
        Happened::Changed if resource.planned == Some(Planned::UpdateUnseen) => {
            text.push_str(": the plan does not show what");
        }
        Happened::Changed if resource.planned == Some(Planned::UpdateUnknown) => {
            text.push_str(": the values are known later");
        }
        Happened::Forgotten => text.push_str(", and stays as it is"),
        Happened::Deleted if resource.is_condemned => text.push_str(": it only waited for that"),
        Happened::Created if resource.is_condemned => text.push_str(": it only waits for its deletion"),
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
        (numbers.forgotten, "forgotten"),
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
    text.push_str(&ignored(counted.ignored, counted.rules));
    if counted.not_shown > 0 {
        text.push_str(&format!("; {} changes not shown", grouped(counted.not_shown as u64)));
    }
    text
}

/// The end of a summary, with the number of differences left out by rules.
pub(super) fn ignored(count: usize, rules: usize) -> String {
    let word = if rules == 1 { "rule" } else { "rules" };
    if count == 0 { String::new() } else { format!("; {} ignored by {rules} {word}", grouped(count as u64)) }
}
