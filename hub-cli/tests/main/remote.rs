//! Values that are read in place.

use crate::proxy::{Fault, Proxy};
use crate::running::{Place, Registry, ended, files_below, package};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_testing::missing;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// A provider schema of some tens of megabytes, and the key of one type.
fn large_schema() -> (Vec<u8>, &'static str) {
    let words = ["subnet", "route", "policy", "bucket", "cluster", "volume", "gateway", "record"];
    let mut text = String::from(r#"{"name": "large", "version": "1.0.0", "resources": {"#);
    for n in 0..6000_usize {
        let separator = if n == 0 { "" } else { "," };
        text += &format!(r#"{separator}"large:index/type{n}:Type{n}": {{"description": ""#);
        for m in 0..900_usize {
            text += words[(n * 31 + m * m * 7 + n / (m + 1)) % words.len()];
            text.push(' ');
        }
        text += &format!(
            r#"", "inputProperties": {{"name{n}": {{"type": "string", "description": "of {n}"}}}}}}"#
        );
    }
    text += "}}";
    assert!(text.len() > 36 << 20, "{}", text.len());
    (compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes, "large:index/type4711:Type4711")
}

fn published(place: &Place, registry: &Registry, document: &[u8]) -> String {
    let file = place.file("document.coco", document).display().to_string();
    let pushed = place.good(&["push", &file, &format!("oci://{}/aws:1", registry.address)]);
    pushed.rsplit_once('@').unwrap().1.to_owned()
}

/// The value that a command on the file shows.
fn expected(place: &Place, key: &str) -> String {
    place.good(&["get", "document.coco", key])
}

#[test]
fn one_type_of_a_large_schema_takes_few_requests() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let (document, key) = large_schema();
    let digest = published(&place, &registry, &document);
    let received = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = received.clone();
    let proxy = Proxy::start(&registry.address, move |asked| {
        if let Some((from, to)) =
            asked.header("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'))
        {
            let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
            counted.fetch_add(to + 1 - from, std::sync::atomic::Ordering::Relaxed);
        }
        Fault::Pass
    });
    let reference = format!("oci://{}/aws@{digest}", proxy.address);
    let value = expected(&place, key);
    let far = Place::new();
    assert_eq!(far.good(&["get", &reference, key]), value);
    let (requests, bytes) = (proxy.asked().len(), received.load(std::sync::atomic::Ordering::Relaxed));
    assert!(requests <= 12, "{requests} requests");
    assert!(bytes <= 300_000, "{bytes} bytes of {}", document.len());
    // What was read is kept.
    assert_eq!(far.good(&["get", &reference, key]), value);
    assert_eq!(proxy.asked().len(), requests, "the manifest and the pieces are in the cache");
    assert!(far.cached().is_empty(), "a part never becomes a document");
}

#[test]
fn a_registry_without_ranges_sends_the_document_once() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let digest = published(&place, &registry, &package("aws", 900));
    let proxy = Proxy::start(&registry.address, |_| Fault::Without("range"));
    let reference = format!("oci://{}/aws@{digest}", proxy.address);
    let far = Place::new();
    let got = far.run(&["get", &reference, "/modules/m7"]);
    assert_eq!((got.status, got.stdout.trim_end()), (0, expected(&place, "/modules/m7").as_str()));
    assert!(got.stderr.contains("sends no parts"), "{}", got.stderr);
    assert_eq!(far.cached().len(), 1);
    far.good(&["get", &reference, "/modules/m8"]);
    assert_eq!(proxy.count("GET", "/blobs/"), 2);
}

#[test]
fn a_lie_in_the_middle_of_ranges_is_never_a_value() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let digest = published(&place, &registry, &package("aws", 20_000));
    let value = expected(&place, "/modules/m777");
    type Fail = (Fault, &'static [&'static str]);
    let faults: [Fail; 9] = [
        (Fault::Drop, &["HUB-UNREACHABLE"]),
        (Fault::Cut(100), &["HUB-UNREACHABLE"]),
        (Fault::Stall(100), &["HUB-TIME"]),
        (Fault::Delay(Duration::from_secs(30)), &["HUB-TIME"]),
        (Fault::Short(100), &["HUB-UNREACHABLE"]),
        (Fault::Long(100), &["HUB-LIMIT"]),
        (Fault::Header("content-range", "bytes 0-99/100".to_owned()), &["HUB-ANSWER"]),
        (Fault::Header("content-range", String::new()), &["HUB-ANSWER"]),
        (Fault::Answer(429, vec![("Retry-After", "9".to_owned())], String::new()), &["HUB-BUSY"]),
    ];
    for after in [0, 1, 2] {
        for (fault, codes) in faults.clone() {
            let shown = format!("{fault:?} after {after}");
            let count = std::sync::atomic::AtomicUsize::new(0);
            let proxy = Proxy::start(&registry.address, move |asked| {
                let is_late = asked.is("GET", "/blobs/")
                    && count.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= after;
                if is_late { fault.clone() } else { Fault::Pass }
            });
            let far = Place::new();
            let reference = format!("oci://{}/aws@{digest}", proxy.address);
            let got = far.run(&["--json", "get", &reference, "/modules/m777", "--timeout", "2"]);
            if got.status == 0 {
                assert!(proxy.count("GET", "/blobs/") <= after, "{shown}: {}", got.stdout);
                continue;
            }
            assert!(codes.contains(&got.code().as_str()), "{shown}: {}", got.code());
            assert!(got.took < Duration::from_secs(20), "{shown}: {:?}", got.took);
            assert!(far.cached().is_empty());
            // The pieces that were right are used again.
            let direct = format!("oci://{}/aws@{digest}", registry.address);
            assert_eq!(far.good(&["get", &direct, "/modules/m777"]), value, "{shown}");
        }
    }
}

#[test]
fn a_changed_byte_is_found_by_its_checksum_and_the_document_is_fetched() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let digest = published(&place, &registry, &package("aws", 20_000));
    let value = expected(&place, "/modules/m777");
    for at in [0, 50, 4000, 9000, 16_000] {
        let proxy = Proxy::start(&registry.address, move |asked| match asked.header("range") {
            Some(_) => Fault::Flip(at),
            None => Fault::Pass,
        });
        let far = Place::new();
        let reference = format!("oci://{}/aws@{digest}", proxy.address);
        assert_eq!(far.good(&["get", &reference, "/modules/m777"]), value, "byte {at}");
        // Damaged pieces do not stay.
        let direct = format!("oci://{}/aws@{digest}", registry.address);
        assert_eq!(far.good(&["get", &direct, "/modules/m778"]), expected(&place, "/modules/m778"));
    }
}

#[test]
fn damaged_pieces_of_the_cache_are_replaced() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let digest = published(&place, &registry, &package("aws", 20_000));
    let (far, reference) = (Place::new(), format!("oci://{}/aws@{digest}", registry.address));
    let value = expected(&place, "/modules/m777");
    assert_eq!(far.good(&["get", &reference, "/modules/m777"]), value);
    let parts = files_below(&far.path().join("cache/hub-v1/parts"));
    assert!(!parts.is_empty());
    for part in parts {
        let mut bytes = fs::read(&part).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&part, bytes).unwrap();
    }
    assert_eq!(far.good(&["get", &reference, "/modules/m777"]), value);
}

#[test]
fn a_token_that_expires_between_ranges_is_replaced() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let digest = published(&place, &registry, &package("aws", 20_000));
    let proxy = crate::access::with_tokens(&registry.address, 1);
    let reference = format!("oci://{}/aws@{digest}", proxy.address);
    assert_eq!(Place::new().good(&["get", &reference, "/modules/m777"]), expected(&place, "/modules/m777"));
    assert!(proxy.count("GET", "/token") >= 3);
}

/// The S3 server of the tests, on this machine.
fn moto() -> Option<(std::process::Child, String)> {
    let server = std::env::var_os("COCONUT_MOTO_SERVER")?;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = std::process::Command::new(server);
    let command = command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
    let child =
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().ok()?;
    for _ in 0..600 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Some((child, format!("http://127.0.0.1:{port}")));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the S3 server does not start");
}

/// Puts an object on the server, whose access is not checked.
fn put(endpoint: &str, path: &str, body: &[u8]) {
    use std::io::{Read as _, Write as _};
    let address = endpoint.strip_prefix("http://").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let authorization =
        "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0";
    let head = format!(
        "PUT /{path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: {authorization}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[test]
fn an_object_of_a_store_is_read_in_place() {
    let Some((mut server, endpoint)) = moto() else { return coconut_testing::skip("S3 server (moto)") };
    let place = Place::new();
    let document = package("aws", 20_000);
    place.file("document.coco", &document);
    put(&endpoint, "states", b"");
    put(&endpoint, "states/deep/document.coco", &document);
    put(&endpoint, "states/source.json", br#"{"name": "from a source"}"#);
    let run = |arguments: &[&str]| {
        let mut command = place.command(arguments);
        command.env("AWS_ENDPOINT", &endpoint).env("AWS_ALLOW_HTTP", "true").env("AWS_REGION", "us-east-1");
        command.env("AWS_ACCESS_KEY_ID", "a").env("AWS_SECRET_ACCESS_KEY", "b");
        ended(command)
    };
    let url = "s3://states/deep/document.coco";
    let got = run(&["get", url, "/modules/m777"]);
    assert_eq!(
        (got.status, got.stdout.trim_end()),
        (0, expected(&place, "/modules/m777").as_str()),
        "{}",
        got.stderr
    );
    let got = run(&["get", "s3://states/source.json", "/name", "--raw"]);
    assert_eq!((got.status, got.stdout.as_str()), (0, "from a source\n"), "{}", got.stderr);
    let got = run(&["--json", "get", "s3://states/nothing.coco", "/name"]);
    assert_eq!((got.status, got.code()), (1, "HUB-ABSENT".to_owned()));
    let got = run(&["--json", "get", url, "/name", "--max-document", "1000"]);
    assert_eq!((got.status, got.code()), (7, "HUB-LIMIT".to_owned()));
    let _ = server.kill();
    let _ = server.wait();
    assert!(files_below(Path::new(place.path())).iter().all(|path| !path.ends_with("source.json")));
}
