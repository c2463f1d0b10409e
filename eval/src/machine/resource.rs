//! §19.5 Resources: objects of resource classes, registered when they are constructed.

use super::{Flow, Machine, Step, Stop};
use crate::error::EvalErrorKind;
use crate::heap::{Body, Closure, LATENT, METHOD, ObjectId, Properties, Unknown, Value};
use crate::limits::Limit;
use crate::names::Name;
use crate::note::Note;
use crate::placement::{self, Relations};
use crate::program::AssetKind;
use crate::property::Property;
use coconut_format::Value as Json;
use coconut_format::graph::{ARCHIVE_SIGNATURE, ASSET_SIGNATURE, SIGNATURE_KEY};
use coconut_format::location::Location;
use coconut_format::names::member_name;
use std::sync::Arc;

/// The maximum nesting of a property, whatever the configured limit: documents allow no more.
const LEVELS: usize = 500;

/// The maximum number of notes of one evaluation.
const NOTES: usize = 1_000;

/// A resource of the graph.
#[derive(Clone, Debug)]
pub(crate) struct RegisteredResource {
    pub(crate) urn: Arc<str>,
    pub(crate) ty: Arc<str>,
    /// The properties at the time of construction.
    pub(crate) properties: Vec<(Arc<str>, Property)>,
    pub(crate) relations: Relations,
    pub(crate) id: Option<String>,
    /// The place of the construction.
    pub(crate) location: Option<Location>,
}

/// The values of a resource known before a deployment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) id: Option<String>,
    pub(crate) outputs: Vec<(String, Json)>,
}

/// Names resources, and supplies their known values.
pub(crate) trait Host {
    /// The URN of a resource. `parent` is the URN of its parent, and `name` the name given by the
    /// program. The property that names it becomes known.
    fn urn(
        &mut self,
        alloc: &str,
        parent: Option<&str>,
        ty: &str,
        name: Option<&str>,
        properties: &mut [(Arc<str>, Property)],
    ) -> String;

    /// Called for each resource in the order of construction. `all` contains this one and those
    /// before it.
    fn registered(&mut self, all: &[RegisteredResource]) -> Known;

    /// Whether a program ends where it needs an unknown value, as in a round of a deployment
    /// (§25.7).
    fn suspends(&self) -> bool {
        false
    }
}

impl Machine<'_> {
    pub(super) fn register(&mut self, object: ObjectId, class: u32) -> Step {
        if self.resources.len() >= self.limits.resources {
            return Err(Limit::Resources.into());
        }
        let mut properties = self.resource_properties(object)?;
        let is_placed = |(key, value): &(Arc<str>, Property)| {
            let is_unknown = |value: &Property| matches!(value, Property::Unknown { .. });
            let is_in = matches!(value, Property::List(items) if items.iter().any(is_unknown));
            placement::KEYS.contains(&&**key) && (is_unknown(value) || is_in)
        };
        if self.host.suspends() && properties.iter().any(is_placed) {
            return Err(Stop::Suspended);
        }
        let (identity, relations) = placement::take(&mut properties).map_err(EvalErrorKind::Resource)?;
        let stand_ins = |properties: &[(Arc<str>, Property)]| {
            let is_one = |(_, value): &&(Arc<str>, Property)| {
                matches!(value, Property::Unknown { stand_in: Some(_), .. })
            };
            properties.iter().filter(is_one).count()
        };
        let before = stand_ins(&properties);
        let ty = identity.ty.unwrap_or_else(|| Arc::clone(self.names.text(self.program.class(class).token)));
        let urn: Arc<str> = identity.urn.unwrap_or_else(|| {
            let parent = relations.parent.map(|parent| &*self.resources[parent as usize].urn);
            self.host.urn(&self.alloc, parent, &ty, identity.name.as_deref(), &mut properties).into()
        });
        if stand_ins(&properties) < before {
            if self.host.suspends() {
                return Err(Stop::Suspended);
            }
            self.note(format!("the name in `{urn}` is computed from unknown values; it may change"))?;
        }
        let number = u32::try_from(self.resources.len()).unwrap_or(u32::MAX);
        if self.urns.insert(Arc::clone(&urn), number).is_some() {
            return Err(EvalErrorKind::DuplicateUrn(urn.to_string()).into());
        }
        // The caller of the outermost constructor is the place of interest to users.
        let location = self.place_of_construction();
        self.resource_numbers.insert(object, number);
        self.resources.push(RegisteredResource {
            urn: Arc::clone(&urn),
            ty,
            properties,
            relations,
            id: None,
            location,
        });
        let Known { id, outputs } = self.host.registered(&self.resources);
        self.resources[number as usize].id.clone_from(&id);
        self.fill(object, Name::URN, &Json::String(urn.to_string()))?;
        if let Some(id) = id {
            self.fill(object, Name::ID, &Json::String(id))?;
        }
        for (name, value) in outputs {
            let name = self.names.number(&name);
            self.fill(object, name, &value)?;
        }
        Ok(())
    }

    fn place_of_construction(&self) -> Option<Location> {
        let mut frames = self.frames.iter().rev();
        frames.find_map(|frame| frame.code.location(frame.next.saturating_sub(1)).cloned())
    }

    /// Sets the value of an output. An output that the program has set keeps its value.
    fn fill(&mut self, object: ObjectId, name: Name, value: &Json) -> Step {
        let own = self.heap.object(object).properties.get(name).copied();
        let is_open = match own {
            Some(property) => {
                property.flags & LATENT != 0
                    || matches!(property.value, Value::Null)
                    || self.heap.unknown(property.value).is_some_and(|unknown| !unknown.derived)
            }
            None => self.inherited(object, name).is_some_and(|property| property.flags & METHOD == 0),
        };
        if !is_open {
            return Ok(());
        }
        let value = self.add_json(value)?;
        match self.heap.object_mut(object).properties.get_mut(name) {
            Some(property) => {
                property.value = value;
                property.flags &= !LATENT;
                Ok(())
            }
            None => self.add_property(object, name, 0, value),
        }
    }

    /// The properties of a resource: own ones in the order of their creation, then those of its
    /// classes.
    fn resource_properties(&mut self, object: ObjectId) -> Step<Vec<(Arc<str>, Property)>> {
        let names = self.data_names(object);
        let mut properties = Vec::with_capacity(names.len());
        for name in names {
            let value = self.data_value(object, name)?;
            let own_output = self
                .heap
                .unknown(value)
                .is_some_and(|unknown| !unknown.derived && unknown.sources == [object]);
            let property = match own_output {
                true => {
                    let element = self.heap.unknown(value).map(|unknown| unknown.element);
                    Property::Output(Arc::clone(self.names.text(element.unwrap_or(Name::INIT))))
                }
                false => {
                    let path = self.names.text(name).len();
                    self.property_of_value(value, 0, path)?
                }
            };
            let name = Arc::clone(self.names.text(name));
            self.write_out(name.len())?;
            properties.push((name, property));
        }
        Ok(properties)
    }

    /// Names of data properties, without duplicates: own ones, then those of prototypes.
    pub(super) fn data_names(&self, object: ObjectId) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        let mut seen = hashbrown::HashSet::new();
        let mut at = Some(object);
        while let Some(holder) = at {
            let current = self.heap.object(holder);
            for property in current.properties.iter() {
                if property.flags & METHOD == 0 && seen.insert(property.name) {
                    names.push(property.name);
                }
            }
            at = current.prototype;
        }
        names
    }

    pub(super) fn data_value(&mut self, object: ObjectId, name: Name) -> Step<Value> {
        Ok(match self.property(object, name)? {
            Some(super::property::Got::Value(value)) => value,
            _ => Value::Null,
        })
    }

    /// Counts the size of one value of the graph, without the values inside it.
    fn write_out(&mut self, bytes: usize) -> Step {
        self.heap.take(size_of::<Property>())?;
        self.output_bytes = self.output_bytes.saturating_add(bytes + 8);
        if self.output_bytes > self.limits.output_bytes { Err(Limit::Output.into()) } else { Ok(()) }
    }

    /// `path` is the length of the path in the graph. Recursion is bounded by the limit on levels.
    fn property_of_value(&mut self, value: Value, depth: usize, path: usize) -> Step<Property> {
        if depth >= self.limits.value_depth.min(LEVELS) {
            return Err(Limit::ValueDepth.into());
        }
        let bytes = match value {
            Value::Text(id) => self.heap.text(id).len(),
            Value::Object(id) => match (self.resource_numbers.get(&id), self.heap.unknown(value)) {
                (Some(&resource), _) => self.resources[resource as usize].urn.len(),
                (None, Some(unknown)) => {
                    let known = unknown.sources.iter().filter_map(|source| self.resource_numbers.get(source));
                    path + known.map(|&source| self.resources[source as usize].urn.len()).sum::<usize>()
                }
                (None, None) => 0,
            },
            _ => 0,
        };
        self.write_out(bytes)?;
        let id = match value {
            Value::Empty | Value::Null | Value::Cell(_) => return Ok(Property::Null),
            Value::Bool(flag) => return Ok(Property::Bool(flag)),
            Value::Number(number) => return Ok(Property::Number(number)),
            Value::Text(id) => return Ok(Property::Text(Arc::clone(self.heap.text(id)))),
            Value::Object(id) => id,
        };
        if let Some(&resource) = self.resource_numbers.get(&id) {
            return Ok(Property::Reference(resource));
        }
        match &self.heap.object(id).body {
            Body::Unknown(unknown) => {
                let Unknown { element, sources, stand_in, .. } = &**unknown;
                let stand_in = match stand_in {
                    Some(Value::Text(text)) => Some(Arc::clone(self.heap.text(*text))),
                    _ => None,
                };
                let sources =
                    sources.iter().filter_map(|source| self.resource_numbers.get(source).copied()).collect();
                Ok(Property::Unknown { ty: Arc::clone(self.names.text(*element)), sources, stand_in })
            }
            Body::Array(items) => {
                let items = items.clone();
                let mut list = Vec::with_capacity(items.len());
                for item in items {
                    list.push(self.property_of_value(item, depth + 1, path + 8)?);
                }
                Ok(Property::List(list))
            }
            Body::Function(_) => Ok(Property::Null),
            Body::Plain => {
                let class = self.program.classes_by_token.get(&self.heap.object(id).ty).copied().flatten();
                if let Some(kind) = class.and_then(|class| self.program.class(class).asset) {
                    return self.asset(id, kind, depth, path);
                }
                let mut entries = Vec::new();
                for name in self.data_names(id) {
                    let value = self.data_value(id, name)?;
                    let name = Arc::clone(self.names.text(name));
                    self.write_out(name.len())?;
                    let property = self.property_of_value(value, depth + 1, path + name.len())?;
                    entries.push((name, property));
                }
                Ok(Property::Object(entries))
            }
            Body::Pointer(_) | Body::Module(_) | Body::Prototype(_) | Body::Accessor { .. } => {
                let ty = self.names.text(self.heap.object(id).ty);
                let text = format!("a value of type '{ty}' cannot be in a property of a resource");
                Err(EvalErrorKind::Resource(text).into())
            }
        }
    }

    /// An asset or an archive. It has all members that its kind may have, in alphabetical order, as
    /// in documents of 2017; the one that tells where its content is, is not empty.
    fn asset(&mut self, object: ObjectId, kind: AssetKind, depth: usize, path: usize) -> Step<Property> {
        let (signature, members) = match kind {
            AssetKind::Asset => (ASSET_SIGNATURE, ["path", "text", "uri"]),
            AssetKind::Archive => (ARCHIVE_SIGNATURE, ["assets", "path", "uri"]),
        };
        let mut entries = vec![(Arc::from(SIGNATURE_KEY), Property::Text(signature.into()))];
        for member in members {
            let name = self.names.number(member);
            self.write_out(member.len())?;
            let value = self.data_value(object, name)?;
            let property = match self.property_of_value(value, depth + 1, path + member.len())? {
                Property::Null if member != "assets" => Property::Text("".into()),
                property => property,
            };
            entries.push((member.into(), property));
        }
        for name in self.data_names(object) {
            let text = Arc::clone(self.names.text(name));
            let value = self.data_value(object, name)?;
            if !members.contains(&&*text) && !matches!(value, Value::Null | Value::Empty) {
                let ty = self.names.text(self.heap.object(object).ty);
                let note = format!("`{text}` of an asset or archive (`{ty}`) is not in the graph");
                self.note(note)?;
            }
        }
        Ok(Property::Asset(entries))
    }

    /// `get` and `query` of a resource class ask a provider, which an evaluation does not have. The
    /// result of `get` is a resource that already exists, of which only the id is known.
    pub(super) fn resource_query(
        &mut self,
        closure: &Closure,
        floor: usize,
        arguments: usize,
    ) -> Step<Option<Flow>> {
        let function = self.program.function(closure.function);
        let Some(class) = function.class.filter(|_| !function.has_this) else { return Ok(None) };
        if !self.program.class(class).is_resource {
            return Ok(None);
        }
        let name = member_name(&function.token);
        match name {
            "get" if arguments == 1 => {
                let id = self.top(0);
                let definition = self.program.class(class);
                let (ty, prototype) = (definition.token, definition.prototype);
                let object = self.heap.add(crate::heap::Object {
                    ty,
                    prototype: Some(prototype),
                    properties: Properties::default(),
                    body: Body::Plain,
                })?;
                if self.inherited(object, Name::ID).is_some() {
                    self.add_property(object, Name::ID, 0, id)?;
                }
                let text = format!(
                    "`{}` is read from its provider; its values are unknown here",
                    self.names.text(ty)
                );
                self.note(text)?;
                self.stack.truncate(floor);
                self.stack.push(Value::Object(object));
                Ok(Some(Flow::Next))
            }
            "query" => {
                let text = format!("'{}' asks a provider, which an evaluation does not have", function.token);
                Err(self.exception(&text))
            }
            _ => Ok(None),
        }
    }

    /// The graph contains the properties that a resource had at its construction.
    pub(super) fn note_late_assignment(&mut self, object: ObjectId, name: Name) -> Step {
        if let Some(&resource) = self.resource_numbers.get(&object) {
            let text = format!(
                "`{}` is assigned after `{}` was constructed, so it is not in the graph",
                self.names.text(name),
                self.resources[resource as usize].urn
            );
            self.note(text)?;
        }
        Ok(())
    }

    pub(super) fn note(&mut self, text: String) -> Step {
        if self.notes.len() < NOTES {
            self.heap.take(text.len())?;
            self.notes.push(Note { text, location: self.place_of_construction() });
        }
        Ok(())
    }
}
