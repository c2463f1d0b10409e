//! The steps of a deployment and their order.

use super::{World, name_of, reference, thing, urn};
use crate::{DeployError, Known, Operation, Options, SkipReason, Wanted, deploy};
use coconut_format::Value;
use coconut_format::graph::UnknownType;

fn position(log: &[String], call: &str) -> usize {
    log.iter().position(|one| one == call).unwrap_or_else(|| panic!("{call}: {log:?}"))
}

/// Gives the live resources of the state a mark.
fn mark(world: &World, name: &str, key: &str, value: Value) {
    let mut environment = world.open();
    let mut state = environment.state().live(&urn(name)).unwrap().clone();
    state.set(key, Some(value));
    environment.append(&crate::Record::Set { state: state.clone() }).unwrap();
    environment.state_mut().set(state);
    environment.compact().unwrap();
}

#[test]
fn dependents_are_created_later_and_deleted_earlier() {
    let world = World::new();
    let program = [
        thing("c", &[("b", reference("b"))]),
        thing("b", &[("a", reference("a"))]),
        thing("a", &[]),
        Wanted { dependencies: vec![urn("c")], ..thing("d", &[]) },
    ];
    world.deployed(&program);
    assert_eq!(world.cloud.log(), ["create a", "create b", "create c", "create d"]);
    let b = world.read().live(&urn("b")).unwrap().clone();
    assert_eq!(b.inputs(), [("a".to_owned(), Value::from("1"))]);
    assert_eq!(b.relations().collect::<Vec<_>>(), [urn("a"), urn("a")]);
    world.deployed(&[]);
    assert_eq!(world.cloud.log(), ["delete d", "delete c", "delete b", "delete a"]);
}

#[test]
fn a_replacement_is_created_before_the_old_one_is_deleted() {
    let world = World::new();
    let user = thing("b", &[("a", reference("a"))]);
    world.deployed(&[thing("a", &[("kind", "x".into())]), user.clone()]);
    world.cloud.log();
    let outcome = world.deployed(&[thing("a", &[("kind", "y".into())]), user]);
    assert_eq!(world.cloud.log(), ["create a", "update b", "delete a"]);
    assert_eq!(outcome.count(Operation::DeleteReplaced), 1);
}

#[test]
fn a_deletion_first_takes_the_dependents_that_would_be_replaced() {
    let world = World::new();
    let program = |zone: &str| {
        vec![
            thing("a", &[("zone", zone.into())]),
            thing("b", &[("on", reference("a"))]),
            thing("c", &[("on", reference("b"))]),
            thing("d", &[("to", reference("a"))]),
        ]
    };
    world.deployed(&program("x"));
    world.cloud.log();
    world.deployed(&program("y"));
    let log = world.cloud.log();
    assert_eq!(log[..4], ["delete c", "delete b", "delete a", "create a"]);
    assert!(position(&log, "create b") < position(&log, "create c"));
    position(&log, "update d");
    assert_eq!(log.len(), 7, "{log:?}");
    world.assert_is(&program("y"), "deleted first");
}

#[test]
fn protected_resources_are_neither_deleted_nor_replaced() {
    let world = World::new();
    let program =
        [thing("a", &[]), thing("b", &[("a", reference("a"))]), thing("c", &[("kind", "x".into())])];
    world.deployed(&program);
    mark(&world, "b", "protect", true.into());
    mark(&world, "c", "protect", true.into());
    world.cloud.log();
    let outcome = world.run_all(&[thing("c", &[("kind", "y".into())])]);
    assert_eq!(outcome.failed[0].message, "it is protected, and would have to be replaced");
    assert!(outcome.skipped.contains(&(urn("b"), SkipReason::Protected)), "{outcome:?}");
    assert!(outcome.skipped.contains(&(urn("a"), SkipReason::Relation(urn("b")))), "{outcome:?}");
    assert!(world.cloud.log().is_empty());
    world.assert_law(&world.read(), "protected");
    let unprotected = Wanted { protect: Some(false), ..thing("c", &[("kind", "y".into())]) };
    assert_eq!(world.run_all(&[unprotected]).failed, []);
}

#[test]
fn some_resources_leave_the_state_without_a_call() {
    let world = World::new();
    let program =
        [thing("net", &[]), thing("a", &[("in", reference("net"))]), thing("b", &[]), thing("c", &[])];
    world.deployed(&program);
    mark(&world, "a", "deletedWith", urn("net").into());
    mark(&world, "b", "retainOnDelete", true.into());
    mark(&world, "c", "external", true.into());
    world.cloud.log();
    let outcome = world.deployed(&[]);
    assert_eq!(world.cloud.log(), ["delete net"]);
    assert_eq!((outcome.count(Operation::Delete), outcome.forgotten), (1, 3));
    assert_eq!(world.read().resources().count(), 0);
    let left: Vec<String> = world.cloud.things().into_values().map(|thing| thing.urn).collect();
    assert_eq!(left.iter().map(|urn| name_of(urn)).collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn a_resource_that_was_deleted_for_its_replacement_is_created() {
    let world = World::new();
    world.deployed(&[thing("a", &[]), thing("b", &[])]);
    for name in ["a", "b"] {
        let id = world.read().live(&urn(name)).unwrap().id().unwrap().to_owned();
        mark(&world, name, "pendingReplacement", true.into());
        world.cloud.remove(&id);
    }
    world.cloud.log();
    let program = [thing("a", &[])];
    world.deployed(&program);
    assert_eq!(world.cloud.log(), ["create a"]);
    world.assert_is(&program, "created again");
}

/// `b` has a text with the address of `a`, which is known after its creation.
fn derived(known: &Known) -> Result<Vec<Wanted>, String> {
    let address = known.get(&urn("a")).and_then(|(_, outputs)| {
        outputs.iter().find(|(key, _)| key == "address")?.1.as_str().map(str::to_owned)
    });
    let text = match address {
        Some(address) => format!("http://{address}/"),
        None => UnknownType::String.sentinel().to_owned(),
    };
    Ok(vec![
        thing("a", &[]),
        Wanted { dependencies: vec![urn("a")], ..thing("b", &[("url", text.into())]) },
        thing("c", &[("b", reference("b"))]),
    ])
}

#[test]
fn values_that_a_program_derives_are_known_in_a_later_round() {
    let world = World::new();
    let run = |program: &mut dyn crate::Program| {
        deploy(&mut world.open(), program, &world.providers(), &Options::default(), &mut |_| {})
    };
    let outcome = run(&mut derived).unwrap();
    assert!(outcome.is_complete(), "{outcome:?}");
    let url = world.read().live(&urn("b")).unwrap().inputs()[0].1.clone();
    assert_eq!(url, Value::from("http://10.1/"));
    let outcome = run(&mut derived).unwrap();
    assert_eq!((outcome.same, outcome.done.len()), (3, 0));

    // A value that never becomes known is a failure, and its resource is not created.
    let never = [thing("x", &[("text", UnknownType::String.sentinel().into())])];
    let outcome = run(&mut never.to_vec()).unwrap();
    assert_eq!(outcome.failed[0].message, "the value of `text` never becomes known");
    assert!(world.read().live(&urn("x")).is_none());
}

#[test]
fn a_program_must_not_change_its_mind() {
    let world = World::new();
    let mut program = |known: &Known| -> Result<Vec<Wanted>, String> {
        let size = if known.is_empty() { 1u64 } else { 2 };
        let mut all = derived(known)?;
        all[0] = thing("a", &[("size", size.into())]);
        Ok(all)
    };
    let result =
        deploy(&mut world.open(), &mut program, &world.providers(), &Options::default(), &mut |_| {});
    let Err(DeployError::Program(message)) = result else { panic!("{result:?}") };
    assert!(message.contains(&urn("a")), "{message}");
    world.assert_law(&world.read(), "what was done is in the state");
    assert_eq!(world.cloud.things().len(), 1);
}

#[test]
fn wrong_programs_are_refused_before_any_step() {
    let world = World::new();
    for (program, expected) in [
        (vec![thing("a", &[]), thing("a", &[])], format!("two resources have the URN `{}`", urn("a"))),
        (
            vec![thing("a", &[("b", reference("b"))])],
            format!("`{}` refers to `{}`, which is not in the program", urn("a"), urn("b")),
        ),
    ] {
        let Err(DeployError::Program(message)) = world.run(&mut world.open(), &program) else { panic!() };
        assert_eq!(message, expected);
    }
    let circle =
        [thing("a", &[("b", reference("b"))]), thing("b", &[("a", reference("a"))]), thing("c", &[])];
    let outcome = world.run_all(&circle);
    assert_eq!(outcome.failed.len(), 2, "{outcome:?}");
    assert_eq!(outcome.count(Operation::Create), 1);
}

#[test]
fn components_are_in_the_state_without_calls() {
    let world = World::new();
    let component = Wanted {
        urn: "urn:pulumi:dev::p::my:index:Part::part".to_owned(),
        type_token: "my:index:Part".to_owned(),
        is_component: true,
        ..Wanted::default()
    };
    let child = Wanted { parent: Some(component.urn.clone()), ..thing("a", &[]) };
    world.deployed(&[component, child]);
    assert_eq!(world.cloud.log(), ["create a"]);
    assert_eq!(world.read().resources().count(), 2);
    let outcome = world.deployed(&[]);
    assert_eq!((world.read().resources().count(), outcome.forgotten), (0, 1));
}
