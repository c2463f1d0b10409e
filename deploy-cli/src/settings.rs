//! The settings of an environment: its package, and the configuration of the program and of
//! providers.
//!
//! They are in a text file beside the snapshot, which people edit:
//!
//! ```json
//! {"package": "shop.coco", "config": {"shop:index:size": 3}, "providers": {"aws": {"config":
//! {"region": "eu-west-1"}}}}
//! ```

use crate::place::Place;
use coconut_codec::bytes::replace::replace;
use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_format::Value;
use coconut_report::{Exit, Failure, code};
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

/// The ending of the file.
pub(crate) const ENDING: &str = "settings.json";

#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    fields: Vec<(String, Value)>,
}

impl Settings {
    /// The settings of an environment. Without the file there are none.
    pub(crate) fn of(place: &Place) -> Result<Settings, Failure> {
        let path = place.file(ENDING);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Settings::default()),
            Err(error) => return Err(Failure::reading(&path, &error)),
        };
        let wrong = |message: String| {
            Failure::new(Exit::Decode, code::DEPLOY_SETTINGS, message).in_file(&path.to_string_lossy())
        };
        let mut sink = ValueSink::new();
        json::read(&text, &mut sink, &JsonOptions::default()).map_err(|error| wrong(error.to_string()))?;
        let Some(Value::Object(fields)) = sink.finish() else {
            return Err(wrong("expected an object with `package`, `config` or `providers`".to_owned()));
        };
        const KNOWN: [&str; 3] = ["package", "config", "providers"];
        if let Some((key, _)) = fields.iter().find(|(key, _)| !KNOWN.contains(&key.as_str())) {
            return Err(wrong(format!(
                "there is no setting `{key}`; the settings are `package`, `config`, `providers`"
            )));
        }
        let settings = Settings { fields };
        if settings.field("package").is_some_and(|package| package.as_str().is_none()) {
            return Err(wrong("`package` is not a string".to_owned()));
        }
        for key in ["config", "providers"] {
            if settings.field(key).is_some_and(|value| value.as_object().is_none()) {
                return Err(wrong(format!("`{key}` is not an object")));
            }
        }
        Ok(settings)
    }

    /// Settings with this package alone.
    pub(crate) fn with_package(package: &str) -> Settings {
        Settings { fields: vec![("package".to_owned(), package.into())] }
    }

    /// Writes the file.
    pub(crate) fn write(&self, place: &Place) -> Result<(), Failure> {
        let path = place.file(ENDING);
        let text = format!("{}\n", Value::Object(self.fields.clone()));
        replace(&path, text.as_bytes()).map_err(|error| Failure::writing(&path, &error))
    }

    fn field(&self, key: &str) -> Option<&Value> {
        self.fields.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The package of the environment. A relative path begins at the folder that was the current
    /// one when it was set, so it is stored as an absolute one.
    pub(crate) fn package(&self) -> Option<PathBuf> {
        self.field("package").and_then(Value::as_str).map(PathBuf::from)
    }

    /// The configuration of the program, by token.
    pub(crate) fn configuration(&self) -> &[(String, Value)] {
        self.field("config").and_then(Value::as_object).unwrap_or_default()
    }

    /// The program of a provider, and its arguments: the list `program`.
    pub(crate) fn provider_program(&self, package: &str) -> Option<(PathBuf, Vec<OsString>)> {
        let words = self.field("providers")?.get(package)?.get("program")?.as_list()?;
        let mut words = words.iter().filter_map(Value::as_str);
        let program = PathBuf::from(words.next()?);
        Some((program, words.map(OsString::from).collect()))
    }

    /// The configuration of providers, by package.
    pub(crate) fn provider_configurations(&self) -> impl Iterator<Item = (&str, &[(String, Value)])> {
        let all = self.field("providers").and_then(Value::as_object).unwrap_or_default();
        all.iter().filter_map(|(package, one)| {
            Some((package.as_str(), one.get("config").and_then(Value::as_object)?))
        })
    }
}
