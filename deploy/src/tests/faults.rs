//! Faults of providers (rows 9 to 13 of the fault matrix).

use super::{TYPE, World, thing, urn};
use crate::{Operation, Options, SkipReason, deploy};
use coconut_format::Value;
use std::time::Duration;

/// The fault of the creation, whether it is open, and whether the thing exists.
const OF_CREATE: [(&str, bool, bool); 5] = [
    ("rejected", false, false),
    ("unclear before", true, false),
    ("unclear after", true, true),
    ("panic before", true, false),
    ("panic after", true, true),
];

#[test]
fn a_failed_creation_is_repeated_only_if_nothing_happened() {
    for (fault, is_open, exists) in OF_CREATE {
        let world = World::new();
        let program = [thing("a", &[])];
        world.cloud.fail("create a", fault);
        let outcome = world.run_all(&program);
        assert_eq!(outcome.failed.len(), 1, "{fault}");
        assert_eq!(
            (outcome.failed[0].is_open, world.cloud.things().len()),
            (is_open, usize::from(exists)),
            "{fault}"
        );
        world.assert_law(&world.read(), fault);
        world.cloud.log();
        let again = world.run_all(&program);
        let expected: &[&str] = if is_open { &[] } else { &["create a"] };
        assert_eq!(world.cloud.log(), expected, "{fault}");
        assert_eq!(again.is_complete(), !is_open, "{fault}");
        world.resolve_all();
        world.deployed(&program);
        world.assert_is(&program, fault);
    }
}

#[test]
fn a_failed_update_or_deletion_is_settled_by_reading() {
    for (fault, is_open, _) in OF_CREATE {
        for (call, next) in
            [("update a", vec![thing("a", &[("size", 2u64.into())])]), ("delete a", Vec::new())]
        {
            let world = World::new();
            world.deployed(&[thing("a", &[("size", 1u64.into())])]);
            world.cloud.fail(call, fault);
            let outcome = world.run_all(&next);
            let context = format!("{call}, {fault}");
            assert_eq!(outcome.failed.len(), 1, "{context}");
            assert_eq!(world.read().unresolved().len(), usize::from(is_open), "{context}");
            world.assert_law(&world.read(), &context);
            world.deployed(&next);
            world.assert_is(&next, &context);
        }
    }
}

#[test]
fn a_replaced_resource_whose_deletion_failed_is_deleted_by_the_next_run() {
    for (fault, ..) in OF_CREATE {
        let world = World::new();
        world.deployed(&[thing("a", &[("kind", "x".into())])]);
        let next = [thing("a", &[("kind", "y".into())])];
        world.cloud.fail("delete a", fault);
        let outcome = world.run_all(&next);
        assert_eq!(outcome.failed.len(), 1, "{fault}");
        assert_eq!(outcome.count(Operation::CreateReplacement), 1, "{fault}");
        world.assert_law(&world.read(), fault);
        world.deployed(&next);
        world.assert_is(&next, fault);
    }
}

#[test]
fn a_resource_that_is_not_ready_is_in_the_state_and_updated_next_time() {
    let world = World::new();
    let outcome = world.run_all(&[thing("a", &[("ready", false.into())])]);
    assert_eq!(outcome.failed[0].message, "the resource exists, but is not ready: not ready");
    assert!(world.read().live(&urn("a")).unwrap().is_unready());
    world.assert_law(&world.read(), "created");
    world.cloud.log();
    world.deployed(&[thing("a", &[("ready", true.into())])]);
    assert_eq!(world.cloud.log(), ["update a"]);
    assert!(!world.read().live(&urn("a")).unwrap().is_unready());
    // The old inputs stay, so the next run repeats the update.
    world.run_all(&[thing("a", &[("ready", false.into())])]);
    assert_eq!(world.read().live(&urn("a")).unwrap().inputs(), [("ready".to_owned(), Value::from(true))]);
}

#[test]
fn a_call_that_hangs_is_given_up() {
    let world = World::new();
    let program = vec![thing("a", &[])];
    world.cloud.fail("create a", "hang");
    let options = Options { timeout: Duration::from_secs(3), grace: Duration::ZERO, ..Options::default() };
    let outcome =
        deploy(&mut world.open(), &mut program.clone(), &world.providers(), &options, &mut |_| {}).unwrap();
    assert_eq!((outcome.failed.len(), outcome.failed[0].is_open), (1, true), "{outcome:?}");
    assert_eq!(outcome.failed[0].message, "no answer within 3s, and none after a request to cancel");
    assert_eq!(world.read().unresolved()[0].intent.type_token, TYPE);
}

#[test]
fn the_first_error_ends_a_run_and_later_ones_only_their_dependents() {
    let program =
        [thing("a", &[("bad", true.into())]), thing("b", &[("a", super::reference("a"))]), thing("c", &[])];
    let world = World::new();
    world.deployed(&[thing("old", &[])]);
    let options = Options { parallelism: 1, ..Options::default() };
    let outcome =
        deploy(&mut world.open(), &mut program.to_vec(), &world.providers(), &options, &mut |_| {}).unwrap();
    assert_eq!(outcome.failed[0].message, "`bad`: is bad");
    let reasons = [(urn("b"), SkipReason::Relation(urn("a"))), (urn("c"), SkipReason::Stopped)];
    assert_eq!(outcome.skipped, reasons);
    assert_eq!(world.cloud.things().len(), 1, "nothing is deleted after an error");
    let outcome = world.run_all(&program);
    assert_eq!(outcome.skipped, reasons[..1]);
    assert_eq!(outcome.count(Operation::Create), 1);
    assert_eq!(outcome.count(Operation::Delete), 1);
}
