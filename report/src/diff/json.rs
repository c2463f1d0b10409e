//! The result for machines. The schema is `schemas/diff.json`.

use super::output::{Answer, Counted, Writer};
use super::shape::NamedDocument;
use super::shown::Shown;
use crate::failure::Failure;
use crate::json::{list, number, object, optional, report, text, to_line};
use crate::streamed::Report;
use crate::text::hex;
use coconut_diff::value::{Difference, ItemPlace};
use coconut_diff::{Change, Inner, Masks, Planned, ResourceChange, Summary};
use coconut_format::Value;
use coconut_format::graph::{Place, UnknownType};
use std::io::Write;

/// One report, written while the comparison runs.
pub(super) struct JsonOutput<'c> {
    report: Report<'c>,
    reveal: bool,
    names_only: bool,
    is_open: bool,
}

impl<'c> JsonOutput<'c> {
    pub(super) fn begin(answer: &Answer<'_>, out: &'c mut dyn Write) -> Result<JsonOutput<'c>, Failure> {
        let members = [("old", document(&answer.old)), ("new", document(&answer.new))];
        let report = Report::begin(out, "diff", members)?;
        let shape = answer.shape;
        Ok(JsonOutput { report, reveal: shape.reveals, names_only: shape.only_names, is_open: false })
    }

    fn open(&mut self) -> Result<(), Failure> {
        if !self.is_open {
            self.report.begin_list("resources")?;
            self.is_open = true;
        }
        Ok(())
    }
}

impl Writer for JsonOutput<'_> {
    fn different_forms(&mut self) -> Result<(), Failure> {
        self.report.member("common_view", &Value::Bool(true))
    }

    fn front(&mut self, changes: &[Change<'_>], masks: &Masks) -> Result<(), Failure> {
        self.report.list("front", changes.iter().map(|change| change_json(change, masks, self.reveal)))
    }

    fn resource(&mut self, resource: &ResourceChange<'_>, masks: &Masks) -> Result<(), Failure> {
        self.open()?;
        self.report.item(&resource_json(resource, masks, self.reveal, self.names_only)?)
    }

    fn end(mut self: Box<Self>, counted: &Counted) -> Result<(), Failure> {
        self.open()?;
        self.report.end_list()?;
        self.report.member("summary", &summary_json(counted))?;
        self.report.end()
    }
}

/// One line for each resource, and one for the summary.
pub(super) struct LineOutput<'c> {
    out: &'c mut dyn Write,
    reveal: bool,
    head: Value,
    names_only: bool,
}

impl<'c> LineOutput<'c> {
    pub(super) fn begin(answer: &Answer<'_>, out: &'c mut dyn Write) -> LineOutput<'c> {
        let head = object([("old", document(&answer.old)), ("new", document(&answer.new))]);
        LineOutput { out, reveal: answer.shape.reveals, head, names_only: answer.shape.only_names }
    }
}

impl Writer for LineOutput<'_> {
    fn different_forms(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    fn front(&mut self, changes: &[Change<'_>], masks: &Masks) -> Result<(), Failure> {
        for change in changes {
            let line = change_json(change, masks, self.reveal)?;
            self.out.write_all(&to_line(&object([("front", line)])))?;
        }
        Ok(())
    }

    fn resource(&mut self, resource: &ResourceChange<'_>, masks: &Masks) -> Result<(), Failure> {
        let line = resource_json(resource, masks, self.reveal, self.names_only)?;
        Ok(self.out.write_all(&to_line(&object([("resource", line)])))?)
    }

    fn end(self: Box<Self>, counted: &Counted) -> Result<(), Failure> {
        let summary = summary_json(counted);
        let mut members = vec![("summary".to_owned(), summary)];
        if let (Value::Object(head), Value::Object(whole)) = (self.head, report("diff", [])) {
            members = [whole, head, members].concat();
        }
        Ok(self.out.write_all(&to_line(&Value::Object(members)))?)
    }
}

pub(super) fn document(named: &NamedDocument<'_>) -> Value {
    let header = named.view.header();
    object([
        ("file", text(named.name)),
        ("digest", text(hex(&header.digest))),
        ("document_type", text(&header.document_type)),
        ("dialect", optional(header.dialect.as_deref())),
    ])
}

fn count(count: usize) -> Value {
    number(count as u64)
}

fn summary_json(counted: &Counted) -> Value {
    let Summary {
        created,
        deleted,
        changed,
        replaced,
        moved,
        forgotten,
        ambiguous,
        unchanged,
        metadata_only,
    } = counted.summary;
    object([
        ("created", count(created)),
        ("deleted", count(deleted)),
        ("changed", count(changed)),
        ("replaced", count(replaced)),
        ("moved", count(moved)),
        ("forgotten", count(forgotten)),
        ("ambiguous", count(ambiguous)),
        ("unchanged", count(unchanged)),
        ("metadata_only", count(metadata_only)),
        ("front", count(counted.front)),
        ("ignored", count(counted.ignored)),
        ("not_shown", count(counted.not_shown)),
    ])
}

fn resource_json(
    resource: &ResourceChange<'_>,
    masks: &Masks,
    reveal: bool,
    names_only: bool,
) -> Result<Value, Failure> {
    let mut members: Vec<(String, Value)> = Vec::new();
    let mut add = |key: &str, value: Value| members.push((key.to_owned(), value));
    add("action", text(resource.happened.name()));
    add("key", text(&*resource.key));
    if let Some(old) = &resource.old_key {
        add("old_key", text(&**old));
    }
    add("type", optional(resource.resource_type));
    if names_only {
        return Ok(Value::Object(members));
    }
    if let Some(position) = resource.positions.0 {
        add("old_ordinal", count(position));
    }
    if let Some(position) = resource.positions.1 {
        add("new_ordinal", count(position));
    }
    if resource.has_secret_id {
        let masked = |position: Option<usize>| match position {
            Some(_) => object([("masked", text("secret"))]),
            None => Value::Null,
        };
        add("id", object([("old", masked(resource.positions.0)), ("new", masked(resource.positions.1))]));
    } else if resource.ids.0 != resource.ids.1 || resource.has_unknown_ids.0 != resource.has_unknown_ids.1 {
        let id = |id: Option<&str>, is_unknown| if is_unknown { unknown() } else { optional(id) };
        let old = id(resource.ids.0, resource.has_unknown_ids.0);
        add("id", object([("old", old), ("new", id(resource.ids.1, resource.has_unknown_ids.1))]));
    }
    if let Some(why) = resource.why {
        add("why", text(why.name()));
    }
    if let Some(around) = &resource.moved_with {
        add("moved_with", text(&**around));
    }
    if let Some(alias) = &resource.alias_in_use {
        add("alias_in_use", text(&**alias));
    }
    if resource.is_ambiguous {
        add("ambiguous", Value::Bool(true));
    }
    if resource.is_condemned {
        add("pending_deletion", Value::Bool(true));
    }
    match resource.planned {
        Some(update) if update.is_update() => add("planned", text(update.name())),
        Some(Planned::Replace) => {}
        Some(order) => add("order", text(order.name())),
        None if resource.is_retired_later => add("order", text(Planned::CreateThenDelete.name())),
        None => {}
    }
    let edge = |&(kind, key): &(&str, &str)| object([("kind", text(kind)), ("key", text(key))]);
    let edges =
        [("added", list(&resource.edges_added, edge)), ("removed", list(&resource.edges_removed, edge))];
    add("edges", object(edges));
    let changes = resource.changes.iter().map(|change| change_json(change, masks, reveal));
    add("changes", Value::List(changes.collect::<Result<_, _>>()?));
    Ok(Value::Object(members))
}

fn change_json(change: &Change<'_>, masks: &Masks, reveal: bool) -> Result<Value, Failure> {
    let mask = object([("masked", text("secret"))]);
    let shown = Shown::of(change, masks, reveal, &mask)?;
    let mut members = difference_json(&change.difference, shown);
    let mut add = |key: &str, value: Value| members.push((key.to_owned(), value));
    add("counts", Value::Bool(change.counts));
    if change.is_computed {
        add("computed", Value::Bool(true));
    }
    if change.forces_replacement {
        add("forces_replacement", Value::Bool(true));
    }
    if let Some(Inner { notation, differences }) = &change.inner {
        let inner = differences.iter().map(|difference| {
            let value = |value: Option<&(Value, Place)>| value.map(|(value, _)| value.clone());
            let shown =
                Shown { old: value(difference.revealed_old()), new: value(difference.revealed_new()) };
            Value::Object(difference_json(difference, shown))
        });
        add("inside", object([("notation", text(*notation)), ("changes", Value::List(inner.collect()))]));
    }
    Ok(Value::Object(members))
}

/// The replacement for a value that is not known yet.
fn unknown() -> Value {
    object([("unknown", Value::Bool(true))])
}

/// The value with an object for each text that represents an unknown value.
fn with_marked_unknowns(value: Value) -> Value {
    match value {
        Value::String(text) if UnknownType::of_sentinel(&text).is_some() => unknown(),
        Value::List(items) => Value::List(items.into_iter().map(with_marked_unknowns).collect()),
        Value::Object(entries) => {
            let marked = entries.into_iter().map(|(key, below)| (key, with_marked_unknowns(below)));
            Value::Object(marked.collect())
        }
        other => other,
    }
}

fn difference_json<N, M>(difference: &Difference<N, M>, shown: Shown) -> Vec<(String, Value)> {
    let mut members: Vec<(String, Value)> = Vec::new();
    let mut add = |key: &str, value: Value| members.push((key.to_owned(), value));
    add("pointer", text(&difference.pointer));
    if let Some(old) = &difference.old_pointer {
        add("old_pointer", text(old));
    }
    add("action", text(difference.action.name()));
    add("class", text(difference.class.name()));
    if difference.is_possible {
        add("possible", Value::Bool(true));
    }
    if let Some(ItemPlace { mode, from, to }) = &difference.item {
        let position = |position: &Option<usize>| position.map_or(Value::Null, count);
        add(
            "list",
            object([("mode", text(mode.to_string())), ("from", position(from)), ("to", position(to))]),
        );
    }
    if let Some(old) = shown.old {
        add("old", with_marked_unknowns(old));
    }
    if let Some(new) = shown.new {
        add("new", with_marked_unknowns(new));
    }
    members
}
