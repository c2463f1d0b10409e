//! §19.2 The values of a running program.
//!
//! Values have 16 bytes and are copied. Objects, strings and cells are in vectors that only grow.
//! They are freed together at the end of the evaluation, and the heap limit bounds them until then.

use crate::limits::Limit;
use crate::names::Name;
use hashbrown::HashMap;
use std::rc::Rc;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TextId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ObjectId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CellId(pub(crate) u32);

/// The kind is a whole word, so that a copy is two words. With a kind of one byte, a copy would
/// wait until the bytes around it are stored.
#[derive(Clone, Copy, Debug)]
#[repr(u64)]
pub(crate) enum Value {
    /// A variable that has not been declared yet, or an array element that was never set. Programs
    /// never see it.
    Empty,
    Null,
    Bool(bool),
    Number(f64),
    Text(TextId),
    Object(ObjectId),
    /// A local variable shared by a lambda. Occurs only in frames.
    Cell(CellId),
}

#[derive(Debug)]
pub(crate) struct Object {
    /// The token of its type.
    pub(crate) ty: Name,
    pub(crate) prototype: Option<ObjectId>,
    pub(crate) properties: Properties,
    pub(crate) body: Body,
}

/// The parts of an object other than its properties.
#[derive(Debug)]
pub(crate) enum Body {
    Plain,
    Array(Vec<Value>),
    Function(Closure),
    Pointer(Place),
    /// The exports of a module.
    Module(u32),
    /// The prototype of a class, which is also the value of the class.
    Prototype(u32),
    Unknown(Box<Unknown>),
    Accessor {
        getter: Option<ObjectId>,
        setter: Option<ObjectId>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Closure {
    pub(crate) function: u32,
    pub(crate) this: Option<ObjectId>,
    pub(crate) captures: Option<Rc<[CellId]>>,
}

/// The target of a pointer.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Cell(CellId),
    Property(ObjectId, Name),
    Element(ObjectId, u32),
}

/// §19.5 A value that is not known before a deployment.
#[derive(Clone, Debug)]
pub(crate) struct Unknown {
    /// The type of the value once it is known.
    pub(crate) element: Name,
    /// The resources from which it comes, without duplicates.
    pub(crate) sources: Vec<ObjectId>,
    /// Whether it was computed from a property, rather than being the property itself.
    pub(crate) derived: bool,
    /// The value that it would have if the unknown parts of its JSON were empty objects. It counts
    /// where a value is required.
    pub(crate) stand_in: Option<Value>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Property {
    pub(crate) name: Name,
    pub(crate) flags: u8,
    pub(crate) value: Value,
}

/// The property cannot be assigned to.
pub(crate) const READONLY: u8 = 1;
/// A class of a module whose prototype has not been created yet.
pub(crate) const CLASS: u8 = 2;
/// An output of a resource class, which is not known before a deployment. The value of the property
/// is the token of its type, as a string.
pub(crate) const LATENT: u8 = 4;
/// A property that no program created or set: functions of prototypes.
pub(crate) const METHOD: u8 = 8;

/// Properties in the order of their creation.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    list: Vec<Property>,
    /// Their positions, from [`Properties::SMALL`] properties on.
    index: Option<Box<HashMap<Name, u32>>>,
}

impl Properties {
    const SMALL: usize = 10;
    /// The number of properties for which memory is reserved in advance.
    const RESERVED: usize = 8;

    #[inline]
    pub(crate) fn position(&self, name: Name) -> Option<usize> {
        match &self.index {
            None => self.list.iter().position(|property| property.name == name),
            Some(index) => index.get(&name).map(|&at| at as usize),
        }
    }

    #[inline]
    pub(crate) fn get(&self, name: Name) -> Option<&Property> {
        self.position(name).map(|at| &self.list[at])
    }

    pub(crate) fn get_mut(&mut self, name: Name) -> Option<&mut Property> {
        self.position(name).map(|at| &mut self.list[at])
    }

    #[inline]
    pub(crate) fn at(&self, position: usize) -> &Property {
        &self.list[position]
    }

    #[inline]
    pub(crate) fn at_mut(&mut self, position: usize) -> &mut Property {
        &mut self.list[position]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Property> {
        self.list.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// Reserves exactly `count` properties, so small objects do not over-allocate.
    pub(crate) fn reserve(&mut self, count: usize) {
        let more = count.saturating_sub(self.list.len());
        self.list.reserve_exact(more.min(Properties::RESERVED));
    }

    /// Adds a property that does not exist yet.
    pub(crate) fn push(&mut self, property: Property) -> usize {
        let position = self.list.len();
        if let Some(index) = &mut self.index {
            index.insert(property.name, u32::try_from(position).unwrap_or(u32::MAX));
        }
        if self.list.len() == self.list.capacity() {
            // Most objects are small, and there are many of them.
            self.list.reserve_exact((self.list.len() / 4).max(2));
        }
        self.list.push(property);
        if self.index.is_none() && self.list.len() > Properties::SMALL {
            let places = (0u32..).zip(&self.list).map(|(at, property)| (property.name, at));
            self.index = Some(Box::new(places.collect()));
        }
        position
    }
}

/// All objects, strings and cells of one evaluation.
#[derive(Debug)]
pub(crate) struct Heap {
    pub(crate) objects: Vec<Object>,
    texts: Vec<Arc<str>>,
    pub(crate) cells: Vec<Value>,
    used: usize,
    limit: usize,
}

const OBJECT_BYTES: usize = size_of::<Object>();
const PROPERTY_BYTES: usize = size_of::<Property>();

impl Heap {
    pub(crate) fn new(limit: usize) -> Heap {
        Heap { objects: Vec::new(), texts: Vec::new(), cells: Vec::new(), used: 0, limit }
    }

    /// The size in bytes of everything allocated so far.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    /// Counts `bytes` before they are allocated.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Limit> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.limit { Err(Limit::Heap) } else { Ok(()) }
    }

    pub(crate) fn add(&mut self, object: Object) -> Result<ObjectId, Limit> {
        let extra = match &object.body {
            Body::Array(items) => items.len() * size_of::<Value>(),
            Body::Unknown(unknown) => size_of::<Unknown>() + unknown.sources.len() * size_of::<ObjectId>(),
            _ => 0,
        };
        self.take(OBJECT_BYTES + extra)?;
        let id = u32::try_from(self.objects.len()).map_err(|_| Limit::Heap)?;
        self.objects.push(object);
        Ok(ObjectId(id))
    }

    #[inline]
    pub(crate) fn object(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    #[inline]
    pub(crate) fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        &mut self.objects[id.0 as usize]
    }

    /// Adds a property that the object does not have.
    pub(crate) fn push_property(
        &mut self,
        id: ObjectId,
        property: Property,
        most: usize,
    ) -> Result<(), Limit> {
        self.take(PROPERTY_BYTES)?;
        let properties = &mut self.object_mut(id).properties;
        if properties.len() >= most {
            return Err(Limit::Object);
        }
        properties.push(property);
        Ok(())
    }

    pub(crate) fn text(&self, id: TextId) -> &Arc<str> {
        &self.texts[id.0 as usize]
    }

    pub(crate) fn add_text(&mut self, text: Arc<str>) -> Result<TextId, Limit> {
        self.take(text.len() + size_of::<Arc<str>>())?;
        let id = u32::try_from(self.texts.len()).map_err(|_| Limit::Heap)?;
        self.texts.push(text);
        Ok(TextId(id))
    }

    pub(crate) fn add_cell(&mut self, value: Value) -> Result<CellId, Limit> {
        self.take(size_of::<Value>())?;
        let id = u32::try_from(self.cells.len()).map_err(|_| Limit::Heap)?;
        self.cells.push(value);
        Ok(CellId(id))
    }

    pub(crate) fn unknown(&self, value: Value) -> Option<&Unknown> {
        match value {
            Value::Object(id) => match &self.object(id).body {
                Body::Unknown(unknown) => Some(unknown),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_takes_128_bytes_and_32_for_each_property() {
        assert_eq!(size_of::<Value>(), 16);
        for reserved in [0, 3] {
            let mut properties = Properties::default();
            properties.reserve(reserved);
            for count in 1..=Properties::SMALL {
                let name = Name(u32::try_from(count).unwrap());
                properties.push(Property { name, flags: 0, value: Value::Null });
                let bytes = size_of::<Object>() + properties.list.capacity() * size_of::<Property>();
                assert!(bytes <= 128 + 32 * count.max(reserved), "{count}: {bytes}");
            }
        }
    }
}
