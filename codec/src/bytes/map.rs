//! Files as storage: mapped, or read into memory where that is not possible. This is the only file
//! of the project that contains `unsafe`.
//!
//! [Reading](crate::bytes::input) is safe, because bytes in memory cannot change. Mapping costs
//! nothing per byte, but a map shows the current content of the file. So it is sound only as long
//! as the file does not change:
//!
//! | what happens to a mapped file | what its reader gets |
//! |---|---|
//! | it is deleted, or another file is renamed over it | the old content, as before (Unix) |
//! | it is truncated | `SIGBUS` at the next access after the new end |
//! | it is overwritten in place | changed bytes under `&[u8]` and `&str`: undefined behaviour |
//!
//! The writers of this library only rename. A library must not assume that of other programs, so
//! [`MappedFile::map`] is `unsafe`. Only entries of the private cache are mapped safely, because no
//! other user can write to them. Kernel leases would not suffice: they expire.
//!
//! Programs that use the cache call [`install_sigbus_message`]: another program of the same user
//! may still truncate an entry.

use crate::bounded_debug::bounded_debug;
use crate::bytes::input::{open_regular, read_all};
#[cfg(feature = "cache")]
use crate::bytes::private_dir::PrivateFile;
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The bytes of a file, mapped where that is possible, and its path.
pub struct MappedFile {
    path: PathBuf,
    bytes: Bytes,
}

bounded_debug!(MappedFile, |file| bytes: file.as_ref().len(), is_mapped: file.is_mapped());

enum Bytes {
    #[cfg(unix)]
    Mapped(memmap2::Mmap),
    Read(Vec<u8>),
}

impl MappedFile {
    /// Maps the file at `path`. Costs some microseconds, whatever its size.
    ///
    /// Empty files have no map. If the file system or the address space cannot provide a map, the
    /// file is read instead (see [`is_mapped`](Self::is_mapped)). The same applies on non-Unix
    /// systems. Refuses anything except a regular file, like [`read`](crate::bytes::input::read).
    ///
    /// # Safety
    ///
    /// Until the value is dropped, no thread, process or other host of a shared file system may
    /// write to the file or truncate it. No lock or permission enforces that. A violation ends this
    /// process by `SIGBUS`, or changes bytes that Rust code was promised not to change, which is
    /// undefined behaviour. Replacing the file by `rename`, and deleting it, are harmless on Unix.
    #[expect(unsafe_code, reason = "only the caller can know who else writes to the file")]
    pub unsafe fn map(path: impl AsRef<Path>) -> io::Result<MappedFile> {
        let path = path.as_ref().to_owned();
        let (file, metadata) = open_regular(&path)?;
        // SAFETY: the caller makes the same promise about the file.
        let bytes = unsafe { map_or_read(file, &metadata)? };
        Ok(MappedFile { path, bytes })
    }

    /// Maps an entry of the private cache. This is safe because the cache checks each entry first.
    /// The file and its directories belong to this user, and no other user may write to them. The
    /// cache never rewrites a file that has a name. Another program of the same user could write to
    /// it, as it could change the memory of this process.
    #[cfg(feature = "cache")]
    #[expect(unsafe_code, reason = "the cache vouches for its files")]
    pub(crate) fn from_private(entry: PrivateFile) -> io::Result<MappedFile> {
        let (file, path, metadata) = entry.into_parts();
        // SAFETY: no other user can write to the file, and no function of this library does.
        let bytes = unsafe { map_or_read(file, &metadata)? };
        Ok(MappedFile { path, bytes })
    }

    /// The path of the file when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the bytes are those of the file itself, not a copy.
    pub fn is_mapped(&self) -> bool {
        match self.bytes {
            #[cfg(unix)]
            Bytes::Mapped(_) => true,
            Bytes::Read(_) => false,
        }
    }
}

impl AsRef<[u8]> for MappedFile {
    fn as_ref(&self) -> &[u8] {
        match &self.bytes {
            #[cfg(unix)]
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}

/// # Safety
///
/// As [`MappedFile::map`].
#[cfg(unix)]
#[expect(unsafe_code, reason = "only the caller can know who else writes to the file")]
unsafe fn map_or_read(file: File, metadata: &Metadata) -> io::Result<Bytes> {
    if metadata.len() == 0 {
        return read_all(file, metadata).map(Bytes::Read);
    }
    // SAFETY: the caller promises that the file does not change. Only a change would make a map
    // unsound.
    match unsafe { memmap2::Mmap::map(&file) } {
        Ok(map) => Ok(Bytes::Mapped(map)),
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENODEV | libc::ENOMEM)) => {
            read_all(file, metadata).map(Bytes::Read)
        }
        Err(error) => Err(error),
    }
}

/// # Safety
///
/// None is needed for reading.
#[cfg(not(unix))]
#[expect(unsafe_code, reason = "the same signature as on systems that map")]
unsafe fn map_or_read(file: File, metadata: &Metadata) -> io::Result<Bytes> {
    read_all(file, metadata).map(Bytes::Read)
}

/// The bytes of a file, shared. A clone only increments a counter, and dropping the last one frees
/// them. For values that outlive the loader that opened their file.
#[derive(Clone)]
pub struct SharedBytes(Storage);

bounded_debug!(SharedBytes, |bytes| length: bytes.as_ref().len());

#[derive(Clone)]
enum Storage {
    Mapped(Arc<MappedFile>),
    Owned(Arc<[u8]>),
}

impl AsRef<[u8]> for SharedBytes {
    fn as_ref(&self) -> &[u8] {
        match &self.0 {
            Storage::Mapped(file) => (**file).as_ref(),
            Storage::Owned(bytes) => bytes,
        }
    }
}

impl From<MappedFile> for SharedBytes {
    fn from(file: MappedFile) -> Self {
        SharedBytes(Storage::Mapped(Arc::new(file)))
    }
}

/// Copies once, into shared memory.
impl From<Vec<u8>> for SharedBytes {
    fn from(bytes: Vec<u8>) -> Self {
        SharedBytes(Storage::Owned(bytes.into()))
    }
}

/// The message printed when a truncated map ends the process.
#[cfg(unix)]
const SIGBUS_MESSAGE: &[u8] =
    b"error: a file became shorter while it was being read (something truncated it in place); run again\n";

/// Makes a truncated map end the process with one clear line on standard error and status 2,
/// instead of a bare `SIGBUS`. Does nothing on systems without that signal.
///
/// Call it in `main` of a command line program, before it maps anything. It replaces the handler of
/// the whole process, which a library may not do.
///
/// # Errors
///
/// The error of `sigaction`.
#[cfg_attr(unix, expect(unsafe_code, reason = "signal handlers are installed through libc"))]
#[doc(hidden)]
pub fn install_sigbus_message() -> io::Result<()> {
    #[cfg(unix)]
    {
        // SAFETY: all bytes zero is a valid `sigaction`: no flags, and the other fields are set
        // here.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = on_sigbus as extern "C" fn(libc::c_int) as libc::sighandler_t;
        // Some systems send this signal for a stack overflow, when there is no other stack to run
        // on.
        action.sa_flags = libc::SA_ONSTACK;
        // SAFETY: `action` is initialised and outlives the calls. The handler only does what
        // signal-safety(7) allows: it calls `write` and `_exit`, and reads a constant.
        let status = unsafe {
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut())
        };
        if status != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "nothing but system calls may be used in a signal handler")]
extern "C" fn on_sigbus(_: libc::c_int) {
    // SAFETY: pointer and length are those of a constant. Both functions are async-signal-safe, and
    // `_exit` does not return to the faulting instruction. Nothing can be done if the write fails.
    unsafe {
        libc::write(libc::STDERR_FILENO, SIGBUS_MESSAGE.as_ptr().cast(), SIGBUS_MESSAGE.len());
        libc::_exit(2);
    }
}

/// Makes a write beyond the limit of file sizes (`ulimit -f`) fail with `EFBIG`, like a write to a
/// full disk. By default it would end the process by `SIGXFSZ` and leave half a file. Does nothing
/// on systems without that signal.
///
/// Call it in `main` of a command line program, before it writes anything. Child processes get the
/// signal as usual. A process that already ignores the signal continues to ignore it.
///
/// # Errors
///
/// The error of `sigaction`.
#[cfg_attr(unix, expect(unsafe_code, reason = "signal handlers are installed through libc"))]
#[doc(hidden)]
pub fn install_file_limit_error() -> io::Result<()> {
    #[cfg(unix)]
    {
        // SAFETY: all bytes zero is a valid `sigaction`: no flags, and the other fields are set
        // here.
        let (mut action, mut old): (libc::sigaction, libc::sigaction) = unsafe { std::mem::zeroed() };
        // A handler, because an ignored signal is also ignored by every child process.
        action.sa_sigaction = on_file_limit as extern "C" fn(libc::c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_ONSTACK | libc::SA_RESTART;
        // SAFETY: both structures outlive the calls, `action` is initialised, and the handler does
        // nothing.
        let status = unsafe {
            libc::sigemptyset(&raw mut action.sa_mask);
            match libc::sigaction(libc::SIGXFSZ, std::ptr::null(), &raw mut old) {
                0 if old.sa_sigaction == libc::SIG_DFL => {
                    libc::sigaction(libc::SIGXFSZ, &raw const action, std::ptr::null_mut())
                }
                status => status,
            }
        };
        if status != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Does nothing: the system call that exceeds the limit returns an error.
#[cfg(unix)]
extern "C" fn on_file_limit(_: libc::c_int) {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::input::read;
    use crate::read::file::{DocumentFile, OpenErrorKind};
    use std::fs::{self, OpenOptions};

    /// A small document.
    fn document() -> Vec<u8> {
        crate::compile::compile(br#"{"a": 1}"#, &crate::compile::CompileOptions::default()).unwrap().bytes
    }

    fn path_in(directory: &tempfile::TempDir, content: &[u8]) -> PathBuf {
        let path = directory.path().join("file.coco");
        fs::write(&path, content).unwrap();
        path
    }

    #[expect(unsafe_code, reason = "the tests own their files")]
    fn map(path: &Path) -> MappedFile {
        // SAFETY: the file is in a directory of this test, which changes it only by `rename`.
        unsafe { MappedFile::map(path) }.unwrap()
    }

    #[test]
    fn a_mapped_and_a_read_file_are_the_same_document() {
        let directory = tempfile::tempdir().unwrap();
        let path = path_in(&directory, &document());
        let mapped = map(&path);
        assert_eq!(mapped.is_mapped(), cfg!(unix));
        assert_eq!(mapped.path(), path);
        assert_eq!(mapped.as_ref(), document());
        let read = DocumentFile::open(&path).unwrap();
        let mapped = DocumentFile::from_data(mapped).unwrap();
        assert_eq!(read.header(), mapped.header());
        assert_eq!(read.view().bytes(), mapped.view().bytes());
    }

    #[test]
    fn an_empty_file_has_no_map() {
        let directory = tempfile::tempdir().unwrap();
        let mapped = map(&path_in(&directory, b""));
        assert_eq!((mapped.is_mapped(), mapped.as_ref()), (false, &b""[..]));
        assert_eq!(read(mapped.path()).unwrap(), b"");
    }

    #[test]
    #[cfg(unix)]
    fn a_map_keeps_the_content_when_its_file_is_replaced_or_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let path = path_in(&directory, &document());
        let mapped = map(&path);
        let other = directory.path().join("other");
        fs::write(&other, b"other").unwrap();
        fs::rename(&other, &path).unwrap();
        assert_eq!(mapped.as_ref(), document());
        fs::remove_file(&path).unwrap();
        assert_eq!(mapped.as_ref(), document());
    }

    #[test]
    fn a_missing_file_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("none");
        let error = DocumentFile::open(&path).unwrap_err();
        assert!(matches!(&error.source, OpenErrorKind::Io(error) if error.kind() == io::ErrorKind::NotFound));
        let expected = format!("cannot read `{}`: ", path.display());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }

    #[test]
    #[cfg(unix)]
    #[expect(unsafe_code, reason = "a refusal maps nothing")]
    fn pipes_and_devices_are_refused_without_waiting() {
        use std::os::unix::ffi::OsStrExt;
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        let name = std::ffi::CString::new(fifo.as_os_str().as_bytes()).unwrap();
        // SAFETY: `name` is a string with its NUL.
        assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
        for path in [&fifo, Path::new("/dev/zero")] {
            let error = read(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert_eq!(error.to_string(), "expected a regular file, found a pipe, socket or device");
            // SAFETY: it is refused before anything is mapped.
            assert_eq!(unsafe { MappedFile::map(path) }.unwrap_err().kind(), io::ErrorKind::InvalidInput);
        }
    }

    #[test]
    fn shared_bytes_outlive_their_source() {
        let directory = tempfile::tempdir().unwrap();
        let mapped = SharedBytes::from(map(&path_in(&directory, &document())));
        let owned = SharedBytes::from(document());
        for shared in [mapped, owned] {
            let file = DocumentFile::from_data(shared.clone()).unwrap();
            drop(shared);
            let sent = std::thread::spawn(move || file.view().bytes().to_vec());
            assert_eq!(sent.join().unwrap(), document());
        }
    }

    /// Set in the child process of the test below, to the path of its file.
    #[cfg(unix)]
    const CHILD: &str = "COCONUT_TEST_SIGBUS";

    #[test]
    #[cfg(unix)]
    fn a_truncated_map_ends_the_process_with_a_message() {
        if let Some(path) = std::env::var_os(CHILD) {
            touch_a_truncated_map(Path::new(&path));
        }
        let directory = tempfile::tempdir().unwrap();
        let path = path_in(&directory, &vec![7; 1 << 20]);
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "bytes::map::tests::a_truncated_map_ends_the_process_with_a_message",
                "--nocapture",
            ])
            .env(CHILD, &path)
            .output()
            .unwrap();
        assert_eq!(child.status.code(), Some(2), "{child:?}");
        assert_eq!(String::from_utf8_lossy(&child.stderr), String::from_utf8_lossy(SIGBUS_MESSAGE));
    }

    #[cfg(unix)]
    fn touch_a_truncated_map(path: &Path) -> ! {
        install_sigbus_message().unwrap();
        let mapped = map(path);
        OpenOptions::new().write(true).open(path).unwrap().set_len(0).unwrap();
        let last = mapped.as_ref().last().copied();
        unreachable!("{last:?} was read behind the end of the file");
    }

    /// Set in the child process of the test below, to the path of its file.
    #[cfg(unix)]
    const LIMITED: &str = "COCONUT_TEST_SIGXFSZ";

    #[test]
    #[cfg(unix)]
    fn a_write_beyond_the_limit_of_file_sizes_fails_and_what_is_started_gets_the_signal() {
        if let Some(path) = std::env::var_os(LIMITED) {
            write_beyond_the_limit(Path::new(&path));
            return;
        }
        let directory = tempfile::tempdir().unwrap();
        let name = "bytes::map::tests::a_write_beyond_the_limit_of_file_sizes_fails_and_what_is_started_gets_the_signal";
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name, "--nocapture"])
            .env(LIMITED, directory.path().join("file"))
            .output()
            .unwrap();
        assert!(child.status.success(), "{child:?}");
    }

    #[cfg(unix)]
    fn write_beyond_the_limit(path: &Path) {
        use rustix::process::{Resource, Rlimit, setrlimit};
        use std::os::unix::process::ExitStatusExt;
        install_file_limit_error().unwrap();
        setrlimit(Resource::Fsize, Rlimit { current: Some(1), maximum: Some(1) }).unwrap();
        let error = fs::write(path, b"more than a byte").unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EFBIG));
        let mut started = std::process::Command::new("sh");
        let started =
            started.args(["-c", "exec cat > \"$0\""]).arg(path).stdin(File::open("/etc/passwd").unwrap());
        assert_eq!(started.status().unwrap().signal(), Some(libc::SIGXFSZ));
    }
}
