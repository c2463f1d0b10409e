//! §15.1 Building snapshots in which every reference has a target.

use super::{Special, visit_all};
use crate::names::{PackageUrl, Token};
use crate::node::{Kind, Node};
use crate::urn::{Urn, UrnError};
use crate::value::Value;
use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

/// Builds a snapshot, the graph document of dialect `coconut-snapshot`, one resource after another.
///
/// A reference can only be made to a resource that was added before. So there are no dangling
/// references and no cycles, and every resource comes after those that it depends on:
/// `verify::verify_graph` finds nothing in the result.
///
/// ```
/// use coconut_format::Value;
/// use coconut_format::graph::{Property, SnapshotBuilder};
/// use coconut_format::names::{PackageUrl, Token};
///
/// let mut snapshot = SnapshotBuilder::new(&PackageUrl::parse("my/cluster#>=1.0.0")?);
/// let vpc = snapshot.resource("VPC", &Token::parse("aws:ec2/vpc:VPC")?, [])?;
/// let subnet = [("vpcId", Property::from(&vpc)), ("cidrBlock", "10.0.0.0/24".into())];
/// snapshot.resource("Subnet", &Token::parse("aws:ec2/subnet:Subnet")?, subnet)?;
/// let document = snapshot.finish()?;
/// let subnet = document.get("resources").and_then(|all| all.get("Subnet")).expect("it was added");
/// let vpc = subnet.get("properties").and_then(|all| all.get("vpcId")).expect("it was set");
/// assert_eq!(vpc.get("#ref").and_then(Value::as_str), Some("VPC"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SnapshotBuilder {
    package: String,
    arguments: Option<Value>,
    resources: Vec<(String, Value)>,
    /// The keys of `resources`, shared with the handles.
    keys: HashSet<Arc<str>>,
}

/// A resource of a [`SnapshotBuilder`], for references to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceHandle(Arc<str>);

impl ResourceHandle {
    /// The key of the resource.
    pub fn key(&self) -> &str {
        &self.0
    }
}

/// The value of a property: ordinary data with references in it.
#[derive(Clone, Debug, PartialEq)]
pub enum Property {
    /// Data without references.
    Value(Value),
    /// A reference to a resource.
    Reference(ResourceHandle),
    /// A list of properties.
    List(Vec<Property>),
    /// Properties by name.
    Object(Vec<(String, Property)>),
}

impl From<&ResourceHandle> for Property {
    fn from(resource: &ResourceHandle) -> Property {
        Property::Reference(resource.clone())
    }
}

impl<V: Into<Value>> From<V> for Property {
    fn from(value: V) -> Property {
        Property::Value(value.into())
    }
}

/// The reasons why a resource or a snapshot cannot be built.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum SnapshotError {
    /// The key is empty.
    EmptyKey,
    /// Another resource has this key.
    RepeatedKey(String),
    /// The key begins with `urn:` and is not a URN.
    Urn(UrnError),
    /// The type in the URN differs from the type of the resource.
    Type {
        /// The type in the URN.
        expected: String,
        /// The given type.
        found: String,
    },
    /// An object has this key twice.
    RepeatedName(String),
    /// A number that JSON cannot represent: infinite, or not a number.
    Number,
    /// Data that would be read as a reference: an object whose only entry is a string with this
    /// key.
    LooksLikeReference(String),
    /// Data that would be read as an unknown value, or that has an unknown signature.
    Placeholder,
    /// The handle belongs to another snapshot, which has a resource of this key.
    ForeignHandle(String),
    /// There are no resources. A reader recognises the dialect by its resources.
    NoResources,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SnapshotError::EmptyKey => write!(f, "the key of the resource is empty"),
            SnapshotError::RepeatedKey(key) => write!(f, "duplicate resource key `{key}`"),
            SnapshotError::Urn(error) => write!(f, "the key is not a URN: {error}"),
            SnapshotError::Type { expected, found } => {
                write!(f, "the type in the URN is `{expected}`, that of the resource `{found}`")
            }
            SnapshotError::RepeatedName(name) => write!(f, "duplicate key `{name}` in an object"),
            SnapshotError::Number => write!(f, "a number is not finite"),
            SnapshotError::LooksLikeReference(key) => {
                write!(
                    f,
                    "an object with the one key `{key}` would be a reference; choose another key for those"
                )
            }
            SnapshotError::Placeholder => {
                write!(f, "a snapshot cannot contain unknown values or unknown signatures")
            }
            SnapshotError::ForeignHandle(key) => {
                write!(f, "the handle of `{key}` belongs to another snapshot")
            }
            SnapshotError::NoResources => write!(f, "the snapshot has no resources"),
        }
    }
}

impl std::error::Error for SnapshotError {}

impl SnapshotError {
    /// Returns the stable code, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            SnapshotError::Urn(error) => error.code(),
            _ => crate::code::BUILD_GRAPH,
        }
    }
}

crate::explained!(SnapshotError);

/// The key of reference objects.
const REFERENCE_KEY: &str = "#ref";

impl SnapshotBuilder {
    /// Begins the snapshot of the resources created by `package`.
    pub fn new(package: &PackageUrl) -> SnapshotBuilder {
        SnapshotBuilder {
            package: package.to_string(),
            arguments: None,
            resources: Vec::new(),
            keys: HashSet::new(),
        }
    }

    /// Sets the arguments of the package's run.
    ///
    /// # Errors
    ///
    /// Data that [`resource`](Self::resource) refuses.
    pub fn arguments(&mut self, arguments: Value) -> Result<(), SnapshotError> {
        check(&arguments)?;
        self.arguments = Some(arguments);
        Ok(())
    }

    /// Adds a resource without a provider id. Returns the handle for references to it.
    ///
    /// # Errors
    ///
    /// Refuses a key that is empty, already used, or begins with `urn:` and is not the URN of such
    /// a resource. Also refuses data that would be read as something else, and a handle of another
    /// snapshot. The builder is then unchanged.
    pub fn resource<'p>(
        &mut self,
        key: &str,
        resource_type: &Token,
        properties: impl IntoIterator<Item = (&'p str, Property)>,
    ) -> Result<ResourceHandle, SnapshotError> {
        self.add(key, None, resource_type, properties)
    }

    /// Adds a resource with its provider's `id`, like [`resource`](Self::resource).
    ///
    /// # Errors
    ///
    /// Like [`resource`](Self::resource).
    pub fn resource_with_id<'p>(
        &mut self,
        key: &str,
        id: &str,
        resource_type: &Token,
        properties: impl IntoIterator<Item = (&'p str, Property)>,
    ) -> Result<ResourceHandle, SnapshotError> {
        self.add(key, Some(id), resource_type, properties)
    }

    /// The document.
    ///
    /// # Errors
    /// [`NoResources`](SnapshotError::NoResources).
    pub fn finish(self) -> Result<Value, SnapshotError> {
        if self.resources.is_empty() {
            return Err(SnapshotError::NoResources);
        }
        let text = |text: String| Value::String(text);
        let head = [
            ("package", Some(text(self.package))),
            ("args", self.arguments),
            ("resources", Some(Value::Object(self.resources))),
        ];
        Ok(object(head))
    }

    fn add<'p>(
        &mut self,
        key: &str,
        id: Option<&str>,
        resource_type: &Token,
        properties: impl IntoIterator<Item = (&'p str, Property)>,
    ) -> Result<ResourceHandle, SnapshotError> {
        self.check_key(key, resource_type)?;
        let properties = properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let properties = self.data(Property::Object(properties))?;
        let text = |text: &str| Value::String(text.to_owned());
        let has_properties = properties.as_object().is_some_and(|entries| !entries.is_empty());
        let resource = object([
            ("id", id.map(text)),
            ("type", Some(text(resource_type.as_str()))),
            ("properties", has_properties.then_some(properties)),
        ]);
        let handle: Arc<str> = key.into();
        self.keys.insert(handle.clone());
        self.resources.push((key.to_owned(), resource));
        Ok(ResourceHandle(handle))
    }

    fn check_key(&self, key: &str, resource_type: &Token) -> Result<(), SnapshotError> {
        if key.is_empty() {
            return Err(SnapshotError::EmptyKey);
        }
        if self.keys.contains(key) {
            return Err(SnapshotError::RepeatedKey(key.to_owned()));
        }
        if !key.starts_with("urn:") {
            return Ok(());
        }
        let expected = Urn::parse(key).map_err(SnapshotError::Urn)?.type_token();
        let found = resource_type.as_str();
        match expected == found {
            true => Ok(()),
            false => Err(SnapshotError::Type { expected: expected.to_owned(), found: found.to_owned() }),
        }
    }

    /// A property as data, references included.
    fn data(&self, property: Property) -> Result<Value, SnapshotError> {
        match property {
            Property::Value(value) => check(&value).map(|()| value),
            Property::Reference(ResourceHandle(key)) => match self.keys.get(&key) {
                Some(own) if Arc::ptr_eq(own, &key) => {
                    Ok(object([(REFERENCE_KEY, Some(Value::String(key.as_ref().to_owned())))]))
                }
                _ => Err(SnapshotError::ForeignHandle(key.as_ref().to_owned())),
            },
            Property::List(items) => {
                let items = items.into_iter().map(|item| self.data(item));
                items.collect::<Result<_, _>>().map(Value::List)
            }
            Property::Object(entries) => {
                let entries = entries.into_iter().map(|(name, value)| Ok((name, self.data(value)?)));
                let object = Value::Object(entries.collect::<Result<_, _>>()?);
                check_level(&object).map(|()| object)
            }
        }
    }
}

/// Checks that data would be read as the same data.
fn check(value: &Value) -> Result<(), SnapshotError> {
    let mut result = Ok(());
    visit_all(value, |_, value| {
        if result.is_ok() {
            result = check_level(value);
        }
    });
    result
}

fn check_level(value: &Value) -> Result<(), SnapshotError> {
    if let Value::Float(number) = value
        && !number.is_finite()
    {
        return Err(SnapshotError::Number);
    }
    if let Value::Object(entries) = value {
        if let [(key, only)] = entries.as_slice()
            && key == REFERENCE_KEY
            && only.kind() == Kind::String
        {
            return Err(SnapshotError::LooksLikeReference(key.clone()));
        }
        let mut names = HashSet::new();
        if let Some((name, _)) = entries.iter().find(|(name, _)| !names.insert(name)) {
            return Err(SnapshotError::RepeatedName(name.clone()));
        }
    }
    match Special::of(value) {
        Some(Special::Unknown(_) | Special::Unrecognised(_)) => Err(SnapshotError::Placeholder),
        _ => Ok(()),
    }
}

/// An object with those `entries` that have a value.
fn object<'k>(entries: impl IntoIterator<Item = (&'k str, Option<Value>)>) -> Value {
    let entries = entries.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(entries.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landmark::Dialect;
    use crate::verify::verify_graph;

    const UNKNOWN: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

    fn snapshot() -> SnapshotBuilder {
        SnapshotBuilder::new(&PackageUrl::Any)
    }

    fn token(text: &str) -> Token {
        Token::parse(text).unwrap()
    }

    fn refused(key: &str, property: impl Into<Property>) -> SnapshotError {
        let mut snapshot = snapshot();
        snapshot.resource("first", &token("p:m:T"), []).unwrap();
        let before = snapshot.resources.clone();
        let error = snapshot.resource(key, &token("p:m:T"), [("p", property.into())]).unwrap_err();
        assert_eq!(snapshot.resources, before);
        error
    }

    fn one(key: &str, value: Value) -> Value {
        Value::Object(vec![(key.to_owned(), value)])
    }

    #[test]
    fn what_is_built_breaks_no_rule() {
        let mut snapshot = snapshot();
        snapshot.arguments(one("size", Value::Integer(3u64.into()))).unwrap();
        let first = snapshot.resource("a", &token("p:m:T"), []).unwrap();
        let urn = "urn:pulumi:s::p::p:m:U::b";
        let second = [("deep", Property::List(vec![Property::from(&first), Value::Null.into()]))];
        let second = snapshot.resource_with_id(urn, "i-1", &token("p:m:U"), second).unwrap();
        assert_eq!(second.key(), urn);
        let both = Property::Object(vec![("x".into(), (&first).into()), ("y".into(), (&second).into())]);
        // Not a string, so not a reference.
        let data = one("#ref", Value::Null);
        snapshot.resource("c", &token("p:m:T"), [("both", both), ("data", data.into())]).unwrap();
        let document = snapshot.finish().unwrap();
        let dialect = Dialect::of(&document).unwrap();
        assert_eq!(dialect.name, "coconut-snapshot");
        assert_eq!(verify_graph(&document, dialect), []);
        let graph = crate::graph::Graph::new(&document, dialect);
        let last = graph.resource("c").next().unwrap();
        let keys: Vec<_> = graph.dependencies(last).map(|(_, resource)| resource.key()).collect();
        assert_eq!(keys, ["a", urn]);
    }

    #[test]
    fn keys_are_distinct_and_urns_are_right() {
        assert_eq!(refused("", Value::Null), SnapshotError::EmptyKey);
        assert_eq!(refused("first", Value::Null), SnapshotError::RepeatedKey("first".into()));
        let found = refused("urn:pulumi:s::p::p:m:U::b", Value::Null);
        assert_eq!(found, SnapshotError::Type { expected: "p:m:U".into(), found: "p:m:T".into() });
        assert!(matches!(refused("urn:pulumi:s", Value::Null), SnapshotError::Urn(_)));
    }

    #[test]
    fn data_stays_what_it_is() {
        assert_eq!(refused("k", Value::Float(f64::NAN)), SnapshotError::Number);
        let reference = Value::List(vec![one("#ref", Value::String("first".into()))]);
        assert_eq!(refused("k", reference), SnapshotError::LooksLikeReference("#ref".into()));
        let twice = Value::Object(vec![("a".into(), Value::Null), ("a".into(), Value::Null)]);
        assert_eq!(refused("k", twice), SnapshotError::RepeatedName("a".into()));
        let twice =
            Property::Object(vec![("a".into(), Value::Null.into()), ("a".into(), Value::Null.into())]);
        assert_eq!(refused("k", twice), SnapshotError::RepeatedName("a".into()));
        assert_eq!(refused("k", UNKNOWN), SnapshotError::Placeholder);
    }

    #[test]
    fn handles_are_of_one_snapshot() {
        let mut other = snapshot();
        let foreign = other.resource("first", &token("p:m:T"), []).unwrap();
        assert_eq!(refused("k", &foreign), SnapshotError::ForeignHandle("first".into()));
    }

    #[test]
    fn an_empty_snapshot_is_refused() {
        assert_eq!(snapshot().finish().unwrap_err(), SnapshotError::NoResources);
    }
}
