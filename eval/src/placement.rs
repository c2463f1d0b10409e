//! §19.5 The place of a resource in the graph: its identity and its relations.
//!
//! A program sets it with properties whose names begin with a dot. They are not among the
//! properties in the graph.

use crate::property::Property;
use std::sync::Arc;

/// The name in the URN. It has priority over any rule.
pub(crate) const NAME_KEY: &str = ".name";
/// The resource of which this one is a part.
pub(crate) const PARENT_KEY: &str = ".parent";
/// The resource that configures the provider of this one.
pub(crate) const PROVIDER_KEY: &str = ".provider";
/// A list of resources on which this one depends, although its properties do not show it.
pub(crate) const DEPENDENCIES_KEY: &str = ".dependencies";
/// The type in the graph, if it cannot be the token of a class.
pub(crate) const TYPE_KEY: &str = ".type";
/// The whole URN, if it does not follow from the others.
pub(crate) const URN_KEY: &str = ".urn";

/// All of these names.
pub(crate) const KEYS: [&str; 6] = [NAME_KEY, PARENT_KEY, PROVIDER_KEY, DEPENDENCIES_KEY, TYPE_KEY, URN_KEY];

/// The identity of a resource as far as the program sets it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) ty: Option<Arc<str>>,
    pub(crate) urn: Option<Arc<str>>,
}

/// The relations of a resource other than its properties. Numbers are positions in the graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Relations {
    pub(crate) parent: Option<u32>,
    pub(crate) provider: Option<u32>,
    pub(crate) dependencies: Vec<u32>,
}

/// Removes the properties of the place from those of a resource.
///
/// # Errors
/// A message about the first of them that has a wrong value.
pub(crate) fn take(properties: &mut Vec<(Arc<str>, Property)>) -> Result<(Identity, Relations), String> {
    let (mut identity, mut relations) = (Identity::default(), Relations::default());
    for (key, value) in properties.extract_if(.., |(key, _)| KEYS.contains(&&**key)) {
        if value.is_absent() {
            continue;
        }
        match &*key {
            // Names of 2017 that are not texts are ignored.
            NAME_KEY => identity.name = text_of(&value),
            TYPE_KEY => identity.ty = Some(text(&key, &value)?),
            URN_KEY => identity.urn = Some(text(&key, &value)?),
            PARENT_KEY => relations.parent = Some(resource(&key, &value)?),
            PROVIDER_KEY => relations.provider = Some(resource(&key, &value)?),
            _ => match value {
                Property::List(items) => {
                    for item in &items {
                        relations.dependencies.push(resource(&key, item)?);
                    }
                }
                one => relations.dependencies.push(resource(&key, &one)?),
            },
        }
    }
    Ok((identity, relations))
}

fn text_of(value: &Property) -> Option<Arc<str>> {
    match value {
        Property::Text(text) | Property::Unknown { stand_in: Some(text), .. } => Some(Arc::clone(text)),
        _ => None,
    }
}

fn text(key: &str, value: &Property) -> Result<Arc<str>, String> {
    let text = text_of(value).filter(|text| !text.is_empty());
    text.ok_or_else(|| format!("`{key}` of a resource must be a text that is not empty"))
}

fn resource(key: &str, value: &Property) -> Result<u32, String> {
    match value {
        Property::Reference(resource) => Ok(*resource),
        _ => Err(format!(
            "`{key}` of a resource must lead to resources that were constructed before; a resource is \
             constructed when its constructor has ended"
        )),
    }
}
