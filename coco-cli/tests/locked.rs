//! Packages of `coco.lock` in commands that run programs: from the cache of registries, and from
//! nowhere else.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::cache::{hub_cache, hub_layer};
use coconut_codec::compile::{CompileOptions, compile};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const EXAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/help/plan.in");

fn coco(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache")).env("HOME", folder);
    command.args(line.split(' ')).stdin(Stdio::null()).output().unwrap()
}

/// A program that needs the package `coconut`, which is locked. Returns the path of its document.
fn locked(folder: &Path) -> PathBuf {
    for name in ["shop.cocopack.json", "deployed.json"] {
        fs::copy(Path::new(EXAMPLE).join(name), folder.join(name)).unwrap();
    }
    let source = fs::read(Path::new(EXAMPLE).join("coconut.cocopack.json")).unwrap();
    let document = compile(&source, &CompileOptions::default()).unwrap().bytes;
    let digits = coconut_format::numerals::hex(&Sha256::digest(&document));
    let layer = hub_layer(&hub_cache(&folder.join("cache")), &digits);
    fs::create_dir_all(layer.parent().unwrap()).unwrap();
    fs::write(&layer, document).unwrap();
    let zeros = "0".repeat(64);
    let lock = format!(
        r#"{{"version": 1, "packages": {{"coconut": {{"reference": "oci://hub.example/coconut:1.0.0",
        "version": "1.0.0", "manifest": "sha256:{zeros}", "layer": "sha256:{digits}",
        "document": "sha256:{zeros}"}}}}}}"#
    );
    fs::write(folder.join("coco.lock"), lock).unwrap();
    layer
}

const COMMANDS: [&str; 3] =
    ["pack eval shop.cocopack.json", "plan shop.cocopack.json --against deployed.json", "get coconut /name"];

#[test]
fn programs_use_the_packages_of_the_lock_file() {
    let folder = tempfile::tempdir().unwrap();
    let layer = locked(folder.path());
    // A package of the same name elsewhere, which has nothing.
    let decoy = folder.path().join(".coconut/packs/coconut");
    fs::create_dir_all(&decoy).unwrap();
    fs::write(decoy.join("Cocopack.json"), r#"{"name": "coconut", "modules": {}}"#).unwrap();
    for command in COMMANDS {
        for more in ["", " --locked"] {
            let output = coco(folder.path(), &format!("{command}{more}"));
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            // A plan that changes something exits with 1.
            assert!(matches!(output.status.code(), Some(0 | 1)), "{command}{more}: {text}");
            assert!(!text.contains("error"), "{command}{more}: {text}");
            assert!(!output.stdout.is_empty(), "{command}{more}");
        }
    }
    fs::remove_file(layer).unwrap();
    for command in COMMANDS {
        let output = coco(folder.path(), command);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!matches!(output.status.code(), Some(0)), "{command}");
        assert!(text.contains("oci://hub.example/coconut:1.0.0 is not in the cache"), "{command}: {text}");
        assert!(text.contains("coco hub pull --locked"), "{command}: {text}");
    }
}

#[test]
fn packages_that_are_not_locked_are_refused_if_that_is_demanded() {
    let folder = tempfile::tempdir().unwrap();
    locked(folder.path());
    fs::write(folder.path().join("coco.lock"), r#"{"version": 1, "packages": {}}"#).unwrap();
    let packs = folder.path().join(".coconut/packs/coconut");
    fs::create_dir_all(&packs).unwrap();
    let source = Path::new(EXAMPLE).join("coconut.cocopack.json");
    fs::copy(source, packs.join("Cocopack.json")).unwrap();
    for command in COMMANDS {
        let free = coco(folder.path(), command);
        let text = String::from_utf8_lossy(&free.stderr).into_owned();
        assert!(matches!(free.status.code(), Some(0 | 1)) && !text.contains("error"), "{command}: {text}");
        let refused = coco(folder.path(), &format!("{command} --locked"));
        let text = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!matches!(refused.status.code(), Some(0)), "{command}");
        assert!(text.contains("coco.lock"), "{command}: {text}");
    }
}
