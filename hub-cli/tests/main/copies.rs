//! Copies of large blobs: in pieces, never as a whole.

use crate::proxy::{Fault, Proxy};
use crate::running::{Place, Registry, ended};
use coconut_testing::missing;
use serde_json::json;
use std::fs;
use std::process::Command;

/// The number of bytes of the blob. The memory of a copy is limited to less.
const SIZE: usize = 96 << 20;

/// A layout with one large blob.
fn large(place: &Place, directory: &str, size: usize) -> Vec<u8> {
    let digest = |bytes: &[u8]| coconut_hub::Digest::of(bytes).to_string();
    let blob = |bytes: &[u8]| {
        place.file(&format!("{directory}/blobs/{}", digest(bytes).replace(':', "/")), bytes);
    };
    let layer: Vec<u8> =
        (0_u32..).take(size / 4).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    [b"{}".as_slice(), &layer].into_iter().for_each(blob);
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.empty.v1+json", "digest": digest(b"{}"), "size": 2},
        "layers": [{"mediaType": "application/x", "digest": digest(&layer), "size": size}],
    });
    let manifest = manifest.to_string();
    blob(manifest.as_bytes());
    let index = json!({"schemaVersion": 2, "manifests": [{
        "mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": digest(manifest.as_bytes()),
        "size": manifest.len(), "annotations": {"org.opencontainers.image.ref.name": "1"}}]});
    place.file(&format!("{directory}/index.json"), index.to_string());
    place.file(&format!("{directory}/oci-layout"), r#"{"imageLayoutVersion": "1.0.0"}"#);
    layer
}

fn blob_of(place: &Place, directory: &str, bytes: &[u8]) -> Vec<u8> {
    let name = coconut_hub::Digest::of(bytes).to_string().replace(':', "/");
    fs::read(place.path().join(directory).join("blobs").join(name)).unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn a_copy_needs_less_memory_than_a_blob() {
    let (Some(one), Some(other)) = (Registry::start(), Registry::start()) else {
        return missing("docker-registry");
    };
    let place = Place::new();
    let layer = large(&place, "first", SIZE);
    let first = format!("oci://{}/a:1", one.address);
    let second = format!("oci://{}/b:1", other.address);
    for (from, to) in [
        ("oci-layout:first:1", first.as_str()),
        (&first, &second),
        (&second, "oci-layout:last:1"),
        ("oci-layout:last:1", "oci-layout:another:1"),
    ] {
        let plain = place.command(&["copy", from, to]);
        let mut limited = Command::new("sh");
        // Kibibytes.
        limited.args(["-c", r#"ulimit -d 65536 && exec "$0" "$@""#]).arg(plain.get_program());
        limited.args(plain.get_args()).current_dir(place.path());
        for (name, value) in plain.get_envs() {
            match value {
                Some(value) => limited.env(name, value),
                None => limited.env_remove(name),
            };
        }
        let ended = ended(limited);
        assert_eq!(ended.status, 0, "{from} {to}: {}", ended.stderr);
    }
    assert!(blob_of(&place, "another", &layer) == layer);
}

#[test]
fn a_copy_goes_on_after_a_broken_transfer_and_after_a_token_that_expired() {
    let (Some(one), Some(other)) = (Registry::start(), Registry::start()) else {
        return missing("docker-registry");
    };
    let place = Place::new();
    let layer = large(&place, "first", 3 << 20);
    let first = format!("oci://{}/a:1", one.address);
    place.good(&["copy", "oci-layout:first:1", &first]);
    let source = Proxy::start(&one.address, |asked| match asked.is("GET", "/blobs/") && asked.before == 0 {
        true => Fault::Cut(1_000_000),
        false => Fault::Pass,
    });
    // The first answer to the body is a redirect, so all of it is sent again.
    let target =
        Proxy::start(&other.address, |asked| match asked.is("PUT", "/blobs/") && asked.before == 0 {
            true => Fault::Answer(307, vec![("Location", asked.path.clone())], String::new()),
            false => Fault::Pass,
        });
    let second = format!("oci://{}/b:1", target.address);
    place.good(&["copy", &format!("oci://{}/a:1", source.address), &second]);
    assert!(target.count("PUT", "/blobs/") >= 4, "each body twice");
    place.good(&["copy", &second, "oci-layout:last:1"]);
    assert!(blob_of(&place, "last", &layer) == layer);
}

#[test]
fn a_blob_that_is_not_what_it_should_be_never_arrives() {
    let (Some(one), Some(other)) = (Registry::start(), Registry::start()) else {
        return missing("docker-registry");
    };
    let place = Place::new();
    large(&place, "first", 3 << 20);
    let first = format!("oci://{}/a:1", one.address);
    place.good(&["copy", "oci-layout:first:1", &first]);
    let faults = [
        (Fault::Flip(1000), "HUB-DIGEST"),
        (Fault::Flip((3 << 20) - 1), "HUB-DIGEST"),
        (Fault::Short(1_000_000), "HUB-SIZE"),
        (Fault::Long(1), "HUB-SIZE"),
        (Fault::Cut(0), "HUB-UNREACHABLE"),
        (Fault::Stall(2_000_000), "HUB-TIME"),
        (Fault::Answer(404, vec![], String::new()), "HUB-ABSENT"),
    ];
    for (fault, code) in faults {
        let shown = format!("{fault:?}");
        let source = Proxy::start(&one.address, move |asked| match asked.is("GET", "/blobs/") {
            true => fault.clone(),
            false => Fault::Pass,
        });
        let from = format!("oci://{}/a:1", source.address);
        let registry = format!("oci://{}/b:1", other.address);
        for to in [registry.as_str(), "oci-layout:last:1"] {
            let found = place.failure(&["copy", &from, to, "--timeout", "2"]).0;
            assert_eq!(found, code, "{shown} {to}");
        }
        assert_eq!(place.failure(&["resolve", &registry]).0, "HUB-ABSENT", "{shown}");
        assert!(!place.path().join("last/oci-layout").exists(), "{shown}");
    }
    // A target that fails is the one that is named.
    let target = Proxy::start(&other.address, |asked| match asked.is("PUT", "/blobs/") {
        true => Fault::Answer(507, vec![], String::new()),
        false => Fault::Pass,
    });
    let to = format!("oci://{}/b:1", target.address);
    assert_eq!(place.failure(&["copy", &first, &to]).0, "HUB-ANSWER");
    assert_eq!(place.failure(&["copy", "oci-layout:first:1", &to]).0, "HUB-ANSWER");
}
