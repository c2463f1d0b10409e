//! The metadata of a source when it was last hashed. If the metadata is still the same, the source
//! need not be opened.
//!
//! ```text
//!   0   8  89 43 43 46 0D 0A 1A 00
//!   8  40  device, inode, size, modified, changed; the times in nanoseconds since 1970, signed
//!  48   8  when hashing began
//!  56  32  SHA-256 of the source
//!  88  32  digest of the options of the entry that was made from it
//! 120   n  name and version of the library that made it, n at most 128
//! 120+n m  a zero, the path of the source, a zero, the package or nothing; m at most 4,096, or 0
//! …     4  CRC-32 of the bytes before
//! ```
//!
//! The path and the package are recorded only for listing the cache.

use super::fault::CacheFault;
use super::key::{EntryInputs, Identity};
use crate::bytes::private_dir::PrivateFile;
use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Metadata proves nothing if the file changed less than this time before it was hashed: a second
/// change could have left the same times. The coarsest file system clock in use has steps of two
/// seconds.
pub const RACY_WINDOW: Duration = Duration::from_secs(2);

const MAGIC: [u8; 8] = *b"\x89CCF\r\n\x1a\0";
const FIXED: usize = 120;
const CHECKSUM: usize = 4;
const MAX_PRODUCER: usize = 128;
const MAX_OWNER: usize = 4096;

/// The metadata of a file, available without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    device: u64,
    inode: u64,
    size: u64,
    /// Nanoseconds since 1970.
    modified: i64,
    /// Nanoseconds since 1970. Programs cannot set it, so edits that restore the other time are
    /// detected.
    changed: i64,
}

/// The source of a stamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StampOwner {
    /// The path, for display: bytes that are not UTF-8 are replaced.
    pub(super) path: String,
    /// Base, name and version of the package. Empty for a file that was requested by its path.
    pub(super) package: String,
}

/// The state of a source when it was hashed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStamp {
    /// The metadata.
    pub facts: FileFacts,
    /// The time when hashing began, in nanoseconds since 1970.
    pub begun: i64,
    /// SHA-256 of the source.
    pub digest: [u8; 32],
    /// Digest of the options of its entry.
    pub options: [u8; 32],
    /// Name and version of the library that made the entry.
    pub producer: String,
}

impl FileFacts {
    /// The facts in `metadata`. `None` if the platform does not provide all of them.
    #[cfg(unix)]
    pub fn new(metadata: &Metadata) -> Option<FileFacts> {
        use std::os::unix::fs::MetadataExt;
        let time =
            |seconds: i64, nanoseconds: i64| seconds.checked_mul(1_000_000_000)?.checked_add(nanoseconds);
        Some(FileFacts {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: time(metadata.mtime(), metadata.mtime_nsec())?,
            changed: time(metadata.ctime(), metadata.ctime_nsec())?,
        })
    }

    /// This platform does not provide all of them.
    #[cfg(not(unix))]
    pub fn new(_metadata: &Metadata) -> Option<FileFacts> {
        None
    }
}

/// Now, in nanoseconds since 1970. 0 if the clock is before that or far in the future; then stamps
/// are never settled.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

impl SourceStamp {
    /// Whether the file was unchanged for long enough before it was hashed, so that its metadata
    /// can prove that it is the same. Times in the future, as after a clock was set back, prove
    /// nothing.
    pub fn is_settled(&self) -> bool {
        let window = i64::try_from(RACY_WINDOW.as_nanos()).expect("two seconds");
        let is_before = |time: i64| time.checked_add(window).is_some_and(|end| end < self.begun);
        is_before(self.facts.modified) && is_before(self.facts.changed)
    }

    /// Whether a file with this metadata is the one that was hashed.
    pub fn proves(&self, facts: &FileFacts) -> bool {
        self.is_settled() && self.facts == *facts
    }

    /// The inputs of the entry that was made from the source.
    pub(super) fn entry_inputs<'i>(&self, identity: &'i Identity) -> EntryInputs<'i> {
        EntryInputs { identity, digest: self.digest, options: self.options }
    }

    /// The stamp of the source at `path`, as the package with this identity or as a file.
    pub(super) fn to_bytes_for(&self, path: &Path, identity: &str) -> Vec<u8> {
        let path = path.as_os_str().as_encoded_bytes();
        let owner = [b"\0", path, b"\0", identity.as_bytes()].concat();
        let is_listed = owner.len() <= MAX_OWNER && !path.contains(&0) && !identity.contains('\0');
        self.to_bytes(if is_listed { &owner } else { &[] })
    }

    fn to_bytes(&self, owner: &[u8]) -> Vec<u8> {
        let FileFacts { device, inode, size, modified, changed } = self.facts;
        let mut bytes = MAGIC.to_vec();
        for number in [device, inode, size] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        for time in [modified, changed, self.begun] {
            bytes.extend_from_slice(&time.to_le_bytes());
        }
        bytes.extend_from_slice(&self.digest);
        bytes.extend_from_slice(&self.options);
        bytes.extend_from_slice(self.producer.as_bytes());
        bytes.extend_from_slice(owner);
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8]) -> Result<(SourceStamp, Option<StampOwner>), &'static str> {
        let Some((content, checksum)) = bytes.split_last_chunk::<CHECKSUM>() else {
            return Err("too short for a source stamp (an interrupted write?)");
        };
        if content.len() < FIXED || content[..8] != MAGIC {
            return Err("this is not a source stamp");
        }
        if crc32fast::hash(content).to_le_bytes() != *checksum {
            return Err("the source stamp differs from its checksum");
        }
        let number = |start: usize| {
            let mut number = [0; 8];
            number.copy_from_slice(&content[start..start + 8]);
            number
        };
        let digest = |start: usize| {
            let mut digest = [0; 32];
            digest.copy_from_slice(&content[start..start + 32]);
            digest
        };
        let mut texts = content[FIXED..].splitn(3, |&byte| byte == 0);
        let producer = String::from_utf8(texts.next().unwrap_or_default().to_vec());
        let mut text = || texts.next().map(|text| String::from_utf8_lossy(text).into_owned());
        let owner = text().zip(text()).map(|(path, package)| StampOwner { path, package });
        let stamp = SourceStamp {
            facts: FileFacts {
                device: u64::from_le_bytes(number(8)),
                inode: u64::from_le_bytes(number(16)),
                size: u64::from_le_bytes(number(24)),
                modified: i64::from_le_bytes(number(32)),
                changed: i64::from_le_bytes(number(40)),
            },
            begun: i64::from_le_bytes(number(48)),
            digest: digest(56),
            options: digest(88),
            producer: producer.map_err(|_| "the producer of the source stamp is not UTF-8")?,
        };
        Ok((stamp, owner))
    }

    pub(super) fn read(stamp: &PrivateFile) -> Result<SourceStamp, CacheFault> {
        SourceStamp::read_with_owner(stamp).map(|(stamp, _)| stamp)
    }

    pub(super) fn read_with_owner(
        stamp: &PrivateFile,
    ) -> Result<(SourceStamp, Option<StampOwner>), CacheFault> {
        CacheFault::check_names(stamp)?;
        let (file, path) = (stamp.file(), stamp.path());
        let mut bytes = Vec::new();
        let limit = (FIXED + MAX_PRODUCER + MAX_OWNER + CHECKSUM + 1) as u64;
        CacheFault::io("read", path, file.take(limit).read_to_end(&mut bytes))?;
        SourceStamp::from_bytes(&bytes).map_err(|what| CacheFault::Seal { path: path.to_owned(), what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn stamp(modified: i64, changed: i64, begun: i64) -> SourceStamp {
        let facts = FileFacts { device: 1, inode: 2, size: 3, modified, changed };
        let producer = "coconut-codec 0.1.0".to_owned();
        SourceStamp { facts, begun, digest: [4; 32], options: [5; 32], producer }
    }

    #[test]
    fn a_stamp_comes_back_also_with_times_before_1970() {
        let stamp = stamp(-5 * SECOND, 7 * SECOND, 99 * SECOND);
        assert_eq!(SourceStamp::from_bytes(&stamp.to_bytes(&[])), Ok((stamp.clone(), None)));
        let owner = StampOwner { path: "/a/b.json".to_owned(), package: "aws#latest".to_owned() };
        let bytes = stamp.to_bytes_for(Path::new("/a/b.json"), "aws#latest");
        assert_eq!(SourceStamp::from_bytes(&bytes), Ok((stamp.clone(), Some(owner))));
        let long = "x".repeat(MAX_OWNER);
        let bytes = stamp.to_bytes_for(Path::new(&long), "");
        assert_eq!(SourceStamp::from_bytes(&bytes), Ok((stamp, None)));
    }

    #[test]
    fn refuses_a_stamp_that_was_cut_or_changed() {
        let bytes = stamp(1, 2, 3).to_bytes_for(Path::new("/a"), "");
        for length in 0..bytes.len() {
            assert!(SourceStamp::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
        for position in 8..bytes.len() {
            let mut changed = bytes.clone();
            changed[position] ^= 0x40;
            let expected = Err("the source stamp differs from its checksum");
            assert_eq!(SourceStamp::from_bytes(&changed), expected, "byte {position}");
        }
    }

    #[test]
    fn a_file_that_changed_within_the_racy_window_proves_nothing() {
        let old = stamp(10 * SECOND, 10 * SECOND, 12 * SECOND + 1);
        assert!(old.proves(&old.facts));
        for racy in [
            stamp(10 * SECOND, 10 * SECOND, 12 * SECOND),
            stamp(11 * SECOND, 0, 12 * SECOND),
            stamp(0, 11 * SECOND, 12 * SECOND),
        ] {
            assert!(!racy.proves(&racy.facts), "{racy:?}");
        }
    }

    #[test]
    fn times_in_the_future_prove_nothing() {
        let future = stamp(50 * SECOND, 0, 12 * SECOND);
        assert!(!future.proves(&future.facts));
        let end_of_time = stamp(0, i64::MAX, 12 * SECOND);
        assert!(!end_of_time.proves(&end_of_time.facts));
    }

    #[test]
    fn each_fact_counts() {
        let seen = stamp(SECOND, SECOND, 100 * SECOND);
        let same = seen.facts;
        let others = [
            FileFacts { device: 9, ..same },
            FileFacts { inode: 9, ..same },
            FileFacts { size: 9, ..same },
            FileFacts { modified: 9, ..same },
            FileFacts { changed: 9, ..same },
        ];
        assert!(seen.proves(&same));
        assert!(others.iter().all(|other| !seen.proves(other)));
    }
}
