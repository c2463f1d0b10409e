//! The shipped tool with a provider of Pulumi's protocol: `providers/examples/fake_provider.rs`,
//! which stores resources as files and has faults.

use crate::world::{End, World, end, file, load, text};
use coconut_format::Value;
use coconut_testing::skipped;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// The provider, if it was built: `cargo test --workspace` builds it.
fn provider() -> Option<PathBuf> {
    let test = std::env::current_exe().unwrap();
    let program = test.ancestors().nth(2).unwrap().join("examples/fake_provider");
    if !program.is_file() {
        skipped::missing("provider of `providers/examples`");
        return None;
    }
    Some(program)
}

/// A world whose types have that provider.
fn world() -> Option<World> {
    let program = provider()?;
    let world = World::new();
    fs::create_dir(world.path("files")).unwrap();
    let program = Value::from_iter([("program", Value::List(vec![program.to_str().unwrap().into()]))]);
    let providers = Value::from_iter([("fault", program)]);
    let settings = Value::from_iter([("package", Value::from("shop.json")), ("providers", providers)]);
    fs::write(world.path(".coconut/env/dev.settings.json"), settings.to_string()).unwrap();
    Some(world)
}

fn write_program(world: &World, statements: Vec<Value>) {
    world.write_program(statements);
    let text = fs::read_to_string(world.path("shop.json")).unwrap();
    fs::write(world.path("shop.json"), text.replace("\"files", "\"fault")).unwrap();
}

fn command(world: &World, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco-deploy"));
    command.args(words).current_dir(world.path(".")).env("STORE", world.path("files"));
    command.env("COCONUT_CACHE_DIR", world.path("cache")).stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    command
}

fn run(world: &World, words: &[&str]) -> End {
    end(&command(world, words).output().unwrap())
}

const DEPLOY: [&str; 5] = ["deploy", "dev", "--yes", "--with", "lumi.json"];

fn names(all: &[&str]) -> BTreeSet<String> {
    all.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_package_is_deployed_changed_refreshed_and_destroyed_over_grpc() {
    let Some(world) = world() else { return };
    let program =
        |word: &str| [file("a", vec![("text", text(word))]), file("b", vec![("on", load("a"))])].concat();
    write_program(&world, program("one"));
    let steps = run(&world, &["deploy", "dev", "-n", "--with", "lumi.json"]);
    assert_eq!((steps.exit, world.files()), (1, names(&[])), "{}{}", steps.out, steps.error);
    let done = run(&world, &DEPLOY);
    assert_eq!((done.exit, world.files()), (0, names(&["a-1", "b-1"])), "{}{}", done.out, done.error);
    let same = run(&world, &DEPLOY);
    assert_eq!(
        (same.exit, same.out.as_str()),
        (0, "0 create, 0 update, 0 delete, 2 same\n"),
        "{}",
        same.error
    );
    write_program(&world, program("two"));
    let changed = run(&world, &DEPLOY);
    assert_eq!(changed.out.lines().last(), Some("0 create, 1 update, 0 delete, 1 same"), "{}", changed.error);
    fs::remove_file(world.path("files/b-1")).unwrap();
    let gone = run(&world, &["refresh", "dev"]);
    assert!(
        gone.exit == 1 && gone.out.contains("- fault:index:File b  does not exist"),
        "{}{}",
        gone.out,
        gone.error
    );
    assert_eq!((run(&world, &DEPLOY).exit, world.files()), (0, names(&["a-1", "b-1"])));
    let destroyed = run(&world, &["destroy", "dev", "--yes"]);
    assert_eq!((destroyed.exit, world.files()), (0, names(&[])), "{}{}", destroyed.out, destroyed.error);
}

#[test]
fn what_a_provider_leaves_open_is_unresolved_and_found_by_its_id() {
    let Some(world) = world() else { return };
    write_program(&world, [file("a", vec![("fault", text("create:exit"))]), file("b", vec![])].concat());
    // The end of the provider ends all running calls.
    let options = ["--continue-on-error", "--parallel", "1"];
    let ended = run(&world, &[&DEPLOY[..], &options[..]].concat());
    assert!(ended.exit == 5 && ended.error.contains("DEPLOY-UNRESOLVED"), "{}{}", ended.out, ended.error);
    assert_eq!(world.files(), names(&["a-1", "b-1"]));
    let listed = run(&world, &["env", "resolve", "dev"]);
    assert!(listed.exit == 1 && listed.out.ends_with("1 unresolved\n"), "{}", listed.out);
    let urn = "urn:pulumi:dev::fault::fault:index:File::a=a-1";
    let resolved = run(&world, &["env", "resolve", "dev", urn]);
    assert_eq!((resolved.exit, resolved.out.as_str()), (0, "0 unresolved\n"), "{}", resolved.error);
    let clean = [file("a", vec![("fault", text("before-create:clean"))]), file("b", vec![])].concat();
    write_program(&world, clean);
    assert_eq!(run(&world, &DEPLOY).exit, 0);
    assert_eq!(run(&world, &["destroy", "dev", "--yes"]).exit, 0);

    let refused = run(&world, &DEPLOY);
    assert!(refused.exit == 5 && refused.error.contains("DEPLOY-STEPS"), "{}", refused.error);
    assert!(refused.out.contains("refused") && !refused.out.contains('\u{1b}'), "{}", refused.out);
}

#[cfg(unix)]
#[test]
fn a_killed_deployment_over_grpc_leaves_nothing_without_a_name() {
    let Some(world) = world() else { return };
    let things = ["a", "b", "c", "d", "e", "f"].map(|name| {
        let fault = if name == "e" { vec![("fault", text("create:hang"))] } else { Vec::new() };
        file(name, fault)
    });
    write_program(&world, things.concat());
    let mut child = command(&world, &[&DEPLOY[..], &["--parallel", "2"]].concat()).spawn().unwrap();
    while !world.files().contains("e-1") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    // The provider outlives its caller.
    let below = Command::new("pgrep").args(["-P", &child.id().to_string()]).output().unwrap().stdout;
    child.kill().unwrap();
    child.wait().unwrap();
    for provider in String::from_utf8(below).unwrap().lines() {
        Command::new("kill").args(["-9", provider]).status().unwrap();
    }
    let shown = run(&world, &["env", "show", "dev", "--json"]);
    let report = crate::world::json(&shown.out);
    let texts = |key: &str, of: &str| -> BTreeSet<String> {
        let all = report.get(key).unwrap().as_list().unwrap().iter();
        all.map(|one| one.get(of).unwrap().as_str().unwrap().to_owned()).collect()
    };
    let (ids, open) = (texts("resources", "id"), texts("unresolved", "urn"));
    assert!(!open.is_empty() && open.len() <= 2, "{open:?}");
    for made in world.files() {
        let is_open = open.iter().any(|urn| made == format!("{}-1", urn.rsplit("::").next().unwrap()));
        assert!(ids.contains(&made) || is_open, "nothing names {made}");
    }
}
