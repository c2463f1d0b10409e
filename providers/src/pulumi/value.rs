//! §25.6 Values on their way to a provider and back, as `google.protobuf.Struct`.

use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_deploy::Properties;
use coconut_format::Value;
use coconut_format::graph::{
    ARCHIVE_SIGNATURE, ASSET_SIGNATURE, AssetContent, SECRET_SIGNATURE, SIGNATURE_KEY, Secret, Special,
};
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value as WireValue};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::fmt;
use std::fs;

const RESOURCE: &str = "5cf8f73096256a8f31e491e813e4eb8e";
const OUTPUT: &str = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const FLOAT: &str = "8ad145fe-0d11-4827-bfd7-1abcbf086f5c";
/// Since 2018 the text of an unknown string stands for all types.
const UNKNOWN: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
/// Larger integers are not exact as a double.
const LARGEST_INTEGER: u64 = 1 << 53;

/// The abilities of a provider, as far as they change values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accepts {
    pub(crate) secrets: bool,
    pub(crate) resources: bool,
    pub(crate) bytes: bool,
}

/// The content of assets and archives in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    Sent,
    /// Only the hash is sent, where there is one.
    Omitted,
}

/// Whether a value may be unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unknowns {
    Allowed,
    Refused,
}

/// A value that cannot pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValueError {
    /// The path of the value: property, `.key`, `[index]`.
    pub(crate) path: String,
    pub(crate) reason: &'static str,
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.path, self.reason)
    }
}

impl ValueError {
    fn new(reason: &'static str) -> ValueError {
        ValueError { path: String::new(), reason }
    }

    fn under(mut self, part: &str) -> ValueError {
        let is_inner = self.path.is_empty() || self.path.starts_with('[');
        self.path = format!("{part}{}{}", if is_inner { "" } else { "." }, self.path);
        self
    }
}

/// How values are sent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Encoder {
    pub(crate) accepts: Accepts,
    pub(crate) contents: Contents,
    pub(crate) unknowns: Unknowns,
}

impl Encoder {
    pub(crate) fn properties(&self, properties: &[(String, Value)]) -> Result<Struct, ValueError> {
        let fields = properties.iter().map(|(key, value)| {
            Ok((key.clone(), self.value(value).map_err(|error: ValueError| error.under(key))?))
        });
        Ok(Struct { fields: fields.collect::<Result<_, ValueError>>()? })
    }

    /// Recursion is bounded by the levels of a document.
    fn value(&self, value: &Value) -> Result<WireValue, ValueError> {
        if let Some(special) = Special::of(value) {
            return self.special(value, special);
        }
        let kind = match value {
            Value::Null => Kind::NullValue(0),
            Value::Bool(value) => Kind::BoolValue(*value),
            Value::Integer(integer) => {
                let size = integer.as_u64().or_else(|| integer.as_i64().map(i64::unsigned_abs));
                if size.is_none_or(|size| size > LARGEST_INTEGER) {
                    return Err(ValueError::new("is an integer above 2^53, which the protocol cannot carry"));
                }
                Kind::NumberValue(integer.as_f64())
            }
            Value::Float(value) => Kind::NumberValue(*value),
            Value::String(text) => Kind::StringValue(text.clone()),
            Value::List(items) => {
                let items = items.iter().enumerate();
                let values = items.map(|(index, item)| {
                    self.value(item).map_err(|error| error.under(&format!("[{index}]")))
                });
                Kind::ListValue(ListValue { values: values.collect::<Result<_, _>>()? })
            }
            Value::Object(entries) => Kind::StructValue(self.properties(entries)?),
        };
        Ok(WireValue { kind: Some(kind) })
    }

    fn special(&self, value: &Value, special: Special<'_, &Value>) -> Result<WireValue, ValueError> {
        match special {
            Special::Secret(Secret::Ciphertext(_)) => Err(ValueError::new("is encrypted")),
            Special::Secret(Secret::Plaintext(text)) => {
                let inner =
                    parse(text).ok_or_else(|| ValueError::new("is a secret, but its text is no JSON"))?;
                self.secret(self.value(&inner)?)
            }
            Special::Unknown(_) if self.unknowns == Unknowns::Refused => {
                Err(ValueError::new("is not known yet"))
            }
            Special::Unknown(_) => Ok(text_value(UNKNOWN)),
            Special::Float(bits) => {
                let bits = u64::from_str_radix(bits, 16).map_err(|_| ValueError::new("is no float"))?;
                Ok(WireValue { kind: Some(Kind::NumberValue(f64::from_bits(bits))) })
            }
            Special::Bytes(_) if !self.accepts.bytes => {
                Err(ValueError::new("is a string of bytes, which the provider does not accept"))
            }
            Special::ResourceReference { urn, id } if !self.accepts.resources => {
                let id = id.and_then(Value::as_str);
                match id {
                    Some("") if self.unknowns == Unknowns::Refused => {
                        Err(ValueError::new("is not known yet"))
                    }
                    Some("") => Ok(text_value(UNKNOWN)),
                    id => Ok(text_value(id.unwrap_or(urn))),
                }
            }
            Special::Asset { hash, content: Some(content) } => {
                if self.contents == Contents::Omitted && hash.is_some() {
                    return self.entries(value, &["text", "path", "uri"]);
                }
                let found = match (hash, content) {
                    (None, AssetContent::Text(text)) => Some(hex(&Sha256::digest(text))),
                    // The provider says what is wrong with a file that cannot be read.
                    (None, AssetContent::Path(path)) => {
                        fs::read(path).ok().map(|bytes| hex(&Sha256::digest(bytes)))
                    }
                    _ => None,
                };
                let mut encoded = self.entries(value, &[])?;
                if let (Some(found), Some(Kind::StructValue(encoded))) = (found, &mut encoded.kind) {
                    encoded.fields.insert("hash".to_owned(), text_value(&found));
                }
                Ok(encoded)
            }
            Special::Archive { hash: Some(_), content: Some(_) } if self.contents == Contents::Omitted => {
                self.entries(value, &["assets", "path", "uri"])
            }
            Special::Unrecognised(SECRET_SIGNATURE) if value.get("value").is_some() => {
                let inner = value.get("value").unwrap_or(&Value::Null);
                self.secret(self.value(inner)?)
            }
            Special::Unrecognised(OUTPUT) => {
                let inner = match value.get("value") {
                    Some(inner) => self.value(inner)?,
                    None if self.unknowns == Unknowns::Allowed => text_value(UNKNOWN),
                    None => return Err(ValueError::new("is not known yet")),
                };
                match value.get("secret") {
                    Some(Value::Bool(true)) => self.secret(inner),
                    _ => Ok(inner),
                }
            }
            _ => self.entries(value, &[]),
        }
    }

    /// A secret as the provider accepts it.
    fn secret(&self, inner: WireValue) -> Result<WireValue, ValueError> {
        Ok(match self.accepts.secrets {
            true => signed(SECRET_SIGNATURE, inner),
            false => inner,
        })
    }

    /// The entries of a special object, except those that are left out.
    fn entries(&self, value: &Value, omitted: &[&str]) -> Result<WireValue, ValueError> {
        let entries = value.as_object().unwrap_or_default();
        let kept = entries.iter().filter(|(key, _)| !omitted.contains(&key.as_str()));
        let kept: Properties = kept.cloned().collect();
        Ok(WireValue { kind: Some(Kind::StructValue(self.properties(&kept)?)) })
    }
}

fn signed(signature: &str, inner: WireValue) -> WireValue {
    let fields = [(SIGNATURE_KEY.to_owned(), text_value(signature)), ("value".to_owned(), inner)]
        .into_iter()
        .collect();
    WireValue { kind: Some(Kind::StructValue(Struct { fields })) }
}

fn text_value(text: &str) -> WireValue {
    WireValue { kind: Some(Kind::StringValue(text.to_owned())) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn parse(text: &str) -> Option<Value> {
    let mut sink = ValueSink::new();
    json::read(text.as_bytes(), &mut sink, &JsonOptions::default()).ok()?;
    sink.finish()
}

/// A secret with its JSON text.
fn secret_of(value: &Value) -> Value {
    Value::from_iter([
        (SIGNATURE_KEY, Value::from(SECRET_SIGNATURE)),
        ("plaintext", value.to_string().into()),
    ])
}

/// The value inside of a secret.
fn open(value: &Value) -> Option<Value> {
    match Special::of(value)? {
        Special::Secret(Secret::Plaintext(text)) => parse(text),
        Special::Unrecognised(SECRET_SIGNATURE) => value.get("value").cloned(),
        _ => None,
    }
}

/// Calls a function for each secret in the value.
pub(crate) fn each_secret(value: &Value, found: &mut dyn FnMut(&Value)) {
    if let Some(inner) = open(value) {
        return found(&inner);
    }
    match value {
        Value::List(items) => items.iter().for_each(|item| each_secret(item, found)),
        Value::Object(entries) => entries.iter().for_each(|(_, value)| each_secret(value, found)),
        _ => {}
    }
}

fn has_secret(value: &Value) -> bool {
    let mut has = false;
    each_secret(value, &mut |_| has = true);
    has
}

/// Whether a part of the value is not known yet.
pub(crate) fn has_unknown(value: &Value) -> bool {
    if let Some(inner) = open(value) {
        return has_unknown(&inner);
    }
    match value {
        Value::String(_) => matches!(Special::of(value), Some(Special::Unknown(_))),
        Value::List(items) => items.iter().any(has_unknown),
        Value::Object(entries) => entries.iter().any(|(_, value)| has_unknown(value)),
        _ => false,
    }
}

/// How answers are read.
#[derive(Debug)]
pub(crate) struct Decoder {
    unknowns: Unknowns,
    /// The contents of assets and archives that were sent, by their hash.
    contents: HashMap<String, (String, Value)>,
    /// The references that were sent, by their URN. One server answers without ids.
    references: HashMap<String, Value>,
}

impl Decoder {
    /// A decoder of the answer to a request with these values.
    pub(crate) fn new(unknowns: Unknowns, sent: &[&[(String, Value)]]) -> Decoder {
        let mut decoder = Decoder { unknowns, contents: HashMap::new(), references: HashMap::new() };
        for properties in sent {
            properties.iter().for_each(|(_, value)| decoder.remember(value));
        }
        decoder
    }

    fn remember(&mut self, value: &Value) {
        match value {
            Value::List(items) => items.iter().for_each(|item| self.remember(item)),
            Value::Object(entries) => {
                let member =
                    |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
                match member(SIGNATURE_KEY) {
                    Some(ASSET_SIGNATURE | ARCHIVE_SIGNATURE) => {
                        let is_content = |key: &str| matches!(key, "text" | "path" | "uri" | "assets");
                        let content = entries.iter().find(|(key, _)| is_content(key));
                        let text = member("text").map(|text| hex(&Sha256::digest(text)));
                        let hash = member("hash").map(str::to_owned).or(text);
                        if let (Some(content), Some(hash)) = (content, hash) {
                            self.contents.insert(hash, content.clone());
                        }
                    }
                    Some(RESOURCE) => {
                        if let Some(urn) = member("urn") {
                            self.references.insert(urn.to_owned(), value.clone());
                        }
                    }
                    _ => entries.iter().for_each(|(_, value)| self.remember(value)),
                }
            }
            _ => {}
        }
    }

    pub(crate) fn properties(&self, message: Option<Struct>) -> Result<Properties, ValueError> {
        let fields = message.unwrap_or_default().fields.into_iter();
        fields
            .map(|(key, value)| match self.value(value) {
                Ok(value) => Ok((key, value)),
                Err(error) => Err(error.under(&key)),
            })
            .collect()
    }

    /// Recursion is bounded by the depth at which messages are decoded.
    fn value(&self, value: WireValue) -> Result<Value, ValueError> {
        Ok(match value.kind {
            None | Some(Kind::NullValue(_)) => Value::Null,
            Some(Kind::BoolValue(value)) => value.into(),
            Some(Kind::NumberValue(value)) => number(value),
            Some(Kind::StringValue(text)) => {
                let value = Value::String(text);
                if self.unknowns == Unknowns::Refused && has_unknown(&value) {
                    return Err(ValueError::new("is unknown in the answer"));
                }
                value
            }
            Some(Kind::ListValue(list)) => {
                let items = list.values.into_iter().enumerate();
                let items = items.map(|(index, item)| {
                    self.value(item).map_err(|error| error.under(&format!("[{index}]")))
                });
                Value::List(items.collect::<Result<_, _>>()?)
            }
            Some(Kind::StructValue(entries)) => self.object(entries)?,
        })
    }

    fn object(&self, message: Struct) -> Result<Value, ValueError> {
        let mut value = Value::Object(self.properties(Some(message))?);
        let signature = value.get(SIGNATURE_KEY).and_then(Value::as_str).unwrap_or_default();
        match signature {
            SECRET_SIGNATURE => match value.get("value") {
                // The whole value is secret, so marks inside are not needed.
                Some(inner) => Ok(secret_of(&open(inner).unwrap_or_else(|| inner.clone()))),
                None => Err(ValueError::new("is a secret without a value")),
            },
            OUTPUT => {
                let is_secret = matches!(value.get("secret"), Some(Value::Bool(true)));
                match value.get("value") {
                    Some(inner) if is_secret && open(inner).is_none() => Ok(secret_of(inner)),
                    Some(inner) => Ok(inner.clone()),
                    None if self.unknowns == Unknowns::Allowed => Ok(UNKNOWN.into()),
                    None => Err(ValueError::new("is unknown in the answer")),
                }
            }
            ASSET_SIGNATURE | ARCHIVE_SIGNATURE => {
                let hash = value.get("hash").and_then(Value::as_str).unwrap_or_default();
                let has_content =
                    ["text", "path", "uri", "assets"].iter().any(|key| value.get(key).is_some());
                let known = self.contents.get(hash).filter(|_| !has_content).cloned();
                if let (Some(content), Value::Object(entries)) = (known, &mut value) {
                    entries.push(content);
                }
                Ok(value)
            }
            RESOURCE => {
                let urn = value.get("urn").and_then(Value::as_str).unwrap_or_default();
                match self.references.get(urn).filter(|_| value.get("id").is_none()) {
                    Some(known) => Ok(known.clone()),
                    None => Ok(value),
                }
            }
            _ => Ok(value),
        }
    }
}

/// A number as documents have it: an integer if it is one.
fn number(value: f64) -> Value {
    #[expect(clippy::cast_precision_loss, reason = "2^53 is exact")]
    let is_integer = value.trunc() == value && value.abs() <= LARGEST_INTEGER as f64;
    if is_integer && !(value == 0.0 && value.is_sign_negative()) {
        #[expect(clippy::cast_possible_truncation, reason = "it is in the range, and whole")]
        return (value as i64).into();
    }
    if value.is_finite() {
        return value.into();
    }
    let bits = format!("{:016x}", value.to_bits());
    Value::from_iter([(SIGNATURE_KEY, Value::from(FLOAT)), ("value", bits.into())])
}

/// Marks what a provider has returned without marks: properties whose input of the same name is
/// secret. In objects this holds for each entry; a list is secret as a whole.
pub(crate) fn mark_secrets(outputs: &mut [(String, Value)], inputs: &[(String, Value)]) {
    for (key, output) in outputs {
        if let Some((_, input)) = inputs.iter().find(|(name, _)| name == key) {
            mark_secret(output, input);
        }
    }
}

fn mark_secret(output: &mut Value, input: &Value) {
    if !has_secret(input) || open(output).is_some() {
        return;
    }
    match (&mut *output, input) {
        (Value::Object(outputs), Value::Object(inputs)) if open(input).is_none() => {
            mark_secrets(outputs, inputs);
        }
        _ => *output = secret_of(output),
    }
}

/// The text of a configuration in `variables`, which has secrets bare.
pub(crate) fn bare_text(value: &Value) -> String {
    match open(value).as_ref().unwrap_or(value) {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

#[cfg(test)]
mod tests;
