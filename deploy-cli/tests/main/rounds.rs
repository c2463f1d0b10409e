//! §25.7 Programs that need values of resources.

use crate::world::{World, binary, file, given, load, member, null, number, text};
use std::fs;

#[test]
fn computed_values_and_conditions_wait_for_the_resources_that_have_them() {
    let world = World::new();
    let size = || member(load("a"), "size");
    let b = file("b", vec![("text", binary(size(), "+", number(1)))]);
    let c = file("c", vec![("on", load("b"))]);
    let block = |statements| {
        crate::world::node("Block", vec![("statements", coconut_format::Value::List(statements))])
    };
    let only_if = given(binary(size(), ">", number(5)), block(c));
    world.write_program([file("a", vec![]), b, vec![only_if]].concat());

    let steps = world.deploy(&["-n"]);
    assert!(steps.out.contains("more steps may follow: the program waits for a value"), "{}", steps.out);
    assert_eq!(steps.exit, 1);

    let done = world.deploy(&["--yes"]);
    assert_eq!(done.exit, 0, "{}{}", done.out, done.error);
    let a = fs::read_to_string(world.path("files/a")).unwrap();
    let b = fs::read_to_string(world.path("files/b")).unwrap();
    assert!(b.contains(&format!(r#""text":{}"#, a.len() + 1)), "{b}");
    assert_eq!(world.files().len(), 3);
    assert_eq!(world.deploy(&["-n"]).out, "0 create, 0 update, 0 delete, 3 same\n");

    // The source of the computed value is a dependency, so it is deleted last.
    let destroyed = world.run(&["destroy", "dev", "--yes", "--parallel", "1"]);
    let order: Vec<&str> = destroyed.out.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    assert_eq!(order[..3], ["c", "b", "a"], "{}", destroyed.out);
}

#[test]
fn a_program_that_waits_for_a_value_that_never_comes_deletes_nothing() {
    let world = World::new();
    world.write_program([file("a", vec![]), file("z", vec![])].concat());
    assert_eq!(world.deploy(&["--yes"]).exit, 0);
    let never = given(binary(member(load("a"), "urn"), "==", member(load("b"), "size")), null());
    let fails = file("b", vec![("fault", text("no"))]);
    let never = crate::world::node(
        "IfStatement",
        match never {
            coconut_format::Value::Object(fields) => fields
                .into_iter()
                .filter(|(key, _)| key == "condition")
                .map(|(_, value)| ("condition", value))
                .chain([(
                    "consequent",
                    crate::world::node(
                        "Block",
                        vec![("statements", coconut_format::Value::List(Vec::new()))],
                    ),
                )])
                .collect(),
            _ => unreachable!("a node"),
        },
    );
    world.write_program([file("a", vec![]), fails, vec![never], file("z", vec![])].concat());
    let ended = world.deploy(&["--yes", "--continue-on-error"]);
    assert_eq!(ended.exit, 5, "{}{}", ended.out, ended.error);
    assert!(ended.out.contains("nothing is deleted"), "{}", ended.out);
    assert!(world.files().contains("z"));
}
