//! §4 Documents as Rust values, through serde.

use super::{BUDGET, file_of, is_budget, streamed};
use coconut_codec::limits;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::serde::{Limits, Reader};
use coconut_format::Value;

/// A document that streams is read through serde as the same value. Any other document is only read
/// or refused.
pub fn deserialize(data: &[u8]) {
    let Some(Ok(file)) = file_of(data).map(DocumentFile::from_data) else { return };
    let view = file.view();
    let budget = Limits { depth: limits::SERDE_DEPTH, values: BUDGET.values, bytes: BUDGET.bytes };
    let reader = Reader::new(view).with_limits(budget);
    let read = reader.read::<serde_json::Value>(view.root());
    let again = reader.read::<serde_json::Value>(view.root());
    assert_eq!(read.is_ok(), again.is_ok(), "the cache of a reader changes nothing");
    match (streamed(&file), read) {
        (Ok(value), Ok(read)) => assert!(is_same(&value, &read), "serde and stream"),
        (Ok(_), Err(error)) => {
            let is_deep = view.header().depth > limits::SERDE_DEPTH || error.to_string().contains("LIM-");
            // Tables of an index may lie, and a stream does not use them.
            assert!(
                is_deep || view.check_integrity().is_err(),
                "a stream reads it, but serde fails: {error}"
            );
        }
        (Err(error), Ok(_)) => {
            assert!(view.check_integrity().is_err() || is_budget(&error), "only serde reads it: {error}");
        }
        (Err(_), Err(_)) => {}
    }
}

fn is_same(ours: &Value, read: &serde_json::Value) -> bool {
    match (ours, read) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Value::Integer(a), serde_json::Value::Number(b)) => {
            (a.as_u64(), a.as_i64()) == (b.as_u64(), b.as_i64())
        }
        (Value::Float(a), serde_json::Value::Number(b)) => {
            b.is_f64() && b.as_f64().map(f64::to_bits) == Some(a.to_bits())
        }
        (Value::String(a), serde_json::Value::String(b)) => a == b,
        (Value::List(a), serde_json::Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), serde_json::Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => false,
    }
}
