//! Files, pipes and terminals that a user named, for reading and for writing.
//!
//! The other end of a named pipe may open later or never. So opening one waits for a limited time.
//! Devices are refused as input, because some never end.

use super::input::{read, read_pipe, unwaiting};
use crate::limits;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::{Duration, Instant};

/// The time to wait for the other end of a named pipe. A shell starts both ends at once.
const WAIT: Duration = Duration::from_secs(5);

/// The time between two attempts.
const STEP: Duration = Duration::from_millis(5);

/// Reads a regular file, as [`read`] does, or a pipe or terminal to its end, as [`read_pipe`] does.
///
/// Refuses a directory, a device, and a file longer than [`FILE_BYTES`](limits::FILE_BYTES). A
/// named pipe without a writer is waited for, at most 5 seconds, and is then an error of kind
/// [`TimedOut`](io::ErrorKind::TimedOut).
pub fn read_any(path: &Path) -> io::Result<Vec<u8>> {
    let file = unwaiting(OpenOptions::new().read(true)).open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() || metadata.is_dir() {
        // It is opened again, and the process may be allowed only one more open file. On systems
        // without files, `drop` would do nothing.
        {
            let _closed = file;
        }
        check_length(&metadata)?;
        return read(path);
    }
    if !is_pipe(&metadata) && !file.is_terminal() {
        let text = "expected a file or a pipe, found a device";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let begun = read_begun(&file, is_named(path), WAIT)?;
    blocking(&file)?;
    read_pipe(io::Read::chain(&begun[..], file))
}

/// Refuses a file that is too long to be read as a whole.
pub(crate) fn check_length(metadata: &Metadata) -> io::Result<()> {
    match metadata.len() {
        found if metadata.is_file() && found > limits::FILE_BYTES => {
            let text =
                format!("the file has {found} bytes, at most {} are read as a whole", limits::FILE_BYTES);
            Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
        }
        _ => Ok(()),
    }
}

/// Opens a pipe or device for writing. A named pipe without a reader is waited for, at most 5
/// seconds, and is then an error of kind [`TimedOut`](io::ErrorKind::TimedOut).
pub fn open_writable(path: &Path) -> io::Result<File> {
    open_writable_within(path, WAIT)
}

fn open_writable_within(path: &Path, wait: Duration) -> io::Result<File> {
    let started = Instant::now();
    loop {
        match unwaiting(OpenOptions::new().write(true)).open(path) {
            Ok(file) => {
                blocking(&file)?;
                return Ok(file);
            }
            Err(error) if is_without_reader(&error) => {
                if started.elapsed() >= wait {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "nothing reads from the pipe"));
                }
                std::thread::sleep(STEP);
            }
            Err(error) => return Err(error),
        }
    }
}

/// The first bytes of a pipe that was opened without waiting. A pipe without a writer has no bytes
/// yet, or never will. Empty if a writer is there and has not written.
fn read_begun(mut file: &File, is_named: bool, wait: Duration) -> io::Result<Vec<u8>> {
    let (started, mut bytes) = (Instant::now(), vec![0; 4096]);
    loop {
        match io::Read::read(&mut file, &mut bytes) {
            Ok(0) if !is_named => return Ok(Vec::new()),
            Ok(0) if started.elapsed() >= wait => {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "nothing writes to the pipe"));
            }
            Ok(0) => std::thread::sleep(STEP),
            Ok(length) => {
                bytes.truncate(length);
                return Ok(bytes);
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Vec::new()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Whether the pipe is in a folder. A pipe made by a shell has its writer from the beginning.
fn is_named(path: &Path) -> bool {
    !path.starts_with("/dev") && !path.starts_with("/proc")
}

#[cfg(unix)]
fn is_pipe(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo() || metadata.file_type().is_socket()
}

/// On other systems, devices have names, and everything that is not a file is a pipe.
#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    true
}

/// Whether this is the error of a pipe that has no reader yet.
#[cfg(unix)]
fn is_without_reader(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENXIO)
}

#[cfg(not(unix))]
fn is_without_reader(_: &io::Error) -> bool {
    false
}

/// Lets reads and writes of an open file wait again.
#[cfg(unix)]
fn blocking(file: &File) -> io::Result<()> {
    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    Ok(fcntl_setfl(file, fcntl_getfl(file)? - OFlags::NONBLOCK)?)
}

#[cfg(not(unix))]
fn blocking(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, Mode, mkfifoat};
    use std::fs;
    use std::path::PathBuf;

    fn fifo() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
        (folder, path)
    }

    fn open(path: &Path) -> File {
        unwaiting(OpenOptions::new().read(true)).open(path).unwrap()
    }

    #[test]
    fn a_pipe_without_its_other_end_is_given_up() {
        let (_folder, path) = fifo();
        let error = read_begun(&open(&path), true, Duration::ZERO).unwrap_err();
        assert_eq!(
            (error.kind(), &*error.to_string()),
            (io::ErrorKind::TimedOut, "nothing writes to the pipe")
        );
        let error = open_writable_within(&path, Duration::ZERO).unwrap_err();
        assert_eq!(
            (error.kind(), &*error.to_string()),
            (io::ErrorKind::TimedOut, "nothing reads from the pipe")
        );
        assert_eq!(read_begun(&open(&path), false, Duration::ZERO).unwrap(), b"", "a shell made it");
    }

    #[test]
    fn a_writer_that_comes_later_and_writes_slowly_is_read_to_its_end() {
        let (_folder, path) = fifo();
        let text = "x".repeat(300_000);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| read_any(&path));
            let mut pipe = open_writable(&path).unwrap();
            for piece in text.as_bytes().chunks(100_000) {
                io::Write::write_all(&mut pipe, piece).unwrap();
                std::thread::yield_now();
            }
            drop(pipe);
            assert_eq!(reader.join().unwrap().unwrap(), text.as_bytes());
        });
    }

    /// A file with a hole takes no room on the disk.
    #[test]
    fn a_file_that_claims_too_much_is_not_begun() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        File::create(&path).unwrap().set_len(limits::FILE_BYTES + 1).unwrap();
        let error = read_any(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        let text = "the file has 17179869185 bytes, at most 17179869184 are read as a whole";
        assert_eq!(error.to_string(), text);
    }

    #[test]
    fn a_file_is_read_and_everything_else_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs::write(&path, b"text").unwrap();
        assert_eq!(read_any(&path).unwrap(), b"text");
        for (path, found) in [
            (folder.path(), "a regular file, found a directory"),
            (Path::new("/dev/zero"), "a file or a pipe, found a device"),
        ] {
            let error = read_any(path).unwrap_err();
            assert_eq!(
                (error.kind(), error.to_string()),
                (io::ErrorKind::InvalidInput, format!("expected {found}"))
            );
        }
    }
}
