//! Tests that all commands that read sources accept the same ones.

use std::fs;
use std::process::Command;

/// §9.9 The limit of edges grows with the source. Resources of one URN that all name it as their
/// parent have as many edges as the square of their number, here more than the limit of small
/// sources.
#[test]
fn build_and_get_and_cache_accept_sources_of_many_edges() {
    const RESOURCES: usize = 2150;
    let folder = tempfile::tempdir().unwrap();
    let resource = format!(
        r#"{{"urn":"urn:pulumi:s::p::t::n","type":"t","parent":"urn:pulumi:s::p::t::n","note":"{}"}}"#,
        "x".repeat(200)
    );
    let resources = vec![resource; RESOURCES].join(",\n");
    let text =
        format!(r#"{{"version":3,"checkpoint":{{"stack":"prod","latest":{{"resources":[{resources}]}}}}}}"#);
    fs::write(folder.path().join("dup.json"), text).unwrap();
    for arguments in [
        &["get", "dup.json", "/checkpoint/stack", "--no-cache"][..],
        &["cache", "warm", "dup.json", "-q"],
        &["pack", "build", "dup.json", "-o", "dup.coco", "-q"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
        command.current_dir(folder.path()).env("COCONUT_CACHE_DIR", folder.path().join("cache"));
        let output = command.args(arguments).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    }
}

/// The seal of a cache entry states that the document was compiled or verified. So the commands
/// that read all of a document compare checksums, and derive neither its digest nor its index.
#[cfg(unix)]
#[test]
fn a_sealed_entry_is_not_derived_again() {
    use coconut_codec::read::file::DocumentFile;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::PathBuf;

    /// The length of a seal at the end of an entry.
    const SEAL: usize = 128;

    let folder = tempfile::tempdir().unwrap();
    let resources: Vec<String> = (0..1000).map(|n| format!(r#"{{"name": "two {n}", "n": {n}}}"#)).collect();
    fs::write(folder.path().join("a.json"), format!(r#"{{"resources": [{}]}}"#, resources.join(",")))
        .unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
        command.current_dir(folder.path()).env("COCONUT_CACHE_DIR", folder.path().join("cache"));
        let output = command.args(arguments).output().unwrap();
        (
            String::from_utf8(output.stdout).unwrap(),
            String::from_utf8(output.stderr).unwrap(),
            output.status.code(),
        )
    };
    let answer = run(&["dump", "a.json"]);
    assert_eq!((&*answer.1, answer.2), ("", Some(0)));
    let only = |path: PathBuf| fs::read_dir(path).unwrap().next().unwrap().unwrap().path();
    let entry = only(only(folder.path().join("cache/v1/entries")));
    fs::set_permissions(&entry, fs::Permissions::from_mode(0o600)).unwrap();
    let sealed = fs::read(&entry).unwrap();
    let document = sealed.len() - SEAL;
    let digest = DocumentFile::from_data(&sealed[..document]).unwrap().header().digest;
    let place = sealed.windows(digest.len()).position(|bytes| bytes == digest).unwrap();
    let write = |is_repaired: bool| {
        let mut bytes = sealed.clone();
        bytes[if is_repaired { place } else { document / 3 }] ^= 1;
        if is_repaired {
            coconut_testing::checksums::repair(&mut bytes[..document]);
        }
        fs::write(&entry, bytes).unwrap();
        fs::set_permissions(&entry, fs::Permissions::from_mode(0o400)).unwrap();
    };
    // Only a derivation of the digest finds this.
    write(true);
    assert_eq!(run(&["dump", "a.json"]), answer);
    assert!(run(&["cache", "verify"]).1.contains("DIG-DIFFERS"), "{:?}", run(&["cache", "verify"]));
    // Damage is found, and the source gives the answer.
    for asked in [
        &["dump"][..],
        &["query", "."],
        &["query", "--json", "."],
        &["query", "--json", ".resources"],
        &["query", "--table", ".resources"],
        &["query", "[.]"],
        &["query", "--each", ".name"],
        &["query", "--as", "yaml", "--where", "/name=t*", "."],
    ] {
        let run = || run(&[asked, &["a.json"]].concat());
        // The first run replaces the entry.
        run();
        let good = run();
        assert_eq!((&*good.1, good.2), ("", Some(0)), "{asked:?}");
        fs::set_permissions(&entry, fs::Permissions::from_mode(0o600)).unwrap();
        write(false);
        let again = run();
        assert_eq!((&again.0, again.2), (&good.0, Some(0)), "{asked:?}: {}", again.1);
        assert!(again.1.contains("the source is used instead"), "{asked:?}: {}", again.1);
    }
}
