//! §20.3 Types as text, for reports.

use crate::model::{Package, Type, TypeId};
use std::fmt::Write;

/// Maximum bytes of a type in a report.
const MOST_BYTES: usize = 400;

/// A type as text: `list<string>`, `{a, b}`, `"x" | "y"`, the token of a reference.
pub(crate) fn type_text(package: &Package<'_>, id: TypeId) -> String {
    let mut text = String::new();
    push(package, id, 0, &mut text);
    text
}

fn push(package: &Package<'_>, id: TypeId, depth: usize, text: &mut String) {
    if text.len() > MOST_BYTES || depth > coconut_format::limits::MAX_TYPE_DEPTH {
        text.push('…');
        return;
    }
    let mut wrap = |before: &str, of: TypeId| {
        text.push_str(before);
        push(package, of, depth + 1, text);
        text.push('>');
    };
    match package.type_of(id) {
        Type::Scalar(scalar) => text.push_str(scalar.name()),
        Type::List(of) => wrap("list<", *of),
        Type::Set(of) => wrap("set<", *of),
        Type::Map(of) => wrap("map<", *of),
        Type::Object(members) => {
            let names: Vec<&str> = package.members(*members).iter().map(|member| member.name).collect();
            let shown = &names[..names.len().min(8)];
            let more = if shown.len() < names.len() { ", …" } else { "" };
            let _ = write!(text, "{{{}{more}}}", shown.join(", "));
        }
        Type::Reference(token) => text.push_str(token),
        Type::Union(types) => {
            for (index, of) in package.union(types).iter().enumerate() {
                text.push_str(if index == 0 { "" } else { " | " });
                push(package, *of, depth + 1, text);
            }
        }
        Type::Enum(_, values) => {
            let values = package.values(values);
            for (index, value) in values.iter().take(8).enumerate() {
                let _ = write!(text, "{}{value}", if index == 0 { "" } else { " | " });
            }
            if values.len() > 8 {
                let _ = write!(text, " | … {} values", values.len());
            }
        }
        Type::Other(of) => text.push_str(of),
    }
}
