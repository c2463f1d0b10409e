//! §25.1 The files of an environment: snapshot, journal and lock.

use crate::cipher::{Cipher, Key, has_secret};
use crate::error::DeployError;
use crate::fault::Fault;
use crate::journal::{Record, Replay, WriteError, Writer, head, remove, replay};
use crate::state::{Folded, State};
use coconut_codec::compile::{CompileOptions, compile_value};
use coconut_codec::durable::{self, Replace};
use coconut_codec::read::file::DocumentFile;
use coconut_format::Value;
use coconut_format::hex::Hex;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A locked environment: a snapshot `NAME.coco`, a journal `NAME.journal`, and a lock `NAME.lock`.
///
/// The lock ends with the process, however it ends.
#[derive(Debug)]
pub struct Environment {
    snapshot: PathBuf,
    state: State,
    /// SHA-256 of the snapshot.
    base: Option<[u8; 32]>,
    writer: Writer,
    last: u64,
    cut: Option<u64>,
    /// Whether the state differs from the snapshot.
    is_changed: bool,
    key: Key,
    _lock: File,
}

/// The key of the document that describes how secrets are encrypted.
const KEY_DESCRIPTION: &str = "secrets_providers";

/// A snapshot and its journal.
struct Loaded {
    state: State,
    base: Option<[u8; 32]>,
    journal: Journal,
}

/// The journal beside a snapshot.
enum Journal {
    /// There is none, or nothing of it is whole.
    None,
    /// All of its records are in the snapshot.
    Folded,
    /// Its records continue the snapshot.
    Continues { good: u64, length: u64, records: u64, last: u64 },
}

impl Environment {
    /// Locks an environment and reads its state. `path` is the snapshot, which need not exist: then
    /// the environment is new.
    ///
    /// Cuts a damaged end of the journal. Removes the journal if the snapshot contains it.
    ///
    /// # Errors
    /// Fails if another process has locked the environment, a file is damaged, or the journal
    /// continues another snapshot. No file is changed then.
    pub fn open(path: &Path) -> Result<Environment, DeployError> {
        let lock = lock(&path.with_extension("lock"))?;
        let journal = path.with_extension("journal");
        let Loaded { state, base, journal: found } = load(path)?;
        let io = |operation| io_error(operation, &journal);
        let (continued, cut, last) = match found {
            Journal::Continues { good, length, records, last } => {
                (Some((good, records)), (good < length).then_some(length - good), last)
            }
            Journal::None | Journal::Folded => {
                remove(&journal).map_err(io("remove"))?;
                (None, None, 0)
            }
        };
        let writer = Writer::new(&journal, base.map(hex), continued).map_err(io("open"))?;
        let is_changed = writer.records > 0;
        Ok(Environment {
            snapshot: path.to_owned(),
            state,
            base,
            writer,
            last,
            cut,
            is_changed,
            key: Key::default(),
            _lock: lock,
        })
    }

    /// Makes an environment with this state, and locks it.
    ///
    /// # Errors
    /// Fails if there is a snapshot or a journal of the name, and if a file cannot be written.
    pub fn create(path: &Path, state: State) -> Result<Environment, DeployError> {
        let mut environment = Environment::open(path)?;
        if environment.base.is_some() || environment.writer.has_file() {
            let error = io::ErrorKind::AlreadyExists.into();
            return Err(DeployError::Io { operation: "create", path: path.to_owned(), error });
        }
        (environment.state, environment.is_changed) = (state, true);
        environment.compact()?;
        Ok(environment)
    }

    /// Reads the state of an environment without locking it, also while a deployment runs. The
    /// operations that run are unresolved in it.
    ///
    /// # Errors
    /// The same as for [`Environment::open`], except that a lock does not matter.
    pub fn read(path: &Path) -> Result<State, DeployError> {
        const ATTEMPTS: usize = 10;
        // A deployment that ends in between replaces the snapshot and removes the journal.
        for _ in 1..ATTEMPTS {
            match load(path) {
                Err(DeployError::OtherBase { .. }) => {}
                other => return other.map(|loaded| loaded.state),
            }
        }
        load(path).map(|loaded| loaded.state)
    }

    /// The state: the snapshot and the journal together.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Opens the secrets of the state with a key, and encrypts all secrets that are written from
    /// now on.
    ///
    /// # Errors
    /// Fails if a secret of the state cannot be decrypted. Then the environment has no key.
    pub fn unlock(&mut self, cipher: Arc<dyn Cipher>) -> Result<(), DeployError> {
        let key = Key(Some(cipher));
        let document = self.state.to_document();
        if has_secret(&document) {
            self.state = State::from_document(key.opened(document).map_err(DeployError::Key)?)?;
        }
        self.key = key;
        Ok(())
    }

    /// Whether secrets can be encrypted.
    pub fn has_key(&self) -> bool {
        self.key.0.is_some()
    }

    /// The description of the key in the snapshot, as Pulumi writes it: `{type, state}`.
    pub fn key_description(&self) -> Option<&Value> {
        let found = self.state.deployment.iter().find(|(name, _)| name == KEY_DESCRIPTION);
        found.map(|(_, value)| value)
    }

    /// Describes the key in the snapshot, which is written before anything is encrypted.
    ///
    /// # Errors
    /// Fails if a file cannot be written.
    pub fn describe_key(&mut self, description: Value) -> Result<(), DeployError> {
        self.state.deployment.retain(|(name, _)| name != KEY_DESCRIPTION);
        self.state.deployment.push((KEY_DESCRIPTION.to_owned(), description));
        self.is_changed = true;
        self.compact()
    }

    /// The number of bytes of a damaged end that was cut from the journal, if there was one.
    pub fn cut(&self) -> Option<u64> {
        self.cut
    }

    /// Sets a crash for tests. Writes are counted from now on.
    pub fn set_fault(&mut self, fault: Option<Fault>) {
        self.writer.points = Default::default();
        self.writer.points.fault = fault;
    }

    /// Writes the state to the snapshot, and removes the journal. An unchanged environment is not
    /// written. [`deploy`](crate::deploy()) does this at its end.
    ///
    /// # Errors
    /// Fails if a file cannot be written. The snapshot and the journal together are then still the
    /// state.
    pub fn compact(&mut self) -> Result<(), DeployError> {
        if !self.is_changed {
            return Ok(());
        }
        // If the journal could not be written, the snapshot has what the journal lacks.
        self.state.folded = Some(Folded { base: self.base.map(hex), records: self.writer.records });
        let document = self.state.to_document();
        let sealed = self.key.sealed(document.clone()).map_err(DeployError::Key)?;
        let compiled = compile_value(&sealed, &CompileOptions::default()).map_err(DeployError::Compile)?;
        let replace = self.base.map_or(Replace::IfAbsent, Replace::IfUnchanged);
        let (path, bytes) = (&self.snapshot, &compiled.bytes);
        let written = self.writer.points.write(|| Ok(()), || Ok(durable::write(path, bytes, replace)));
        written.map_err(|error| error.into_deploy(&self.state))??;
        let base: [u8; 32] = Sha256::digest(bytes).into();
        self.base = Some(base);
        self.writer.restart(Some(hex(base))).map_err(|error| error.into_deploy(&self.state))?;
        // The order of the snapshot is that of the dependencies.
        self.state = State::from_document(document)?;
        (self.is_changed, self.last) = (false, 0);
        Ok(())
    }

    /// The number of the next operation.
    pub(crate) fn next_seq(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Appends a record. The caller changes the state.
    pub(crate) fn append(&mut self, record: &Record) -> Result<(), WriteError> {
        self.is_changed = true;
        let value = self.key.sealed(record.to_value());
        self.writer.append(&value.map_err(|message| WriteError::Io(io::Error::other(message)))?)
    }

    pub(crate) fn synchronize(&mut self) -> Result<(), WriteError> {
        self.writer.synchronize()
    }

    /// The length of the journal in bytes.
    pub(crate) fn journal_bytes(&self) -> u64 {
        self.writer.bytes
    }

    pub(crate) fn has_journal(&self) -> bool {
        self.writer.has_file()
    }

    pub(crate) fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }

    /// The name of the environment: that of its snapshot.
    pub(crate) fn name(&self) -> String {
        self.snapshot.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn hex(digest: [u8; 32]) -> String {
    Hex(&digest).to_string()
}

fn io_error<'p>(operation: &'static str, path: &'p Path) -> impl FnOnce(io::Error) -> DeployError + 'p {
    move |error| DeployError::Io { operation, path: path.to_owned(), error }
}

fn lock(path: &Path) -> Result<File, DeployError> {
    let open = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let mut file = open.map_err(io_error("open", path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // The text only helps to find the process.
            let is_known = file.read_to_string(&mut holder).is_ok() && !holder.trim().is_empty();
            let holder = if is_known { holder.trim().to_owned() } else { "another process".to_owned() };
            return Err(DeployError::Locked { path: path.to_owned(), holder });
        }
        Err(TryLockError::Error(error)) => return Err(io_error("lock", path)(error)),
    }
    let text = format!("process {}\n", std::process::id());
    let written = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
    written.map_err(io_error("write", path))?;
    Ok(file)
}

fn contents(path: &Path) -> Result<Option<Vec<u8>>, DeployError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error("read", path)(error)),
    }
}

/// Reads the journal before the snapshot: a deployment writes them in the other order.
fn load(path: &Path) -> Result<Loaded, DeployError> {
    let journal = path.with_extension("journal");
    let records = contents(&journal)?;
    let snapshot = contents(path)?;
    let base: Option<[u8; 32]> = snapshot.as_ref().map(|bytes| Sha256::digest(bytes).into());
    let state = match &snapshot {
        None => State::empty(),
        Some(bytes) => {
            let file = DocumentFile::from_data(&bytes[..]).map_err(DeployError::Snapshot)?;
            file.view().check_integrity().map_err(DeployError::Snapshot)?;
            State::from_document(file.view().to_value().map_err(DeployError::Snapshot)?)?
        }
    };
    let head = match &records {
        Some(bytes) => head(&journal, bytes)?.map(|(head, length)| (head, length, bytes)),
        None => None,
    };
    let Some((head, length, bytes)) = head else {
        return Ok(Loaded { state, base, journal: Journal::None });
    };
    let found = base.map(hex);
    if head.base == found {
        let Replay { state, records, last, good } = replay(&journal, bytes, length, state)?;
        let journal = Journal::Continues { good, length: bytes.len() as u64, records, last };
        return Ok(Loaded { state, base, journal });
    }
    // A crash between the two steps of `compact`.
    if let Some(folded) = state.folded.as_ref().filter(|folded| folded.base == head.base)
        && replay(&journal, bytes, length, State::empty())?.records == folded.records
    {
        return Ok(Loaded { state, base, journal: Journal::Folded });
    }
    Err(DeployError::OtherBase { path: journal, expected: head.base, found })
}
