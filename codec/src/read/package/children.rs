//! The nodes directly below a node (§13.1), in the order of evaluation.

use super::node::{IlView, pointer_to};
use crate::bounded_debug::bounded_debug;
use crate::read::view::{Content, Entries, Items, ValueView};
use coconut_format::error::DecodeError;
use coconut_format::il::{FieldSpec, Fields, Type};

/// A node and its place below its parent.
#[derive(Clone, Copy)]
pub struct Child<'a> {
    /// The field that contains it.
    pub field: &'static str,
    /// Its name, if the field is a map.
    pub name: Option<&'a str>,
    /// The node.
    pub node: IlView<'a>,
}

bounded_debug!(Child<'_>, |child| field: child.field, node: child.node);

/// The children of an [`IlView`]. Costs one search through the node's keys for each field of its
/// kind. An error ends the iteration.
#[derive(Clone)]
pub struct Children<'a> {
    parent: IlView<'a>,
    /// The fields not visited yet.
    fields: Fields,
    open: Option<(&'static str, Open<'a>)>,
}

bounded_debug!(Children<'_>, |children| parent: children.parent);

/// A field with several nodes.
#[derive(Clone)]
enum Open<'a> {
    List(Items<'a>),
    Map(Entries<'a>),
}

impl<'a> Children<'a> {
    pub(super) fn of(parent: IlView<'a>) -> Children<'a> {
        Children { parent, fields: parent.kind().fields(), open: None }
    }

    fn find(&mut self) -> Result<Option<Child<'a>>, DecodeError> {
        loop {
            if let Some((field, open)) = &mut self.open {
                let field = *field;
                let next = match open {
                    Open::List(items) => items.next().map(|item| item.map(|item| (None, item))),
                    Open::Map(entries) => {
                        entries.next().map(|entry| entry.map(|(name, value)| (Some(name), value)))
                    }
                };
                let Some(next) = next else {
                    self.open = None;
                    continue;
                };
                let child = next
                    .and_then(|(name, value)| Ok(IlView::of(value)?.map(|node| Child { field, name, node })));
                match child.map_err(|error| error.below(&pointer_to(field)))? {
                    Some(child) => return Ok(Some(child)),
                    None => continue,
                }
            }
            let Some(spec) = self.fields.next() else { return Ok(None) };
            if let Some(value) = self.parent.value(spec.key)?
                && let Some(child) = self.enter(spec, value)?
            {
                return Ok(Some(child));
            }
        }
    }

    /// Enters a field. If the field is a single node, that node is the child.
    fn enter(
        &mut self,
        spec: &'static FieldSpec,
        value: ValueView<'a>,
    ) -> Result<Option<Child<'a>>, DecodeError> {
        let any = |test: fn(&Type) -> bool| spec.forms.iter().any(|form| test(&form.of));
        let is_node = |of: &Type| matches!(of, Type::Node(_) | Type::Union(_));
        let child = |node| Child { field: spec.key, name: None, node };
        match value.content()? {
            Content::List(list) if any(|of| matches!(of, Type::List(Type::Node(_) | Type::Union(_)))) => {
                self.open = Some((spec.key, Open::List(list.items())));
                Ok(None)
            }
            Content::Object(object) if any(|of| matches!(of, Type::Map(Type::Node(_) | Type::Union(_)))) => {
                self.open = Some((spec.key, Open::Map(object.iter())));
                Ok(None)
            }
            Content::Object(_) => match spec.record() {
                Some(kind) => Ok(Some(child(IlView::record(value, kind)))),
                None if any(is_node) => Ok(IlView::of(value)?.map(child)),
                None => Ok(None),
            },
            _ => Ok(None),
        }
    }
}

impl<'a> Iterator for Children<'a> {
    type Item = Result<Child<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        let child = self.find();
        if child.is_err() {
            self.open = None;
            self.fields.by_ref().for_each(drop);
        }
        child.transpose()
    }
}
