//! Providers of Pulumi's protocol: one of our own with faults, and recordings of foreign ones.

#![expect(clippy::unwrap_used, reason = "these are tests")]

#[path = "main/foreign.rs"]
mod foreign;
#[path = "main/recordings.rs"]
mod recordings;

use coconut_deploy::{
    CallError, Effect, Environment, Operation, Options, Outcome, Provider, Providers, Wanted, deploy, resolve,
};
use coconut_format::Value;
use coconut_providers::pulumi::{Launch, PulumiProvider, Source, launch};
use coconut_providers::{LaunchError, Log, Severity};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const TYPE: &str = "fake:index:Thing";

fn urn(name: &str) -> String {
    format!("urn:pulumi:dev::shop::{TYPE}::{name}")
}

/// The provider of `examples/fake_provider.rs`, which cargo builds with the tests.
fn program() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap();
    let program = folder.join(format!("examples/fake_provider{}", std::env::consts::EXE_SUFFIX));
    assert!(program.is_file(), "{} is missing: cargo build --examples", program.display());
    program
}

/// A provider with its store, and the lines that it has printed.
struct Fake {
    store: tempfile::TempDir,
    lines: Arc<Mutex<Vec<String>>>,
    provider: Arc<PulumiProvider>,
}

impl Fake {
    fn new() -> Fake {
        Fake::with(&[])
    }

    fn with(variables: &[&str]) -> Fake {
        let store = tempfile::tempdir().unwrap();
        let lines = Arc::new(Mutex::new(Vec::new()));
        let mut start = Launch::new("fake", Source::program(program()));
        start.variables = vec![("STORE".to_owned(), store.path().display().to_string())];
        start.variables.extend(variables.iter().map(|name| ((*name).to_owned(), "1".to_owned())));
        start.grace = Duration::from_millis(300);
        let receiver = Arc::clone(&lines);
        start.log = Log::new(move |severity, line| {
            assert_eq!(severity, Severity::Debug);
            receiver.lock().unwrap().push(line.to_owned());
        });
        let provider = Arc::new(launch(start).unwrap());
        Fake { store, lines, provider }
    }

    fn configured() -> Fake {
        let fake = Fake::new();
        fake.provider.configure(&[]).unwrap();
        fake
    }

    fn things(&self) -> Vec<String> {
        let files = fs::read_dir(self.store.path()).unwrap();
        let mut names: Vec<_> = files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn create(&self, name: &str, fault: &str) -> Result<coconut_deploy::Created, CallError> {
        self.provider.create(&urn(name), TYPE, &inputs(&[("name", name.into()), ("fault", fault.into())]))
    }

    fn providers(&self) -> Providers {
        Providers::new().with("fake", Arc::clone(&self.provider) as Arc<_>, Vec::new())
    }

    fn run(&self, environment: &Path, program: &[Wanted]) -> Outcome {
        let mut environment = Environment::open(environment).unwrap();
        let mut program = program.to_vec();
        deploy(&mut environment, &mut program, &self.providers(), &Options::default(), &mut |_| {}).unwrap()
    }
}

fn inputs(entries: &[(&str, Value)]) -> Vec<(String, Value)> {
    entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect()
}

fn thing(name: &str, size: u64) -> Wanted {
    let inputs = inputs(&[("name", name.into()), ("wanted", size.into())]);
    Wanted { urn: urn("a"), type_token: TYPE.to_owned(), inputs, ..Wanted::default() }
}

fn secret(text: &str) -> Value {
    Value::from_iter([
        ("4dabf18193072939515e22adb298388d", Value::from("1b47061264138c4ac30d75fd1eb44270")),
        ("plaintext", Value::from(text).to_string().into()),
    ])
}

#[test]
fn a_resource_is_created_changed_replaced_and_deleted() {
    for variables in [&[][..], &["NO_HANDSHAKE"], &["NO_HANDSHAKE", "OLD_VALUES"]] {
        let fake = Fake::with(variables);
        let environment = tempfile::tempdir().unwrap();
        let environment = environment.path().join("dev.coco");
        let steps = [
            (vec![thing("a", 1)], vec!["a-1"], Some(Operation::Create)),
            (vec![thing("a", 1)], vec!["a-1"], None),
            (vec![thing("a", 2)], vec!["a-1"], Some(Operation::Update)),
            (vec![thing("b", 2)], vec!["b-1"], Some(Operation::DeleteFirst)),
            (vec![], vec![], Some(Operation::Delete)),
        ];
        for (program, things, operation) in steps {
            let outcome = fake.run(&environment, &program);
            assert!(outcome.is_complete(), "{outcome:?}");
            assert_eq!(fake.things(), things);
            assert_eq!(outcome.done.is_empty(), operation.is_none());
            assert!(operation.is_none_or(|operation| outcome.count(operation) == 1), "{outcome:?}");
        }
    }
}

#[test]
fn a_provider_that_ends_during_a_creation_starts_again_and_the_outcome_is_not_known() {
    let fake = Fake::configured();
    for (fault, things) in [("before-create:exit", vec![]), ("create:exit", vec!["x-1"])] {
        let error = fake.create("x", fault).unwrap_err();
        assert_eq!(error.effect, Effect::Unknown);
        assert!(error.message.contains("its process has ended (exit status: 9)"), "{error}");
        assert_eq!(fake.things(), things);
    }
    assert_eq!(fake.create("y", "").unwrap().id, "y-1");
}

#[test]
fn a_creation_without_an_answer_is_unresolved_until_its_id_is_known() {
    let fake = Fake::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dev.coco");
    let mut wanted = thing("a", 1);
    wanted.inputs.push(("fault".to_owned(), "create:exit".into()));
    let outcome = fake.run(&path, &[wanted]);
    assert!(outcome.failed[0].is_open, "{outcome:?}");
    assert_eq!(fake.things(), ["a-1"]);
    let mut environment = Environment::open(&path).unwrap();
    assert_eq!(environment.state().unresolved().len(), 1);
    assert!(resolve(&mut environment, &urn("a"), Some("a-1"), &fake.providers()).unwrap());
    assert!(environment.state().unresolved().is_empty());
    assert_eq!(environment.state().live(&urn("a")).unwrap().id(), Some("a-1"));
}

#[test]
fn the_answer_to_a_failed_creation_tells_its_effect() {
    let fake = Fake::configured();
    let failed = |fault| fake.create("x", fault).unwrap_err();
    assert_eq!(failed("create:clean"), CallError::rejected("refused\\u{1b}[31m"));
    assert_eq!(failed("create:unknown"), CallError::unclear("no idea"));
    assert_eq!(failed("create:unavailable"), CallError::unclear("try again"));
    let created = fake.create("x", "create:init").unwrap();
    assert_eq!((&*created.id, created.init_errors), ("x-1", vec!["made".to_owned(), "not ready".to_owned()]));
    assert_eq!(
        created.outputs.iter().find(|(key, _)| key == "size"),
        Some(&("size".to_owned(), 1u64.into()))
    );
}

#[test]
fn a_call_that_hangs_ends_after_a_cancellation() {
    let fake = Fake::configured();
    let error = std::thread::scope(|scope| {
        let call = scope.spawn(|| fake.create("x", "create:hang"));
        while fake.things().is_empty() {
            std::thread::yield_now();
        }
        fake.provider.cancel();
        call.join().unwrap().unwrap_err()
    });
    assert_eq!(error.effect, Effect::Unknown);
    assert_eq!(fake.create("y", "").unwrap().id, "y-1", "it starts again");
}

#[test]
fn a_value_that_cannot_pass_is_refused_before_the_call() {
    let fake = Fake::configured();
    let large = inputs(&[("name", "x".into()), ("list", Value::from_iter([Value::from(1u64 << 60)]))]);
    let error = fake.provider.create(&urn("x"), TYPE, &large).unwrap_err();
    let message = "property `list[0]` is an integer above 2^53, which the protocol cannot carry";
    assert_eq!(error, CallError::rejected(message));
    let unknown = inputs(&[("name", "04da6b54-80e4-46f7-96ec-b56ff0331ba9".into())]);
    let error = fake.provider.create(&urn("x"), TYPE, &unknown).unwrap_err();
    assert_eq!(error, CallError::rejected("property `name` is not known yet"));
    assert!(fake.things().is_empty());
}

#[test]
fn secrets_are_marked_in_answers_of_every_provider() {
    for variables in [&[][..], &["OLD_VALUES"]] {
        let fake = Fake::with(variables);
        fake.provider.configure(&[]).unwrap();
        let password = secret("sword-fish");
        let new = inputs(&[("name", "x".into()), ("password", password.clone())]);
        let created = fake.provider.create(&urn("x"), TYPE, &new).unwrap();
        let found = created.outputs.iter().find(|(key, _)| key == "password");
        assert_eq!(found, Some(&("password".to_owned(), password)), "{variables:?}");
    }
}

#[test]
fn no_error_and_no_line_has_a_secret_or_a_control_character() {
    let fake = Fake::new();
    let configuration = inputs(&[("refuse", "yes".into()), ("token", secret("canary-1"))]);
    let error = fake.provider.configure(&configuration).unwrap_err();
    assert_eq!(error.message, "the token [secret] is refused");
    fake.provider.stop();
    let lines = fake.lines.lock().unwrap().clone();
    assert!(lines.iter().any(|line| line.starts_with("starting with \\u{1b}[31m")), "{lines:?}");
}

#[cfg(unix)]
#[test]
fn a_program_that_is_no_provider_is_an_error_with_its_last_lines() {
    let start = |script: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("provider");
        fs::write(&path, script).unwrap();
        let mut source = Launch::new("fake", Source::program("/bin/sh"));
        source.source = match source.source {
            Source::Program { program, .. } => Source::Program { program, arguments: vec![path.into()] },
            other => other,
        };
        source.start_time = Duration::from_secs(20);
        launch(source).unwrap_err()
    };
    match start("echo oh no >&2; exit 3") {
        LaunchError::Ended { status, lines, .. } => {
            assert_eq!((&*status, lines), ("exit status: 3", vec!["oh no".to_owned()]));
        }
        other => panic!("{other}"),
    }
    match start("echo 'a\u{1b}b'; sleep 60") {
        LaunchError::Address { line, .. } => assert_eq!(line, "a\\u{1b}b"),
        other => panic!("{other}"),
    }
}
