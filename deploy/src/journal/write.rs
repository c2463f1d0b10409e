//! §25.2 Writing a journal.

use super::{VERSION, line_of};
use crate::error::DeployError;
use crate::fault::{Fault, FaultKind};
use crate::state::State;
use coconut_format::Value;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Appends records to a journal. The file is created by the first record.
#[derive(Debug)]
pub(crate) struct Writer {
    path: PathBuf,
    base: Option<String>,
    file: Option<File>,
    /// Whether records are only in the memory of the system.
    is_unsynchronized: bool,
    /// Whether a write has failed. A record after a part of another one would be damage.
    is_broken: bool,
    /// The number of records after the head.
    pub(crate) records: u64,
    /// The length of the file.
    pub(crate) bytes: u64,
    pub(crate) points: Points,
}

/// The writes of a run, counted for [`Fault`].
#[derive(Debug, Default)]
pub(crate) struct Points {
    pub(crate) fault: Option<Fault>,
    count: u64,
    is_dead: bool,
    is_full: bool,
}

/// The reason why a record was not written.
#[derive(Debug)]
pub(crate) enum WriteError {
    Killed,
    Io(io::Error),
}

impl WriteError {
    pub(crate) fn into_deploy(self, state: &State) -> DeployError {
        match self {
            WriteError::Killed => DeployError::Killed,
            WriteError::Io(error) => DeployError::JournalWrite { error, state: Box::new(state.clone()) },
        }
    }
}

impl Points {
    /// Runs a write, with the fault if this is its turn. `torn` writes a part.
    pub(crate) fn write<T>(
        &mut self,
        torn: impl FnOnce() -> io::Result<()>,
        whole: impl FnOnce() -> io::Result<T>,
    ) -> Result<T, WriteError> {
        if self.is_dead {
            return Err(WriteError::Killed);
        }
        if self.is_full {
            return Err(WriteError::Io(io::ErrorKind::StorageFull.into()));
        }
        self.count += 1;
        let Some(fault) = self.fault.filter(|fault| fault.write == self.count) else {
            return whole().map_err(WriteError::Io);
        };
        match fault.kind {
            FaultKind::Full => {
                self.is_full = true;
                return Err(WriteError::Io(io::ErrorKind::StorageFull.into()));
            }
            FaultKind::Before => {}
            FaultKind::Torn => torn().map_err(WriteError::Io)?,
            FaultKind::After => {
                whole().map_err(WriteError::Io)?;
            }
        }
        self.is_dead = true;
        Err(WriteError::Killed)
    }
}

impl Writer {
    /// A journal at `path` that continues a snapshot with this digest, or the journal there: its
    /// first `good` bytes, with so many records.
    pub(crate) fn new(
        path: &Path,
        base: Option<String>,
        continued: Option<(u64, u64)>,
    ) -> io::Result<Writer> {
        let mut writer = Writer {
            path: path.to_owned(),
            base,
            file: None,
            is_unsynchronized: false,
            is_broken: false,
            records: 0,
            bytes: 0,
            points: Points::default(),
        };
        if let Some((good, records)) = continued {
            let file = OpenOptions::new().append(true).open(path)?;
            file.set_len(good)?;
            file.sync_all()?;
            (writer.file, writer.records, writer.bytes) = (Some(file), records, good);
        }
        Ok(writer)
    }

    /// Whether there is a file.
    pub(crate) fn has_file(&self) -> bool {
        self.file.is_some()
    }

    /// Appends a record. It is durable after the next [`Writer::synchronize`].
    pub(crate) fn append(&mut self, record: &Value) -> Result<(), WriteError> {
        if self.is_broken {
            return Err(WriteError::Io(io::Error::other("an earlier record was not written")));
        }
        let mut line = line_of(record);
        line.push('\n');
        let Writer { path, base, file, points, .. } = self;
        let (half, rest) = line.as_bytes().split_at(line.len() / 2);
        let file_of = |file: &mut Option<File>| -> io::Result<File> {
            match file {
                Some(file) => file.try_clone(),
                None => {
                    let created = create(path, base.as_deref())?;
                    *file = Some(created.try_clone()?);
                    Ok(created)
                }
            }
        };
        let target = std::cell::RefCell::new(file);
        let written = points.write(
            || file_of(&mut target.borrow_mut())?.write_all(half),
            || {
                let mut file = file_of(&mut target.borrow_mut())?;
                file.write_all(half)?;
                file.write_all(rest)
            },
        );
        if let Err(error) = written {
            self.is_broken = true;
            return Err(error);
        }
        (self.is_unsynchronized, self.records) = (true, self.records + 1);
        self.bytes += line.len() as u64;
        Ok(())
    }

    /// Waits until the disk has all records.
    pub(crate) fn synchronize(&mut self) -> Result<(), WriteError> {
        if let Some(file) = self.file.as_ref().filter(|_| self.is_unsynchronized) {
            file.sync_data().map_err(WriteError::Io)?;
            self.is_unsynchronized = false;
        }
        Ok(())
    }

    /// Removes the file, and begins a journal that continues another snapshot.
    pub(crate) fn restart(&mut self, base: Option<String>) -> Result<(), WriteError> {
        let path = &self.path;
        self.points.write(|| Ok(()), || remove(path))?;
        (self.file, self.is_unsynchronized, self.records, self.base) = (None, false, 0, base);
        self.bytes = 0;
        self.is_broken = false;
        Ok(())
    }
}

/// Creates the file with its head. The disk has its name afterwards.
fn create(path: &Path, base: Option<&str>) -> io::Result<File> {
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
    let base = base.map_or(Value::Null, Value::from);
    let head = Value::from_iter([("journal", VERSION.into()), ("base", base)]);
    let mut line = line_of(&head);
    line.push('\n');
    file.write_all(line.as_bytes())?;
    file.sync_all()?;
    synchronize_folder(path)?;
    Ok(file)
}

/// Removes a journal whose records are in a snapshot.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(()) => synchronize_folder(path),
    }
}

/// Waits until the disk has the names in the folder of a file.
#[cfg(unix)]
fn synchronize_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Other systems have no such call.
#[cfg(not(unix))]
fn synchronize_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
