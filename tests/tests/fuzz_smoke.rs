//! The bodies of the fuzz targets on stable: with the vectors, with bytes by seed, and with all
//! past findings.

use coconut_tests::fuzz_bodies::BODIES;
use coconut_tests::generate::Random;
use coconut_tests::is_deep;
use coconut_tests::vectors::vectors;
use std::fs;
use std::path::{Path, PathBuf};

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

#[test]
fn every_body_has_a_target_and_every_target_a_body() {
    let entries = fs::read_dir(fuzz().join("fuzz_targets")).expect("the targets are in the repository");
    let mut targets = Vec::new();
    for entry in entries {
        let path = entry.expect("they can be listed").path();
        let text = fs::read_to_string(&path).expect("it can be read");
        if text.contains("coconut_tests::fuzz_bodies") {
            targets.push(path.file_stem().expect("a file name").to_string_lossy().into_owned());
            continue;
        }
        // A body that needs crates which these tests do not have names its smoke test.
        let mut words = text.split('`').skip(1).step_by(2);
        let is_test = |word: &str| word.contains("/tests/") && fuzz().join("..").join(word).is_file();
        assert!(words.any(is_test), "{} names no smoke test", path.display());
    }
    targets.sort();
    let mut bodies: Vec<&str> = BODIES.iter().map(|(name, _)| *name).collect();
    bodies.sort_unstable();
    assert_eq!(targets, bodies);
}

#[test]
fn every_vector_holds_in_every_body() {
    for vector in vectors("good").iter().chain(&vectors("bad")) {
        for flag in [0, 1] {
            let with_flag = [&[flag], &vector.bytes[..]].concat();
            for (name, body) in BODIES {
                println!("{name}: {} with {flag}", vector.name);
                body(&with_flag);
                body(&vector.bytes);
            }
        }
    }
}

#[test]
fn bytes_by_seed_hold_in_every_body() {
    let mut random = Random::new(1);
    for run in 0..if is_deep() { 3000 } else { 300 } {
        let length = random.below(600);
        let data: Vec<u8> = (0..length).map(|_| random.next().to_le_bytes()[0]).collect();
        for (name, body) in BODIES {
            println!("{name}: run {run}");
            body(&data);
        }
    }
}

#[test]
fn changed_vectors_hold_in_every_body() {
    let mut random = Random::new(2);
    let vectors = vectors("good");
    for _ in 0..if is_deep() { 10_000 } else { 700 } {
        let vector = random.pick(&vectors);
        let mut data = [&[1], &vector.bytes[..]].concat();
        for _ in 0..1 + random.below(3) {
            let at = random.below(data.len() - 1) + 1;
            data[at] = random.next().to_le_bytes()[0];
        }
        for (name, body) in BODIES {
            println!("{name}: {} changed", vector.name);
            body(&data);
        }
    }
}

/// The findings of fuzzing: `fuzz/findings/TARGET/NAME`, where the name describes the fault.
#[test]
fn every_finding_stays_mended() {
    let folder = fuzz().join("findings");
    for (name, body) in BODIES {
        let Ok(entries) = fs::read_dir(folder.join(name)) else { continue };
        for entry in entries {
            let path = entry.expect("findings can be listed").path();
            println!("{name}: {}", path.display());
            body(&fs::read(path).expect("a finding can be read"));
        }
    }
}
