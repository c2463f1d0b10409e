//! Packages of `coco.lock`: from the cache of registries, and from nowhere else.

use crate::programs::{base_package, write_program};
use coconut_codec::cache::{hub_cache, hub_layer};
use coconut_codec::compile::{CompileOptions, compile};
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const TEXT: &str =
    "import { Resource } from \"coconut/resource\";\nexport class Bucket extends Resource {}\n";

/// The exit status and the messages of a run.
fn cocojs(folder: &Path, line: &str) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cocojs"));
    command.current_dir(folder).env("COCONUT_CACHE_DIR", folder.join("cache")).env("HOME", folder);
    let output = command.args(line.split(' ')).stdin(Stdio::null()).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn lock(folder: &Path, version: &str, digits: &str) {
    let zeros = "0".repeat(64);
    let lock = format!(
        r#"{{"version": 1, "packages": {{"coconut": {{"reference": "oci://hub.example/coconut:{version}",
        "version": "{version}", "manifest": "sha256:{zeros}", "layer": "sha256:{digits}",
        "document": "sha256:{zeros}"}}}}}}"#
    );
    fs::write(folder.join("coco.lock"), lock).unwrap();
}

#[test]
fn a_program_is_compiled_against_the_packages_of_the_lock_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let program = write_program(folder, TEXT);
    let (source, _) = base_package(folder);
    let document = compile(&fs::read(source).unwrap(), &CompileOptions::default()).unwrap().bytes;
    let digits = coconut_format::numerals::hex(&Sha256::digest(&document));
    let layer = hub_layer(&hub_cache(&folder.join("cache")), &digits);
    fs::create_dir_all(layer.parent().unwrap()).unwrap();
    fs::write(&layer, &document).unwrap();
    // A package of the same name elsewhere, which has nothing.
    let decoy = folder.join(".coconut/packs/coconut");
    fs::create_dir_all(&decoy).unwrap();
    fs::write(decoy.join("Cocopack.json"), r#"{"name": "coconut", "modules": {}}"#).unwrap();

    let without = cocojs(folder, "check program --locked");
    assert_eq!(without.0, 1, "{}", without.1);
    assert!(without.1.contains("coco.lock"), "{}", without.1);
    lock(folder, "1.2.0", &digits);
    for line in ["check program", "check program --locked", "build program --locked -o out.coco"] {
        assert_eq!(cocojs(folder, line), (0, String::new()), "{line}");
    }
    let demand = |reference: &str| {
        let manifest = format!("name: program\ndependencies:\n    coconut: \"{reference}\"\n");
        fs::write(program.join("Coconut.yaml"), manifest).unwrap();
        cocojs(folder, "check program --locked")
    };
    assert_eq!(demand("coconut#>=1.0.0 <2.0.0"), (0, String::new()));
    let (status, text) = demand("coconut#>=2.0.0");
    assert_eq!(status, 1);
    assert!(text.contains("the version 1.2.0 is locked, and >=2.0.0 is required"), "{text}");
    demand("*");

    fs::remove_file(layer).unwrap();
    let (status, text) = cocojs(folder, "check program");
    assert_eq!(status, 1);
    assert!(text.contains("is not in the cache; run `coco hub pull --locked`"), "{text}");
}
