//! The seal of an entry: a footer after the document, which records the inputs that it was made
//! for.
//!
//! ```text
//!   0   8  89 43 43 53 0D 0A 1A 00
//!   8   8  length of the document before it, little-endian
//!  16  32  key of the entry
//!  48  32  SHA-256 of what it was made from
//!  80  32  digest of the options
//! 112  12  zero
//! 124   4  CRC-32 of the 124 bytes before, little-endian
//! ```
//!
//! It is written last, so a file without it is incomplete. It is at the end because the tables and
//! blocks of the document require it to begin at a page boundary.

use super::fault::CacheFault;
use super::key::EntryInputs;
use crate::bytes::private_dir::PrivateFile;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Length of a seal.
pub(super) const SEAL: usize = 128;

const MAGIC: [u8; 8] = *b"\x89CCS\r\n\x1a\0";

/// The inputs that an entry was made for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seal {
    /// Length of the document.
    pub(super) length: u64,
    pub(super) key: [u8; 32],
    pub(super) digest: [u8; 32],
    pub(super) options: [u8; 32],
}

impl Seal {
    pub(super) fn new(inputs: &EntryInputs<'_>, length: u64) -> Seal {
        Seal { length, key: inputs.key().0, digest: inputs.digest, options: inputs.options }
    }

    pub(super) fn to_bytes(&self) -> [u8; SEAL] {
        let mut bytes = [0; SEAL];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..16].copy_from_slice(&self.length.to_le_bytes());
        bytes[16..48].copy_from_slice(&self.key);
        bytes[48..80].copy_from_slice(&self.digest);
        bytes[80..112].copy_from_slice(&self.options);
        let checksum = crc32fast::hash(&bytes[..124]);
        bytes[124..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; SEAL]) -> Result<Seal, &'static str> {
        let digest = |start: usize| {
            let mut digest = [0; 32];
            digest.copy_from_slice(&bytes[start..start + 32]);
            digest
        };
        if bytes[..8] != MAGIC {
            return Err("the seal is missing (an interrupted write?)");
        }
        if bytes[124..] != crc32fast::hash(&bytes[..124]).to_le_bytes() {
            return Err("the seal differs from its checksum");
        }
        if bytes[112..124] != [0; 12] {
            return Err("the seal has fields that this version does not know");
        }
        let mut length = [0; 8];
        length.copy_from_slice(&bytes[8..16]);
        Ok(Seal {
            length: u64::from_le_bytes(length),
            key: digest(16),
            digest: digest(48),
            options: digest(80),
        })
    }

    /// The seal at the end of `entry`, which must match the length of the file.
    pub(super) fn read(entry: &PrivateFile) -> Result<Seal, CacheFault> {
        CacheFault::check_names(entry)?;
        let (mut file, path) = (entry.file(), entry.path());
        let document = document_length(entry.metadata().len(), path)?;
        let mut bytes = [0; SEAL];
        CacheFault::io("read", path, file.seek(SeekFrom::Start(document)))?;
        CacheFault::io("read", path, file.read_exact(&mut bytes))?;
        Seal::checked(document, &bytes, path)
    }

    /// The document in the bytes of an entry, and its seal. A fault names the entry `path`.
    pub(super) fn split<'e>(entry: &'e [u8], path: &Path) -> Result<(&'e [u8], Seal), CacheFault> {
        document_length(entry.len() as u64, path)?;
        let (document, bytes) = entry.split_last_chunk().expect("it is at least as long as a seal");
        let seal = Seal::checked(document.len() as u64, bytes, path)?;
        Ok((document, seal))
    }

    /// The seal that follows a document of `document` bytes.
    fn checked(document: u64, bytes: &[u8; SEAL], path: &Path) -> Result<Seal, CacheFault> {
        let fault = |what| CacheFault::Seal { path: path.to_owned(), what };
        let seal = Seal::from_bytes(bytes).map_err(fault)?;
        match seal.length == document {
            true => Ok(seal),
            false => Err(fault("the seal is for a document of another length")),
        }
    }

    /// Refuses a seal for other inputs.
    pub(super) fn compare(&self, expected: &Seal, path: &Path) -> Result<(), CacheFault> {
        let swapped = |what| Err(CacheFault::Swapped { path: path.to_owned(), what });
        match self {
            seal if seal.digest != expected.digest => swapped("source"),
            seal if seal.options != expected.options => swapped("set of options"),
            seal if seal.key != expected.key => swapped("key"),
            _ => Ok(()),
        }
    }
}

/// Length of the document in an entry of `entry` bytes.
fn document_length(entry: u64, path: &Path) -> Result<u64, CacheFault> {
    entry.checked_sub(SEAL as u64).ok_or_else(|| CacheFault::Seal {
        path: path.to_owned(),
        what: "too short for a seal (an interrupted write?)",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seal() -> Seal {
        Seal { length: 0x0102, key: [1; 32], digest: [2; 32], options: [3; 32] }
    }

    #[test]
    fn a_seal_comes_back() {
        assert_eq!(Seal::from_bytes(&seal().to_bytes()), Ok(seal()));
    }

    #[test]
    fn refuses_a_seal_with_any_byte_changed() {
        let bytes = seal().to_bytes();
        for position in 0..SEAL {
            let mut changed = bytes;
            changed[position] ^= 0x10;
            let expected = match position {
                0..8 => "the seal is missing (an interrupted write?)",
                _ => "the seal differs from its checksum",
            };
            assert_eq!(Seal::from_bytes(&changed), Err(expected), "byte {position}");
        }
    }

    #[test]
    fn refuses_reserved_bytes_that_are_not_zero() {
        let mut bytes = seal().to_bytes();
        bytes[115] = 1;
        let checksum = crc32fast::hash(&bytes[..124]).to_le_bytes();
        bytes[124..].copy_from_slice(&checksum);
        assert_eq!(Seal::from_bytes(&bytes), Err("the seal has fields that this version does not know"));
    }
}
