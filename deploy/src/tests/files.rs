//! The files of an environment (rows 16, 17 and 19 of the fault matrix).

use super::{World, journal_of, thing, urn};
use crate::{DeployError, Environment, Fault, FaultKind, Options, Providers, Record, State, deploy};
use coconut_format::Value;
use std::path::PathBuf;
use std::{fs, io};

#[test]
fn two_deployments_at_once_are_refused() {
    let world = World::new();
    let first = world.open();
    let Err(DeployError::Locked { holder, .. }) = Environment::open(&world.path()) else {
        panic!("not locked")
    };
    assert_eq!(holder, format!("process {}", std::process::id()));
    drop(first);
    world.open();
}

#[test]
fn a_journal_of_another_snapshot_is_refused() {
    let (world, other) = (World::new(), World::new());
    world.deployed(&[thing("a", &[])]);
    other.deployed(&[thing("b", &[])]);
    let mut environment = world.open();
    environment.set_fault(Some(Fault { write: 2, kind: FaultKind::Before }));
    assert!(matches!(world.run(&mut environment, &[]), Err(DeployError::Killed)));
    drop(environment);
    let kept = fs::read(journal_of(&world.path())).unwrap();
    fs::copy(other.path(), world.path()).unwrap();
    let error = Environment::open(&world.path()).unwrap_err();
    assert!(
        matches!(&error, DeployError::OtherBase { expected: Some(one), found: Some(two), .. } if one != two)
    );
    assert_eq!(fs::read(journal_of(&world.path())).unwrap(), kept, "nothing is removed");
}

#[test]
fn nothing_to_do_writes_no_file() {
    let world = World::new();
    let program = [thing("a", &[]), thing("b", &[("a", super::reference("a"))])];
    world.deployed(&program);
    let (before, calls) = (fs::read(world.path()).unwrap(), world.cloud.log().len());
    assert_eq!(calls, 2);
    let mut records = 0;
    let mut environment = world.open();
    // The first write of any kind would end the run.
    environment.set_fault(Some(Fault { write: 1, kind: FaultKind::Before }));
    let providers = world.providers();
    let outcome =
        deploy(&mut environment, &mut program.to_vec(), &providers, &Options::default(), &mut |_| {
            records += 1;
        });
    assert_eq!((outcome.unwrap().same, records), (2, 0));
    assert_eq!(fs::read(world.path()).unwrap(), before);
    assert!(world.cloud.log().is_empty());
    let names = fs::read_dir(world.folder.path()).unwrap().count();
    assert_eq!(names, 2, "the snapshot and the lock");
}

#[test]
fn a_missing_provider_ends_a_run_before_any_step() {
    let world = World::new();
    let error = deploy(
        &mut world.open(),
        &mut vec![thing("a", &[])],
        &Providers::new(),
        &Options::default(),
        &mut |_| {},
    );
    let Err(DeployError::NoProvider { package, .. }) = error else { panic!("{error:?}") };
    assert_eq!(package, "cloud");
    world.deployed(&[thing("a", &[])]);
    let error =
        deploy(&mut world.open(), &mut Vec::new(), &Providers::new(), &Options::default(), &mut |_| {});
    assert!(matches!(error, Err(DeployError::NoProvider { .. })), "{error:?}");
    assert_eq!(world.cloud.things().len(), 1);
}

#[test]
fn the_state_is_readable_while_a_deployment_runs() {
    let world = World::new();
    let (path, mut seen) = (world.path(), Vec::new());
    let mut report = |record: &Record| {
        let state = Environment::read(&path).unwrap();
        seen.push((
            record.to_value().as_object().unwrap()[0].0.clone(),
            state.resources().count(),
            state.unresolved().len(),
        ));
    };
    let providers = world.providers();
    let options = Options::default();
    deploy(&mut world.open(), &mut vec![thing("a", &[])], &providers, &options, &mut report).unwrap();
    let expected = [("begin", 0, 1), ("done", 1, 0), ("end", 1, 0)];
    assert_eq!(seen, expected.map(|(name, there, open)| (name.to_owned(), there, open)));
}

#[test]
fn unknown_keys_of_a_state_are_kept() {
    let text = r#"{"version":3,"custom":1,"deployment":{"manifest":{"time":"t"},"secrets_providers":{"type":"x"},"resources":[{"urn":"u","type":"t","own":[1]}],"pending_operations":[{"type":"reading","resource":{"urn":"r"}}],"metadata":{}}}"#;
    let value = |text: &str| {
        let mut sink = coconut_codec::event::ValueSink::new();
        coconut_codec::text::json::read(text.as_bytes(), &mut sink, &Default::default()).unwrap();
        sink.finish().unwrap()
    };
    let document = State::from_document(value(text)).unwrap().to_document();
    let original = value(text);
    for path in ["custom", "version"] {
        assert_eq!(document.get(path), original.get(path));
    }
    let [new, old] = [&document, &original].map(|one| one.get("deployment").unwrap());
    for key in ["manifest", "secrets_providers", "resources", "pending_operations", "metadata"] {
        assert_eq!(new.get(key), old.get(key), "{key}");
    }
    let error = State::from_document(value(r#"{"deployment":{"resources":[{"urn":"u"}]}}"#)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "state at `/deployment/resources/0`: expected a resource with a `urn` and a `type`"
    );
}

#[test]
fn secrets_are_written_nowhere() {
    const SECRET: &str = r#"CANARY"#;
    let secret = Value::from_iter([
        (coconut_format::graph::SIGNATURE_KEY, Value::from(coconut_format::graph::SECRET_SIGNATURE)),
        ("plaintext", Value::from(format!("\"{SECRET}\""))),
    ]);
    let world = World::new();
    let program = [thing("a", &[("list", Value::List(vec![secret]))])];
    let error = world.run(&mut world.open(), &program);
    let Err(DeployError::Secret { urn: of, property }) = error else { panic!("{error:?}") };
    assert_eq!((of, property.as_str()), (urn("a"), "list"));
    assert!(world.cloud.things().is_empty());
    for entry in fs::read_dir(world.folder.path()).unwrap() {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(SECRET));
    }
}

#[test]
fn a_long_journal_is_folded_in_the_middle_of_a_run_and_a_crash_there_loses_nothing() {
    let names: Vec<String> = (0..12).map(|at| format!("t{at}")).collect();
    let program: Vec<_> = names.iter().map(|name| thing(name, &[("size", 1u64.into())])).collect();
    let options = Options { parallelism: 2, journal_bytes: 600, ..Options::default() };
    let run = |world: &World, fault: Option<Fault>, longest: &mut u64| {
        let mut environment = world.open();
        environment.set_fault(fault);
        let journal = journal_of(&world.path());
        let report = &mut |_: &Record| {
            *longest = (*longest).max(fs::metadata(&journal).map_or(0, |found| found.len()));
        };
        deploy(&mut environment, &mut program.clone(), &world.providers(), &options, report)
    };
    let (world, mut longest) = (World::new(), 0);
    assert!(run(&world, None, &mut longest).unwrap().is_complete());
    assert!((600..2_000).contains(&longest), "{longest}");
    world.assert_is(&program, "without a crash");
    for write in 1..40 {
        for kind in [FaultKind::Before, FaultKind::After] {
            let world = World::new();
            let killed = run(&world, Some(Fault { write, kind }), &mut 0);
            let context = format!("{} write {write}", kind.as_str());
            world.assert_law(&world.read(), &context);
            if killed.is_err() {
                world.resolve_all();
                run(&world, None, &mut 0).unwrap();
            }
            world.assert_is(&program, &context);
        }
    }
}

#[test]
fn an_interrupt_ends_a_run_in_order() {
    let world = World::new();
    let options = Options { parallelism: 1, ..Options::default() };
    let mut program = vec![thing("a", &[]), thing("b", &[("a", super::reference("a"))])];
    let interrupt = options.interrupt.clone();
    let report = &mut |record: &Record| {
        if matches!(record, Record::Begin { .. }) {
            interrupt.request();
        }
    };
    let outcome = deploy(&mut world.open(), &mut program, &world.providers(), &options, report).unwrap();
    assert!(outcome.is_interrupted && !outcome.is_complete());
    assert_eq!(outcome.count(crate::Operation::Create), 1);
    assert!(world.read().unresolved().is_empty());
    assert_eq!(world.deployed(&program).count(crate::Operation::Create), 1);
}

#[test]
fn errors_have_stable_codes() {
    let path = || PathBuf::from("dev.journal");
    let full = || io::Error::from(io::ErrorKind::StorageFull);
    let cases = [
        (DeployError::Locked { path: path(), holder: String::new() }, "DEPLOY-LOCKED"),
        (DeployError::Io { operation: "read", path: path(), error: full() }, "FILE-READ"),
        (DeployError::Io { operation: "create", path: path(), error: full() }, "FILE-WRITE"),
        (DeployError::Journal { path: path(), offset: 9, reason: "x" }, "DEPLOY-JOURNAL"),
        (DeployError::NewerJournal { path: path(), found: 2 }, "DEPLOY-NEWER"),
        (DeployError::OtherBase { path: path(), expected: None, found: None }, "DEPLOY-BASE"),
        (DeployError::JournalWrite { error: full(), state: Box::new(State::empty()) }, "DEPLOY-WRITE"),
        (DeployError::Program("x".to_owned()), "DEPLOY-PROGRAM"),
        (DeployError::Configure { package: "x".to_owned(), message: "y".to_owned() }, "DEPLOY-CONFIGURE"),
        (DeployError::NotUnresolved(urn("a")), "DEPLOY-RESOLVED"),
        (DeployError::Read { urn: urn("a"), message: "x".to_owned() }, "DEPLOY-READ"),
        (DeployError::Key("x".to_owned()), "DEPLOY-KEY"),
    ];
    for (error, code) in cases {
        assert_eq!(error.code(), code, "{error}");
        let is_own = code.starts_with("DEPLOY-");
        assert_eq!(DeployError::CODES.contains(&code), is_own, "{code}");
    }
}
