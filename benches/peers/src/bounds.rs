//! Goals that are not ratios to the time of a peer: memory, sizes, rates, and lookups whose time
//! does not grow with the file.

use crate::documents::Document;
use crate::processes::{COMMAND, COMPILE};
use crate::report::{Bound, Report, Row};

/// The results of these goals, from the rows and the sizes of `report`, for the measured
/// `documents`.
pub(crate) fn of(report: &Report, documents: &[&Document]) -> Vec<Bound> {
    let mut bounds = Vec::new();
    for document in documents {
        bounds.extend(dump_memory(report, document));
        bounds.extend(compile_memory(report, document));
        bounds.extend(rate_of_walk(report, document));
        bounds.extend(transport(report, document));
    }
    bounds.extend(transport_over_all(report));
    bounds.extend(process_memory(report));
    bounds.extend(growth(report));
    bounds
}

fn ours<'r>(report: &'r Report, job: &str, document: &str) -> Option<&'r Row> {
    report.rows.iter().find(|row| row.ours && row.job == job && row.document == document)
}

fn dump_memory(report: &Report, document: &Document) -> Option<Bound> {
    let peak = ours(report, "dump", &document.name)?.peak_kib?;
    let mib = (peak as f64 - document.size("coco") as f64 / 1024.0) / 1024.0;
    Some(Bound::at_most("dump: peak MiB beyond the file", &document.name, mib, 24.0, 8.0))
}

/// The size of text from which the memory of a compile is judged. A process itself takes some MiB,
/// which hide the memory of small documents.
pub(crate) const LARGE: u64 = 1 << 20;

/// In a process that does nothing else, and by the command. The row next to the peers does not
/// measure it: that process has all of them linked.
fn compile_memory(report: &Report, document: &Document) -> Vec<Bound> {
    let peak = |contender: &str| {
        let is_row =
            |row: &&Row| row.job == COMPILE && row.contender == contender && row.document == document.name;
        report.rows.iter().find(is_row)?.peak_kib
    };
    let peaks = [
        ("compile, a process of its own: peak, of the text in it", peak("coconut")),
        ("compile, `coco pack build`: peak, of the text in it", peak(COMMAND)),
    ];
    let text = document.size("json");
    let judged = peaks.into_iter().filter(|_| text >= LARGE);
    let bound = |(what, peak): (_, Option<u64>)| {
        Some(Bound::at_most(what, &document.name, peak? as f64 * 1024.0 / text as f64, 4.0, 2.0))
    };
    judged.filter_map(bound).collect()
}

fn rate_of_walk(report: &Report, document: &Document) -> Option<Bound> {
    let row = ours(report, "walk edges", &document.name)?;
    let rate = row.items? as f64 / row.median_us;
    Some(Bound::at_least("walk: million edges a second", &document.name, rate, 20.0, 100.0))
}

/// Documents below this size are mostly the index and the envelope.
const SMALL: u64 = 100_000;

fn transport(report: &Report, document: &Document) -> Option<Bound> {
    let sizes = report.sizes.iter().filter(|size| size.document == document.name);
    let ratio = sizes.clone().find(|size| size.form == "transport, zstd -3")?.of_json;
    let aim = if document.name.starts_with("checkpoint") { 0.7 } else { 1.0 };
    (document.size("json") >= SMALL).then(|| {
        Bound::at_most("transport of the JSON, both after zstd -3", &document.name, ratio, 1.05, aim)
    })
}

fn transport_over_all(report: &Report) -> Option<Bound> {
    let sum = |form| {
        let sizes = report.sizes.iter().filter(|size| size.form == form);
        sizes.map(|size| size.bytes).sum::<u64>() as f64
    };
    let (transport, json) = (sum("transport, zstd -3"), sum("JSON, zstd -3"));
    (json > 0.0).then(|| {
        Bound::at_most(
            "transport of the JSON, both after zstd -3",
            "all together",
            transport / json,
            0.85,
            0.7,
        )
    })
}

fn process_memory(report: &Report) -> Option<Bound> {
    let of_job = |row: &&Row| row.job == "process get";
    let own = report.rows.iter().filter(of_job).find(|row| row.ours)?;
    let peer = report.rows.iter().filter(of_job).find(|row| row.contender == "jq")?;
    let times = peer.peak_kib? as f64 / own.peak_kib? as f64;
    Some(Bound::at_least("process get: peak of jq, times ours", &own.document, times, 20.0, 40.0))
}

/// The largest checkpoint against the smallest, on files that are in the page cache.
fn growth(report: &Report) -> Option<Bound> {
    let is_own = |row: &&Row| row.ours && row.job == "cold get" && row.document.starts_with("checkpoint");
    let first = report.rows.iter().find(is_own)?;
    let last = report.rows.iter().rfind(is_own)?;
    let times = last.median_us / first.median_us;
    (first.document != last.document)
        .then(|| Bound::at_most("cold get: times that of checkpoint-1000", &last.document, times, 2.0, 1.3))
}
