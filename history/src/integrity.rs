//! §23.8 Verification: every text, the chain of digests, and the index of keys.

use crate::error::{HistoryError, HistoryErrorKind};
use crate::facts::{ENCRYPTED, Facts, KeyDigest};
use crate::pack::Pack;
use crate::slots::{another_text, naming};
use crate::texts::Texts;
use crate::version::{Version, signed};
use coconut_format::numerals::hex;
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;

/// The result of a verification without faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verified {
    /// The number of versions, including those whose texts were removed.
    pub versions: u64,
    /// The number of texts.
    pub texts: u64,
    /// The chain digest of the newest version. Recorded elsewhere, it proves all versions before
    /// it.
    pub chain: [u8; 32],
}

impl Pack {
    /// Reads everything. `expected` is a chain digest, or the first digits of one in hexadecimal,
    /// that some version must have.
    ///
    /// Costs one patch for each version, and one compilation. `progress` gets each version. Memory:
    /// one text for each set bit of the largest slot.
    ///
    /// # Errors
    ///
    /// `HIST-DAMAGED` with all versions that cannot be read; `HIST-CHAIN`.
    pub fn verify(
        &self,
        expected: Option<&str>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Verified, HistoryError> {
        self.in_file(self.verified(expected, progress))
    }

    fn verified(
        &self,
        expected: Option<&str>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Verified, HistoryErrorKind> {
        let mut faults = Faults::default();
        faults.of_store(self.connection());
        let versions = self.all_readable(&mut faults);
        let mut texts = Texts::default();
        let (mut chain, mut is_chain_whole, mut is_expected_met) = ([0; 32], true, expected.is_none());
        let (mut whole, mut last_text) = (0, None);
        for (position, version) in versions.iter().enumerate() {
            let is_next = version.n == position as u64 + 1;
            if !is_next || version.previous != chain || version.chain != version.chain_of(&chain) {
                // After an unreadable version, the chain goes on with what the next one records.
                if !faults.has_between(chain_position(&versions, position), version.n) && is_chain_whole {
                    is_chain_whole = false;
                    faults.chain = faults.chain.or(Some(version.n));
                }
            }
            chain = version.chain;
            is_expected_met |=
                expected.is_some_and(|digits| hex(&chain).starts_with(&digits.to_ascii_lowercase()));
            progress(version.n);
            let Some(slot) = version.slot else { continue };
            match texts.of_slot(self.connection(), slot) {
                Ok(text) if <[u8; 32]>::from(Sha256::digest(text)) == version.sha_256 => {
                    whole += 1;
                    last_text = Some((version.n, text.to_vec()));
                }
                Ok(_) => faults.add(another_text(version.n)),
                Err(kind) => faults.add(naming(kind, version.n)),
            }
        }
        if let (Some((n, text)), true) = (last_text, faults.is_empty()) {
            self.check_keys(n, &text, &versions, &mut faults);
        }
        faults.to_result()?;
        match is_expected_met {
            true => Ok(Verified { versions: versions.len() as u64, texts: whole, chain }),
            false => Err(HistoryErrorKind::Chain { version: None }),
        }
    }

    /// The versions whose records can be read. The others become faults.
    fn all_readable(&self, faults: &mut Faults) -> Vec<Version> {
        if let (Ok(versions), true) = (self.versions(), faults.what.is_empty()) {
            return versions;
        }
        // A scan of damaged tables may leave rows out.
        let highest = |sql| self.connection().query_row(sql, [], |row| row.get::<_, Option<i64>>(0));
        let last = [
            highest("SELECT max(n) FROM version"),
            highest("SELECT max(slot) + 1 FROM blob"),
            highest("SELECT max(n) FROM change"),
        ];
        let last = last.into_iter().flatten().flatten().max().unwrap_or(0);
        let mut versions = Vec::new();
        for n in 1..=last.unsigned_abs() {
            match self.version_where("n = ?1", [signed(n)]) {
                Ok(Some(version)) if version.n == n => versions.push(version),
                Ok(_) => faults.versions.push(n),
                Err(kind) => faults.add(naming(kind, n)),
            }
        }
        versions
    }

    /// Compares the index of keys with the newest text.
    fn check_keys(&self, n: u64, text: &[u8], versions: &[Version], faults: &mut Faults) {
        let newest = versions.last().map(|version| (version.n, version.dialect.as_deref()));
        if newest.is_none_or(|(newest, dialect)| newest != n || dialect == Some(ENCRYPTED)) {
            return;
        }
        let found = || -> Result<bool, HistoryErrorKind> {
            let sql = "SELECT k.name, k.digest, (SELECT c.digest FROM change c WHERE c.key = k.id ORDER BY c.n DESC LIMIT 1) \
                       FROM key k";
            let mut statement = self.connection().prepare(sql)?;
            let mut rows = statement.query([])?;
            let mut keys = BTreeMap::<String, KeyDigest>::new();
            while let Some(row) = rows.next()? {
                let (digest, last) =
                    (row.get::<_, Option<KeyDigest>>(1)?, row.get::<_, Option<KeyDigest>>(2)?);
                if digest != last {
                    return Ok(false);
                }
                keys.extend(
                    digest.map(|digest| Ok::<_, HistoryErrorKind>((row.get(0)?, digest))).transpose()?,
                );
            }
            Ok(keys == Facts::of(text)?.keys)
        };
        match found() {
            Ok(true) => {}
            Ok(false) => faults.what.push("the index of keys differs from the newest version".to_owned()),
            Err(kind) => faults.add(kind),
        }
    }
}

/// The number of the version before a position.
fn chain_position(versions: &[Version], position: usize) -> u64 {
    position.checked_sub(1).and_then(|before| versions.get(before)).map_or(0, |version| version.n)
}

/// All faults of a pack.
#[derive(Default)]
struct Faults {
    versions: Vec<u64>,
    what: Vec<String>,
    chain: Option<u64>,
}

impl Faults {
    /// The faults that SQLite finds in its own structures.
    fn of_store(&mut self, connection: &Connection) {
        let check = || -> rusqlite::Result<Vec<String>> {
            let mut statement = connection.prepare("PRAGMA integrity_check(3)")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        match check() {
            Ok(reports) => {
                let lines = reports.iter().flat_map(|report| report.lines());
                self.what.extend(
                    lines.filter(|line| *line != "ok" && !line.starts_with("***")).map(str::to_owned),
                );
            }
            Err(error) => self.what.push(error.to_string()),
        }
    }

    fn add(&mut self, kind: HistoryErrorKind) {
        match kind {
            HistoryErrorKind::Damaged { versions, what } => {
                self.versions.extend(versions);
                self.what.push(what);
            }
            other => self.what.push(other.to_string()),
        }
    }

    fn is_empty(&self) -> bool {
        self.versions.is_empty() && self.what.is_empty() && self.chain.is_none()
    }

    /// Whether an unreadable version is between two others.
    fn has_between(&self, before: u64, after: u64) -> bool {
        self.versions.iter().any(|n| (before..=after).contains(n))
    }

    fn to_result(&self) -> Result<(), HistoryErrorKind> {
        let mut versions = self.versions.clone();
        versions.sort_unstable();
        versions.dedup();
        match (self.what.first(), self.chain) {
            (None, None) => Ok(()),
            (None, Some(n)) => Err(HistoryErrorKind::Chain { version: Some(n) }),
            (Some(what), _) => Err(HistoryErrorKind::Damaged { versions, what: what.clone() }),
        }
    }
}
