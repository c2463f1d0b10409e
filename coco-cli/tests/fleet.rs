//! Tests the fleet on a real server: `moto`, which implements the S3 protocol. It is killed while
//! it sends.
//!
//! Needs `moto_server` (`pip install 'moto[s3]' flask flask-cors`) on the path, or
//! `COCONUT_MOTO_SERVER` with its path. Without both, the tests are skipped. If the variable is
//! set, the server must start.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::Value;
use std::fs;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The server, which is killed when dropped.
struct Server {
    child: Child,
    address: SocketAddr,
}

impl Server {
    /// `None` if no server is installed.
    fn start() -> Option<Server> {
        let named = std::env::var_os("COCONUT_MOTO_SERVER");
        let program = named.clone().unwrap_or_else(|| "moto_server".into());
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut command = Command::new(&program);
        command.args(["-H", "127.0.0.1", "-p", &address.port().to_string()]);
        let mut child = match command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(child) => child,
            Err(_) if named.is_none() => {
                coconut_testing::skip("moto_server (coco-cli/tests/fleet.rs)");
                return None;
            }
            Err(error) => panic!("{}: {error}", program.display()),
        };
        let end = Instant::now() + Duration::from_secs(120);
        while TcpStream::connect(address).is_err() {
            assert!(Instant::now() < end, "the server does not listen");
            assert!(child.try_wait().unwrap().is_none(), "the server has ended");
            std::thread::sleep(Duration::from_millis(50));
        }
        let server = Server { child, address };
        server.put("fleet", b"");
        // Plain HTTP has no signatures, and objects that a test writes have none either.
        server.put(
            "fleet?policy",
            br#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "s3:*",
                "Resource": "arn:aws:s3:::fleet/*"}]}"#,
        );
        Some(server)
    }

    /// Makes a bucket, makes it public, or writes an object unchanged.
    fn put(&self, path: &str, bytes: &[u8]) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let (address, length) = (self.address, bytes.len());
        write!(stream, "PUT /{path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\n").unwrap();
        stream.write_all(b"Connection: close\r\n\r\n").unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }

    fn kill(&mut self) {
        // It may be dead already, and then this is the drop.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The behaviour of the connection between client and server.
#[derive(Clone, Copy, Debug)]
enum Line {
    /// Forwards this many bytes of a response, and waits.
    HoldsAfter(usize),
    /// Accepts connections, and forwards nothing.
    IsDead,
}

/// A proxy on loopback.
struct Proxy {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
    /// Receives a message when a response is held.
    held: Receiver<()>,
    /// Releases all responses when dropped.
    release: Sender<()>,
}

impl Proxy {
    fn start(line: Line, upstream: SocketAddr) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let (holding, held) = channel();
        let (release, released) = channel();
        let released = Arc::new(Mutex::new(released));
        let count = connections.clone();
        std::thread::spawn(move || {
            let mut kept = Vec::new();
            for client in listener.incoming() {
                count.fetch_add(1, Ordering::SeqCst);
                let client = client.unwrap();
                match (line, TcpStream::connect(upstream)) {
                    (Line::HoldsAfter(bytes), Ok(server)) => {
                        let (holding, released) = (holding.clone(), released.clone());
                        let (from, to) = (client.try_clone().unwrap(), server.try_clone().unwrap());
                        std::thread::spawn(move || forward(from, to, None));
                        std::thread::spawn(move || forward(server, client, Some((bytes, holding, released))));
                    }
                    (Line::HoldsAfter(_), Err(_)) => {}
                    (Line::IsDead, _) => kept.push(client),
                }
            }
        });
        Proxy { address, connections, held, release }
    }
}

type Hold = (usize, Sender<()>, Arc<Mutex<Receiver<()>>>);

/// Forwards until one side has ended; holds once on the way.
fn forward(mut from: TcpStream, mut to: TcpStream, mut hold: Option<Hold>) {
    let mut piece = [0; 16 << 10];
    let mut sent = 0;
    while let Ok(length @ 1..) = from.read(&mut piece) {
        if to.write_all(&piece[..length]).is_err() {
            break;
        }
        sent += length;
        if let Some((bytes, holding, released)) = hold.take_if(|(bytes, ..)| sent >= *bytes) {
            assert!(sent >= bytes);
            let _ = holding.send(());
            let _ = released.lock().unwrap().recv();
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// A machine with a separate cache.
struct Machine {
    cache: TempDir,
    endpoint: String,
}

impl Machine {
    fn new(endpoint: SocketAddr) -> Machine {
        Machine { cache: tempfile::tempdir().unwrap(), endpoint: format!("http://{endpoint}") }
    }

    fn coco(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
        command.args(arguments).env("COCONUT_CACHE_DIR", self.cache.path());
        command.env("AWS_ENDPOINT_URL", &self.endpoint).env("AWS_ALLOW_HTTP", "true");
        command.env("AWS_ACCESS_KEY_ID", "id").env("AWS_SECRET_ACCESS_KEY", "secret");
        command.env("AWS_REGION", "us-east-1").env("NO_PROXY", "127.0.0.1");
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.coco(arguments).output().unwrap()
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = self.run(&[&["--json"], arguments].concat());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// The document from `coco cache warm --json` of one source.
    fn warm(&self, source: &Path, more: &[&str]) -> Value {
        let source = source.to_str().unwrap();
        let arguments = [&["cache", "warm", source, "--fleet", FLEET, "--fleet-deadline", PATIENT], more];
        self.json(&arguments.concat())["documents"][0].clone()
    }

    /// Checks that all entries are undamaged, and returns their number.
    #[track_caller]
    fn whole_entries(&self) -> u64 {
        let report = self.json(&["cache", "verify"]);
        assert_eq!((&report["bad"], &report["unread"]), (&Value::Array(vec![]), &Value::Array(vec![])));
        let left = fs::read_dir(self.cache.path().join("v1/new")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "files in new/");
        report["good"].as_u64().unwrap()
    }
}

const FLEET: &str = "s3://fleet/of/ours";

/// A deadline in milliseconds for tests of other features.
const PATIENT: &str = "120000";

fn source_in(folder: &TempDir, name: &str, text: &str) -> std::path::PathBuf {
    let path = folder.path().join(name);
    fs::write(&path, text).unwrap();
    path
}

/// More than all buffers between two processes can take, and nothing that could be shared.
fn large_source(folder: &TempDir) -> std::path::PathBuf {
    let mut state = 1_u64;
    let letters = (0..32 << 20).map(|_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (state >> 60) as u8)
    });
    let letters: String = letters.collect();
    source_in(folder, "large.json", &format!(r#"{{"name": "large", "text": "{letters}"}}"#))
}

#[test]
fn documents_published_by_one_machine_are_fetched_by_s3_and_http() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = source_in(&folder, "a.json", r#"{"name": "a", "list": [1, 2, 3]}"#);
    let one = Machine::new(server.address);
    let first = one.warm(&source, &[]);
    assert_eq!((&first["origin"], &first["fleet"]["answer"]), (&"source".into(), &"absent".into()));
    // The run above only read from the fleet; nothing was published yet.
    assert_eq!(Machine::new(server.address).warm(&source, &[])["fleet"]["answer"], "absent");
    assert_eq!(one.warm(&source, &["--publish"])["published"], "written");
    assert_eq!(one.warm(&source, &["--publish"])["published"], "present");

    let other = Machine::new(server.address);
    let path = source.to_str().unwrap();
    let explained = other.json(&["cache", "explain", path, "--fleet", FLEET, "--fleet-deadline", PATIENT]);
    assert_eq!((&explained["cache"], &explained["fleet"]["answer"]), (&"miss".into(), &"found".into()));
    assert_eq!(other.whole_entries(), 0);
    let fetched = other.warm(&source, &[]);
    assert_eq!((&fetched["origin"], &fetched["fleet"]["answer"]), (&"cache".into(), &"found".into()));
    assert_eq!(fetched["fallbacks"], serde_json::json!([]));
    assert_eq!(other.whole_entries(), 1);
    assert_eq!(other.run(&["get", path, "/list", "--compact"]).stdout, b"[1,2,3]\n");

    let by_http = Machine::new(server.address);
    let location = format!("http://{}/fleet/of/ours", server.address);
    let report = by_http.json(&["cache", "warm", path, "--fleet", &location, "--fleet-deadline", PATIENT]);
    assert_eq!(report["documents"][0]["fleet"]["answer"], "found");
}

#[test]
fn an_object_that_does_not_match_its_key_is_refused_and_replaced_by_the_next_publisher() {
    let Some(server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = source_in(&folder, "a.json", r#"{"name": "a", "list": [1, 2, 3]}"#);
    let one = Machine::new(server.address);
    one.warm(&source, &["--publish"]);
    let key = one.json(&["cache", "ls"])["entries"][0]["key"].as_str().unwrap().to_owned();
    let object = format!("of/ours/v1/{}/{key}", &key[..2]);
    let entry = fs::read(one.cache.path().join("v1/entries").join(&key[..2]).join(&key)).unwrap();
    let mut changed = entry.clone();
    changed[300] ^= 4;
    let cases =
        [(&changed[..], "SUM-MISMATCH"), (&entry[..entry.len() - 1], "CACHE-SEAL"), (b"", "CACHE-SEAL")];
    for (bytes, code) in cases {
        server.put(&format!("fleet/{object}"), bytes);
        let other = Machine::new(server.address);
        let document = other.warm(&source, &[]);
        assert_eq!(document["origin"], "source", "{code}");
        let fallbacks = document["fallbacks"].as_array().unwrap();
        assert_eq!(fallbacks.len(), 1, "{fallbacks:?}");
        assert_eq!(fallbacks[0]["code"], code);
        assert_eq!(fallbacks[0]["binary"], format!("s3://fleet/{object}"));
        assert_eq!(other.whole_entries(), 1);
    }
    let mending = Machine::new(server.address);
    assert_eq!(mending.warm(&source, &["--publish"])["published"], "written");
    assert_eq!(Machine::new(server.address).warm(&source, &[])["fleet"]["answer"], "found");
}

#[test]
fn a_server_that_is_killed_while_it_sends_leaves_nothing_and_the_source_answers() {
    let Some(mut server) = Server::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let source = large_source(&folder);
    let path = source.to_str().unwrap();
    assert_eq!(Machine::new(server.address).warm(&source, &["--publish"])["published"], "written");

    // Loads from the source alone, for comparison.
    let alone = Machine::new(server.address);
    assert!(alone.run(&["cache", "warm", path, "--quiet"]).status.success());

    let proxy = Proxy::start(Line::HoldsAfter(4 << 20), server.address);
    let machine = Machine::new(proxy.address);
    let mut command = machine.coco(&["cache", "warm", path, "--fleet", FLEET, "--fleet-deadline", PATIENT]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    proxy.held.recv_timeout(Duration::from_secs(120)).expect("the object is being sent");
    server.kill();
    drop(proxy.release);
    let output = child.wait_with_output().unwrap();

    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let warnings: Vec<&str> = said.lines().filter(|line| line.starts_with("warning")).collect();
    assert!(matches!(warnings[..], [only] if only.starts_with("warning[FLEET-UNAVAILABLE]")), "{said}");
    assert!(said.contains("1 loaded, 1 of them compiled, 0 fetched"), "{said}");
    assert_eq!(machine.whole_entries(), 1);
    let key = |machine: &Machine| machine.json(&["cache", "ls"])["entries"][0]["key"].clone();
    assert_eq!(key(&machine), key(&alone));
    let text = |machine: &Machine| machine.run(&["get", path, "/text", "--raw"]).stdout;
    let (found, expected) = (text(&machine), text(&alone));
    assert!(found == expected && found.len() == (32 << 20) + 1);
}

#[test]
fn a_server_that_never_answers_is_asked_once() {
    let dead = Proxy::start(Line::IsDead, SocketAddr::from(([127, 0, 0, 1], 9)));
    let folder = tempfile::tempdir().unwrap();
    for number in 0..20 {
        source_in(&folder, &format!("{number}.json"), &format!("{{\"number\": {number}}}"));
    }
    let machine = Machine::new(dead.address);
    let all = folder.path().to_str().unwrap();
    let output =
        machine.run(&["cache", "warm", all, "--fleet", FLEET, "--fleet-deadline", "200", "--jobs", "1"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(said.matches("warning[").count(), 1, "{said}");
    assert!(said.contains("warning[FLEET-DEADLINE]: the fleet did not answer within 200 ms"), "{said}");
    assert!(said.contains("20 loaded, 20 of them compiled, 0 fetched"), "{said}");
    assert_eq!(dead.connections.load(Ordering::SeqCst), 1);
    assert_eq!(machine.whole_entries(), 20);
}

#[test]
fn failures_to_publish_are_reported() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = source_in(&folder, "a.json", r#"{"name": "a"}"#);
    let machine = Machine::new(nobody);
    let output = machine.run(&["cache", "warm", source.to_str().unwrap(), "--publish"]);
    let expected = "error[USAGE]: --publish needs a fleet\n  = name one with --fleet or COCONUT_FLEET\n";
    assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(2), expected));
    let document = machine.warm(&source, &["--publish"]);
    assert_eq!(document["publishing_fault"]["code"], "FLEET-UNAVAILABLE");
    assert_eq!(document["published"], Value::Null);
}

#[test]
fn a_server_that_is_not_there_is_a_reason_and_no_failure() {
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let source = source_in(&folder, "a.json", r#"{"name": "a"}"#);
    let machine = Machine::new(nobody);
    let path = source.to_str().unwrap();
    let explained = machine.json(&["cache", "explain", path, "--fleet", FLEET, "--fleet-deadline", PATIENT]);
    assert_eq!(explained["fleet"]["answer"], "passed");
    assert_eq!(explained["fallbacks"][0]["code"], "FLEET-UNAVAILABLE");
    let document = machine.warm(&source, &["--publish"]);
    assert_eq!((&document["origin"], &document["published"]), (&"source".into(), &Value::Null));
    assert_eq!(document["fallbacks"].as_array().unwrap().len(), 1);
}
