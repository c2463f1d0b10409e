//! Crashes at each write of a run (rows 1 to 8, 14, 15 and 18 of the fault matrix).

use super::{World, assert_order, journal_of, reference, thing, urn};
use crate::{DeployError, Environment, Fault, FaultKind, Operation, Options, State, Wanted, deploy};
use std::fs;

/// Twelve resources.
fn first_program() -> Vec<Wanted> {
    vec![
        thing("net", &[("size", 1u64.into())]),
        thing("disk", &[("kind", "a".into())]),
        thing("zone", &[("zone", "a".into())]),
        thing("in-zone", &[("on", reference("zone"))]),
        thing("in-in-zone", &[("on", reference("in-zone"))]),
        thing("web", &[("size", 1u64.into()), ("net", reference("net")), ("disk", reference("disk"))]),
        thing("old", &[("size", 1u64.into())]),
        thing("on-old", &[("old", reference("old"))]),
        thing("on-on-old", &[("old", reference("on-old"))]),
        thing("same", &[("net", reference("net"))]),
        thing("free", &[]),
        thing("last", &[("web", reference("web")), ("same", reference("same"))]),
    ]
}

/// The same with an update, a replacement in each way, three deletions and two creations.
fn second_program() -> Vec<Wanted> {
    let mut program = first_program();
    program.retain(|wanted| !wanted.urn.contains("old"));
    program[0] = thing("net", &[("size", 2u64.into())]);
    program[1] = thing("disk", &[("kind", "b".into())]);
    program[2] = thing("zone", &[("zone", "b".into())]);
    program.push(thing("new", &[("net", reference("net"))]));
    program.push(thing("on-new", &[("new", reference("new"))]));
    program
}

/// Runs `to` with a crash at write 1, 2, …, until there is no such write. Each time, a normal run
/// must then end the work. Returns the number of writes.
fn crash_everywhere(from: &[Wanted], to: &[Wanted], kind: FaultKind) -> u64 {
    for write in 1.. {
        let context = format!("{} write {write}", kind.as_str());
        let world = World::new();
        if !from.is_empty() {
            world.deployed(from);
        }
        let mut environment = world.open();
        environment.set_fault(Some(Fault { write, kind }));
        match world.run(&mut environment, to) {
            Ok(outcome) => {
                assert!(outcome.is_complete(), "{context}: {outcome:?}");
                world.assert_is(to, &context);
                return write - 1;
            }
            Err(DeployError::Killed) => {}
            Err(DeployError::JournalWrite { state, .. }) if kind == FaultKind::Full => {
                world.assert_law(&state, &format!("{context}, in memory"));
                assert!(state.unresolved().is_empty(), "{context}: all answers are known");
            }
            Err(error) => panic!("{context}: {error}"),
        }
        drop(environment);
        world.assert_law(&world.read(), &context);
        let open: Vec<String> = world.read().unresolved().iter().map(|one| one.intent.urn.clone()).collect();
        assert!(open.len() <= 4, "{context}: more than the parallelism: {open:?}");
        let outcome = world.run_all(to);
        assert_eq!(outcome.failed, [], "{context}");
        world.assert_law(&world.read(), &context);
        // No creation is repeated before its outcome is known.
        for one in world.read().unresolved() {
            assert!(one.intent.operation.is_create(), "{context}: {one:?}");
            assert!(open.contains(&one.intent.urn), "{context}: {one:?}");
        }
        world.resolve_all();
        world.deployed(to);
        world.assert_is(to, &context);
    }
    unreachable!("a run has an end");
}

#[test]
fn a_first_deployment_survives_a_crash_at_each_write() {
    for kind in FaultKind::ALL {
        // The intention and the result of each resource, the end, the snapshot, and the removal of
        // the journal.
        assert_eq!(crash_everywhere(&[], &first_program(), kind), 2 * 12 + 3, "{kind:?}");
    }
}

#[test]
fn a_changed_program_survives_a_crash_at_each_write() {
    for kind in FaultKind::ALL {
        let writes = crash_everywhere(&first_program(), &second_program(), kind);
        assert!(writes > 30, "{kind:?}: {writes}");
    }
}

#[test]
fn a_destruction_survives_a_crash_at_each_write() {
    for kind in FaultKind::ALL {
        assert_eq!(crash_everywhere(&first_program(), &[], kind), 2 * 12 + 3, "{kind:?}");
    }
}

/// A world after a crash before the snapshot was written, and its journal with all records of the
/// run.
fn whole_journal() -> (World, Vec<u8>) {
    let run = |fault: Option<Fault>| {
        let world = World::new();
        world.deployed(&first_program());
        let (mut environment, mut records) = (world.open(), 0);
        environment.set_fault(fault);
        let options = Options::default();
        let mut program = second_program();
        let result =
            deploy(&mut environment, &mut program, &world.providers(), &options, &mut |_| records += 1);
        assert_eq!(result.is_ok(), fault.is_none());
        drop(environment);
        (world, records)
    };
    let (_, records) = run(None);
    let (world, _) = run(Some(Fault { write: records + 1, kind: FaultKind::Before }));
    let bytes = fs::read(journal_of(&world.path())).unwrap();
    assert!(bytes.ends_with(b"{\"end\":true}\n"));
    (world, bytes)
}

#[test]
fn every_prefix_of_a_journal_is_a_state() {
    let (world, journal) = whole_journal();
    let path = world.path();
    for length in 0..=journal.len() {
        fs::write(journal_of(&path), &journal[..length]).unwrap();
        let context = format!("{length} bytes");
        let state = Environment::read(&path).expect(&context);
        assert_order(&state, &context);
        let document = state.to_document();
        assert_eq!(State::from_document(document.clone()).unwrap().to_document(), document, "{context}");
        let whole = journal[..length].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        // Each way to end a line, and each line.
        if length.saturating_sub(whole) < 2 {
            let environment = Environment::open(&path).expect(&context);
            let expected = (whole > 0 && whole < length).then_some((length - whole) as u64);
            assert_eq!(environment.cut(), expected, "{context}");
            assert_eq!(environment.state().to_document(), document, "{context}");
        }
    }
}

#[test]
fn damage_is_cut_at_the_end_and_refused_before_it() {
    let (world, journal) = whole_journal();
    let path = world.path();
    let starts: Vec<usize> = std::iter::once(0)
        .chain(journal.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1))
        .filter(|at| *at < journal.len())
        .collect();
    for (line, &start) in starts.iter().enumerate().skip(1) {
        let mut damaged = journal.clone();
        damaged[start + 12] ^= 1;
        fs::write(journal_of(&path), &damaged).unwrap();
        match (Environment::read(&path), line + 1 == starts.len()) {
            (Ok(_), true) => {}
            (Err(DeployError::Journal { offset, reason, .. }), false) => {
                assert_eq!(offset, start as u64);
                assert_eq!(reason, "the checksum is wrong, and later records are good");
            }
            (other, _) => panic!("line {line}: {other:?}"),
        }
    }
}

#[test]
fn a_snapshot_and_its_journal_are_folded_once() {
    let world = World::new();
    let mut environment = world.open();
    // The removal of the journal is the last write.
    environment.set_fault(Some(Fault { write: 27, kind: FaultKind::Before }));
    assert!(matches!(world.run(&mut environment, &first_program()), Err(DeployError::Killed)));
    drop(environment);
    assert!(journal_of(&world.path()).exists());
    let state = world.read();
    assert_eq!((state.resources().count(), state.unresolved().len()), (12, 0));
    drop(world.open());
    assert!(!journal_of(&world.path()).exists());
    world.assert_is(&first_program(), "folded");
}

#[test]
fn an_unresolved_creation_waits_for_a_decision() {
    let world = World::new();
    let program = [thing("a", &[]), thing("b", &[("a", reference("a"))]), thing("c", &[])];
    world.cloud.fail("create a", "unclear after");
    let first = world.run_all(&program);
    assert_eq!((first.failed.len(), first.failed[0].is_open), (1, true));
    assert_eq!(first.count(Operation::Create), 1);
    world.cloud.log();
    let second = world.run_all(&program);
    assert!(world.cloud.log().is_empty(), "nothing is created a second time");
    assert_eq!(second.skipped.len(), 2, "{second:?}");
    // The program has lost it meanwhile, and it is still named.
    world.deployed(&program[2..]);
    assert_eq!(world.read().unresolved()[0].intent.urn, urn("a"));
    assert_eq!(world.read().unresolved()[0].message.as_deref(), Some("transport error"));
    world.resolve_all();
    assert!(world.read().unresolved().is_empty());
    world.deployed(&program[2..]);
    world.assert_is(&program[2..], "deleted after its resolution");
}
