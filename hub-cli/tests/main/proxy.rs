//! A server between `coco-hub` and a registry, which does to answers what a rule tells it.

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A request of a client.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// The number of requests with the same method and path before this one.
    pub(crate) before: usize,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    pub(crate) fn is(&self, method: &str, part: &str) -> bool {
        self.method == method && self.path.contains(part)
    }
}

/// The treatment of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// None.
    Pass,
    /// The connection ends without an answer.
    Drop,
    /// The connection ends after so many bytes of the body.
    Cut(usize),
    /// After so many bytes of the body, nothing comes, and the connection stays.
    Stall(usize),
    /// The answer comes so late.
    Delay(Duration),
    /// The body has only so many bytes, and the headers agree.
    Short(usize),
    /// The body has more bytes, and the headers agree.
    Long(usize),
    /// One bit of this byte of the body is changed.
    Flip(usize),
    /// Another answer: status, headers and body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// The header is replaced, or removed if it is empty.
    Header(&'static str, String),
    /// The request loses this header first.
    Without(&'static str),
}

type Rule = dyn Fn(&Asked) -> Fault + Send + Sync;

/// A running proxy. It ends with this.
pub(crate) struct Proxy {
    pub(crate) address: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    has_ended: Arc<AtomicBool>,
}

impl Proxy {
    pub(crate) fn start(upstream: &str, rule: impl Fn(&Asked) -> Fault + Send + Sync + 'static) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let has_ended = Arc::new(AtomicBool::new(false));
        let (rule, upstream): (Arc<Rule>, _) = (Arc::new(rule), upstream.to_owned());
        let (log, ended) = (asked.clone(), has_ended.clone());
        thread::spawn(move || {
            for stream in listener.incoming() {
                if ended.load(Ordering::Relaxed) {
                    return;
                }
                let (rule, upstream, log) = (rule.clone(), upstream.clone(), log.clone());
                thread::spawn(move || {
                    // A client may leave at any time.
                    let _ = stream.and_then(|stream| serve(stream, &upstream, &*rule, &log));
                });
            }
        });
        Proxy { address, asked, has_ended }
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// The number of requests with this method and this part of the path.
    pub(crate) fn count(&self, method: &str, part: &str) -> usize {
        self.asked().iter().filter(|asked| asked.is(method, part)).count()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(&self.address);
    }
}

struct Head {
    first: String,
    headers: Vec<(String, String)>,
}

impl Head {
    fn read(from: &mut impl io::BufRead) -> io::Result<Option<Head>> {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut head = Head { first: line.trim_end().to_owned(), headers: Vec::new() };
        loop {
            let mut line = String::new();
            from.read_line(&mut line)?;
            match line.trim_end().split_once(':') {
                Some((name, value)) => head.headers.push((name.to_owned(), value.trim().to_owned())),
                None => return Ok(Some(head)),
            }
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.as_str())
    }

    fn set(&mut self, name: &str, value: &str) {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        if !value.is_empty() {
            self.headers.push((name.to_owned(), value.to_owned()));
        }
    }

    fn write(&self, to: &mut TcpStream) -> io::Result<()> {
        let mut text = format!("{}\r\n", self.first);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        to.write_all(format!("{text}\r\n").as_bytes())
    }
}

/// Answers one request, and closes the connection.
fn serve(mut client: TcpStream, upstream: &str, rule: &Rule, log: &Mutex<Vec<Asked>>) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let Some(mut head) = Head::read(&mut reader)? else { return Ok(()) };
    let length = head.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let mut words = head.first.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let asked = {
        let mut log = log.lock().unwrap();
        let before = log.iter().filter(|asked| asked.method == method && asked.path == path).count();
        let (method, path) = (method.to_owned(), path.to_owned());
        let asked = Asked { method, path, headers: head.headers.clone(), body: body.clone(), before };
        log.push(asked.clone());
        asked
    };
    let fault = rule(&asked);
    match &fault {
        Fault::Drop => return Ok(()),
        Fault::Delay(time) => thread::sleep(*time),
        Fault::Answer(status, headers, text) => {
            let mut head = Head { first: format!("HTTP/1.1 {status} Status"), headers: Vec::new() };
            headers.iter().for_each(|(name, value)| head.headers.push(((*name).to_owned(), value.clone())));
            head.set("content-length", &text.len().to_string());
            head.set("connection", "close");
            head.write(&mut client)?;
            return client.write_all(text.as_bytes());
        }
        Fault::Without(name) => head.set(name, ""),
        _ => {}
    }
    head.set("connection", "close");
    let mut server = TcpStream::connect(upstream)?;
    head.write(&mut server)?;
    server.write_all(&body)?;
    let mut answer = BufReader::new(server);
    let Some(mut head) = Head::read(&mut answer)? else { return Ok(()) };
    let mut body = Vec::new();
    if asked.method != "HEAD" {
        answer.read_to_end(&mut body)?;
        head.set("transfer-encoding", "");
        head.set("content-length", &body.len().to_string());
    }
    head.set("connection", "close");
    let mut sent = body.len();
    match &fault {
        Fault::Short(length) => {
            body.truncate(*length);
            (sent, _) = (body.len(), head.set("content-length", &body.len().to_string()));
        }
        Fault::Long(more) => {
            body.extend(vec![0; *more]);
            (sent, _) = (body.len(), head.set("content-length", &body.len().to_string()));
        }
        Fault::Flip(at) => {
            let at = *at % body.len().max(1);
            body.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1);
        }
        Fault::Header(name, value) => head.set(name, value),
        Fault::Cut(length) | Fault::Stall(length) => sent = sent.min(*length),
        _ => {}
    }
    head.write(&mut client)?;
    client.write_all(&body[..sent])?;
    if matches!(fault, Fault::Stall(_)) {
        client.flush()?;
        thread::sleep(Duration::from_secs(60));
    }
    Ok(())
}

/// The text of a form that was sent.
pub(crate) fn form_of(asked: &Asked) -> String {
    String::from_utf8_lossy(&asked.body).into_owned()
}
