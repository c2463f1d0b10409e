//! A fleet whose server lies, stalls or dies at any byte. Wrong data is never used, one failure
//! stops all requests, and nothing takes longer than its deadline.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::cache::Cache;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::loader::{FallbackReason, FleetFault, Loader, Origin, RemoteRequest};
use coconut_codec::text::SourceFormat;
use coconut_fleet::{Fleet, FleetOptions, Outcome};
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

const SOURCE: &str = r#"{"resources": {"ec2/instance:Instance": {"type": "aws", "size": 3}}}"#;
const OTHER: &str = r#"{"resources": {"ec2/instance:Instance": {"type": "aws", "size": 4}}}"#;

/// Longer than any response of a server that responds.
const LONG: Duration = Duration::from_secs(60);

/// The behaviour of the server after its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Then {
    Close,
    /// Keeps the connection open, and sends nothing.
    Hold,
    /// Repeats the last byte forever.
    Repeat,
    /// The same, one byte in 50 ms.
    Drip,
}

type Answer = (Vec<u8>, Then);

/// A server on this machine that sends the same bytes to everyone.
struct Liar {
    address: String,
    answer: Arc<Mutex<Answer>>,
    requests: Arc<AtomicUsize>,
}

impl Liar {
    fn start() -> Liar {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let answer = Arc::new(Mutex::new((Vec::new(), Then::Close)));
        let requests = Arc::new(AtomicUsize::new(0));
        let (shared, count) = (answer.clone(), requests.clone());
        // The thread ends with the process.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::SeqCst);
                let answer: Answer = shared.lock().unwrap().clone();
                std::thread::spawn(move || serve(client, &answer));
            }
        });
        Liar { address, answer, requests }
    }

    fn says(&self, bytes: Vec<u8>, then: Then) {
        *self.answer.lock().unwrap() = (bytes, then);
    }

    fn fleet(&self, deadline: Duration) -> Fleet {
        let options = FleetOptions { deadline, max_bytes: 1 << 20, ..FleetOptions::default() };
        Fleet::open(&format!("http://{}/fleet", self.address), options).unwrap()
    }
}

/// Reads the head of a request and sends the response, as far as the client accepts it.
fn serve(mut client: TcpStream, (bytes, then): &Answer) {
    let (mut head, mut byte) = (Vec::new(), [0; 1]);
    while !head.ends_with(b"\r\n\r\n") {
        match client.read(&mut byte) {
            Ok(1) => head.push(byte[0]),
            _ => return,
        }
    }
    if client.write_all(bytes).is_err() {
        return;
    }
    let last = bytes.last().copied().unwrap_or(b'x');
    match then {
        Then::Close => {}
        Then::Hold => drop(client.read(&mut byte)),
        Then::Repeat => while client.write_all(&[last; 4096]).is_ok() {},
        Then::Drip => {
            while client.write_all(&[last]).is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

/// Machines with a source and separate caches.
struct Place {
    folder: TempDir,
    source: PathBuf,
    machines: AtomicUsize,
}

impl Place {
    fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.json");
        fs::write(&source, SOURCE).unwrap();
        Place { folder, source, machines: AtomicUsize::new(0) }
    }

    fn machine(&self) -> Loader {
        let number = self.machines.fetch_add(1, Ordering::SeqCst);
        Loader::builder().cache(Cache::new(self.folder.path().join(format!("cache {number}")))).build()
    }

    /// The entry of this source, as stored in a fleet.
    fn entry(&self, source: &str) -> Vec<u8> {
        let (machine, path) = (self.machine(), self.folder.path().join("other.json"));
        fs::write(&path, source).unwrap();
        machine.load_file(&path).unwrap();
        machine.export(&request(&machine, &path)).unwrap().unwrap()
    }

    /// Pulls, and checks that no wrong data was used: the cache is empty, and the source gives the
    /// same result as without a fleet. After a failure of the fleet, no more requests are made.
    #[track_caller]
    fn refusal(&self, liar: &Liar, fleet: &Fleet, what: &str) -> FallbackReason {
        let machine = self.machine();
        let request = request(&machine, &self.source);
        let Outcome::Passed(fallback) = fleet.pull(&machine, &request) else {
            panic!("{what}: it was accepted");
        };
        assert_eq!(machine.cache().unwrap().entries().unwrap(), [], "{what}");
        let loaded = machine.load_file(&self.source).unwrap();
        assert!(matches!(loaded.origin, Origin::Source { stored: true, .. }), "{what}: {:?}", loaded.origin);
        let options = CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() };
        let expected = compile(SOURCE.as_bytes(), &options).unwrap().bytes;
        assert!(loaded.document.data().as_ref() == expected, "{what}");
        if let FallbackReason::Fleet(fault) = &fallback.reason
            && !fault.is_about_object()
        {
            let (before, other) = (liar.requests.load(Ordering::SeqCst), self.machine());
            let again = fleet.pull(&other, &self::request(&other, &self.source));
            assert_eq!(again.fallback().map(|again| &again.reason), Some(&fallback.reason), "{what}");
            assert_eq!(liar.requests.load(Ordering::SeqCst), before, "{what}: it was asked again");
        }
        fallback.reason
    }
}

fn request(machine: &Loader, source: &Path) -> RemoteRequest {
    machine.remote_request_for_file(source).unwrap().unwrap()
}

/// A response with this status and body, which announces `length` bytes.
fn http(status: &str, length: impl std::fmt::Display, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    [head.as_bytes(), body].concat()
}

fn ok(body: &[u8]) -> Vec<u8> {
    http("200 OK", body.len(), body)
}

#[test]
fn an_honest_server_is_believed() {
    let (place, liar) = (Place::new(), Liar::start());
    liar.says(ok(&place.entry(SOURCE)), Then::Close);
    let machine = place.machine();
    let outcome = liar.fleet(LONG).pull(&machine, &request(&machine, &place.source));
    assert!(matches!(outcome, Outcome::Found { .. }), "{outcome:?}");
    assert!(matches!(machine.load_file(&place.source).unwrap().origin, Origin::Cached { .. }));
}

#[test]
fn an_object_that_is_not_the_entry_is_refused_and_others_are_still_requested() {
    let (place, liar) = (Place::new(), Liar::start());
    let (good, other) = (place.entry(SOURCE), place.entry(OTHER));
    let mut flipped = good.clone();
    flipped[good.len() / 2] ^= 4;
    // The document of another source under the seal of this one.
    let seal = good.len() - 128;
    let swapped = [&other[..other.len() - 128], &good[seal..]].concat();
    let lies: [(&str, &[u8]); 8] = [
        ("nothing", b""),
        ("an error page", b"<html>503</html>"),
        ("another entry", &other),
        ("another document under this seal", &swapped),
        ("a flipped bit", &flipped),
        ("a cut entry", &good[..good.len() - 1]),
        ("a document without its seal", &good[..seal]),
        ("the entry twice", &[&good[..], &good].concat()),
    ];
    let fleet = liar.fleet(LONG);
    for (what, body) in lies {
        liar.says(ok(body), Then::Close);
        let reason = place.refusal(&liar, &fleet, what);
        assert!(!matches!(reason, FallbackReason::Fleet(_)), "{what}: {reason}");
    }
    // The response announces less than it sends, so the rest is not read.
    liar.says(http("200 OK", good.len() - 1, &good), Then::Close);
    assert_eq!(place.refusal(&liar, &fleet, "a short length").code(), "CACHE-SEAL");
    liar.says(http("200 OK", 1u64 << 40, &good), Then::Repeat);
    let reason = place.refusal(&liar, &fleet, "a long length");
    assert!(matches!(reason, FallbackReason::Fleet(FleetFault::TooLarge { .. })), "{reason}");
    // None of this has stopped the fleet.
    liar.says(ok(&good), Then::Close);
    let machine = place.machine();
    let outcome = fleet.pull(&machine, &request(&machine, &place.source));
    assert!(matches!(outcome, Outcome::Found { .. }), "{outcome:?}");
}

#[test]
fn a_server_that_dies_at_any_byte_is_asked_no_more() {
    let (place, liar) = (Place::new(), Liar::start());
    let good = place.entry(SOURCE);
    let whole = ok(&good);
    let head = whole.len() - good.len();
    let lengths = [0, 1, 9, 12, 15, 17, head - 3, head - 1, head, head + 1, head + good.len() / 2];
    for length in lengths.into_iter().chain([whole.len() - 128, whole.len() - 1]) {
        liar.says(whole[..length].to_vec(), Then::Close);
        let reason = place.refusal(&liar, &liar.fleet(LONG), &format!("{length} bytes"));
        assert!(
            matches!(reason, FallbackReason::Fleet(FleetFault::Unavailable { .. })),
            "{length}: {reason}"
        );
    }
}

#[test]
fn a_server_with_a_refusal_or_a_senseless_response_is_not_used_again() {
    let (place, liar) = (Place::new(), Liar::start());
    let good = place.entry(SOURCE);
    let away = format!("http://{}/round", liar.address);
    let round =
        format!("HTTP/1.1 302 Found\r\nLocation: {away}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n";
    let lies: [(&str, Vec<u8>, &str); 9] = [
        ("an error", http("500 Internal Server Error", 4, b"oops"), "FLEET-UNAVAILABLE"),
        ("no right", http("403 Forbidden", 0, b""), "FLEET-DENIED"),
        ("not known", http("401 Unauthorized", 0, b""), "FLEET-DENIED"),
        ("no HTTP", b"SSH-2.0-OpenSSH_9.6\r\n".to_vec(), "FLEET-UNAVAILABLE"),
        (
            "no length",
            [&b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"[..], &good].concat(),
            "FLEET-UNAVAILABLE",
        ),
        ("no number as length", http("200 OK", "many", &good), "FLEET-UNAVAILABLE"),
        ("no possible length", http("200 OK", u64::MAX, &good), "FLEET-UNAVAILABLE"),
        ("a circle", round.into_bytes(), "FLEET-UNAVAILABLE"),
        ("bad pieces", chunked.as_bytes().to_vec(), "FLEET-UNAVAILABLE"),
    ];
    for (what, bytes, code) in lies {
        liar.says(bytes, Then::Close);
        let reason = place.refusal(&liar, &liar.fleet(LONG), what);
        assert_eq!(reason.code(), code, "{what}: {reason}");
    }
    liar.says(http("404 Not Found", 2, b"no"), Then::Close);
    let machine = place.machine();
    assert_eq!(liar.fleet(LONG).pull(&machine, &request(&machine, &place.source)), Outcome::Absent);
}

/// If the test waited for any of these, it would not end.
#[test]
fn a_server_that_stalls_costs_its_deadline_and_is_asked_no_more() {
    let (place, liar) = (Place::new(), Liar::start());
    let good = place.entry(SOURCE);
    let whole = ok(&good);
    let head = whole.len() - good.len();
    let stalls: [(&str, Vec<u8>, Then); 7] = [
        ("silence", Vec::new(), Then::Hold),
        ("half a head", whole[..head - 2].to_vec(), Then::Hold),
        ("a head without a body", whole[..head].to_vec(), Then::Hold),
        ("all but a byte", whole[..whole.len() - 1].to_vec(), Then::Hold),
        ("a head that drips", b"HTTP/1.1 200 OK\r\nX: x".to_vec(), Then::Drip),
        ("a head without end", b"HTTP/1.1 200 OK\r\nX: x".to_vec(), Then::Repeat),
        ("a body that drips", http("200 OK", 1 << 19, b"x"), Then::Drip),
    ];
    for (what, bytes, then) in stalls {
        liar.says(bytes, then);
        let reason = place.refusal(&liar, &liar.fleet(Duration::from_millis(500)), what);
        let FallbackReason::Fleet(fault) = &reason else { panic!("{what}: {reason}") };
        // A head without end is refused as soon as it is too long.
        let is_expected = match fault {
            FleetFault::Deadline { .. } => true,
            FleetFault::Unavailable { .. } => what == "a head without end",
            _ => false,
        };
        assert!(is_expected, "{what}: {reason}");
    }
}
