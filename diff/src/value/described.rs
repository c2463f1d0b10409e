//! §16.3 The information of schemas about the values of resources.

use crate::value::list::{Alignment, ListMode, align};
use crate::value::same::{Sameness, TooMuchWork};
use crate::value::typed::in_order;
use coconut_format::graph::UnknownType;
use coconut_format::landmark::Trail;
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::Pointer;
use coconut_format::value::Value;
use std::fmt;

/// Schemas of the resources of a document.
pub trait Schema: fmt::Debug {
    /// Whether one of them defines the type of a resource.
    fn has_type(&self, token: &str) -> bool;

    /// Whether a property of any type is secret.
    fn has_secrets(&self) -> bool;

    /// The information about the value at a place in a resource of this type. Empty for places that
    /// are not properties.
    fn at(&self, token: &str, place: &str) -> Option<PlaceFacts>;
}

/// The information of a schema about a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceFacts {
    /// The kind of list, if it is a list.
    pub list: Option<ListKind>,
    /// Whether it, or a value that contains it, is hidden.
    pub is_secret: bool,
    /// Whether the provider fills it.
    pub is_computed: bool,
    /// Whether a new value replaces the resource.
    pub replaces: bool,
    /// If parts of it are hidden, the shapes that have them. In any other shape, all of it is
    /// hidden.
    pub partly: Option<Shapes>,
}

/// The possible shapes of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shapes {
    /// Whether objects are among them.
    pub has_objects: bool,
    /// Whether lists are.
    pub has_lists: bool,
    /// Whether strings, numbers and booleans are.
    pub has_scalars: bool,
}

impl PlaceFacts {
    /// Whether the whole value at this place is hidden.
    pub fn hides<'a, N: Node<'a>>(&self, value: N) -> bool {
        // The branches of a function are values whose members are not described.
        let is_function = || value.entries().any(|(key, _)| key.starts_with("Fn::"));
        let is_unknown = || value.as_str().is_some_and(|text| UnknownType::of_sentinel(text).is_some());
        let fits = |shapes: Shapes| match value.kind() {
            Kind::Null => true,
            Kind::Object => shapes.has_objects && !is_function(),
            Kind::List => shapes.has_lists,
            _ => shapes.has_scalars || is_unknown(),
        };
        self.is_secret || !self.partly.is_none_or(fits)
    }
}

/// The kind of a list in a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Its order has no meaning.
    Set,
    /// Its order counts.
    Ordered,
}

/// The schema of one type.
#[derive(Clone, Copy, Debug)]
pub struct SchemaOf<'r> {
    /// All schemas.
    pub schema: &'r dyn Schema,
    /// The type.
    pub token: &'r str,
    /// The beginning of places in a resource of this type.
    pub start: &'r str,
}

impl SchemaOf<'_> {
    fn at(&self, place: &str) -> Option<PlaceFacts> {
        match self.start {
            "" => self.schema.at(self.token, place),
            start => self.schema.at(self.token, &format!("{start}{place}")),
        }
    }

    /// The modes to try for the list at a place: rows L3 and L4.
    pub(super) fn modes(&self, place: &str) -> Vec<ListMode> {
        match self.at(place).and_then(|facts| facts.list) {
            Some(ListKind::Set) => vec![ListMode::Set],
            Some(ListKind::Ordered) => in_order(),
            None => Vec::new(),
        }
    }

    /// Aligns the items of the lists at a place, ignoring the order of sets.
    pub(super) fn align<'a, N: Node<'a>, M: Node<'a>>(
        &self,
        place: &str,
        (old, new): (&[N], &[M]),
        wanted: &[ListMode],
        sameness: &mut Sameness,
    ) -> Result<Alignment, TooMuchWork> {
        // Only values with parts can contain sets.
        let has_parts = old.iter().any(|item| item.kind().is_container())
            && new.iter().any(|item| item.kind().is_container());
        if !has_parts {
            return align(old, new, wanted, sameness);
        }
        let mut copy = Copy { schema: self, list: place, place: Pointer::root(), has_sets: false };
        let (a, b) = (copy.of_items(old, sameness)?, copy.of_items(new, sameness)?);
        match copy.has_sets {
            true => align(&a.iter().collect::<Vec<_>>(), &b.iter().collect::<Vec<_>>(), wanted, sameness),
            false => align(old, new, wanted, sameness),
        }
    }
}

/// Copies values. Recurses once per level, as copying a [`Value`] does.
struct Copy<'c, 'r> {
    schema: &'c SchemaOf<'r>,
    /// The place of the list that contains the items. The other place begins there.
    list: &'c str,
    place: Pointer,
    has_sets: bool,
}

impl Copy<'_, '_> {
    fn of_items<'a, N: Node<'a>>(
        &mut self,
        items: &[N],
        sameness: &mut Sameness,
    ) -> Result<Vec<Value>, TooMuchWork> {
        let items = items.iter().enumerate();
        items.map(|(n, item)| self.of_part(Trail::Item(n), *item, sameness)).collect()
    }

    fn of_part<'a, N: Node<'a>>(
        &mut self,
        trail: Trail<'_>,
        node: N,
        sameness: &mut Sameness,
    ) -> Result<Value, TooMuchWork> {
        trail.push_to(&mut self.place);
        let copied = self.of(node, sameness);
        self.place.pop();
        copied
    }

    fn of<'a, N: Node<'a>>(&mut self, node: N, sameness: &mut Sameness) -> Result<Value, TooMuchWork> {
        sameness.spend(1)?;
        match node.kind() {
            Kind::List => {
                let items = node.items().enumerate();
                let items = items.map(|(n, item)| self.of_part(Trail::Item(n), item, sameness));
                let mut items = items.collect::<Result<Vec<_>, _>>()?;
                let place = format!("{}{}", self.list, self.place);
                if self.schema.at(&place).and_then(|facts| facts.list) == Some(ListKind::Set) {
                    self.has_sets |= items.len() > 1;
                    items.sort_by_cached_key(spelled);
                    items.dedup_by_key(|item| spelled(item));
                }
                Ok(Value::List(items))
            }
            Kind::Object => {
                let entries = node.entries().map(|(key, value)| {
                    Ok((key.to_owned(), self.of_part(Trail::Entry(key), value, sameness)?))
                });
                let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
                entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                Ok(Value::Object(entries))
            }
            Kind::Null => Ok(Value::Null),
            Kind::Bool => Ok(Value::Bool(node.as_bool() == Some(true))),
            Kind::String => Ok(Value::String(node.as_str().unwrap_or_default().to_owned())),
            Kind::Integer | Kind::Float => Ok(match node.as_integer() {
                Some(number) => Value::Integer(number),
                None => Value::Float(node.as_float().unwrap_or_default()),
            }),
        }
    }
}

/// A text that is equal for equal values.
fn spelled(value: &Value) -> String {
    format!("{value:?}")
}
