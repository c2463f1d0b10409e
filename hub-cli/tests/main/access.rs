//! Credentials and tokens.

use crate::proxy::{Fault, Proxy, form_of};
use crate::running::{PASSWORD, Place, Registry, USER, ended, package};
use coconut_testing::missing;
use serde_json::json;
use std::fs;
use std::path::Path;

/// Base64 of the user and the password.
const ENCODED: &str = "YWRhOm9wZW4gc2VzYW1l";

fn log_in(place: &Place, address: &str, auth: &str) {
    let config = json!({"auths": {address: {"auth": auth}}});
    place.file("home/.docker/config.json", config.to_string());
}

/// A program on the path of the command.
#[cfg(unix)]
fn helper(place: &Place, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = place.file("bin/docker-credential-test", format!("#!/bin/sh\n{script}"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    place.file("home/.docker/config.json", r#"{"credsStore": "test"}"#);
}

fn path_with(folder: &Path) -> std::ffi::OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(&path))).unwrap()
}

#[test]
fn a_registry_with_passwords_is_used_with_those_of_docker() {
    let Some(registry) = Registry::start_with(true) else { return missing("docker-registry") };
    let (place, document) = (Place::new(), package("aws", 3));
    let file = place.file("aws.coco", &document).display().to_string();
    let reference = format!("oci://{}/aws:1", registry.address);
    let denied = ("HUB-DENIED".to_owned(), 2);
    assert_eq!(place.failure(&["push", &file, &reference]), denied, "no password");
    log_in(&place, &registry.address, "YWRhOndyb25n");
    assert_eq!(place.failure(&["push", &file, &reference]), denied, "a wrong password");
    log_in(&place, &registry.address, ENCODED);
    place.good(&["push", &file, &reference]);
    place.good(&["pull", &reference, "-o", "got.coco"]);
    assert_eq!(fs::read(place.path().join("got.coco")).unwrap(), document);
    place.file("home/.docker/config.json", "{");
    assert_eq!(place.failure(&["pull", &reference]), ("HUB-CREDENTIALS".to_owned(), 2));
}

#[cfg(unix)]
#[test]
fn the_output_of_a_credential_helper_is_never_shown() {
    let Some(registry) = Registry::start_with(true) else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 3)).display().to_string();
    let push = || {
        let mut command = place.command(&["push", &file, &format!("oci://{}/aws:1", registry.address)]);
        command.env("PATH", path_with(&place.path().join("bin")));
        ended(command)
    };
    let answer = format!(r#"{{"ServerURL": "x", "Username": "{USER}", "Secret": "{PASSWORD}"}}"#);
    helper(&place, &format!("cat >/dev/null; echo 'warning: {PASSWORD}' >&2; echo '{answer}'"));
    let pushed = push();
    assert_eq!(pushed.status, 0, "{}", pushed.stderr);
    assert!(!format!("{}{}", pushed.stdout, pushed.stderr).contains(PASSWORD));
    helper(&place, &format!("cat >/dev/null; echo '{PASSWORD}'; echo '{PASSWORD}' >&2; exit 1"));
    let failed = push();
    assert_eq!(failed.status, 2);
    assert!(
        failed.stderr.contains("HUB-CREDENTIALS") && !failed.stderr.contains(PASSWORD),
        "{}",
        failed.stderr
    );
}

/// Asks for a token, and accepts each for so many requests.
pub(crate) fn with_tokens(upstream: &str, uses: usize) -> Proxy {
    let used = std::sync::Mutex::new(std::collections::HashMap::<String, usize>::new());
    let issued = std::sync::atomic::AtomicUsize::new(0);
    Proxy::start(upstream, move |asked| {
        if asked.path.starts_with("/token") {
            let n = issued.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            return Fault::Answer(200, vec![], json!({"token": format!("secret-token-{n}")}).to_string());
        }
        let token = asked.header("authorization").unwrap_or_default().to_owned();
        let mut used = used.lock().unwrap();
        let count = used.entry(token.clone()).or_default();
        *count += 1;
        match token.starts_with("Bearer secret-token-") && *count <= uses {
            true => Fault::Without("authorization"),
            false => {
                let host = asked.header("host").unwrap_or_default();
                let challenge = format!(
                    r#"Bearer realm="http://{host}/token",service="test",scope="repository:aws:pull,push""#
                );
                Fault::Answer(401, vec![("WWW-Authenticate", challenge)], String::new())
            }
        }
    })
}

#[test]
fn a_token_that_expires_is_replaced() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let (place, document) = (Place::new(), package("aws", 3));
    let file = place.file("aws.coco", &document).display().to_string();
    let proxy = with_tokens(&registry.address, 2);
    log_in(&place, &proxy.address, ENCODED);
    let reference = format!("oci://{}/aws:1", proxy.address);
    let pushed = place.run(&["push", &file, &reference]);
    assert_eq!(pushed.status, 0, "{}", pushed.stderr);
    assert!(!pushed.stderr.contains("secret-token"));
    place.good(&["pull", &reference, "-o", "got.coco"]);
    assert_eq!(fs::read(place.path().join("got.coco")).unwrap(), document);
    let tokens: Vec<_> = proxy.asked().into_iter().filter(|asked| asked.path.starts_with("/token")).collect();
    assert!(tokens.len() >= 3, "{}", tokens.len());
    for asked in &tokens {
        assert!(
            asked.path.contains("service=test") && asked.path.contains("scope=repository%3Aaws%3Apull"),
            "{asked:?}"
        );
        assert_eq!(asked.header("authorization"), Some(format!("Basic {ENCODED}").as_str()));
    }
}

#[test]
fn a_token_that_is_never_accepted_ends_the_command() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let proxy = with_tokens(&registry.address, 0);
    assert_eq!(
        place.failure(&["pull", &format!("oci://{}/aws:1", proxy.address)]),
        ("HUB-DENIED".to_owned(), 2)
    );
    assert_eq!(proxy.count("GET", "/token"), 1);
}

#[test]
fn an_identity_token_is_sent_to_the_address_of_tokens_alone() {
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let place = Place::new();
    let proxy = with_tokens(&registry.address, 9);
    let config = json!({"auths": {&proxy.address: {"identitytoken": "long-lived"}}});
    place.file("home/.docker/config.json", config.to_string());
    assert_eq!(
        place.failure(&["pull", &format!("oci://{}/aws:1", proxy.address)]),
        ("HUB-ABSENT".to_owned(), 1)
    );
    let asked = proxy.asked();
    let with_token = asked.iter().find(|asked| asked.is("POST", "/token"));
    assert!(form_of(with_token.unwrap()).contains("refresh_token=long-lived"));
    assert_eq!(asked.iter().filter(|asked| form_of(asked).contains("long-lived")).count(), 1);
}

#[test]
fn a_refusal_that_asks_for_nothing_is_final() {
    let place = Place::new();
    let proxy = Proxy::start("127.0.0.1:1", |asked| {
        let header = ("WWW-Authenticate", r#"Negotiate"#.to_owned());
        let headers = if asked.path.contains("with-header") { vec![header] } else { vec![] };
        Fault::Answer(401, headers, String::new())
    });
    for repository in ["a", "with-header"] {
        let reference = format!("oci://{}/{repository}:1", proxy.address);
        assert_eq!(place.failure(&["pull", &reference]), ("HUB-DENIED".to_owned(), 2));
    }
    assert_eq!(proxy.asked().len(), 2);
}

#[test]
fn another_host_gets_no_credentials() {
    let Some(registry) = Registry::start_with(true) else { return missing("docker-registry") };
    let (place, document) = (Place::new(), package("aws", 3));
    let file = place.file("aws.coco", &document).display().to_string();
    log_in(&place, &registry.address, ENCODED);
    let pushed = place.good(&["push", &file, &format!("oci://{}/aws:1", registry.address)]);
    let digest = pushed.rsplit_once('@').unwrap().1;
    let body = String::from_utf8_lossy(&document).into_owned();
    // It does not matter here that the bytes are others.
    let storage = Proxy::start("127.0.0.1:1", move |_| Fault::Answer(200, vec![], body.clone()));
    let to = storage.address.clone();
    let proxy = Proxy::start(&registry.address, move |asked| match asked.is("GET", "/blobs/") {
        true => Fault::Answer(307, vec![("Location", format!("http://{to}/signed?key=1"))], String::new()),
        false => Fault::Pass,
    });
    log_in(&place, &proxy.address, ENCODED);
    let reference = format!("oci://{}/aws@{digest}", proxy.address);
    let (code, _) = place.failure(&["pull", &reference]);
    assert!(["HUB-SIZE", "HUB-DIGEST"].contains(&code.as_str()), "{code}");
    let asked = storage.asked();
    assert_eq!((asked.len(), asked[0].header("authorization")), (1, None));
    assert!(proxy.asked().iter().any(|asked| asked.header("authorization").is_some()));
}

/// The addresses of the next page and of an upload are the registry's to choose.
#[test]
fn an_address_that_an_answer_names_gets_no_credentials() {
    let Some(registry) = Registry::start_with(true) else { return missing("docker-registry") };
    let place = Place::new();
    let file = place.file("aws.coco", package("aws", 3)).display().to_string();
    let elsewhere = Proxy::start("127.0.0.1:1", |asked| match asked.method.as_str() {
        "GET" => Fault::Answer(200, vec![], r#"{"tags": ["from-elsewhere"]}"#.to_owned()),
        _ => Fault::Answer(201, vec![], String::new()),
    });
    let to = elsewhere.address.clone();
    let proxy = Proxy::start(&registry.address, move |asked| {
        if asked.is("GET", "/tags/list") {
            return Fault::Header("link", format!("<http://{to}/v2/aws/tags/list?n=1>; rel=\"next\""));
        }
        match asked.is("POST", "/blobs/uploads/") && asked.path.contains("/evil/") {
            true => Fault::Header("location", format!("http://{to}/upload")),
            false => Fault::Pass,
        }
    });
    log_in(&place, &proxy.address, ENCODED);
    place.good(&["push", &file, &format!("oci://{}/aws:1", proxy.address)]);
    assert_eq!(place.good(&["ls", &format!("oci://{}/aws", proxy.address)]), "1\nfrom-elsewhere");
    place.failure(&["push", &file, &format!("oci://{}/evil/aws:1", proxy.address)]);
    let asked = elsewhere.asked();
    assert!(asked.iter().any(|asked| asked.is("GET", "/tags/")), "{asked:?}");
    assert!(asked.iter().any(|asked| asked.is("PUT", "/upload")), "{asked:?}");
    assert!(asked.iter().all(|asked| asked.header("authorization").is_none()));
    assert!(proxy.asked().iter().any(|asked| asked.header("authorization").is_some()));
    for address in ["http://192.0.2.1/x", "file:///etc/passwd", "http://me:hunter2@127.0.0.1/x", "gopher:x"] {
        let proxy = Proxy::start(&registry.address, move |asked| match asked.is("GET", "/tags/list") {
            true => Fault::Header("link", format!("<{address}>; rel=\"next\"")),
            false => Fault::Pass,
        });
        log_in(&place, &proxy.address, ENCODED);
        let ended = place.run(&["--json", "ls", &format!("oci://{}/aws", proxy.address)]);
        assert_eq!(ended.code(), "HUB-REDIRECT", "{address}");
        assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    }
}

#[test]
fn an_address_of_tokens_must_be_as_safe_as_the_registry() {
    let place = Place::new();
    for realm in ["http://192.0.2.1/token", "file:///etc/passwd", "http://me:hunter2@127.0.0.1/token"] {
        let proxy = Proxy::start("127.0.0.1:1", move |_| {
            let challenge = format!(r#"Bearer realm="{realm}",service="test""#);
            Fault::Answer(401, vec![("WWW-Authenticate", challenge)], String::new())
        });
        log_in(&place, &proxy.address, ENCODED);
        let ended = place.run(&["--json", "pull", &format!("oci://{}/aws:1", proxy.address)]);
        assert_eq!(ended.code(), "HUB-REDIRECT", "{realm}");
        assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    }
}
