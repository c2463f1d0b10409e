//! Registries that fail and lie, at each request: never a wrong document, never a half file, an
//! error in time.

use crate::proxy::{Asked, Fault, Proxy};
use crate::running::{Place, Registry, files_below, package};
use coconut_testing::missing;
use std::fs;
use std::time::Duration;

/// The request that a fault is about.
#[derive(Clone, Copy, Debug)]
enum At {
    Manifest,
    Layer,
}

impl At {
    fn is(self, asked: &Asked) -> bool {
        match self {
            At::Manifest => asked.is("GET", "/manifests/"),
            At::Layer => asked.is("GET", "/blobs/"),
        }
    }
}

fn answer(status: u16) -> Fault {
    Fault::Answer(status, vec![], "no".to_owned())
}

fn wait(seconds: &str) -> Fault {
    Fault::Answer(429, vec![("Retry-After", seconds.to_owned())], String::new())
}

fn lead(to: &str) -> Fault {
    Fault::Answer(307, vec![("Location", to.to_owned())], String::new())
}

/// The request, what happens to its answer, and the code of the error.
fn table() -> Vec<(At, Fault, &'static str)> {
    let late = Duration::from_secs(30);
    vec![
        (At::Manifest, Fault::Drop, "HUB-UNREACHABLE"),
        (At::Manifest, Fault::Cut(20), "HUB-UNREACHABLE"),
        (At::Manifest, Fault::Stall(20), "HUB-TIME"),
        (At::Manifest, Fault::Delay(late), "HUB-TIME"),
        (At::Manifest, Fault::Short(20), "HUB-DIGEST"),
        (At::Manifest, Fault::Long(20), "HUB-DIGEST"),
        (At::Manifest, Fault::Flip(40), "HUB-DIGEST"),
        (At::Manifest, Fault::Long(5 << 20), "HUB-LIMIT"),
        (
            At::Manifest,
            Fault::Header("docker-content-digest", format!("sha256:{}", "0".repeat(64))),
            "HUB-DIGEST",
        ),
        (At::Manifest, answer(500), "HUB-ANSWER"),
        (At::Manifest, answer(403), "HUB-DENIED"),
        (At::Manifest, answer(404), "HUB-ABSENT"),
        (At::Manifest, Fault::Answer(200, vec![], "{}".to_owned()), "HUB-DIGEST"),
        (At::Manifest, wait("1"), "HUB-BUSY"),
        (At::Manifest, wait("3600"), "HUB-BUSY"),
        (At::Manifest, wait("soon"), "HUB-BUSY"),
        (At::Manifest, lead(""), "HUB-REDIRECT"),
        (At::Manifest, lead("http://192.0.2.1/x"), "HUB-REDIRECT"),
        (At::Manifest, lead("file:///etc/passwd"), "HUB-REDIRECT"),
        (At::Manifest, Fault::Answer(307, vec![], String::new()), "HUB-ANSWER"),
        (At::Layer, Fault::Drop, "HUB-UNREACHABLE"),
        (At::Layer, Fault::Cut(0), "HUB-UNREACHABLE"),
        (At::Layer, Fault::Cut(1000), "HUB-UNREACHABLE"),
        (At::Layer, Fault::Stall(1000), "HUB-TIME"),
        (At::Layer, Fault::Short(1000), "HUB-SIZE"),
        (At::Layer, Fault::Long(1), "HUB-SIZE"),
        (At::Layer, Fault::Flip(5000), "HUB-DIGEST"),
        (At::Layer, Fault::Answer(200, vec![], String::new()), "HUB-SIZE"),
        (At::Layer, answer(500), "HUB-ANSWER"),
        (At::Layer, answer(404), "HUB-ABSENT"),
        (At::Layer, answer(206), "HUB-ANSWER"),
        (At::Layer, wait("2"), "HUB-BUSY"),
    ]
}

#[test]
fn a_registry_that_lies_is_found_out_at_each_request() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let (place, document) = (Place::new(), package("aws", 500));
    let file = place.file("aws.coco", &document).display().to_string();
    let pushed = place.good(&["push", &file, &format!("oci://{}/aws:1", registry.address)]);
    let digest = pushed.rsplit_once('@').unwrap().1;
    let mut faults = Vec::new();
    for (at, fault, expected) in table() {
        let far = Place::new();
        let shown = format!("{at:?} {fault:?}");
        let is_empty_lead =
            matches!(&fault, Fault::Answer(307, headers, _) if headers.iter().any(|(_, to)| to.is_empty()));
        let proxy = Proxy::start(
            &registry.address,
            move |asked| if at.is(asked) { fault.clone() } else { Fault::Pass },
        );
        let reference = format!("oci://{}/aws@{digest}", proxy.address);
        let ended = far.run(&["--json", "pull", &reference, "-o", "got.coco", "--timeout", "2"]);
        let code = if ended.status == 0 { "none".to_owned() } else { ended.code() };
        if code != expected {
            faults.push(format!("{shown}: {code} instead of {expected}: {}", ended.stderr));
        }
        if ended.took > Duration::from_secs(20) {
            faults.push(format!("{shown}: took {:?}", ended.took));
        }
        let left = files_below(far.path());
        let kept: Vec<_> = left.iter().filter(|path| !path.to_string_lossy().contains("/locks/")).collect();
        let is_manifest = |path: &str| path.contains("/manifests/");
        if !kept.iter().all(|path| is_manifest(&path.to_string_lossy())) {
            faults.push(format!("{shown}: left {kept:?}"));
        }
        // The same place after the fault.
        let direct = format!("oci://{}/aws@{digest}", registry.address);
        far.good(&["pull", &direct, "-o", "got.coco"]);
        assert_eq!(fs::read(far.path().join("got.coco")).unwrap(), document, "{shown}");
        assert!(is_empty_lead || proxy.asked().len() <= 8, "{shown}: {} requests", proxy.asked().len());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_answer_that_is_no_manifest_is_refused() {
    let place = Place::new();
    let texts = [
        "<html>",
        "{}",
        r#"{"schemaVersion": 1}"#,
        r#"{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json"}"#,
        r#"{"schemaVersion": 2, "manifests": [{"digest": "sha256:12"}]}"#,
        r#"{"schemaVersion": 2, "manifests": [{"mediaType": "a/b", "digest": "sha512:12", "size": -1}]}"#,
    ];
    for text in texts {
        let proxy = Proxy::start("127.0.0.1:1", |_| Fault::Answer(200, vec![], text.to_owned()));
        let reference = format!("oci://{}/aws:1", proxy.address);
        assert_eq!(place.failure(&["pull", &reference]), ("HUB-ANSWER".to_owned(), 2), "{text}");
    }
}

#[test]
fn a_broken_transfer_is_continued() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let (place, document) = (Place::new(), package("aws", 2000));
    let file = place.file("aws.coco", &document).display().to_string();
    let pushed = place.good(&["push", &file, &format!("oci://{}/aws:1", registry.address)]);
    let digest = pushed.rsplit_once('@').unwrap().1;
    for ignores_ranges in [false, true] {
        let proxy =
            Proxy::start(&registry.address, move |asked| match (asked.is("GET", "/blobs/"), asked.before) {
                (true, 0) => Fault::Cut(50_000),
                (true, _) if ignores_ranges => Fault::Without("range"),
                _ => Fault::Pass,
            });
        let far = Place::new();
        far.good(&["pull", &format!("oci://{}/aws@{digest}", proxy.address), "-o", "got.coco"]);
        assert_eq!(fs::read(far.path().join("got.coco")).unwrap(), document);
        let asked: Vec<_> = proxy.asked().into_iter().filter(|asked| asked.is("GET", "/blobs/")).collect();
        assert_eq!(asked.len(), 2);
        assert_eq!(asked[1].header("range"), Some("bytes=50000-"));
    }
}

#[test]
fn a_busy_registry_is_asked_once_more() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 3)).display().to_string();
    let proxy = Proxy::start(&registry.address, |asked| match asked.before {
        0 if !asked.is("PUT", "/blobs/") => wait("0"),
        _ => Fault::Pass,
    });
    let reference = format!("oci://{}/aws:1", proxy.address);
    place.good(&["push", &file, &reference]);
    place.good(&["pull", &reference, "-o", "got.coco"]);
    assert_eq!(fs::read(place.path().join("got.coco")).unwrap(), package("aws", 3));
}

/// The tag is written last, so it never leads to a part of an artifact.
#[test]
fn an_upload_that_fails_leaves_no_tag() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 500)).display().to_string();
    let is_large = |asked: &Asked| asked.is("PUT", "/blobs/") && asked.header("content-length") != Some("2");
    type Case = (fn(&Asked) -> bool, Fault, &'static str);
    let cases: [Case; 7] = [
        (is_large, Fault::Drop, "HUB-UNREACHABLE"),
        (is_large, answer(500), "HUB-ANSWER"),
        (is_large, answer(507), "HUB-ANSWER"),
        (|asked| asked.is("POST", "/uploads/"), answer(202), "HUB-ANSWER"),
        (|asked| asked.is("HEAD", "/blobs/"), answer(500), "HUB-ANSWER"),
        (|asked| asked.is("PUT", "/manifests/"), answer(403), "HUB-DENIED"),
        (|asked| asked.is("PUT", "/manifests/"), Fault::Delay(Duration::from_secs(30)), "HUB-TIME"),
    ];
    for (is_concerned, fault, expected) in cases {
        let shown = format!("{fault:?}");
        let proxy = Proxy::start(&registry.address, move |asked| match is_concerned(asked) {
            true => fault.clone(),
            false => Fault::Pass,
        });
        let reference = format!("oci://{}/failed:1", proxy.address);
        assert_eq!(place.failure(&["push", &file, &reference, "--timeout", "2"]).0, expected, "{shown}");
        let direct = format!("oci://{}/failed:1", registry.address);
        assert_eq!(place.failure(&["resolve", &direct]), ("HUB-ABSENT".to_owned(), 1), "{shown}");
    }
}

#[test]
fn a_registry_that_writes_manifests_again_is_refused() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 3)).display().to_string();
    let other = format!("sha256:{}", "1".repeat(64));
    let proxy = Proxy::start(&registry.address, move |asked| match asked.is("PUT", "/manifests/") {
        true => Fault::Header("docker-content-digest", other.clone()),
        false => Fault::Pass,
    });
    let reference = format!("oci://{}/aws:1", proxy.address);
    assert_eq!(place.failure(&["push", &file, &reference]), ("HUB-DIGEST".to_owned(), 4));
}

#[test]
fn a_layer_above_the_limit_is_not_fetched() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 500)).display().to_string();
    place.good(&["push", &file, &format!("oci://{}/aws:1", registry.address)]);
    let proxy = Proxy::start(&registry.address, |_| Fault::Pass);
    let reference = format!("oci://{}/aws:1", proxy.address);
    assert_eq!(place.failure(&["pull", &reference, "--max-bytes", "1000"]), ("HUB-LIMIT".to_owned(), 7));
    assert_eq!(proxy.count("GET", "/blobs/"), 0);
}
