//! §20.1 Settings: facts about definitions and members that are compared as a whole.

use crate::literal::Literal;
use crate::rules::{self, ApiRule};
use coconut_format::node::{Kind, Node};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The subject of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SettingKind {
    /// Whether objects of a kind are in namespaces.
    Scope,
    /// The name of a kind in paths of requests.
    Plural,
    /// Another name of a kind.
    Name,
    /// A version that servers do not accept.
    NotServed,
    /// The version in which objects are stored.
    Storage,
    /// The conversion between versions.
    Conversion,
    /// A part of an object with its own path.
    Subresource,
    /// A column of a list for people.
    Column,
    /// A condition for values.
    Validation,
    /// Whether further members are refused.
    Closed,
    /// Whether further members are kept.
    Open,
    /// The properties that identify a resource.
    Identifier,
    /// An operation of a resource type.
    Handler,
    /// A resource type without tags.
    NotTaggable,
    /// The way in which resources are tagged.
    Tagging,
    /// A property whose change may replace the resource.
    MayReplace,
    /// The order of a replacement.
    Replacement,
    /// The format of a text or number.
    Format,
    /// Whether equal items are refused.
    Unique,
    /// The way in which changes to a list or object are merged.
    Merge,
    /// The origin of the plugin of a provider.
    Plugin,
    /// The modules of tokens.
    Modules,
    /// The statements of a program.
    Body,
}

/// A fact that is compared as a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting<'a> {
    /// Its subject.
    pub kind: SettingKind,
    /// Its name among the settings of this kind.
    pub name: Cow<'a, str>,
    /// Its content.
    pub value: Literal<'a>,
}

impl<'a> Setting<'a> {
    pub(crate) fn new(kind: SettingKind, name: impl Into<Cow<'a, str>>, value: Literal<'a>) -> Setting<'a> {
        Setting { kind, name: name.into(), value }
    }

    fn value(&self) -> String {
        match &self.value {
            Literal::Text(text) => (*text).to_owned(),
            Literal::Bool(true) => String::new(),
            other => other.to_string(),
        }
    }
}

/// The old and the new setting as reports show them: the names of those that are only in one
/// version, and otherwise the contents.
pub(crate) fn texts(old: Option<&Setting<'_>>, new: Option<&Setting<'_>>) -> [Option<String>; 2] {
    let is_changed = old.is_some() && new.is_some();
    [old, new].map(|setting| {
        let setting = setting.filter(|setting| setting.kind != SettingKind::Body)?;
        let text = match &*setting.name {
            "" => setting.value(),
            name if is_changed => format!("{name} {}", setting.value()),
            name => name.to_owned(),
        };
        Some(text.trim_end().to_owned()).filter(|text| !text.is_empty())
    })
}

impl SettingKind {
    /// The rules for a change, a removal and an addition.
    pub(crate) fn rules(self) -> [&'static ApiRule; 3] {
        let [change, gone, added] = match self {
            SettingKind::Scope => return [&rules::API_SCOPE; 3],
            SettingKind::Plural => return [&rules::API_PLURAL; 3],
            SettingKind::Name => return [&rules::API_SHORT_NAME; 3],
            SettingKind::NotServed => [&rules::API_NOT_SERVED, &rules::API_SERVED, &rules::API_NOT_SERVED],
            SettingKind::Storage => return [&rules::API_STORAGE; 3],
            SettingKind::Conversion => return [&rules::API_CONVERSION; 3],
            SettingKind::Subresource => {
                [&rules::API_SUBRESOURCE, &rules::API_SUBRESOURCE_GONE, &rules::API_SUBRESOURCE]
            }
            SettingKind::Column => return [&rules::API_COLUMN; 3],
            SettingKind::Validation => {
                [&rules::API_VALIDATION, &rules::API_VALIDATION_GONE, &rules::API_VALIDATION]
            }
            SettingKind::Closed => [&rules::API_CLOSED, &rules::API_OPEN, &rules::API_CLOSED],
            SettingKind::Open => [&rules::API_OPEN, &rules::API_CLOSED, &rules::API_OPEN],
            SettingKind::Identifier => return [&rules::API_IDENTIFIER; 3],
            SettingKind::Handler => {
                [&rules::API_HANDLER, &rules::API_HANDLER_GONE, &rules::API_HANDLER_ADDED]
            }
            SettingKind::NotTaggable => [&rules::API_TAGGING, &rules::API_TAGGING, &rules::API_TAGGING_GONE],
            SettingKind::Tagging => return [&rules::API_TAGGING; 3],
            SettingKind::MayReplace => {
                [&rules::API_MAY_REPLACE, &rules::API_REPLACES_GONE, &rules::API_MAY_REPLACE]
            }
            SettingKind::Replacement => return [&rules::API_REPLACEMENT; 3],
            SettingKind::Format => return [&rules::API_FORMAT; 3],
            SettingKind::Unique => [&rules::API_UNIQUE, &rules::API_BOUND_WIDENED, &rules::API_UNIQUE],
            SettingKind::Merge => return [&rules::API_MERGE; 3],
            SettingKind::Plugin => return [&rules::API_PLUGIN; 3],
            SettingKind::Modules => return [&rules::API_MODULE_FORMAT; 3],
            SettingKind::Body => return [&rules::API_BODY; 3],
        };
        [change, gone, added]
    }
}

/// The settings that differ, with the rules of their changes: the old and the new one.
pub(crate) fn changes<'s, 'a, 'b>(
    old: &'s [Setting<'a>],
    new: &'s [Setting<'b>],
) -> Vec<(&'static ApiRule, Option<&'s Setting<'a>>, Option<&'s Setting<'b>>)> {
    let by_name: HashMap<_, _> = new.iter().map(|one| ((one.kind, &*one.name), one)).collect();
    let known: HashSet<_> = old.iter().map(|one| (one.kind, &*one.name)).collect();
    let mut found = Vec::new();
    for one in old {
        let [changed, gone, _] = one.kind.rules();
        match by_name.get(&(one.kind, &*one.name)) {
            None => found.push((gone, Some(one), None)),
            Some(other) if other.value != one.value => found.push((changed, Some(one), Some(*other))),
            Some(_) => {}
        }
    }
    let added = new.iter().filter(|one| !known.contains(&(one.kind, &*one.name)));
    found.extend(added.map(|one| (one.kind.rules()[2], None, Some(one))));
    found
}

/// A number for the content of a value, without places in sources.
pub(crate) fn digest<'a, N: Node<'a>>(root: N) -> Literal<'a> {
    let mut hasher = DefaultHasher::new();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        node.width().hash(&mut hasher);
        match node.kind() {
            Kind::Object => {
                for (key, value) in node.entries().filter(|(key, _)| *key != "loc") {
                    key.hash(&mut hasher);
                    pending.push(value);
                }
            }
            Kind::List => {
                "[]".hash(&mut hasher);
                pending.extend(node.items());
            }
            _ => Literal::of(node).to_string().hash(&mut hasher),
        }
    }
    Literal::Composite(format!("{:016x}", hasher.finish()))
}
