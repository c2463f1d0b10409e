//! A graph in JSON.

use crate::Picture;
use coconut_diff::Happened;
use coconut_format::Value;
use coconut_report::Failure;
use coconut_report::json::{number, object, optional, text};
use coconut_report::streamed::Report;
use std::io::Write;

/// Writes the boxes and arrows as one report. `coco schema graph` describes it.
pub(super) fn write(
    picture: &Picture,
    file: &str,
    inferred_by: Option<&str>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let mut report = Report::begin(out, "graph", [("file", text(file))])?;
    report.begin_list("nodes")?;
    for vertex in &picture.vertices {
        report.item(&object([
            ("id", text(&*vertex.id)),
            ("key", text(&*vertex.key)),
            ("name", text(&*vertex.name)),
            ("type", text(&*vertex.type_name)),
            ("group", text(&*vertex.group)),
            ("count", number(u64::from(vertex.count))),
            ("focus", Value::Bool(vertex.is_focus)),
            ("change", optional(vertex.change().map(Happened::name))),
        ]))?;
    }
    report.end_list()?;
    report.begin_list("edges")?;
    for link in &picture.links {
        for (kind, count) in &link.kinds {
            report.item(&object([
                ("from", text(picture.id(link.from))),
                ("to", text(picture.id(link.to))),
                ("kind", text(&**kind)),
                ("count", number(u64::from(*count))),
            ]))?;
        }
    }
    report.end_list()?;
    report.member("inferred_by", &optional(inferred_by))?;
    report.end()
}
