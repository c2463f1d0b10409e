//! §25.10 Secrets: never bare in a file or an output.

use crate::world::{End, World, end, file, load, named_property, node, number, read, text};
use coconut_format::Value;

const CANARY: &str = "canary-41f7";

fn secret() -> Value {
    let entries = vec![
        named_property("4dabf18193072939515e22adb298388d", text("1b47061264138c4ac30d75fd1eb44270")),
        named_property("plaintext", text(&format!("\"{CANARY}\""))),
    ];
    let ty = node("TypeToken", vec![("tok", "dynamic".into())]);
    node("ObjectLiteral", vec![("type", ty), ("properties", Value::List(entries))])
}

fn program() -> Vec<Value> {
    let a = file("a", vec![("text", secret())]);
    let b = file("b", vec![("on", load("a")), ("delay", number(2_000)), ("text", secret())]);
    [a, b].concat()
}

fn with(world: &World, phrase: &str, words: &[&str]) -> End {
    end(&world.command(words).env("COCONUT_PASSPHRASE", phrase).output().unwrap())
}

const DEPLOY: [&str; 6] = ["deploy", "dev", "shop.json", "--with", "lumi.json", "--yes"];

fn assert_hidden(world: &World, ended: &End) {
    for file in ["dev.coco", "dev.coco.bak", "dev.journal"] {
        let bytes = read(&world.path(&format!(".coconut/env/{file}"))).unwrap_or_default();
        assert!(!bytes.windows(CANARY.len()).any(|part| part == CANARY.as_bytes()), "{file}");
    }
    assert!(!ended.out.contains(CANARY) && !ended.error.contains(CANARY), "{}{}", ended.out, ended.error);
}

#[test]
fn a_secret_without_a_passphrase_is_refused_before_any_step() {
    let world = World::new();
    world.write_program(program());
    let refused = world.run(&DEPLOY);
    assert!(refused.exit == 2 && refused.error.contains("DEPLOY-SECRET"), "{}", refused.error);
    assert!(world.files().is_empty());
}

#[cfg(unix)]
#[test]
fn with_a_passphrase_secrets_are_encrypted_in_the_snapshot_and_in_the_journal() {
    let world = World::new();
    world.write_program(program());
    let mut child = world.command(&DEPLOY).env("COCONUT_PASSPHRASE", "open sesame").spawn().unwrap();
    while !world.files().contains("b") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    let killed = end(&child.wait_with_output().unwrap());
    assert!(read(&world.path(".coconut/env/dev.journal")).is_some_and(|journal| !journal.is_empty()));
    assert_hidden(&world, &killed);

    let wrong = with(&world, "close sesame", &DEPLOY);
    assert!(wrong.exit == 2 && wrong.error.contains("DEPLOY-KEY"), "{}", wrong.error);
    let urn = "urn:pulumi:dev::files::files:index:File::b=b";
    let resolved = with(&world, "open sesame", &["env", "resolve", "dev", urn]);
    assert_eq!(resolved.exit, 0, "{}", resolved.error);
    let done = with(&world, "open sesame", &[&DEPLOY[..], &["--json"]].concat());
    assert_eq!(done.exit, 0, "{}", done.error);
    assert_hidden(&world, &done);
    let same = with(&world, "open sesame", &DEPLOY);
    assert_eq!(same.out, "0 create, 0 update, 0 delete, 2 same\n", "{}", same.error);
    let locked = world.run(&DEPLOY);
    assert!(locked.exit == 2 && locked.error.contains("DEPLOY-SECRET"), "{}", locked.error);
    assert_hidden(&world, &world.run(&["env", "show", "dev"]));
}
