//! The dynamic providers of Pulumi for Node and Python, where they are installed.

use coconut_deploy::{
    Environment, Existing, Operation, Options, Outcome, Provider, Providers, Wanted, deploy,
};
use coconut_format::Value;
use coconut_providers::pulumi::{Launch, PulumiProvider, Source, launch};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

const COUNT: usize = 20;

/// A resource is a file of the folder that `STORE` names.
const NODE: &str = r#"
exports.handler = () => {
  const fs = require("fs");
  const path = (id) => process.env.STORE + "/" + id;
  const outs = (inputs) => ({ ...inputs, size: inputs.content.length });
  return {
    async check(olds, news) { return { inputs: { mode: "0644", ...news }, failures: [] }; },
    async diff(id, olds, news) {
      const replaces = olds.name !== news.name ? ["name"] : [];
      return { changes: replaces.length > 0 || olds.content !== news.content, replaces };
    },
    async create(inputs) { fs.writeFileSync(path(inputs.name), inputs.content); return { id: inputs.name, outs: outs(inputs) }; },
    async read(id, props) {
      if (!fs.existsSync(path(id))) { return { id: "", props: {} }; }
      return { id, props: outs({ ...props, content: fs.readFileSync(path(id), "utf8") }) };
    },
    async update(id, olds, news) { fs.writeFileSync(path(id), news.content); return { outs: outs(news) }; },
    async delete(id) { fs.unlinkSync(path(id)); },
  };
};
"#;

/// Prints the same provider for Python.
const PYTHON: &str = r#"
import os
from pulumi.dynamic import ResourceProvider, CheckResult, CreateResult, DiffResult, ReadResult, UpdateResult
from pulumi.dynamic.dynamic import serialize_provider

class Files(ResourceProvider):
    def path(self, id):
        import os
        return os.path.join(os.environ["STORE"], id)
    def write(self, id, inputs):
        with open(self.path(id), "w") as file:
            file.write(inputs["content"])
        return self.outs(inputs)
    def outs(self, inputs):
        return {**inputs, "size": len(inputs["content"])}
    def check(self, olds, news):
        return CheckResult({"mode": "0644", **news}, [])
    def diff(self, id, olds, news):
        replaces = ["name"] if olds["name"] != news["name"] else []
        changes = bool(replaces) or olds["content"] != news["content"]
        return DiffResult(changes=changes, replaces=replaces, stables=[], delete_before_replace=False)
    def create(self, inputs):
        return CreateResult(inputs["name"], self.write(inputs["name"], inputs))
    def read(self, id, props):
        import os
        if not os.path.exists(self.path(id)):
            return ReadResult("", {})
        return ReadResult(id, self.outs({**props, "content": open(self.path(id)).read()}))
    def update(self, id, olds, news):
        return UpdateResult(self.write(id, news))
    def delete(self, id, props):
        import os
        os.unlink(self.path(id))

print(serialize_provider(Files()))
"#;

/// The folder in which `.ci/run` has installed both packages.
fn installed(what: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("COCONUT_PULUMI")
        .map(PathBuf::from)
        .unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/pulumi"));
    let found = folder.join(what);
    if found.exists() {
        return Some(found);
    }
    coconut_testing::skip("dynamic providers of Pulumi (COCONUT_PULUMI)");
    None
}

#[test]
fn node_manages_resources() {
    let Some(server) = installed("node_modules/@pulumi/pulumi/cmd/dynamic-provider/index.js") else { return };
    let source = source("node", &[server.to_str().unwrap()]);
    manage("pulumi-nodejs", source, NODE);
}

#[test]
fn python_manages_resources() {
    let Some(python) = installed("venv/bin/python") else { return };
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("files.py");
    fs::write(&program, PYTHON).unwrap();
    let printed = Command::new(&python).arg(program).output().unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    let code = String::from_utf8(printed.stdout).unwrap();
    let source = source(python.to_str().unwrap(), &["-u", "-m", "pulumi.dynamic"]);
    manage("pulumi-python", source, code.trim());
}

fn source(program: &str, arguments: &[&str]) -> Source {
    let mut source = Source::program(program);
    if let Source::Program { arguments: all, .. } = &mut source {
        all.extend(arguments.iter().map(Into::into));
    }
    source
}

fn manage(name: &str, source: Source, code: &str) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("store");
    fs::create_dir(&store).unwrap();
    let mut start = Launch::new(name, source);
    start.variables.push(("STORE".to_owned(), store.display().to_string()));
    let provider = Arc::new(launch(start).unwrap());
    let type_token = format!("{name}:dynamic:Resource");
    let wanted = |index: usize, name: &str, content: &str| {
        let inputs = [("__provider", code), ("name", name), ("content", content)];
        Wanted {
            urn: format!("urn:pulumi:dev::shop::{type_token}::r{index}"),
            type_token: type_token.clone(),
            inputs: inputs.map(|(key, value)| (key.to_owned(), value.into())).into(),
            ..Wanted::default()
        }
    };
    let all = |content: &str| -> Vec<Wanted> {
        (0..COUNT).map(|index| wanted(index, &format!("file-{index}"), content)).collect()
    };
    let files = || fs::read_dir(&store).unwrap().count();
    let environment = folder.path().join("dev.coco");
    let run = |program: Vec<Wanted>| run(&provider, name, &environment, program);

    assert_eq!(run(all("one")).count(Operation::Create), COUNT);
    assert_eq!(files(), COUNT);
    assert!(run(all("one")).done.is_empty(), "nothing changes");
    assert_eq!(run(all("two words")).count(Operation::Update), COUNT);

    let state = Environment::read(&environment).unwrap();
    let resource = state.live(&wanted(3, "", "").urn).unwrap().clone();
    let expected = r#"{"content":"two words","mode":"0644","name":"file-3","size":9}"#;
    assert_eq!(shown(resource.outputs()), expected);
    fs::write(store.join("file-3"), "drift").unwrap();
    let id = resource.id().unwrap();
    let existing = Existing::new(resource.urn(), &type_token, id, resource.inputs(), resource.outputs());
    let live = provider.read(&existing).unwrap().unwrap();
    assert_eq!(shown(&live.outputs), r#"{"content":"drift","mode":"0644","name":"file-3","size":5}"#);
    let gone = Existing::new(resource.urn(), &type_token, "gone", resource.inputs(), resource.outputs());
    assert_eq!(provider.read(&gone).unwrap(), None);

    let mut program = all("two words");
    program[5] = wanted(5, "another", "two words");
    let outcome = run(program);
    assert_eq!(outcome.done.values().sum::<usize>(), 2, "{outcome:?}");
    assert!(store.join("another").exists() && !store.join("file-5").exists());

    // Of something that is gone: the server fails, and does not know why.
    let error = provider.delete(&gone).unwrap_err();
    assert!(!error.message.contains("Traceback") && !error.message.contains('\n'), "{error}");

    assert_eq!(run(Vec::new()).count(Operation::Delete), COUNT);
    assert_eq!(files(), 0);
}

fn run(provider: &Arc<PulumiProvider>, name: &str, environment: &Path, mut program: Vec<Wanted>) -> Outcome {
    let providers = Providers::new().with(name, Arc::clone(provider) as Arc<_>, Vec::new());
    let mut environment = Environment::open(environment).unwrap();
    let outcome =
        deploy(&mut environment, &mut program, &providers, &Options::default(), &mut |_| {}).unwrap();
    assert!(outcome.is_complete(), "{outcome:?}");
    outcome
}

fn shown(outputs: &[(String, Value)]) -> String {
    let mut outputs: Vec<_> = outputs.iter().filter(|(key, _)| key != "__provider").cloned().collect();
    outputs.sort_by(|(a, _), (b, _)| a.cmp(b));
    Value::Object(outputs).to_string()
}
