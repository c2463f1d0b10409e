//! A registry on this machine, and runs of `coco-hub` against it.

use coconut_codec::compile::{CompileOptions, compile};
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The registry of Debian.
const REGISTRY: &str = "docker-registry";

/// A user of registries with passwords, and the line of their file.
pub(crate) const USER: &str = "ada";
pub(crate) const PASSWORD: &str = "open sesame";
const PASSWORD_LINE: &str = "ada:$2y$05$OOlgSZQU8lPwp0HcHb.D5eF6J5pe8JE/yw9rU6AesEe3eS.Rr4R6S\n";

/// A running registry. It ends with this.
pub(crate) struct Registry {
    child: Child,
    pub(crate) address: String,
    _folder: TempDir,
}

impl Registry {
    /// A registry for everybody. `None` if the program is not installed.
    pub(crate) fn start() -> Option<Registry> {
        Registry::start_with(false)
    }

    /// A registry that may ask for a password.
    pub(crate) fn start_with(has_password: bool) -> Option<Registry> {
        Registry::start_in(tempfile::tempdir().unwrap(), has_password, None)
    }

    /// A registry for everybody, with TLS: the files of its certificate and its key.
    pub(crate) fn start_encrypted(certificate: &Path, key: &Path) -> Option<Registry> {
        Registry::start_in(tempfile::tempdir().unwrap(), false, Some((certificate, key)))
    }

    fn start_in(folder: TempDir, has_password: bool, tls: Option<(&Path, &Path)>) -> Option<Registry> {
        let (child, address) = spawn(folder.path(), has_password, tls)?;
        Some(Registry { child, address, _folder: folder })
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        self.child.wait().unwrap();
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(folder: &Path, has_password: bool, tls: Option<(&Path, &Path)>) -> Option<(Child, String)> {
    let tls = tls.map_or(String::new(), |(certificate, key)| {
        format!(", tls: {{certificate: {}, key: {}}}", certificate.display(), key.display())
    });
    // Another program may take the port first.
    for _ in 0..5 {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let data = folder.join("data");
        let mut config = format!(
            "version: 0.1\nlog: {{level: error, accesslog: {{disabled: true}}}}\n\
             storage: {{filesystem: {{rootdirectory: {}}}}}\nhttp: {{addr: '{address}'{tls}}}\n",
            data.display()
        );
        if has_password {
            let file = folder.join("passwords");
            fs::write(&file, PASSWORD_LINE).unwrap();
            config += &format!("auth: {{htpasswd: {{realm: test, path: {}}}}}\n", file.display());
        }
        let file = folder.join("config.yml");
        fs::write(&file, config).unwrap();
        let mut command = Command::new(REGISTRY);
        let command = command.arg("serve").arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) && child.try_wait().unwrap().is_none() {
            if answers(&address) {
                return Some((child, address));
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
    panic!("the registry does not start");
}

fn answers(address: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let mut answer = [0; 8];
    stream.write_all(b"GET /v2/ HTTP/1.0\r\n\r\n").is_ok() && stream.read_exact(&mut answer).is_ok()
}

/// A folder with a cache and without credentials, in which `coco-hub` runs.
pub(crate) struct Place {
    folder: TempDir,
}

/// The end of a run.
pub(crate) struct Ended {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The path of a new file.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_coco-hub"));
        let home = self.path().join("home");
        command.args(arguments).current_dir(self.path()).env("HOME", &home);
        command
            .env("COCONUT_CACHE_DIR", self.path().join("cache"))
            .env("DOCKER_CONFIG", home.join(".docker"));
        for variable in ["REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "SOURCE_DATE_EPOCH", "SSL_CERT_FILE"] {
            command.env_remove(variable);
        }
        for variable in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
            command.env_remove(variable).env_remove(variable.to_lowercase());
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        ended(self.command(arguments))
    }

    /// The lines of a run that succeeds.
    #[track_caller]
    pub(crate) fn good(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.status, 0, "{arguments:?}\n{}{}", ended.stdout, ended.stderr);
        ended.stdout.trim_end().to_owned()
    }

    /// The report of a run that succeeds.
    #[track_caller]
    pub(crate) fn report(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.good(&[&["--json"], arguments].concat())).unwrap()
    }

    /// The code and the exit status of a run that fails.
    #[track_caller]
    pub(crate) fn failure(&self, arguments: &[&str]) -> (String, i32) {
        let ended = self.run(&[&["--json"], arguments].concat());
        assert_ne!(ended.status, 0, "{arguments:?} succeeded\n{}", ended.stdout);
        (ended.code(), ended.status)
    }

    /// The documents in the cache.
    pub(crate) fn cached(&self) -> Vec<PathBuf> {
        files_below(&self.path().join("cache/hub-v1/layers"))
    }
}

impl Ended {
    /// The code of the failure, in a report or in a text.
    pub(crate) fn code(&self) -> String {
        let line = self.stderr.lines().chain(self.stdout.lines()).find(|line| line.starts_with('{'));
        let report: Value = serde_json::from_str(line.unwrap_or("null")).unwrap();
        report
            .pointer("/errors/0/code")
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("no code in {}{}", self.stdout, self.stderr))
            .to_owned()
    }
}

pub(crate) fn ended(mut command: Command) -> Ended {
    let begun = Instant::now();
    let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended {
        status: status.code().unwrap(),
        stdout: text(stdout),
        stderr: text(stderr),
        took: begun.elapsed(),
    }
}

/// A package with so many modules, compiled.
pub(crate) fn package(name: &str, modules: u32) -> Vec<u8> {
    let modules: Vec<String> = (0..modules)
        .map(|n| {
            format!(r#""m{n}": {{"description": "module {n} of {name}, {}"}}"#, n.wrapping_mul(2_654_435_761))
        })
        .collect();
    let source = format!(r#"{{"name": "{name}", "version": "1.0.0", "modules": {{{}}}}}"#, modules.join(","));
    compile(source.as_bytes(), &CompileOptions::default()).unwrap().bytes
}

pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}
