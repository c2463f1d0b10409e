//! From: the intermediate graph between two systems. To: the file that `pulumi import --file`
//! reads.
//!
//! ```text
//! {"resources": [{"type": "aws:s3/bucket:Bucket", "name": "site", "id": "site-1"}]}
//! ```
//!
//! A program gets a variable for each resource, so `name` is an identifier. `logicalName` is the
//! name in the stack, if it differs.

use super::finding::Findings;
use super::mapping::Types;
use super::model::{Distinct, Index, Model, Resource, Sort};
use crate::output::Output;
use coconut_codec::event::SinkError;
use coconut_format::node::Node;

/// The types whose providers import resources by something other than the id: the type, and
/// attribute names in braces. If the braces contain `/`, the last part counts.
const IMPORT_IDS: &str = include_str!("import-ids.tsv");

pub(super) fn push<'a, N: Node<'a>>(
    model: &Model<'a, N>,
    types: &mut Types<'_>,
    findings: &mut Findings,
    out: &mut Output<'_>,
) -> Result<(), SinkError> {
    let (mut names, mut logical_names) = (Distinct::default(), Distinct::default());
    out.begin()?;
    out.key("resources")?;
    out.sink.begin_list()?;
    for resource in &model.resources {
        let Resource { key, pointer, .. } = resource;
        if resource.sort == Sort::Data {
            findings.left_out("a data source", key, pointer.clone());
        }
        if resource.sort != Sort::Managed {
            continue;
        }
        if resource.waits {
            findings.left_out("an object that is only waiting to be deleted", key, pointer.clone());
            continue;
        }
        let Some(id) = import_id(resource) else {
            findings.left_out("a resource without an id", key, pointer.clone());
            continue;
        };
        let token = types.token(resource.resource_type, key, pointer, findings);
        let wanted = match resource.index {
            None => resource.name.clone(),
            Some(Index::Number(number)) => format!("{}-{number}", resource.name),
            Some(Index::Text(text)) => format!("{}-{text}", resource.name),
        };
        let logical_name = logical_names.take(format!("{token} {wanted}"), "-");
        let logical_name = logical_name.split_once(' ').map_or(&*logical_name, |(_, name)| name);
        if logical_name != wanted {
            let what = format!("another resource has its name, so it is renamed to `{logical_name}`");
            findings.assumed(what, key, pointer.clone());
        }
        let name = names.take(format!("{token} {}", identifier(logical_name)), "_");
        let name = name.split_once(' ').map_or(&*name, |(_, name)| name);
        if resource.is_id_secret(&model.secrets) {
            findings.lost("the mark of a secret id", key, pointer.clone());
        }
        out.begin()?;
        out.text("type", &token)?;
        out.text("name", name)?;
        out.text("id", &id)?;
        if name != logical_name {
            out.text("logicalName", logical_name)?;
        }
        out.end()?;
    }
    out.sink.end_list()?;
    out.end()
}

/// A text converted to a variable name.
fn identifier(text: &str) -> String {
    let digit = text.starts_with(|c: char| c.is_numeric()).then_some('_');
    let legal = text.chars().map(|c| if c.is_alphanumeric() { c } else { '_' });
    digit.into_iter().chain(legal).collect()
}

/// The id by which the provider imports a resource.
fn import_id<'a, N: Node<'a>>(resource: &Resource<'a, N>) -> Option<String> {
    let mut rows = IMPORT_IDS.lines().filter_map(|line| line.split_once('\t'));
    let template = rows.find(|(own_type, _)| *own_type == resource.resource_type);
    let made = template.and_then(|(_, template)| made_id(resource, template));
    made.or_else(|| resource.id.filter(|id| !id.is_empty()).map(str::to_owned))
}

/// The id built from a template, if the resource has all of its attributes.
fn made_id<'a, N: Node<'a>>(resource: &Resource<'a, N>, template: &str) -> Option<String> {
    let attributes = resource.state.as_ref()?.node;
    let mut id = String::new();
    for (number, piece) in template.split(['{', '}']).enumerate() {
        if number % 2 == 0 {
            id.push_str(piece);
            continue;
        }
        let (name, is_last_part) = match piece.strip_suffix('/') {
            Some(name) => (name, true),
            None => (piece, false),
        };
        let text = attributes.get(name)?.as_str()?;
        id.push_str(if is_last_part { text.rsplit('/').next().unwrap_or(text) } else { text });
    }
    Some(id)
}
