//! §16.3 What schemas say of the values of resources.

use super::list::ListMode;
use super::typed::in_order;
use std::fmt;

/// Schemas of the resources of a document.
pub trait Schema: fmt::Debug {
    /// Whether the type of a resource is in one of them.
    fn has_type(&self, token: &str) -> bool;

    /// Whether a property of some type is secret.
    fn has_secrets(&self) -> bool;

    /// What is said of the value at a place of a resource of this type. Nothing is said of places
    /// that are no property.
    fn at(&self, token: &str, place: &str) -> Option<PlaceFacts>;
}

/// What a schema says of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlaceFacts {
    /// Whether it is a list, and order means something there.
    pub list: Option<ListKind>,
    /// Whether it, or what it is part of, is hidden.
    pub is_secret: bool,
    /// Whether the provider fills it.
    pub is_computed: bool,
    /// Whether another value makes a new resource in place of the old one.
    pub replaces: bool,
}

/// What a schema calls a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Its order means nothing.
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
}

impl SchemaOf<'_> {
    /// The modes to try for the list at a place.
    pub(super) fn modes(&self, place: &str) -> Vec<ListMode> {
        match self.schema.at(self.token, place).and_then(|facts| facts.list) {
            Some(ListKind::Set) => vec![ListMode::Set],
            Some(ListKind::Ordered) => in_order(),
            None => Vec::new(),
        }
    }
}
