//! §25.10 Keys from passphrases, in the form of Pulumi: AES-256-GCM with a key of PBKDF2-SHA-256.

use crate::failure::OrFail;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coconut_deploy::{Cipher, Environment};
use coconut_format::Value;
use coconut_report::{Exit, Failure, code};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use ring::pbkdf2;
use ring::rand::{SecureRandom as _, SystemRandom};
use std::env;
use std::num::NonZeroU32;
use std::sync::{Arc, OnceLock};

/// The rounds of the derivation.
const ROUNDS: NonZeroU32 = NonZeroU32::new(1_000_000).expect("it is not zero");
/// The length of a salt in bytes.
const SALT: usize = 8;
/// The length of a nonce in bytes.
const NONCE: usize = 12;
/// The text whose ciphertext proves that a passphrase is the right one.
const VERIFIER: &str = "pulumi";

/// A key that is derived when it is first used: that takes a good part of a second.
struct Passphrase {
    phrase: String,
    salt: Vec<u8>,
    /// The ciphertext of [`VERIFIER`]. Absent for a new key.
    verifier: Option<String>,
    key: OnceLock<Result<LessSafeKey, String>>,
}

/// Opens the secrets of an environment with the passphrase of this process, if there is one. A new
/// environment gets a key.
pub(crate) fn unlock(environment: &mut Environment) -> Result<(), Failure> {
    let phrase =
        ["COCONUT_PASSPHRASE", "PULUMI_CONFIG_PASSPHRASE"].into_iter().find_map(|name| env::var(name).ok());
    let Some(phrase) = phrase.filter(|phrase| !phrase.is_empty()) else { return Ok(()) };
    let refused = |message: String| Failure::new(Exit::Usage, code::DEPLOY_KEY, message);
    let (passphrase, is_new) = match environment.key_description() {
        Some(description) => (Passphrase::described(phrase, description).map_err(refused)?, false),
        None => (Passphrase::new(phrase).map_err(refused)?, true),
    };
    if is_new {
        environment.describe_key(passphrase.description().map_err(refused)?).or_fail()?;
    }
    environment.unlock(Arc::new(passphrase)).or_fail()
}

impl Passphrase {
    fn new(phrase: String) -> Result<Passphrase, String> {
        let salt = random(SALT)?;
        Ok(Passphrase { phrase, salt, verifier: None, key: OnceLock::new() })
    }

    /// The key of a description: `{"type": "passphrase", "state": {"salt": "v1:SALT:VERIFIER"}}`.
    fn described(phrase: String, description: &Value) -> Result<Passphrase, String> {
        let kind = description.get("type").and_then(Value::as_str).unwrap_or_default();
        if kind != "passphrase" {
            return Err(format!("the secrets are encrypted with `{kind}`, not with a passphrase"));
        }
        let wrong = || "the description of the key is malformed: expected `v1:SALT:VERIFIER`".to_owned();
        let state = description.get("state").and_then(|state| state.get("salt")).and_then(Value::as_str);
        let rest = state.and_then(|state| state.strip_prefix("v1:")).ok_or_else(wrong)?;
        let (salt, verifier) = rest.split_once(':').ok_or_else(wrong)?;
        let salt = STANDARD.decode(salt).map_err(|_| wrong())?;
        Ok(Passphrase { phrase, salt, verifier: Some(verifier.to_owned()), key: OnceLock::new() })
    }

    fn description(&self) -> Result<Value, String> {
        let salt = format!("v1:{}:{}", STANDARD.encode(&self.salt), self.encrypt(VERIFIER)?);
        let state = Value::from_iter([("salt", Value::from(salt))]);
        Ok(Value::from_iter([("type", Value::from("passphrase")), ("state", state)]))
    }

    fn key(&self) -> Result<&LessSafeKey, String> {
        let derive = || {
            let mut bytes = [0; 32];
            let phrase = self.phrase.as_bytes();
            pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, ROUNDS, &self.salt, phrase, &mut bytes);
            let key = UnboundKey::new(&AES_256_GCM, &bytes).map_err(|_| "the key cannot be used".to_owned());
            let key = LessSafeKey::new(key?);
            match &self.verifier {
                Some(verifier) if decrypted(&key, verifier).as_deref() != Some(VERIFIER) => {
                    Err("the passphrase is not that of the environment".to_owned())
                }
                _ => Ok(key),
            }
        };
        self.key.get_or_init(derive).as_ref().map_err(Clone::clone)
    }
}

impl Cipher for Passphrase {
    fn encrypt(&self, text: &str) -> Result<String, String> {
        let key = self.key()?;
        let nonce = random(NONCE)?;
        let mut bytes = text.as_bytes().to_vec();
        let unique = Nonce::try_assume_unique_for_key(&nonce).map_err(|_| "no nonce".to_owned())?;
        let sealed = key.seal_in_place_append_tag(unique, Aad::empty(), &mut bytes);
        sealed.map_err(|_| "the value is too long to be encrypted".to_owned())?;
        Ok(format!("v1:{}:{}", STANDARD.encode(nonce), STANDARD.encode(bytes)))
    }

    fn decrypt(&self, ciphertext: &str) -> Result<String, String> {
        decrypted(self.key()?, ciphertext)
            .ok_or_else(|| "a secret of the state cannot be decrypted".to_owned())
    }
}

/// The text of `v1:NONCE:CIPHERTEXT`.
fn decrypted(key: &LessSafeKey, ciphertext: &str) -> Option<String> {
    let (nonce, data) = ciphertext.strip_prefix("v1:")?.split_once(':')?;
    let nonce = Nonce::try_assume_unique_for_key(&STANDARD.decode(nonce).ok()?).ok()?;
    let mut data = STANDARD.decode(data).ok()?;
    let text = key.open_in_place(nonce, Aad::empty(), &mut data).ok()?;
    String::from_utf8(text.to_vec()).ok()
}

fn random(length: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; length];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| "the system has no random numbers".to_owned())?;
    Ok(bytes)
}
