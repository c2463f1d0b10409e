//! The life of an environment.

use crate::world::{World, file, json, load, read, text};
use std::collections::BTreeSet;
use std::fs;

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn an_environment_is_made_deployed_changed_refreshed_repaired_and_removed() {
    let world = World::new();
    let a = || file("a", vec![("text", text("one"))]);
    let b = || file("b", vec![("on", load("a"))]);
    world.write_program([a(), b()].concat());

    let steps = world.deploy(&["-n"]);
    assert_eq!(
        (steps.exit, steps.out.as_str()),
        (1, "+ files:index:File a\n+ files:index:File b\n2 create, 0 update, 0 delete, 0 same\n"),
        "{}",
        steps.error
    );
    assert_eq!(world.files(), names(&[]));

    let done = world.deploy(&["--yes"]);
    assert_eq!(done.exit, 0, "{}{}", done.out, done.error);
    let last = done.out.lines().last();
    assert_eq!(
        (done.out.lines().count(), last),
        (3, Some("2 create, 0 update, 0 delete, 0 same")),
        "{}",
        done.out
    );
    assert_eq!(world.files(), names(&["a", "b"]));
    let b_file = String::from_utf8(read(&world.path("files/b")).unwrap()).unwrap();
    assert!(b_file.contains(r#""on":"a""#), "a reference is the id: {b_file}");

    let before = read(&world.snapshot());
    let same = world.deploy(&["--yes"]);
    assert_eq!((same.exit, same.out.as_str()), (0, "0 create, 0 update, 0 delete, 2 same\n"));
    assert_eq!(read(&world.snapshot()), before);
    assert_eq!(world.deploy(&["-n"]).exit, 0);

    fs::write(world.path("files/a"), r#"{"name":"a","text":"by hand"}"#).unwrap();
    let drift = world.run(&["refresh", "dev", "-n"]);
    assert_eq!(
        (drift.exit, drift.out.as_str()),
        (1, "~ files:index:File a  text, size\n2 read, 1 changed, 0 gone\n"),
        "{}",
        drift.error
    );
    assert_eq!(read(&world.snapshot()), before, "-n writes nothing");
    assert_eq!(world.run(&["refresh", "dev"]).exit, 1);
    assert_eq!(world.run(&["refresh", "dev"]).exit, 1, "the inputs still differ");
    let repaired = world.deploy(&["--yes"]);
    assert_eq!(
        repaired.out.lines().last(),
        Some("0 create, 1 update, 0 delete, 1 same"),
        "{}",
        repaired.error
    );
    assert_eq!(world.run(&["refresh", "dev"]).exit, 0);

    fs::remove_file(world.path("files/b")).unwrap();
    let gone = world.run(&["refresh", "dev"]);
    assert_eq!(
        (gone.exit, gone.out.as_str()),
        (1, "- files:index:File b  does not exist\n2 read, 0 changed, 1 gone\n")
    );
    assert_eq!(world.deploy(&["--yes"]).exit, 0);
    assert_eq!(world.files(), names(&["a", "b"]));

    world.write_program(file("c", vec![("text", text("one"))]));
    let moved = world.deploy(&["--yes"]);
    assert_eq!(moved.out.lines().last(), Some("1 create, 0 update, 2 delete, 0 same"), "{}", moved.error);
    let refused = world.run(&["env", "rm", "dev"]);
    assert!(refused.exit == 2 && refused.error.contains("DEPLOY-STATE"), "{}", refused.error);
    let asked = world.run(&["destroy", "dev"]);
    assert_eq!(asked.exit, 2, "without a terminal, it needs --yes");
    assert_eq!(world.run(&["destroy", "dev", "--yes"]).exit, 0);
    assert_eq!(world.files(), names(&[]));
    assert_eq!(world.run(&["env", "rm", "dev"]).exit, 0);
    assert_eq!(fs::read_dir(world.path(".coconut/env")).unwrap().count(), 0);
    let absent = world.deploy(&["--yes"]);
    assert!(absent.exit == 2 && absent.error.contains("DEPLOY-ENV"), "{}", absent.error);
}

#[test]
fn live_values_are_accepted_and_live_resources_imported() {
    let world = World::new();
    world.write_program(file("a", vec![("text", text("one"))]));
    assert_eq!(world.deploy(&["--yes"]).exit, 0);
    fs::write(world.path("files/a"), r#"{"name":"a","text":"by hand"}"#).unwrap();
    assert_eq!(world.run(&["refresh", "dev", "--accept"]).exit, 1);
    assert_eq!(world.run(&["refresh", "dev", "-n"]).exit, 0);
    world.write_program(file("a", vec![("text", text("by hand"))]));
    assert_eq!(world.deploy(&["-n"]).exit, 0);

    fs::write(world.path("files/b"), r#"{"name":"b"}"#).unwrap();
    let absent = world.run(&["import-live", "dev", "files:index:File", "x"]);
    assert!(absent.exit == 1 && absent.error.contains("KEY-MISSING"), "{}", absent.error);
    let imported = world.run(&["import-live", "dev", "files:index:File", "b"]);
    let urn = "urn:pulumi:dev::files::files:index:File::b";
    assert_eq!(imported.out, format!("= files:index:File b  b\n{urn}\n"), "{}", imported.error);
    let again = world.run(&["import-live", "dev", "files:index:File", "b"]);
    assert!(again.exit == 2 && again.error.contains("DEPLOY-EXISTS"), "{}", again.error);
    world.write_program([file("a", vec![("text", text("by hand"))]), file("b", vec![])].concat());
    assert_eq!(world.deploy(&["-n"]).exit, 0);
}

#[test]
fn a_failed_step_is_told_and_escaped_and_the_rest_is_settled_by_the_next_run() {
    let world = World::new();
    let fault = "no\u{1b}[31m room";
    let a = file("a", vec![("fault", text(fault))]);
    let b = file("b", vec![("on", load("a"))]);
    let c = file("c", vec![]);
    world.write_program([a, b, c].concat());
    let failed = world.deploy(&["--yes", "--continue-on-error"]);
    assert_eq!(failed.exit, 5, "{}", failed.error);
    assert!(failed.error.contains("DEPLOY-STEPS"), "{}", failed.error);
    assert!(failed.out.contains("no\\u{1b}[31m room") && !failed.out.contains('\u{1b}'), "{}", failed.out);
    assert!(failed.out.contains("! b: left as it is, because of a"), "{}", failed.out);
    assert_eq!(world.files(), names(&["c"]));
    world.write_program([file("a", vec![]), file("b", vec![("on", load("a"))]), file("c", vec![])].concat());
    assert_eq!(world.deploy(&["--yes"]).exit, 0);
    assert_eq!(world.files(), names(&["a", "b", "c"]));
}

#[test]
fn json_has_one_object_for_each_record_and_no_values() {
    let world = World::new();
    world.write_program(file("a", vec![("text", text("CANARY"))]));
    let done = world.deploy(&["--yes", "--json"]);
    assert_eq!(done.exit, 0, "{}", done.error);
    let kinds: Vec<String> =
        done.out.lines().map(|line| json(line).as_object().unwrap()[0].0.clone()).collect();
    assert_eq!(kinds, ["begin", "done", "end", "counts"]);
    assert!(!done.out.contains("CANARY"), "{}", done.out);
}

#[test]
fn a_package_without_a_provider_and_damaged_settings_are_refused_before_any_step() {
    let world = World::new();
    let settings = world.path(".coconut/env/dev.settings.json");
    fs::write(&settings, r#"{"pakage": 1}"#).unwrap();
    world.write_program(file("a", vec![]));
    let wrong = world.deploy(&["--yes"]);
    assert!(wrong.exit == 4 && wrong.error.contains("DEPLOY-SETTINGS"), "{}", wrong.error);
    fs::remove_file(settings).unwrap();
    let other = fs::read_to_string(world.path("shop.json")).unwrap();
    fs::write(world.path("shop.json"), other.replace("files", "clouds")).unwrap();
    let missing = world.deploy(&["--yes"]);
    assert!(missing.exit == 2 && missing.error.contains("DEPLOY-PROVIDER"), "{}", missing.error);
}
