//! A folder with a project, and the tool.

use coconut_format::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder with a program, an environment and the files of the provider.
pub(crate) struct World {
    folder: tempfile::TempDir,
}

/// The end of a command.
pub(crate) struct End {
    pub(crate) exit: i32,
    pub(crate) out: String,
    pub(crate) error: String,
}

impl World {
    /// With the environment `dev`.
    pub(crate) fn new() -> World {
        let world = World { folder: tempfile::tempdir().unwrap() };
        fs::write(world.path("lumi.json"), library().to_string()).unwrap();
        let made = world.run(&["env", "new", "dev", "--package", "shop.json"]);
        assert_eq!(made.exit, 0, "{}", made.error);
        world
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn snapshot(&self) -> PathBuf {
        self.path(".coconut/env/dev.coco")
    }

    /// The program has these statements.
    pub(crate) fn write_program(&self, statements: Vec<Value>) {
        fs::write(self.path("shop.json"), package(statements).to_string()).unwrap();
    }

    pub(crate) fn command(&self, words: &[&str]) -> Command {
        let test = std::env::current_exe().unwrap();
        let tool = test.ancestors().nth(2).unwrap().join("examples/files");
        let mut command = Command::new(tool);
        command.args(words).current_dir(self.folder.path()).env("FILES", self.path("files"));
        command.env("COCONUT_CACHE_DIR", self.path("cache")).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> End {
        end(&self.command(words).output().unwrap())
    }

    /// `deploy dev shop.json` with more words.
    pub(crate) fn deploy(&self, words: &[&str]) -> End {
        self.run(&[&["deploy", "dev", "shop.json", "--with", "lumi.json"], words].concat())
    }

    /// The files that exist.
    pub(crate) fn files(&self) -> BTreeSet<String> {
        let Ok(listed) = fs::read_dir(self.path("files")) else { return BTreeSet::new() };
        listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// The ids of the resources, and the names of unresolved creations.
    pub(crate) fn named(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let shown = self.run(&["env", "show", "dev", "--json"]);
        let report = json(&shown.out);
        let ids = report.get("resources").unwrap().as_list().unwrap().iter();
        let ids = ids.filter_map(|one| Some(one.get("id")?.as_str()?.to_owned()));
        let open = report.get("unresolved").unwrap().as_list().unwrap().iter();
        let open = open.map(|one| one.get("urn").unwrap().as_str().unwrap().to_owned());
        (ids.collect(), open.collect())
    }

    /// Every file is named by the state or by an unresolved creation.
    pub(crate) fn assert_law(&self, context: &str) {
        let (ids, open) = self.named();
        for file in self.files() {
            let is_open = open.iter().any(|urn| urn.ends_with(&format!("::{file}")));
            assert!(ids.contains(&file) || is_open, "{context}: nothing names {file}: {ids:?}, {open:?}");
        }
    }
}

pub(crate) fn end(output: &Output) -> End {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    End { exit: output.status.code().unwrap_or(-1), out: text(&output.stdout), error: text(&output.stderr) }
}

/// The last line of JSON.
pub(crate) fn json(text: &str) -> Value {
    let line = text.lines().last().unwrap_or_else(|| panic!("no JSON"));
    let mut sink = coconut_codec::event::ValueSink::new();
    coconut_codec::text::json::read(line.as_bytes(), &mut sink, &Default::default()).unwrap();
    sink.finish().unwrap()
}

/// The text of a file, if it is there.
pub(crate) fn read(path: &Path) -> Option<Vec<u8>> {
    fs::read(path).ok()
}

pub(crate) fn object(entries: Vec<(&str, Value)>) -> Value {
    Value::from_iter(entries)
}

pub(crate) fn node(kind: &str, fields: Vec<(&str, Value)>) -> Value {
    object([vec![("kind", Value::from(kind))], fields].concat())
}

fn name(ident: &str) -> (&'static str, Value) {
    ("name", node("Identifier", vec![("ident", ident.into())]))
}

fn of_type(token: &str) -> Value {
    node("TypeToken", vec![("tok", token.into())])
}

fn token(token: &str) -> Value {
    node("Token", vec![("tok", token.into())])
}

pub(crate) fn text(value: &str) -> Value {
    node("StringLiteral", vec![("value", value.into())])
}

pub(crate) fn number(value: u64) -> Value {
    node("NumberLiteral", vec![("value", value.into())])
}

pub(crate) fn null() -> Value {
    node("NullLiteral", vec![])
}

pub(crate) fn load(variable: &str) -> Value {
    node("LoadLocationExpression", vec![("name", token(variable))])
}

pub(crate) fn member(of: Value, name: &str) -> Value {
    node("LoadLocationExpression", vec![("object", of), ("name", token(name))])
}

pub(crate) fn binary(left: Value, operator: &str, right: Value) -> Value {
    node("BinaryOperatorExpression", vec![("left", left), ("operator", operator.into()), ("right", right)])
}

pub(crate) fn assign(left: Value, right: Value) -> Value {
    node("ExpressionStatement", vec![("expression", binary(left, "=", right))])
}

pub(crate) fn given(condition: Value, then: Value) -> Value {
    node("IfStatement", vec![("condition", condition), ("consequent", then)])
}

/// An entry of an object literal.
pub(crate) fn named_property(key: &str, value: Value) -> Value {
    node("ObjectLiteralNamedProperty", vec![("property", token(key)), ("value", value)])
}

fn local(variable: &str) -> Value {
    let local = node("LocalVariable", vec![name(variable), ("type", of_type("dynamic"))]);
    node("LocalVariableDeclaration", vec![("local", local)])
}

fn block(statements: Vec<Value>) -> Value {
    node("Block", vec![("statements", Value::List(statements))])
}

/// The inputs of a file, in the order of the parameters of its constructor.
const INPUTS: [&str; 5] = ["name", "text", "on", "delay", "fault"];

/// A variable with a file of its name, and inputs.
pub(crate) fn file(variable: &str, inputs: Vec<(&str, Value)>) -> Vec<Value> {
    let all: Vec<(&str, Value)> = [vec![("name", text(variable))], inputs].concat();
    let find = |key: &str| all.iter().rev().find(|(name, _)| *name == key).map(|(_, value)| value.clone());
    let argument = |key: &&str| node("CallArgument", vec![("expr", find(key).unwrap_or_else(null))]);
    let arguments = Value::List(INPUTS.iter().map(argument).collect());
    let new = node("NewExpression", vec![("type", of_type("files:index:File")), ("arguments", arguments)]);
    vec![local(variable), assign(load(variable), new)]
}

fn property(ty: &str) -> Value {
    node("ClassProperty", vec![name("x"), ("type", of_type(ty))])
}

fn class() -> Value {
    let parameter = |input: &&str| node("LocalVariable", vec![name(input), ("type", of_type("dynamic"))]);
    let body = INPUTS.iter().map(|input| assign(member(load(".this"), input), load(input))).collect();
    let constructor = node(
        "ClassMethod",
        vec![
            name(".ctor"),
            ("parameters", Value::List(INPUTS.iter().map(parameter).collect())),
            ("body", block(body)),
        ],
    );
    let mut members: Vec<(&str, Value)> = INPUTS.iter().map(|input| (*input, property("dynamic"))).collect();
    members.extend([("size", property("number")), (".ctor", constructor)]);
    let fields =
        vec![name("File"), ("members", object(members)), ("extends", of_type("lumi:resource:Resource"))];
    node("Class", fields)
}

fn package(statements: Vec<Value>) -> Value {
    let main = node("ModuleMethod", vec![name(".main"), ("body", block(statements))]);
    packaged("files", "index", vec![(".main", main), ("File", class())])
}

fn packaged(package: &str, module: &str, members: Vec<(&str, Value)>) -> Value {
    let one = node("Module", vec![name(module), ("members", object(members))]);
    object(vec![
        ("name", package.into()),
        ("modules", object(vec![(module, one)])),
        ("aliases", object(vec![(".default", module.into())])),
    ])
}

/// The package with the base class of resources.
fn library() -> Value {
    let members = vec![("id", property("string")), ("urn", property("string"))];
    let class = node("Class", vec![name("Resource"), ("members", object(members))]);
    packaged("lumi", "resource", vec![("Resource", class)])
}
