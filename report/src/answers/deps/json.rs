//! The answer for machines. The schema is `schemas/deps.json`.

use super::Answer;
use super::reached::Followed;
use crate::failure::Failure;
use crate::json::{list, members, number, object, optional, text};
use crate::relations::Direction;
use crate::streamed::{Report, collected};
use coconut_codec::read::lookup::DanglingReference;
use coconut_format::Value;
use coconut_format::error::DecodeError;
use std::io::Write;

/// The maximum number of references to missing resources.
const MOST_DANGLING: usize = 1000;

impl Answer<'_, '_> {
    /// The report that `write_json` writes, as data.
    pub fn to_report(&self, file: &str) -> Result<Value, Failure> {
        collected(|out| self.write_json(file, false, out))
    }

    /// Writes a report: with resources and edges, or with their number.
    pub fn write_json(&self, file: &str, only_count: bool, out: &mut dyn Write) -> Result<(), Failure> {
        let relations = self.relations;
        let dangling = self.dangling(MOST_DANGLING).ok();
        let command = match self.question.direction {
            Direction::Dependencies => "deps",
            Direction::Dependents => "rdeps",
        };
        let key = match self.start[..] {
            [only] => relations.key(only)?,
            _ => self.question.key.to_owned(),
        };
        let start: Result<Vec<String>, DecodeError> =
            self.start.iter().map(|&node| relations.name(node)).collect();
        let head = [("file", text(file)), ("key", text(key)), ("start", list(start?, text))];
        let mut report = Report::begin(out, command, head)?;
        let all = self.count();
        let most = self.question.limit.unwrap_or(all);
        if !only_count {
            report.begin_list("edges")?;
            // Those of one landmark are consecutive, and keys can be long.
            let mut last: Option<(u32, String)> = None;
            for edge in &self.reached.edges {
                let near = match last.take() {
                    Some((node, key)) if node == edge.from => key,
                    _ => relations.key(edge.from)?,
                };
                report.item(&self.edge(edge, &near)?)?;
                last = Some((edge.from, near));
            }
            report.end_list()?;
            report.begin_list("resources")?;
            for member in self.reached.wanted_members().take(most) {
                let is_unsure = self.reached.unsure.contains(&member.node);
                report.item(&members([
                    ("key", Some(text(relations.key(member.node)?))),
                    ("type", Some(text(relations.resource_type(member.node)?))),
                    ("depth", Some(number(u64::from(member.depth)))),
                    ("number", self.number(member.node)?),
                    ("instance_known", is_unsure.then_some(Value::Bool(false))),
                ]))?;
            }
            report.end_list()?;
        }
        report.member("count", &number(all as u64))?;
        report.member("at_most", &Value::Bool(self.reached.is_upper_bound()))?;
        report.member("truncated", &Value::Bool(most < all && !only_count))?;
        let dangling = dangling.map(|dangling| {
            let item = |reference: DanglingReference| {
                object([
                    ("kind", text(reference.kind)),
                    ("target", text(reference.target)),
                    ("pointer", text(reference.pointer)),
                ])
            };
            object([("count", number(dangling.wanted)), ("first", list(dangling.first, item))])
        });
        report.member("dangling", &dangling.unwrap_or(Value::Null))?;
        report.member("inferred_by", &optional(relations.inferred_by()))?;
        report.end()
    }

    /// An edge in its own direction, whichever way it was followed. `near` is the key of the end
    /// from which it was followed.
    fn edge(&self, edge: &Followed, near: &str) -> Result<Value, DecodeError> {
        let far = self.relations.key(edge.to)?;
        let (from, to, keys) = match self.question.direction {
            Direction::Dependencies => (edge.from, edge.to, [near, &far]),
            Direction::Dependents => (edge.to, edge.from, [&far, near]),
        };
        Ok(members([
            ("from", Some(text(keys[0]))),
            ("to", Some(text(keys[1]))),
            ("kind", Some(text(self.relations.kind(edge.number)))),
            ("from_number", self.number(from)?),
            ("to_number", self.number(to)?),
            ("depth", Some(number(u64::from(edge.depth)))),
        ]))
    }

    fn number(&self, node: u32) -> Result<Option<Value>, DecodeError> {
        Ok(self.relations.number(node)?.map(|same| number(u64::from(same))))
    }
}
