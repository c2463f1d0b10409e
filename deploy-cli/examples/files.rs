//! `coco-deploy` with a provider in Rust: resources of the package `files` are files in a folder.
//!
//! ```console
//! FILES=/tmp/files cargo run -p coco-deploy --example files -- deploy dev
//! ```
//!
//! A file has the inputs of its resource as JSON. `name` is the name of the file, and a new one
//! replaces it. `size` is an output. `delay` is the time of a creation in milliseconds, and `fault`
//! the message of one that fails.

use coconut_codec::event::ValueSink;
use coconut_codec::text::json::{self, JsonOptions};
use coconut_deploy::{
    CallError, CheckRequest, Checked, Created, Diff, DiffRequest, Existing, Live, Properties, Provider,
    Providers, Updated,
};
use coconut_format::Value;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, io, thread};

struct Files {
    folder: PathBuf,
}

fn main() -> ExitCode {
    let folder = env::var_os("FILES").map_or_else(|| PathBuf::from("files"), PathBuf::from);
    coco_deploy::main(Providers::new().with("files", Arc::new(Files { folder }), Vec::new()))
}

fn text<'p>(properties: &'p [(String, Value)], key: &str) -> Option<&'p str> {
    properties.iter().find(|(name, _)| name == key)?.1.as_str()
}

fn failed(error: io::Error) -> CallError {
    CallError::rejected(error.to_string())
}

impl Files {
    fn outputs(inputs: &[(String, Value)]) -> Properties {
        let mut outputs = inputs.to_vec();
        let size = Value::Object(inputs.to_vec()).to_string().len() as u64;
        outputs.push(("size".to_owned(), size.into()));
        outputs
    }

    fn write(&self, id: &str, inputs: &[(String, Value)]) -> Result<Properties, CallError> {
        fs::write(self.folder.join(id), Value::Object(inputs.to_vec()).to_string()).map_err(failed)?;
        Ok(Files::outputs(inputs))
    }
}

impl Provider for Files {
    fn configure(&self, _: &[(String, Value)]) -> Result<(), CallError> {
        fs::create_dir_all(&self.folder).map_err(failed)
    }

    fn check(&self, request: &CheckRequest<'_>) -> Result<Checked, CallError> {
        let is_wrong = text(request.new_inputs, "name").is_none_or(|name| name.contains('/'));
        let failures = is_wrong.then(|| ("name".to_owned(), "it must be the name of a file".to_owned()));
        Ok(Checked { inputs: request.new_inputs.to_vec(), failures: failures.into_iter().collect() })
    }

    fn diff(&self, request: &DiffRequest<'_>) -> Result<Diff, CallError> {
        let [old, new] = [request.resource.inputs, request.new_inputs];
        let is_changed = old != new || request.resource.outputs != Files::outputs(old);
        let is_renamed = text(old, "name") != text(new, "name");
        let replaces = is_renamed.then(|| "name".to_owned());
        Ok(Diff {
            has_changes: Some(is_changed),
            replaces: replaces.into_iter().collect(),
            deletes_first: false,
        })
    }

    fn create(&self, _: &str, _: &str, inputs: &[(String, Value)]) -> Result<Created, CallError> {
        if let Some(fault) = text(inputs, "fault") {
            return Err(CallError::rejected(fault));
        }
        let id = text(inputs, "name").unwrap_or_default().to_owned();
        let outputs = self.write(&id, inputs)?;
        let delay = inputs.iter().find(|(name, _)| name == "delay").map(|(_, value)| value);
        if let Some(Value::Integer(delay)) = delay {
            thread::sleep(Duration::from_millis(delay.as_u64().unwrap_or_default()));
        }
        Ok(Created { id, outputs, init_errors: Vec::new() })
    }

    fn read(&self, resource: &Existing<'_>) -> Result<Option<Live>, CallError> {
        let bytes = match fs::read(self.folder.join(resource.id)) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let mut sink = ValueSink::new();
        let read = json::read(&bytes, &mut sink, &JsonOptions::default());
        match (read, sink.finish()) {
            (Ok(_), Some(Value::Object(inputs))) => {
                let outputs = Files::outputs(&inputs);
                Ok(Some(Live { id: resource.id.to_owned(), inputs: Some(inputs), outputs }))
            }
            _ => Err(CallError::rejected("the file is not a JSON object")),
        }
    }

    fn update(&self, resource: &Existing<'_>, inputs: &[(String, Value)]) -> Result<Updated, CallError> {
        Ok(Updated { outputs: self.write(resource.id, inputs)?, init_errors: Vec::new() })
    }

    fn delete(&self, resource: &Existing<'_>) -> Result<(), CallError> {
        match fs::remove_file(self.folder.join(resource.id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        }
    }

    fn cancel(&self) {}
}
