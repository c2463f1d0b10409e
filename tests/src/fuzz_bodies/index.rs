//! §8.7 Tables that do not belong to their document, under checksums that fit.

use super::agreement;
use super::documents::{options, value, written};
use super::lookup;
use crate::checksums::{parts, repair};
use arbitrary::Unstructured;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::write::Writer;
use coconut_format::ErrorKind;

/// Parts from this number on are tables.
const TABLES: u8 = 16;

/// Changes a table of an indexed document. Every lookup fails with an error or returns an answer
/// with the key, and the full check reports the table.
pub fn index(data: &[u8]) {
    let mut choices = Unstructured::new(data);
    let Ok((options, mut tuning)) = options(&mut choices) else { return };
    tuning.index_from = 0;
    let Ok(patches) = choices.arbitrary::<[(u8, u16, u8); 3]>() else { return };
    let Ok(value) = value(&mut choices) else { return };
    if agreement::count(&value) > super::BUDGET.values {
        return;
    }
    let good = written(&value, &Writer::new(options).tuned(tuning));
    let tables: Vec<_> =
        parts(&good).into_iter().filter(|place| place.part >= TABLES && !place.bytes.is_empty()).collect();
    if tables.is_empty() {
        return;
    }
    let mut bad = good.clone();
    for (table, at, change) in patches {
        let place = &tables[usize::from(table) % tables.len()].bytes;
        bad[place.start + usize::from(at) % place.len()] ^= change;
    }
    if bad == good {
        return;
    }
    repair(&mut bad);
    // A changed block table is repaired, too, and then nothing is wrong.
    let is_repaired = bad == good;
    let with_flag = [&[0], &bad[..]].concat();
    lookup(&with_flag);
    let Ok(file) = DocumentFile::from_data(bad) else { return };
    match file.view().check_integrity() {
        Ok(_) => assert!(is_repaired, "a table was changed, and the full check finds nothing"),
        Err(error) => {
            let is_about_tables =
                matches!(error.kind(), ErrorKind::IndexRange { .. } | ErrorKind::IndexDiffers { .. });
            assert!(is_about_tables, "{error}");
        }
    }
}
