//! Processes that are killed or interrupted, and two at once.

use crate::world::{End, World, end, file, load, number};
use coconut_format::Value;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

/// Files whose creation takes a while, the later ones on the earlier ones.
fn slow(count: usize) -> Vec<Value> {
    let one = |at: usize| {
        let on = at.checked_sub(4).map(|before| ("on", load(&format!("f{before}"))));
        file(&format!("f{at}"), [Some(("delay", number(150))), on].into_iter().flatten().collect())
    };
    (0..count).flat_map(one).collect()
}

fn started(world: &World) -> Child {
    world
        .command(&["deploy", "dev", "shop.json", "--with", "lumi.json", "--yes", "--parallel", "3"])
        .spawn()
        .unwrap()
}

/// Waits until so many files exist.
fn wait_for(world: &World, count: usize) {
    let end = Instant::now() + Duration::from_secs(60);
    while world.files().len() < count {
        assert!(Instant::now() < end, "no {count} files: {:?}", world.files());
        thread::sleep(Duration::from_millis(5));
    }
}

fn ended(child: Child) -> End {
    end(&child.wait_with_output().unwrap())
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_killed_deployment_leaves_no_resource_without_a_name() {
    for after in [1, 5, 9] {
        let world = World::new();
        world.write_program(slow(12));
        let mut child = started(&world);
        wait_for(&world, after);
        child.kill().unwrap();
        child.wait().unwrap();
        world.assert_law(&format!("killed after {after}"));
        let (_, open) = world.named();
        assert!(!open.is_empty() && open.len() <= 3, "{open:?}");

        // Nothing is created twice, and nothing silently.
        let before = world.files();
        let refused = world.deploy(&["--yes", "--continue-on-error"]);
        assert!(refused.exit == 5 && refused.error.contains("DEPLOY-UNRESOLVED"), "{}", refused.error);
        assert!(before.is_subset(&world.files()));
        let listed = world.run(&["env", "resolve", "dev"]);
        assert!(listed.exit == 1 && listed.out.contains("create urn:pulumi:dev::"), "{}", listed.out);

        let answers: Vec<String> = open
            .iter()
            .map(|urn| {
                let name = urn.rsplit("::").next().unwrap();
                let id = if world.files().contains(name) { name } else { "absent" };
                format!("{urn}={id}")
            })
            .collect();
        let words: Vec<&str> =
            ["env", "resolve", "dev"].into_iter().chain(answers.iter().map(String::as_str)).collect();
        let resolved = world.run(&words);
        assert_eq!((resolved.exit, resolved.out.as_str()), (0, "0 unresolved\n"), "{}", resolved.error);
        let unknown = world.run(&["env", "resolve", "dev", "urn:x=absent"]);
        assert!(unknown.exit == 1 && unknown.error.contains("DEPLOY-RESOLVED"), "{}", unknown.error);
        assert_eq!(world.deploy(&["--yes"]).exit, 0);
        assert_eq!((world.files().len(), world.named().0.len()), (12, 12));
        assert_eq!(world.run(&["destroy", "dev", "--yes"]).exit, 0);
        assert!(world.files().is_empty());
    }
}

#[cfg(unix)]
#[test]
fn the_first_interrupt_finishes_the_running_steps() {
    let world = World::new();
    world.write_program(slow(12));
    let child = started(&world);
    wait_for(&world, 4);
    signal(&child, "-INT");
    let ended = ended(child);
    assert!(ended.exit == 5 && ended.error.contains("interrupted"), "{}{}", ended.exit, ended.error);
    let (ids, open) = world.named();
    assert_eq!((ids, open.len()), (world.files(), 0));
    assert!(world.files().len() < 12);
    assert_eq!(world.deploy(&["--yes"]).exit, 0);
}

#[cfg(unix)]
#[test]
fn a_second_deployment_is_refused_while_one_runs_and_reading_is_not() {
    let world = World::new();
    world.write_program(slow(8));
    let child = started(&world);
    wait_for(&world, 1);
    let refused = world.deploy(&["--yes"]);
    assert!(refused.exit == 2 && refused.error.contains("DEPLOY-LOCKED"), "{}", refused.error);
    let shown = world.run(&["env", "show", "dev"]);
    assert!(shown.out.contains("unresolved create"), "{}", shown.out);
    assert_eq!(ended(child).exit, 0);
    assert_eq!(world.run(&["env", "show", "dev"]).exit, 0);
    let listed = world.run(&["env", "ls"]);
    assert_eq!(listed.out, "dev  8 resources\n");
}
