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
