//! §23.2 The record of a version, and the chain of digests over all records.

use sha2::{Digest as _, Sha256};

/// §23.2 The record of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// Its number: 1 for the first. Numbers are never used again.
    pub n: u64,
    /// The place of its text; `None` if the text was removed.
    pub slot: Option<u64>,
    /// The length of the text in bytes.
    pub length: u64,
    /// The SHA-256 of the text.
    pub sha_256: [u8; 32],
    /// The chain digest of the version before; zeros for the first.
    pub previous: [u8; 32],
    /// The chain digest: that of the one before, the text and this record.
    pub chain: [u8; 32],
    /// The time, in milliseconds since 1970 UTC. The order of versions is that of their numbers.
    pub time: i64,
    /// The way it came: `file`, `http`, `git`, `restore`.
    pub source: String,
    /// The serial number of a state.
    pub serial: Option<u64>,
    /// The lineage of a state.
    pub lineage: Option<String>,
    /// The ID of the lock under which it was written. Versions with the same one are of one run.
    pub lock_id: Option<String>,
    /// The user, as the client names itself.
    pub who: Option<String>,
    /// The operation, as the client names it.
    pub operation: Option<String>,
    /// The version of the client.
    pub client: Option<String>,
    /// Whether the rules of serial numbers and lineages were set aside.
    pub forced: bool,
    /// The dialect of the document; `encrypted` for a state that the client has encrypted.
    pub dialect: Option<String>,
    /// The number of resources, if the form of the document is known.
    pub resources: Option<u64>,
    /// Whether it is a state without resources and outputs.
    pub is_empty: bool,
    /// The bytes of its text in the pack; 0 if it was removed.
    pub stored: u64,
}

impl Version {
    /// §23.2 The chain digest: SHA-256 over the previous one, the SHA-256 of the text, and the
    /// canonical record.
    pub(crate) fn chain_of(&self, previous: &[u8; 32]) -> [u8; 32] {
        let mut hasher = Sha256::new();
        hasher.update(previous);
        hasher.update(self.sha_256);
        let number = |number: u64| Some(number.to_string());
        let fields = [
            number(self.n),
            number(self.length),
            Some(self.time.to_string()),
            Some(self.source.clone()),
            self.serial.and_then(number),
            self.lineage.clone(),
            self.lock_id.clone(),
            self.who.clone(),
            self.operation.clone(),
            self.client.clone(),
            number(self.forced.into()),
            self.dialect.clone(),
            self.resources.and_then(number),
            number(self.is_empty.into()),
        ];
        for field in fields {
            match field {
                None => hasher.update(u32::MAX.to_le_bytes()),
                Some(text) => {
                    let length = u32::try_from(text.len()).unwrap_or(u32::MAX - 1);
                    hasher.update(length.to_le_bytes());
                    hasher.update(text);
                }
            }
        }
        hasher.finalize().into()
    }
}

/// A number in a column.
pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coconut_format::numerals::hex;

    #[test]
    fn the_chain_covers_every_fact_of_a_version() {
        let version = Version {
            n: 2,
            length: 10,
            time: 1_700_000_000_123,
            source: "http".to_owned(),
            serial: Some(5),
            lineage: Some("a".to_owned()),
            ..Version::default()
        };
        // Computed by hand: printf of the fields as the section describes them, by `sha256sum`.
        let mut bytes = vec![7u8; 32];
        bytes.extend([0u8; 32]);
        for text in ["2", "10", "1700000000123", "http", "5", "a"] {
            bytes.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend([0xff; 4 * 4]);
        bytes.extend([1, 0, 0, 0, b'0']);
        bytes.extend([0xff; 4 * 2]);
        bytes.extend([1, 0, 0, 0, b'0']);
        let by_hand: [u8; 32] = Sha256::digest(&bytes).into();
        assert_eq!(hex(&version.chain_of(&[7; 32])), hex(&by_hand));
        let changes: [fn(&mut Version); 9] = [
            |version| version.n = 3,
            |version| version.time += 1,
            |version| version.sha_256[0] = 1,
            |version| version.who = Some(String::new()),
            |version| version.serial = None,
            |version| version.lock_id = Some("x".to_owned()),
            |version| version.forced = true,
            |version| version.resources = Some(0),
            |version| version.is_empty = true,
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = version.clone();
            change(&mut changed);
            assert_ne!(changed.chain_of(&[7; 32]), by_hand, "change {number}");
        }
    }
}
