//! §23.6 Adding a version.

use crate::changes::write_changes;
use crate::entry::{Added, Entry};
use crate::error::{HistoryError, HistoryErrorKind};
use crate::facts::Facts;
use crate::labels::{check_label, label_after_blind_unlock, set_label};
use crate::limits;
use crate::lock::same_text;
use crate::pack::Pack;
use crate::records::{insert, newest};
use crate::slots::{text_of_slot, write_blob};
use crate::version::Version;
use coconut_format::numerals::hex;
use rusqlite::Transaction;
use sha2::{Digest as _, Sha256};

impl Pack {
    /// Stores a text as the newest version, unless the newest has the same text.
    ///
    /// Costs one compilation, one patch, and a commit. Memory: the text, its base, and the compiled
    /// form.
    ///
    /// # Errors
    ///
    /// In this order: a text that is too long, cannot be compiled, or is not the requested state;
    /// the lock is held by another, or not held; another version is the newest; the lineage or the
    /// serial number does not fit; the disk. A refusal is recorded as an event, and nothing else
    /// changes.
    pub fn add(&mut self, text: &[u8], entry: &Entry<'_>) -> Result<Added, HistoryError> {
        let length = text.len() as u64;
        if length > limits::TEXT {
            return self.in_file(Err(HistoryErrorKind::TooLong { length }));
        }
        if let Some(label) = entry.label {
            self.in_file(check_label(label))?;
        }
        let facts = Facts::of(text).and_then(|facts| match missing_member(&facts) {
            Some(member) if entry.is_state => Err(HistoryErrorKind::NotAState(member)),
            _ => Ok(facts),
        });
        let facts = self.in_file(facts)?;
        let sha_256: [u8; 32] = Sha256::digest(text).into();
        let added = self.change(|transaction| {
            let outcome = checked(transaction, &facts, sha_256, entry)?;
            match outcome {
                Checked::Same(version) => Ok(Ok(Added::Same(version))),
                Checked::Refused(kind) => {
                    let note = format!("{}: {kind}", kind.code());
                    crate::lock::record(transaction, "refused", None, entry, Some(&note))?;
                    Ok(Err(kind))
                }
                Checked::Accepted { newest, forced, holder } => {
                    let version =
                        stored(transaction, text, &facts, sha_256, entry, newest.as_ref(), forced, holder)?;
                    Ok(Ok(Added::New(version)))
                }
            }
        })?;
        self.in_file(added)
    }
}

/// The result of all checks before a version is stored.
enum Checked {
    Same(Version),
    Refused(HistoryErrorKind),
    Accepted { newest: Option<Version>, forced: bool, holder: Option<crate::lock::Lock> },
}

/// §23.6 Decides about a text. The order of the checks is part of the section.
fn checked(
    transaction: &Transaction<'_>,
    facts: &Facts,
    sha_256: [u8; 32],
    entry: &Entry<'_>,
) -> Result<Checked, HistoryErrorKind> {
    let holder = crate::lock::holder(transaction)?;
    let fault = match (&holder, entry.lock_id) {
        (Some(holder), Some(id)) if same_text(&holder.id, id) => None,
        (Some(holder), _) => Some(holder.refusal()),
        (None, Some(_)) => Some(HistoryErrorKind::LockLost),
        (None, None) => entry.needs_lock.then_some(HistoryErrorKind::LockRequired),
    };
    if let Some(fault) = fault {
        return Ok(Checked::Refused(fault));
    }
    let newest = newest(transaction)?;
    if let Some(expected) = entry.if_newest
        && newest.as_ref().map(|newest| newest.sha_256) != Some(expected)
    {
        let newest = newest.map(|newest| hex(&newest.sha_256)).unwrap_or_default();
        return Ok(Checked::Refused(HistoryErrorKind::Changed { newest }));
    }
    let Some(newest) = newest else { return Ok(Checked::Accepted { newest: None, forced: false, holder }) };
    if newest.sha_256 == sha_256 && newest.slot.is_some() {
        return Ok(Checked::Same(newest));
    }
    let fault = match (&newest.lineage, &facts.lineage, newest.serial, facts.serial) {
        _ if newest.is_empty => None,
        (Some(stored), Some(coming), ..) if stored != coming => {
            Some(HistoryErrorKind::Lineage { stored: stored.clone(), coming: coming.clone() })
        }
        (_, _, Some(stored), Some(coming)) if coming <= stored => {
            Some(HistoryErrorKind::Stale { stored, coming })
        }
        _ => None,
    };
    Ok(match fault {
        Some(fault) if !entry.force => Checked::Refused(fault),
        fault => Checked::Accepted { newest: Some(newest), forced: fault.is_some(), holder },
    })
}

#[expect(clippy::too_many_arguments, reason = "the parts of one step, which only `add` takes")]
fn stored(
    transaction: &Transaction<'_>,
    text: &[u8],
    facts: &Facts,
    sha_256: [u8; 32],
    entry: &Entry<'_>,
    newest: Option<&Version>,
    forced: bool,
    holder: Option<crate::lock::Lock>,
) -> Result<Version, HistoryErrorKind> {
    let last: Option<i64> = transaction.query_row("SELECT max(slot) FROM blob", [], |row| row.get(0))?;
    let slot = last.map_or(0, |last| last.unsigned_abs() + 1);
    let stored = write_blob(transaction, slot, text, |base| text_of_slot(transaction, base))?;
    let info = holder.as_ref().map(crate::lock::Lock::facts).unwrap_or_default();
    let owned = |given: Option<&str>, of_lock: Option<String>| given.map(str::to_owned).or(of_lock);
    let mut version = Version {
        n: newest.map_or(1, |newest| newest.n + 1),
        slot: Some(slot),
        length: text.len() as u64,
        sha_256,
        previous: newest.map(|newest| newest.chain).unwrap_or_default(),
        chain: [0; 32],
        time: entry.time,
        source: entry.source.to_owned(),
        serial: facts.serial,
        lineage: facts.lineage.clone(),
        lock_id: entry.lock_id.map(str::to_owned),
        who: owned(entry.who, info.who),
        operation: owned(entry.operation, info.operation),
        client: owned(entry.client, info.client),
        forced,
        dialect: facts.dialect.clone(),
        resources: facts.resources,
        is_empty: facts.is_empty,
        stored,
    };
    version.chain = version.chain_of(&version.previous);
    insert(transaction, &version)?;
    write_changes(transaction, version.n, facts)?;
    if let Some(label) = entry.label {
        set_label(transaction, version.n, label)?;
    }
    if forced {
        let replaced = newest.map(|newest| hex(&newest.sha_256)).unwrap_or_default();
        crate::lock::record(
            transaction,
            "forced",
            Some(version.n),
            entry,
            Some(&format!("replaces {replaced}")),
        )?;
    }
    label_after_blind_unlock(transaction, version.n)?;
    Ok(version)
}

/// The member of a state that a text does not have.
fn missing_member(facts: &Facts) -> Option<&'static str> {
    match (facts.has_version, facts.serial, &facts.lineage) {
        (false, ..) => Some("version"),
        (_, None, _) => Some("serial"),
        (.., None) => Some("lineage"),
        _ => None,
    }
}
