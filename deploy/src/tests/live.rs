//! Previews, refreshes and imports.

use super::{TYPE, World, reference, thing, urn};
use crate::{Accept, Action, Options, import_live, preview, refresh};
use coconut_format::Value;
use std::fs;

fn actions(world: &World, program: &[crate::Wanted]) -> Vec<(String, Action)> {
    let found = preview(&world.open(), &mut program.to_vec(), &world.providers(), &Options::default());
    let steps = found.unwrap().steps.into_iter();
    steps.map(|step| (super::name_of(&step.urn).to_owned(), step.action)).collect()
}

#[test]
fn a_preview_has_the_steps_of_the_deployment_and_changes_nothing() {
    let world = World::new();
    let old = [thing("a", &[("size", 1u64.into())]), thing("b", &[("kind", "x".into())]), thing("c", &[])];
    world.deployed(&old);
    world.cloud.log();
    let before = fs::read(world.path()).unwrap();
    let new = [
        thing("a", &[("size", 2u64.into())]),
        thing("b", &[("kind", "y".into())]),
        thing("d", &[("b", reference("b"))]),
    ];
    let expected =
        [("a", Action::Update), ("b", Action::Replace), ("d", Action::Create), ("c", Action::Delete)];
    assert_eq!(actions(&world, &new), expected.map(|(name, action)| (name.to_owned(), action)));
    assert_eq!(fs::read(world.path()).unwrap(), before);
    assert!(world.cloud.log().is_empty());
    world.deployed(&new);
    assert!(actions(&world, &new).iter().all(|(_, action)| *action == Action::Same));
}

#[test]
fn what_is_gone_leaves_the_state_and_the_relations_to_it() {
    let world = World::new();
    let program = [thing("a", &[]), thing("b", &[("a", reference("a"))])];
    world.deployed(&program);
    let id = world.read().live(&urn("a")).unwrap().id().unwrap().to_owned();
    world.cloud.remove(&id);
    let before = fs::read(world.path()).unwrap();
    let options = Options::default();
    let seen =
        refresh(&mut world.open(), &world.providers(), &options, Accept::Nothing, &mut |_| {}).unwrap();
    assert_eq!((seen.read, seen.drifts.len()), (2, 1));
    assert!(seen.drifts[0].after.is_none());
    assert_eq!(fs::read(world.path()).unwrap(), before);
    refresh(&mut world.open(), &world.providers(), &options, Accept::Outputs, &mut |_| {}).unwrap();
    let state = world.read();
    assert!(state.live(&urn("a")).is_none());
    assert_eq!(state.live(&urn("b")).unwrap().relations().count(), 0);
    super::assert_order(&state, "after the refresh");
    world.deployed(&program);
    world.assert_is(&program, "repaired");
}

#[test]
fn a_live_resource_enters_the_state_once() {
    let (world, other) = (World::new(), World::new());
    other.deployed(&[]);
    world.deployed(&[thing("a", &[("size", 1u64.into())])]);
    let id = world.read().live(&urn("a")).unwrap().id().unwrap().to_owned();
    let providers = world.providers();
    let mut environment = other.open();
    assert_eq!(import_live(&mut environment, &urn("x"), TYPE, "nowhere", &providers).unwrap(), None);
    let found = import_live(&mut environment, &urn("a"), TYPE, &id, &providers).unwrap().unwrap();
    assert_eq!(
        found.outputs().iter().find(|(key, _)| key == "size"),
        Some(&("size".to_owned(), Value::from(1u64)))
    );
    let again = import_live(&mut environment, &urn("a"), TYPE, &id, &providers).unwrap_err();
    assert_eq!(again.code(), "DEPLOY-EXISTS");
    drop(environment);
    assert!(other.read().live(&urn("a")).is_some());
}
