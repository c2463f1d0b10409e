//! The tables of the documentation.

use super::{Bound, Report, Row, Size};
use std::fmt::Write as _;

/// All tables, under a note that names their origin.
pub(super) fn tables(report: &Report) -> String {
    let mut out = format!(
        "<!-- Written by benches/peers/run --write; do not edit. -->\n\n# Measured against peers\n\n\
         Machine: {}. Times are processor time of the thread, kernel included; “× ours” is how many times as \
         long as Coconut a peer takes. [What the rows mean](../performance.md).\n",
        report.machine
    );
    for job in report.rows.chunk_by(|one, next| one.job == next.job && one.document == next.document) {
        out += &job_table(job);
    }
    out + &bounds_table(&report.bounds) + &sizes_table(&report.sizes)
}

fn job_table(rows: &[Row]) -> String {
    let mut out = format!("\n## {}: {}\n\n", rows[0].job, rows[0].document);
    out += "| | reads, checks, holds | median | minimum | drop | peak MiB | × ours | goal |\n";
    out += "|---|---|---:|---:|---:|---:|---:|---|\n";
    for row in rows {
        let name = if row.ours { format!("**{}**", row.contender) } else { row.contender.to_owned() };
        let peak = row.peak_kib.map(|peak| format!("{:.1}", peak as f64 / 1024.0)).unwrap_or_default();
        let goal = row.goal.map(|goal| {
            format!("{}: ≥ {}, aim {}", row.verdict(), significant(goal.must), significant(goal.aim))
        });
        let _ = writeln!(
            out,
            "| {name} | {} | {} | {} | {} | {peak} | {} | {} |",
            row.note,
            time(row.median_us),
            time(row.minimum_us),
            time(row.drop_us),
            significant(row.times_ours),
            goal.unwrap_or_default(),
        );
    }
    out
}

fn bounds_table(bounds: &[Bound]) -> String {
    let mut out = String::from(
        "\n## Goals that are not a peer's time\n\n| | document | figure | goal |\n|---|---|---:|---|\n",
    );
    for bound in bounds {
        let sign = if bound.at_least { "≥" } else { "≤" };
        let _ = writeln!(
            out,
            "| {} | {} | {} | {}: {sign} {}, aim {} |",
            bound.what,
            bound.document,
            significant(bound.figure),
            bound.verdict(),
            bound.goal.must,
            bound.goal.aim
        );
    }
    out
}

fn sizes_table(sizes: &[Size]) -> String {
    let mut out =
        String::from("\n## Sizes\n\n| document | form | bytes | of the JSON |\n|---|---|---:|---:|\n");
    for size in sizes {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {:.1} % |",
            size.document,
            size.form,
            size.bytes,
            100.0 * size.of_json
        );
    }
    out
}

fn time(microseconds: f64) -> String {
    match microseconds {
        0.0 => String::new(),
        short if short < 1.0 => format!("{} ns", significant(1e3 * short)),
        long if long >= 1e3 => format!("{} ms", significant(long / 1e3)),
        middling => format!("{} µs", significant(middling)),
    }
}

/// Three significant digits.
fn significant(figure: f64) -> String {
    match figure {
        small if small < 10.0 => format!("{small:.2}"),
        middling if middling < 100.0 => format!("{middling:.1}"),
        large => format!("{large:.0}"),
    }
}
