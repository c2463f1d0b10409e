//! §3 msgpack against an ordinary library: the root of a file of profile `plain` is ordinary
//! msgpack.

use super::streamed;
use crate::crafted::Crafted;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::StreamError;
use coconut_format::{ErrorKind, Integer, Value};

/// The depth limit for `rmpv`: it recurses, and a test thread has 2 MiB.
const DEPTH: usize = 200;

/// One value from any bytes: both libraries read the same value. If only one of them reads it, the
/// specification gives the reason.
pub fn msgpack(data: &[u8]) {
    // An element has at least one byte.
    if data.is_empty() {
        return;
    }
    let file = DocumentFile::from_data(Crafted::plain(data).to_bytes()).expect("the frame is right");
    let ours = streamed(&file);
    let mut rest = data;
    let theirs = rmpv::decode::read_value_ref_with_max_depth(&mut rest, DEPTH);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            assert!(rest.is_empty(), "{} bytes were ignored", rest.len());
            assert_eq!(Some(ours), value_of(&theirs.to_owned()), "the value of {data:02x?}");
        }
        (Ok(_), Err(rmpv::decode::Error::DepthLimitExceeded)) => {}
        (Ok(ours), Err(error)) => panic!("only we read {data:02x?}, as {ours:?}: {error}"),
        (Err(error), Ok(theirs)) if rest.is_empty() => {
            let theirs = theirs.to_owned();
            assert!(is_refused_by_rule(&error, &theirs), "only rmpv reads {data:02x?}, as {theirs}: {error}");
        }
        (Err(_), _) => {}
    }
}

/// Whether the specification requires this refusal of a value.
fn is_refused_by_rule(error: &StreamError, theirs: &rmpv::Value) -> bool {
    let StreamError::Decode(error) = error else { return false };
    match error.kind() {
        // `rmpv` reads it as nil.
        ErrorKind::ReservedByte => true,
        // Float 32, bin, and keys that are not strings.
        ErrorKind::Type { .. } | ErrorKind::Extension { .. } => true,
        ErrorKind::Utf8 | ErrorKind::NonFinite | ErrorKind::DuplicateKey => value_of(theirs).is_none(),
        ErrorKind::Depth { .. } | ErrorKind::Nodes { .. } | ErrorKind::Bytes { .. } => true,
        _ => false,
    }
}

/// The value in our model; `None` if the model has no such value.
fn value_of(value: &rmpv::Value) -> Option<Value> {
    Some(match value {
        rmpv::Value::Nil => Value::Null,
        rmpv::Value::Boolean(value) => Value::Bool(*value),
        rmpv::Value::Integer(value) => Value::Integer(match value.as_u64() {
            Some(number) => Integer::from(number),
            None => Integer::from(value.as_i64()?),
        }),
        rmpv::Value::F64(value) if value.is_finite() => Value::Float(*value),
        rmpv::Value::String(text) => Value::String(text.as_str()?.to_owned()),
        rmpv::Value::Array(items) => Value::List(items.iter().map(value_of).collect::<Option<_>>()?),
        rmpv::Value::Map(entries) => {
            let mut object: Vec<(String, Value)> = Vec::new();
            for (key, value) in entries {
                let key = key.as_str()?;
                if object.iter().any(|(other, _)| other == key) {
                    return None;
                }
                object.push((key.to_owned(), value_of(value)?));
            }
            Value::Object(object)
        }
        _ => return None,
    })
}
