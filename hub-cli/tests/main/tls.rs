//! Registries with TLS, reached through a proxy: authorities of our own, and the variables of the
//! environment.

use crate::running::{Ended, Place, Registry, ended, package};
use coconut_testing::missing;
use std::fs;
use std::io::{self, Read, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// The name of the registry. Only the proxy knows where it is.
const HOST: &str = "hub.example";

/// A proxy for `CONNECT`, which leads every host to one address.
struct Tunnel {
    address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Tunnel {
    /// Its thread ends with the process.
    fn start(to: &str) -> Tunnel {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, to) = (asked.clone(), to.to_owned());
        thread::spawn(move || {
            for client in listener.incoming() {
                let (log, to) = (log.clone(), to.clone());
                thread::spawn(move || client.and_then(|client| tunnel(client, &to, &log)));
            }
        });
        Tunnel { address, asked }
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

fn tunnel(mut client: TcpStream, to: &str, log: &Mutex<Vec<String>>) -> io::Result<()> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    log.lock().unwrap().push(head.lines().next().unwrap_or_default().to_owned());
    let mut server = TcpStream::connect(to)?;
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        let _ = io::copy(&mut from_client, &mut to_server);
        to_server.shutdown(std::net::Shutdown::Write)
    });
    io::copy(&mut server, &mut client)?;
    client.shutdown(std::net::Shutdown::Write)
}

/// An authority, and a certificate for a name that it has signed. `None` without `openssl`.
struct Certificates {
    authority: PathBuf,
    certificate: PathBuf,
    key: PathBuf,
}

fn certificates(place: &Place, name: &str) -> Option<Certificates> {
    let path = |file: &str| place.path().join(format!("{name}-{file}.pem"));
    let openssl = |arguments: &[&str]| {
        let mut command = Command::new("openssl");
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        let status = command.status().ok()?;
        assert!(status.success(), "{arguments:?}");
        Some(())
    };
    let [authority, authority_key, certificate, key] =
        ["ca", "ca-key", "server", "key"].map(|file| path(file).display().to_string());
    let new = |extra: &[&str]| {
        let common =
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
        openssl(&[&common[..], extra].concat())
    };
    new(&["-subj", "/CN=Authority of a test", "-keyout", &authority_key, "-out", &authority])?;
    let names = format!("subjectAltName=DNS:{name}");
    let signed = ["-CA", &authority, "-CAkey", &authority_key, "-addext", &names];
    let server = ["-addext", "basicConstraints=critical,CA:FALSE", "-subj", "/CN=server", "-keyout", &key];
    new(&[&signed[..], &server, &["-out", &certificate]].concat())?;
    Some(Certificates { authority: path("ca"), certificate: path("server"), key: path("key") })
}

fn run(place: &Place, variables: &[(&str, &str)], arguments: &[&str]) -> Ended {
    let mut command = place.command(&[&["--json"], arguments].concat());
    command.envs(variables.iter().copied());
    ended(command)
}

#[test]
fn an_authority_of_our_own_and_a_proxy_are_those_of_the_environment() {
    let place = Place::new();
    let Some(own) = certificates(&place, HOST) else { return missing("openssl") };
    let Some(registry) = Registry::start_encrypted(&own.certificate, &own.key) else {
        return missing("docker-registry");
    };
    let tunnel = Tunnel::start(&registry.address);
    let proxy = format!("http://{}", tunnel.address);
    let authority = own.authority.display().to_string();
    let variables = [("HTTPS_PROXY", proxy.as_str()), ("SSL_CERT_FILE", &authority)];
    let document = package("aws", 2000);
    let file = place.file("aws.coco", &document).display().to_string();
    let reference = format!("oci://{HOST}/acme/aws:1");
    for arguments in [
        &["push", &file, &reference][..],
        &["pull", &reference, "-o", "got.coco", "--no-cache"],
        &["copy", &reference, "oci-layout:copy:1"],
        &["copy", "oci-layout:copy:1", &format!("oci://{HOST}/copy:1")],
        &["ls", &format!("oci://{HOST}/acme/aws")],
    ] {
        let ended = run(&place, &variables, arguments);
        assert_eq!(ended.status, 0, "{arguments:?}: {}", ended.stderr);
    }
    assert!(fs::read(place.path().join("got.coco")).unwrap() == document);
    let far = Place::new();
    let mut get = far.command(&["get", &reference, "/modules/m7"]);
    get.envs(variables);
    let got = ended(get);
    assert_eq!(got.status, 0, "{}", got.stderr);
    assert!(got.stdout.contains("module 7 of aws"), "{}", got.stdout);
    let asked = tunnel.asked();
    assert!(!asked.is_empty());
    assert!(asked.iter().all(|line| line == &format!("CONNECT {HOST}:443 HTTP/1.1")), "{asked:?}");
}

#[test]
fn a_certificate_of_another_authority_or_for_another_name_is_refused() {
    let place = Place::new();
    let (Some(own), Some(other)) = (certificates(&place, HOST), certificates(&place, "other.example")) else {
        return missing("openssl");
    };
    let Some(registry) = Registry::start_encrypted(&own.certificate, &own.key) else {
        return missing("docker-registry");
    };
    let tunnel = Tunnel::start(&registry.address);
    let proxy = format!("http://{}", tunnel.address);
    let path = |path: &PathBuf| path.display().to_string();
    let cases = [
        (path(&other.authority), HOST),
        (path(&own.authority), "other.example"),
        (path(&own.authority), "sub.hub.example"),
    ];
    for (authority, host) in cases {
        let variables = [("HTTPS_PROXY", proxy.as_str()), ("SSL_CERT_FILE", &authority)];
        let ended = run(&place, &variables, &["pull", &format!("oci://{host}/a:1")]);
        assert_eq!((ended.code().as_str(), ended.status), ("HUB-UNREACHABLE", 2), "{host}");
        assert!(ended.stderr.contains("certificate"), "{}", ended.stderr);
    }
}

#[test]
fn hosts_without_a_proxy_are_reached_directly() {
    let place = Place::new();
    let Some(registry) = Registry::start() else { return missing("docker-registry") };
    let tunnel = Tunnel::start(&registry.address);
    let proxy = format!("http://{}", tunnel.address);
    let file = place.file("aws.coco", package("aws", 3)).display().to_string();
    // This machine never needs a proxy.
    let local = format!("oci://{}/aws:1", registry.address);
    let all = [("HTTP_PROXY", proxy.as_str()), ("HTTPS_PROXY", &proxy), ("ALL_PROXY", &proxy)];
    assert_eq!(run(&place, &all, &["push", &file, &local]).status, 0);
    // A name that only a proxy could resolve.
    let without = [all[1], ("NO_PROXY", "other.invalid,hub.invalid")];
    let ended = run(&place, &without, &["pull", "oci://hub.invalid/a:1", "--timeout", "5"]);
    assert!(["HUB-UNREACHABLE", "HUB-TIME"].contains(&ended.code().as_str()), "{}", ended.stderr);
    assert_eq!(tunnel.asked(), Vec::<String>::new());
    // Credentials of a proxy are not shown.
    let secret = "http://me:hunter2@127.0.0.1:1";
    let ended = run(&place, &[("HTTPS_PROXY", secret)], &["pull", "oci://hub.invalid/a:1", "--timeout", "5"]);
    assert_eq!(ended.code(), "HUB-UNREACHABLE");
    assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
}
