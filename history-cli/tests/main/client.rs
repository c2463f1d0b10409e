//! A server in a temporary folder, and a client that sends any bytes.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A running server.
pub(crate) struct Running {
    child: Child,
    address: String,
    arguments: Vec<String>,
    folder: TempDir,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

impl Running {
    /// A server without tokens.
    pub(crate) fn start(arguments: &[&str]) -> Running {
        Running::start_in(tempfile::tempdir().unwrap(), &[&["--anonymous"], arguments].concat())
    }

    pub(crate) fn start_in(folder: TempDir, arguments: &[&str]) -> Running {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let (child, address) = spawn(folder.path(), &arguments);
        Running { child, address, arguments, folder }
    }

    /// Starts it again, at another port.
    pub(crate) fn restart(&mut self) {
        (self.child, self.address) = spawn(self.folder.path(), &self.arguments);
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end. Returns whether it ended without an error.
    #[cfg(unix)]
    pub(crate) fn end(&mut self) -> bool {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        self.child.wait().unwrap().success()
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The lines that it has written, outside of the folder of the packs.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(log_of(self.folder.path())).unwrap()
    }

    /// Its memory in bytes, where the system shows it.
    pub(crate) fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
    }

    pub(crate) fn history(&self, arguments: &[&str]) -> String {
        history(self.folder.path(), arguments)
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> Answer {
        self.send_with(method, path, &[], body)
    }

    pub(crate) fn send_with(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let answer = try_send(&self.address, method, path, headers, body.as_bytes());
        answer.unwrap_or_else(|| panic!("no answer to {method} {path}"))
    }

    /// Sends these bytes.
    pub(crate) fn raw(&self, request: &[u8]) -> Answer {
        exchange(&self.address, request).expect("there is an answer")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_file(log_of(self.folder.path()));
    }
}

fn log_of(folder: &Path) -> std::path::PathBuf {
    let mut name = folder.as_os_str().to_owned();
    name.push(".log");
    name.into()
}

fn spawn(folder: &Path, arguments: &[String]) -> (Child, String) {
    let log = File::options().create(true).append(true).open(log_of(folder)).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_coco-history"))
        .args(["serve", "--root", ".", "--listen", "127.0.0.1:0"])
        .args(arguments)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().split("//").nth(1).and_then(|rest| rest.split('/').next());
    (child, address.unwrap_or_else(|| panic!("it did not start: {line}")).to_owned())
}

/// Runs a command in a folder.
pub(crate) fn history(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_coco-history"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Sends a request over a new connection. `None` if there is no whole answer.
pub(crate) fn try_send(
    address: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Option<Answer> {
    let mut request =
        format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("Connection: close\r\n\r\n");
    let mut bytes = request.into_bytes();
    bytes.extend_from_slice(body);
    exchange(address, &bytes)
}

fn exchange(address: &str, request: &[u8]) -> Option<Answer> {
    let stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    exchange_over(&mut &stream, request)
}

/// Sends a request over a stream, and reads one answer.
pub(crate) fn exchange_over(stream: &mut (impl Read + Write), request: &[u8]) -> Option<Answer> {
    stream.write_all(request).ok()?;
    stream.flush().ok()?;
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    let status = line.split(' ').nth(1)?.parse().ok()?;
    let mut headers = Vec::new();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length =
        headers.iter().find(|(name, _)| name == "content-length").and_then(|(_, value)| value.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    Some(Answer { status, headers, body })
}

/// The header for a token.
pub(crate) fn basic(token: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let text = format!("any:{token}");
    let mut encoded = String::from("Basic ");
    for chunk in text.as_bytes().chunks(3) {
        let number =
            chunk.iter().fold(0u32, |number, &byte| number << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let is_padding = digit > chunk.len();
            let index = (number >> (18 - 6 * digit)) & 63;
            encoded.push(if is_padding { '=' } else { char::from(DIGITS[index as usize]) });
        }
    }
    encoded
}

/// Lock information with this ID.
pub(crate) fn info(id: &str) -> String {
    format!(
        r#"{{"ID":"{id}","Operation":"OperationTypeApply","Info":"","Who":"ada@host","Version":"1.11.4","Created":"2026-11-24T00:39:52Z","Path":""}}"#
    )
}

/// A state with one resource; without any if `size` is 0.
pub(crate) fn state(serial: u64, lineage: &str, size: u64) -> String {
    let resource = format!(
        r#"{{"mode": "managed", "type": "t", "name": "x", "provider": "p", "instances": [{{"attributes": {{"size": {size}}}}}]}}"#
    );
    let resources = if size == 0 { String::new() } else { resource };
    format!(
        r#"{{"version": 4, "terraform_version": "1.11.4", "serial": {serial}, "lineage": "{lineage}", "outputs": {{}}, "resources": [{resources}]}}"#
    )
}

/// A state that OpenTofu has encrypted.
pub(crate) fn encrypted(serial: u64) -> String {
    format!(
        r#"{{"serial": {serial}, "lineage": "a", "meta": {{}}, "encrypted_data": "AAAA", "encryption_version": "v0"}}"#
    )
}
