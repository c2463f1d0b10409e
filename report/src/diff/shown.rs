//! Values of differences in the form that may be shown, and the differences covered by a first
//! line.

use crate::failure::Failure;
use coconut_codec::event::push;
use coconut_codec::read::tree::TreeValue;
use coconut_codec::secrets::SECRET;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_diff::value::Difference;
use coconut_diff::{Change, Happened, Masks, Planned, ResourceChange, TooLarge};
use coconut_format::Value;
use coconut_format::error::ErrorKind;
use coconut_format::node::Node as _;
use coconut_format::urn::{Scheme, Urn};

/// The shown form of the values of a change.
pub(super) struct Shown {
    pub(super) old: Option<Value>,
    pub(super) new: Option<Value>,
}

impl Shown {
    /// The values without their secrets, which are replaced by `mask`.
    pub(super) fn of(
        change: &Change<'_>,
        masks: &Masks,
        reveal: bool,
        mask: &Value,
    ) -> Result<Shown, Failure> {
        let Change { difference, .. } = change;
        let shown = match reveal && difference.is_secret {
            true => revealed(difference, masks, mask),
            false => change.masked(masks, mask),
        };
        let (old, new) = shown.map_err(|TooLarge| {
            Failure::from(ErrorKind::Work { limit: coconut_codec::limits::SEARCH_MIN }.at(0))
        })?;
        Ok(Shown { old, new })
    }
}

/// The values of a difference that is secret as a whole.
fn revealed(
    difference: &Difference<TreeValue<'_, '_>, TreeValue<'_, '_>>,
    masks: &Masks,
    mask: &Value,
) -> Result<(Option<Value>, Option<Value>), TooLarge> {
    let old = difference.revealed_old().map(|value| masks.old(*value, mask)).transpose()?;
    let new = difference.revealed_new().map(|value| masks.new_value(*value, mask)).transpose()?;
    Ok((old, new))
}

/// Whether the first line of a resource covers this difference: its old key and id.
pub(super) fn is_said(resource: &ResourceChange<'_>, change: &Change<'_>) -> bool {
    let pointer = &*change.difference.pointer;
    let place = resource.instance.as_ref().map_or("", |instance| &*instance.place);
    match pointer.strip_prefix(place).unwrap_or(pointer) {
        "/urn" | "/address" | "/index_key" | "/metadata/name" | "/metadata/namespace" => {
            resource.old_key.is_some()
        }
        "/name" | "/module" if !place.is_empty() => resource.old_key.is_some(),
        // In the output of `terraform show`, they are parts of the address.
        "/name" | "/index" => resource.changes.iter().any(|other| other.difference.pointer == "/address"),
        "/attributes/id" if !place.is_empty() => resource.happened == Happened::Replaced,
        "/id" => resource.happened == Happened::Replaced,
        "/forgotten" => resource.happened == Happened::Forgotten,
        _ => false,
    }
}

/// Whether a resource moved, and differs in other parts, too.
pub(super) fn is_changed_too(resource: &ResourceChange<'_>) -> bool {
    let is_more = |change: &Change<'_>| change.counts && !is_said(resource, change);
    resource.happened == Happened::Moved
        && (resource.changes.iter().any(is_more)
            || resource.planned.is_some_and(Planned::is_update)
            || !resource.edges_added.is_empty()
            || !resource.edges_removed.is_empty())
}

/// Whether it is no longer managed, even if a new one replaces it.
pub(super) fn is_forgotten(resource: &ResourceChange<'_>) -> bool {
    resource.happened == Happened::Forgotten || resource.planned == Some(Planned::CreateThenForget)
}

/// Documents that share many values can take too long to compare, and their values too much space.
pub fn too_large() -> Failure {
    ErrorKind::Work { limit: coconut_codec::limits::SEARCH_MIN }.at(0).into()
}

/// The replacement for a secret in texts.
pub(super) fn text_mask() -> Value {
    Value::String(SECRET.to_owned())
}

/// The name in a key that is a URN, otherwise the whole key. In types and titles of Puppet, `::` is
/// part of a name.
pub(super) fn short_name(key: &str) -> &str {
    match Urn::parse(key) {
        Ok(urn) if urn.scheme() != Scheme::Moniker || !key.contains('[') => urn.name(),
        _ => key,
    }
}

/// A value on one line.
pub(super) fn one_line(value: &Value) -> String {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    let printed = push(value, &mut printer).ok().and_then(|()| printer.finish().ok());
    String::from_utf8_lossy(&printed.unwrap_or_default()).into_owned()
}

/// The text of a scalar: a string itself, and any other value as JSON.
pub(super) fn plain_text(node: TreeValue<'_, '_>) -> Option<String> {
    use coconut_format::node::Kind;
    match node.kind() {
        Kind::String => node.as_str().map(str::to_owned),
        Kind::List | Kind::Object => None,
        _ => Some(one_line(&node.to_value())),
    }
}
