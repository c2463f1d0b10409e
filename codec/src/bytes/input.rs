//! Files and pipes, read into memory.
//!
//! Bytes in memory cannot change under the reader. Reads are bounded. They do not wait for the
//! other end of a FIFO, except `pipe::read_any`, which waits for a limited time.
//! Mapping is in `bytes::map`, reading by the page in [`paged`](crate::bytes::paged).

use crate::limits;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Reads the file at `path` into memory.
///
/// Accepts only regular files. A directory, FIFO, socket or device gives an error of kind
/// `InvalidInput`, without waiting for its other end. So does a kernel file that has content but no
/// length.
///
/// A file that changes while it is read is read once more. If it changes again, the error has kind
/// [`ResourceBusy`](io::ErrorKind::ResourceBusy), and its text begins with `IO-CHANGED`.
///
/// A change is detected by size and times. A file modified in the last two seconds, by the local
/// clock, is read twice and compared. A write in progress may not have updated them.
///
/// Two changes are not detected: one write that takes longer than two seconds, and a write through
/// a writable map. The result may then be half old and half new. In a document the checksums detect
/// that. In a source nothing does if the mixture is well formed. To avoid this, replace sources
/// atomically, as `bytes::replace` does.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_with(path.as_ref(), |_| Ok(()), read_all)
}

/// Like [`read`], with another kind of memory. `fill` reads the rest of a file into it: at most the
/// given number of bytes, and one more if there is one.
#[cfg(feature = "tooling")]
pub(super) fn read_into<B: AsRef<[u8]>>(
    path: &Path,
    fill: impl Fn(&mut File, usize) -> io::Result<B>,
) -> io::Result<B> {
    read_with(path, |_| Ok(()), |file, before| read_all_at(SystemTime::now(), file, before, &fill, || {}))
}

/// Reads a pipe to its end, at most [`limits::PIPE_BYTES`]. A longer input gives an error of kind
/// [`FileTooLarge`](io::ErrorKind::FileTooLarge).
#[doc(hidden)]
pub fn read_pipe(pipe: impl Read) -> io::Result<Vec<u8>> {
    read_at_most(pipe, limits::PIPE_BYTES)
}

fn read_at_most(pipe: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    pipe.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > limit {
        true => {
            let text =
                format!("more than {limit} bytes came, save them to a file if there is an end to them");
            Err(io::Error::new(io::ErrorKind::FileTooLarge, text))
        }
        false => Ok(bytes),
    }
}

/// [`read`], which lets tests change the file after it is opened.
fn read_with<B>(
    path: &Path,
    mut opened: impl FnMut(&File) -> io::Result<()>,
    read_all: impl Fn(File, &Metadata) -> io::Result<B>,
) -> io::Result<B> {
    const ATTEMPTS: u32 = 2;
    let mut result = Err(changed());
    for _ in 0..ATTEMPTS {
        let (file, metadata) = open_regular(path)?;
        opened(&file)?;
        result = read_all(file, &metadata);
        match &result {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            _ => break,
        }
    }
    result
}

/// The error of a file that changes while it is read.
pub(crate) fn changed() -> io::Error {
    let text = "IO-CHANGED: the file changes while it is read; is something writing to it in place?";
    io::Error::new(io::ErrorKind::ResourceBusy, text)
}

/// Opens a regular file for reading, and refuses everything else, without waiting.
#[doc(hidden)]
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let file = unwaiting(OpenOptions::new().read(true)).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let found = if metadata.is_dir() { "a directory" } else { "a pipe, socket or device" };
        let text = format!("expected a regular file, found {found}");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    Ok((file, metadata))
}

/// Makes opening a pipe or device return at once, without waiting for the other end of a FIFO. A
/// terminal does not become the controlling terminal of this process.
pub(super) fn unwaiting(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC);
    }
    options
}

/// Reads all of `file`, which had this metadata when it was opened.
pub(crate) fn read_all(file: File, before: &Metadata) -> io::Result<Vec<u8>> {
    read_all_at(SystemTime::now(), file, before, fill, || {})
}

/// The rest of a file of at most this many bytes. One more is read, to detect the end without
/// growing the buffer. A file that grows as fast as it is read is not read for ever.
fn fill(file: &mut File, size: usize) -> io::Result<Vec<u8>> {
    let (mut bytes, most) = (Vec::new(), size.saturating_add(1));
    bytes.try_reserve_exact(most).map_err(|_| io::ErrorKind::OutOfMemory)?;
    file.take(most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// [`read_all`], with another time for tests, which may change the file between two reads.
fn read_all_at<B: AsRef<[u8]>>(
    now: SystemTime,
    mut file: File,
    before: &Metadata,
    fill: impl FnOnce(&mut File, usize) -> io::Result<B>,
    between: impl FnOnce(),
) -> io::Result<B> {
    let size = usize::try_from(before.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let bytes = fill(&mut file, size)?;
    let length = bytes.as_ref().len();
    if length == size && is_young(before, now) {
        between();
        compare(&mut file, bytes.as_ref())?;
    }
    let after = file.metadata()?;
    if size == 0 && after.len() == 0 && length > 0 {
        // Files in /proc have no length, and some have no end.
        let text = "expected a regular file, found one that has no length but is not empty";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    if length != size || Stamp::of(before) != Stamp::of(&after) {
        return Err(changed());
    }
    Ok(bytes)
}

/// The metadata that every write to a file changes, as far as the file system reports it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    length: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Stamp {
        Stamp { length: metadata.len(), modified: metadata.modified().ok() }
    }
}

/// Whether the file is on another machine, as far as its file system reports it.
#[cfg(all(feature = "verify", target_os = "linux"))]
pub(crate) fn is_on_network(file: &File) -> bool {
    const NETWORKS: [u64; 10] = [
        0x0000_6969, // NFS
        0x0000_517b, // SMB
        0xfe53_4d42, // SMB 2
        0xff53_4d42, // CIFS
        0x5346_414f, // AFS
        0x7375_7245, // Coda
        0x00c3_6400, // Ceph
        0x0bd0_0bd0, // Lustre
        0x0102_1997, // 9P
        0x6573_5546, // FUSE: its storage is not known
    ];
    // The type is a signed word on some architectures. The low 32 bits are the magic number on all.
    rustix::fs::fstatfs(file).is_ok_and(|stat| NETWORKS.contains(&(stat.f_type as u64 & 0xffff_ffff)))
}

/// Whether the file is on another machine. Other file systems do not report it, and on Windows it
/// may be anywhere.
#[cfg(all(feature = "verify", not(target_os = "linux")))]
pub(crate) fn is_on_network(_file: &File) -> bool {
    !cfg!(unix)
}

/// Whether a write that began at the file's times may still be in progress. The file system updates
/// its times in steps of at most two seconds. The duration of a write is not bounded by that.
fn is_young(metadata: &Metadata, now: SystemTime) -> bool {
    const STEP: Duration = Duration::from_secs(2);
    match changed_at(metadata).map(|changed| now.duration_since(changed)) {
        Some(Ok(age)) => age <= STEP,
        // A time in the future proves nothing, and neither does an unknown time.
        Some(Err(_)) | None => true,
    }
}

/// The time of the last change. Programs cannot set it.
#[cfg(unix)]
fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let since = Duration::new(metadata.ctime().try_into().ok()?, metadata.ctime_nsec().try_into().ok()?);
    SystemTime::UNIX_EPOCH.checked_add(since)
}

#[cfg(not(unix))]
fn changed_at(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok()
}

/// Refuses a file whose content now differs from the bytes that were read.
fn compare(file: &mut (impl Read + Seek), read: &[u8]) -> io::Result<()> {
    const PIECE: usize = 64 << 10;
    file.rewind()?;
    let (mut piece, mut rest) = (vec![0; PIECE], read);
    loop {
        let length = match file.read(&mut piece) {
            Ok(0) if rest.is_empty() => return Ok(()),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        match rest.split_at_checked(length) {
            Some((same, behind)) if length > 0 && *same == piece[..length] => rest = behind,
            _ => return Err(changed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::io::Write;
    use std::path::PathBuf;

    fn path_in(directory: &tempfile::TempDir, content: &[u8]) -> PathBuf {
        let path = directory.path().join("file");
        fs::write(&path, content).unwrap();
        path
    }

    #[test]
    fn endless_input_is_read_up_to_the_limit() {
        assert_eq!(read_at_most(io::repeat(1).take(5), 5).unwrap(), [1; 5]);
        let error = read_at_most(io::repeat(1), 5).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        assert!(error.to_string().starts_with("more than 5 bytes came"), "{error}");
    }

    #[test]
    fn a_directory_is_not_a_file() {
        let directory = tempfile::tempdir().unwrap();
        let error = read(directory.path()).unwrap_err();
        assert!(
            cfg!(windows) || error.to_string() == "expected a regular file, found a directory",
            "{error}"
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_that_has_no_length_is_not_read_to_its_end() {
        let error = read("/proc/self/maps").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        let expected = "expected a regular file, found one that has no length but is not empty";
        assert_eq!(error.to_string(), expected);
        // Only one byte more than its length was read.
        let (mut file, metadata) = open_regular(Path::new("/proc/self/maps")).unwrap();
        read_all(file.try_clone().unwrap(), &metadata).unwrap_err();
        assert_eq!(Seek::stream_position(&mut file).unwrap(), 1);
    }

    #[test]
    fn a_change_without_a_new_time_is_found_in_a_young_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = path_in(&directory, b"before");
        let (_, metadata) = open_regular(&path).unwrap();
        let changed = changed_at(&metadata).unwrap();
        for (age, is_seen) in [(0, true), (2, true), (3, false), (-1, true)] {
            fs::write(&path, b"before").unwrap();
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_modified(metadata.modified().unwrap())
                .unwrap();
            let now = match u64::try_from(age) {
                Ok(age) => changed + Duration::from_secs(age),
                Err(_) => changed - Duration::from_secs(1),
            };
            let between = || {
                let mut file = File::options().write(true).open(&path).unwrap();
                file.write_all(b"behind").unwrap();
                file.set_modified(metadata.modified().unwrap()).unwrap();
            };
            let read = read_all_at(now, File::open(&path).unwrap(), &metadata, fill, between);
            match is_seen {
                true => assert_eq!(read.unwrap_err().kind(), io::ErrorKind::ResourceBusy, "{age}"),
                false => assert_eq!(read.unwrap(), b"before", "{age}"),
            }
            let read = read_all_at(now, File::open(&path).unwrap(), &metadata, fill, || {});
            assert_eq!(read.unwrap(), if is_seen { b"behind" } else { b"before" }, "{age}");
        }
    }

    #[test]
    fn a_file_that_is_read_twice_is_compared_to_its_end() {
        let text: Vec<u8> = (0..200_000_u32).map(|number| number.to_le_bytes()[0]).collect();
        compare(&mut io::Cursor::new(&text), &text).unwrap();
        compare(&mut io::Cursor::new(b""), b"").unwrap();
        let mut other = text.clone();
        other[199_999] ^= 1;
        for other in [&other[..], &text[1..], &text[..199_999], &[&text[..], b"x"].concat(), b""] {
            let error = compare(&mut io::Cursor::new(other), &text).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
        }
    }

    #[test]
    fn a_file_that_changes_once_is_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let path = path_in(&directory, b"before");
        let mut attempts = 0;
        let opened = |_: &File| {
            attempts += 1;
            if attempts == 1 { fs::write(&path, b"longer than before") } else { Ok(()) }
        };
        let bytes = read_with(&path, opened, read_all);
        assert_eq!(bytes.unwrap(), b"longer than before");
        assert_eq!(attempts, 2);
    }

    #[test]
    fn a_file_that_keeps_changing_is_an_error() {
        for shrink in [false, true] {
            let directory = tempfile::tempdir().unwrap();
            let path = path_in(&directory, b"some bytes");
            let opened = |_: &File| {
                let mut file = OpenOptions::new().append(true).open(&path)?;
                let length = file.metadata()?.len();
                if shrink { file.set_len(length - 1) } else { file.write_all(b"more") }
            };
            let error = read_with(&path, opened, read_all).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::ResourceBusy);
            assert!(error.to_string().starts_with("IO-CHANGED: "), "{error}");
        }
    }
}
