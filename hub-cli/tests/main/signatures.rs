//! Signatures of minisign. The signed document is one that stays the same in all versions.

use crate::proxy::{Fault, Proxy};
use crate::running::{Place, Registry, package};
use coconut_testing::missing;
use std::fs;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/signatures");
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/frozen/package.full.coco");

fn file(name: &str) -> String {
    format!("{FOLDER}/{name}")
}

/// The end of a pull that requires a signature.
fn pull(place: &Place, reference: &str, key: &str) -> String {
    let far = Place::new();
    let at = format!("oci-layout:{}/", place.path().display());
    let reference = reference.replace("oci-layout:", &at);
    let ended = far.run(&["--json", "pull", &reference, "--verify-key", &file(key)]);
    assert_eq!(far.cached().is_empty(), ended.status != 0);
    if ended.status == 0 { "good".to_owned() } else { format!("{} {}", ended.code(), ended.status) }
}

#[test]
fn only_a_signed_document_is_fetched_for_a_key() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let first = format!("oci://{}/acme/package:1", registry.address);
    for reference in [first.as_str(), "oci-layout:hub:1"] {
        place.good(&["push", DOCUMENT, reference]);
        assert_eq!(pull(&place, reference, "minisign.pub"), "HUB-SIGNATURE 1", "{reference}: none");
        place.good(&["attach", reference, &file("package.full.minisig")]);
        assert_eq!(pull(&place, reference, "minisign.pub"), "good", "{reference}");
        assert_eq!(pull(&place, reference, "other.pub"), "HUB-SIGNATURE 1", "{reference}: another key");
    }
    // The key itself is as good as its file.
    let text = fs::read_to_string(file("minisign.pub")).unwrap();
    place.good(&["pull", &first, "--verify-key", text.lines().last().unwrap()]);
    // The signature goes with the document.
    place.good(&["copy", &first, "oci-layout:carried"]);
    assert_eq!(pull(&place, "oci-layout:carried:1", "minisign.pub"), "good");
    let refused = ("HUB-SIGNATURE".to_owned(), 1);
    assert_eq!(place.failure(&["pull", &first, "--verify-key", "no key"]), refused);
    assert_eq!(place.failure(&["attach", &first, &file("minisign.pub")]), refused);
}

#[test]
fn a_signature_of_another_layer_is_none() {
    let place = Place::new();
    let other = place.file("aws.coco", package("aws", 3)).display().to_string();
    place.good(&["push", &other, "oci-layout:hub:1"]);
    place.good(&["attach", "oci-layout:hub:1", &file("package.full.minisig")]);
    assert_eq!(pull(&place, "oci-layout:hub:1", "minisign.pub"), "HUB-SIGNATURE 1");
}

/// A registry that has the request for referrers, which that of the tests has not.
#[test]
fn referrers_are_requested_where_a_registry_knows_them() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let pushed = place.good(&["push", DOCUMENT, &format!("oci://{}/package:1", registry.address)]);
    let digest = pushed.rsplit_once('@').unwrap().1;
    let manifest = place.good(&["attach", &pushed, &file("package.full.minisig")]);
    let list = format!(
        r#"{{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
            {{"mediaType": "application/vnd.oci.image.manifest.v1+json", "digest": "{manifest}", "size": 1}}]}}"#
    );
    let proxy = Proxy::start(&registry.address, move |asked| match asked.is("GET", "/referrers/") {
        true => Fault::Answer(200, vec![], list.clone()),
        false => Fault::Pass,
    });
    let of = |proxy: &Proxy| format!("oci://{}/package@{digest}", proxy.address);
    assert_eq!(pull(&place, &of(&proxy), "minisign.pub"), "good");
    assert_eq!(proxy.count("GET", "/manifests/sha256-"), 0, "the tag is for other registries");
    let failing = Proxy::start(&registry.address, |asked| match asked.is("GET", "/referrers/") {
        true => Fault::Answer(500, vec![], String::new()),
        false => Fault::Pass,
    });
    assert_eq!(pull(&place, &of(&failing), "minisign.pub"), "HUB-ANSWER 2");
}
