//! §25.10 Secrets of a state: encrypted in its files, and open in memory.

use coconut_format::Value;
use coconut_format::graph::{SECRET_SIGNATURE, SIGNATURE_KEY, Secret, Special};
use std::fmt;
use std::sync::Arc;

/// Encrypts secrets with the key of an environment.
pub trait Cipher: Send + Sync {
    /// Encrypts the JSON text of a value.
    ///
    /// # Errors
    /// A message for people: the key is not that of the environment, or cannot be used.
    fn encrypt(&self, text: &str) -> Result<String, String>;

    /// Decrypts a text.
    ///
    /// # Errors
    /// A message for people: the key is another one, or the text is damaged.
    fn decrypt(&self, ciphertext: &str) -> Result<String, String>;
}

/// The key of an environment, if it has one.
#[derive(Clone, Default)]
pub(crate) struct Key(pub(crate) Option<Arc<dyn Cipher>>);

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Key" } else { "no key" })
    }
}

/// Whether a part of the value is secret. Recursion is bounded by the levels of a document.
pub(crate) fn has_secret(value: &Value) -> bool {
    if matches!(Special::of(value), Some(Special::Secret(_))) {
        return true;
    }
    match value {
        Value::List(items) => items.iter().any(has_secret),
        Value::Object(entries) => entries.iter().any(|(_, value)| has_secret(value)),
        _ => false,
    }
}

impl Key {
    /// The value for a file. Without a key, open secrets are an error.
    pub(crate) fn sealed(&self, value: Value) -> Result<Value, String> {
        if !has_secret(&value) {
            return Ok(value);
        }
        transform(value, &mut |secret| match (secret, &self.0) {
            (Secret::Ciphertext(text), _) => Ok(signed("ciphertext", text)),
            (Secret::Plaintext(text), Some(cipher)) => {
                cipher.encrypt(text).map(|text| signed("ciphertext", &text))
            }
            (Secret::Plaintext(_), None) => Err("a value is secret, and there is no key".to_owned()),
        })
    }

    /// The value in memory.
    pub(crate) fn opened(&self, value: Value) -> Result<Value, String> {
        transform(value, &mut |secret| match (secret, &self.0) {
            (Secret::Ciphertext(text), Some(cipher)) => {
                cipher.decrypt(text).map(|text| signed("plaintext", &text))
            }
            (Secret::Ciphertext(text), None) => Ok(signed("ciphertext", text)),
            (Secret::Plaintext(text), _) => Ok(signed("plaintext", text)),
        })
    }
}

fn signed(key: &str, text: &str) -> Value {
    Value::from_iter([(SIGNATURE_KEY, Value::from(SECRET_SIGNATURE)), (key, text.into())])
}

/// Replaces secrets. Recursion is bounded by the levels of a document.
fn transform(
    value: Value,
    change: &mut dyn FnMut(Secret<'_>) -> Result<Value, String>,
) -> Result<Value, String> {
    if let Some(Special::Secret(secret)) = Special::of(&value) {
        return change(secret);
    }
    match value {
        Value::List(items) => {
            let items = items.into_iter().map(|item| transform(item, change));
            Ok(Value::List(items.collect::<Result<_, _>>()?))
        }
        Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| Ok((key, transform(value, change)?)));
            Ok(Value::Object(entries.collect::<Result<_, String>>()?))
        }
        scalar => Ok(scalar),
    }
}
