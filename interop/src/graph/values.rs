//! Conversions of values from one system to another.
//!
//! | value | to Pulumi | to Terraform |
//! |---|---|---|
//! | secret | signed, as JSON text | as it is, and its path is listed |
//! | encrypted | as it is | as it is, and its path is listed |
//! | reference object | signed, with URN and id | the id |
//! | not known yet | as it is | null |
//! | asset, archive | as it is | as it is |

use super::finding::Findings;
use super::model::Values;
use crate::output::Output;
use coconut_codec::event::SinkError;
use coconut_codec::text::json;
use coconut_codec::text::json::{JsonOptions, JsonStyle, Printer};
use coconut_format::graph::{PathSet, Place, SECRET_SIGNATURE, SIGNATURE_KEY, Secret, Special};
use coconut_format::node::{Kind, Node};
use coconut_format::pointer::{push_index, push_key, unescape};

const RESOURCE_REFERENCE: &str = "5cf8f73096256a8f31e491e813e4eb8e";

/// A step on the path to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An attribute of a resource, or of an object inside it.
    Attribute(String),
    /// A key of a map.
    Key(String),
    Item(usize),
}

/// A resource to which a value refers.
pub(super) struct Referred {
    pub(super) urn: String,
    pub(super) id: Option<String>,
}

/// The resources to which reference objects lead.
pub(super) trait Resources {
    /// The resource with this key.
    fn with_key(&self, key: &str) -> Option<Referred>;
}

/// The state needed to write values, and the findings.
pub(super) struct Writing<'w> {
    pub(super) secrets: &'w PathSet,
    pub(super) resource: &'w dyn Resources,
    pub(super) subject: &'w str,
    pub(super) findings: &'w mut Findings,
    /// The paths of the secrets found, for Terraform.
    pub(super) found: Vec<Vec<Step>>,
}

impl Writing<'_> {
    /// The number of the secret at a pointer.
    fn place(&self, pointer: &str) -> Place {
        let mut place = self.secrets.root();
        for part in pointer.split('/').skip(1) {
            let key = unescape(part);
            let entry = self.secrets.enter_key(place, &key);
            place = match (entry, key.parse()) {
                (Place::Outside, Ok(index)) => self.secrets.enter_item(place, index),
                (entry, _) => entry,
            };
        }
        place
    }

    /// Pushes values in the notation of Pulumi.
    pub(super) fn push_for_pulumi<'a, N: Node<'a>>(
        &mut self,
        values: &Values<N>,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        let place = self.place(&values.pointer);
        let mut pointer = values.pointer.clone();
        if values.node.kind() != Kind::Object {
            return self.pulumi(values.node, place, &mut pointer, out);
        }
        // The object itself is not a value, so only its items can be secrets.
        out.begin()?;
        for (key, value) in values.node.entries() {
            out.key(key)?;
            push_key(&mut pointer, key);
            self.pulumi(value, self.secrets.enter_key(place, key), &mut pointer, out)?;
            pointer.truncate(values.pointer.len());
        }
        out.end()
    }

    fn pulumi<'a, N: Node<'a>>(
        &mut self,
        node: N,
        place: Place,
        pointer: &mut String,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        // A value that the source encrypted or signed is already a secret.
        let is_signed = node.kind() == Kind::Object && node.get(SIGNATURE_KEY).is_some();
        if place == Place::Inside && !is_signed {
            return push_secret(node, out);
        }
        let length = pointer.len();
        match node.kind() {
            Kind::List => {
                out.count()?;
                out.sink.begin_list()?;
                for (index, item) in node.items().enumerate() {
                    push_index(pointer, index);
                    self.pulumi(item, self.secrets.enter_item(place, index), pointer, out)?;
                    pointer.truncate(length);
                }
                out.sink.end_list()
            }
            Kind::Object => {
                if let Some(referred) = self.referred(node) {
                    self.findings.assumed(
                        "a reference object becomes a reference to the resource, not to its value",
                        self.subject,
                        pointer.clone(),
                    );
                    return push_resource_reference(&referred, out);
                }
                out.count()?;
                out.begin()?;
                for (key, value) in node.entries() {
                    out.key(key)?;
                    push_key(pointer, key);
                    self.pulumi(value, self.secrets.enter_key(place, key), pointer, out)?;
                    pointer.truncate(length);
                }
                out.end()
            }
            _ => out.scalar(node),
        }
    }

    /// The resource of `{"#ref": key}`.
    fn referred<'a, N: Node<'a>>(&self, node: N) -> Option<Referred> {
        let key = node.get("#ref").filter(|_| node.width() == 1)?.as_str()?;
        self.resource.with_key(key)
    }

    /// Pushes values in the notation of Terraform.
    pub(super) fn push_for_terraform<'a, N: Node<'a>>(
        &mut self,
        values: &Values<N>,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        let place = self.place(&values.pointer);
        self.terraform(values.node, place, &mut Vec::new(), &mut values.pointer.clone(), out)
    }

    fn terraform<'a, N: Node<'a>>(
        &mut self,
        node: N,
        mut place: Place,
        path: &mut Vec<Step>,
        pointer: &mut String,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        // The attributes themselves are not a value, so only their entries are listed.
        if place == Place::Inside && !(path.is_empty() && node.kind() == Kind::Object) {
            self.found.push(path.clone());
            // Everything below it is listed with it.
            place = Place::Outside;
        }
        let is_special = matches!(node.kind(), Kind::String | Kind::Object);
        match Special::of(node).filter(|_| is_special) {
            None => {}
            Some(Special::Secret(secret)) => {
                if self.found.last() != Some(path) {
                    self.found.push(path.clone());
                }
                return self.push_opened(node, secret, pointer, out);
            }
            Some(Special::Unknown(_)) => {
                self.findings.lost("a value that is not known yet", self.subject, pointer.clone());
                return out.sink.null();
            }
            Some(Special::ResourceReference { urn, id }) => {
                let id = id.and_then(Node::as_str).filter(|id| !id.is_empty());
                let what = "a reference to a resource becomes its id";
                self.findings.assumed(what, self.subject, pointer.clone());
                return out.sink.string(id.unwrap_or(urn));
            }
            Some(_) => {
                let what = "a signed value stays in Pulumi's notation";
                self.findings.assumed(what, self.subject, pointer.clone());
                return out.value(node);
            }
        }
        let length = pointer.len();
        match node.kind() {
            Kind::List => {
                out.count()?;
                out.sink.begin_list()?;
                for (index, item) in node.items().enumerate() {
                    push_index(pointer, index);
                    path.push(Step::Item(index));
                    self.terraform(item, self.secrets.enter_item(place, index), path, pointer, out)?;
                    path.pop();
                    pointer.truncate(length);
                }
                out.sink.end_list()
            }
            Kind::Object => {
                if let Some(referred) = self.referred(node) {
                    self.findings.assumed(
                        "a reference object becomes the id of the resource",
                        self.subject,
                        pointer.clone(),
                    );
                    return out.sink.string(referred.id.as_deref().unwrap_or(&referred.urn));
                }
                out.count()?;
                out.begin()?;
                let is_map = is_map(node, path.last());
                for (key, value) in node.entries() {
                    out.key(key)?;
                    push_key(pointer, key);
                    let inner = self.secrets.enter_key(place, key);
                    let key = key.to_owned();
                    path.push(if is_map { Step::Key(key) } else { Step::Attribute(key) });
                    self.terraform(value, inner, path, pointer, out)?;
                    path.pop();
                    pointer.truncate(length);
                }
                out.end()
            }
            _ => out.scalar(node),
        }
    }

    /// The value inside a secret, if it is readable without a key.
    fn push_opened<'a, N: Node<'a>>(
        &mut self,
        node: N,
        secret: Secret<'_>,
        pointer: &str,
        out: &mut Output<'_>,
    ) -> Result<(), SinkError> {
        if let Secret::Plaintext(text) = secret {
            // The text is read twice, so that text other than JSON leaves nothing in the sink.
            let mut sink = coconut_codec::event::ValueSink::new();
            let is_read = json::read(text.as_bytes(), &mut sink, &JsonOptions::default()).is_ok();
            if let Some(value) = sink.finish().filter(|_| is_read) {
                return out.value(&value);
            }
        }
        let what = "an encrypted value stays in Pulumi's notation, since only its stack can decrypt it";
        self.findings.assumed(what, self.subject, pointer);
        out.value(node)
    }
}

/// Guesses whether an object at this step is a map; only the schema of a provider records it. A map
/// is an attribute or an entry of a map, and all of its values are strings or secrets. An item of a
/// list is a block.
fn is_map<'a, N: Node<'a>>(node: N, at: Option<&Step>) -> bool {
    let is_text = |value: N| match value.kind() {
        Kind::String => true,
        Kind::Object => matches!(Special::of(value), Some(Special::Secret(_))),
        _ => false,
    };
    matches!(at, Some(Step::Attribute(_) | Step::Key(_))) && node.entries().all(|(_, value)| is_text(value))
}

/// A value as an unencrypted secret.
pub(super) fn push_secret<'a, N: Node<'a>>(node: N, out: &mut Output<'_>) -> Result<(), SinkError> {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    Output::new(&mut printer).value(node)?;
    let text = printer.finish().map_err(|error| SinkError::Output(error.to_string()))?;
    let text = String::from_utf8(text).map_err(|error| SinkError::Output(error.to_string()))?;
    out.begin()?;
    out.text(SIGNATURE_KEY, SECRET_SIGNATURE)?;
    out.text("plaintext", &text)?;
    out.end()
}

fn push_resource_reference(referred: &Referred, out: &mut Output<'_>) -> Result<(), SinkError> {
    out.begin()?;
    out.text(SIGNATURE_KEY, RESOURCE_REFERENCE)?;
    out.text("urn", &referred.urn)?;
    if let Some(id) = &referred.id {
        out.text("id", id)?;
    }
    out.end()
}
