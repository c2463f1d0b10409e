//! The results: as text, as JSON, as Markdown, and as a plot.

mod markdown;
mod plot;

use crate::measure::Figures;
use anyhow::Result;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// One contender of one job.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) job: &'static str,
    pub(crate) document: String,
    pub(crate) contender: &'static str,
    pub(crate) ours: bool,
    /// A note: what is read, whether it is validated, and what the result contains.
    pub(crate) note: &'static str,
    pub(crate) median_us: f64,
    pub(crate) minimum_us: f64,
    /// Dropping the result.
    pub(crate) drop_us: f64,
    pub(crate) peak_kib: Option<u64>,
    /// The counted items, such as edges, in one run.
    pub(crate) items: Option<u64>,
    /// Its time, as a multiple of Coconut's.
    pub(crate) times_ours: f64,
    pub(crate) goal: Option<Goal>,
}

/// The time that a peer must and should take, as a multiple of Coconut's. Below 1 if Coconut may be
/// slower.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Goal {
    pub(crate) must: f64,
    pub(crate) aim: f64,
}

impl Row {
    pub(crate) fn new(
        job: &'static str,
        document: &str,
        figures: &Figures,
        ours: &Figures,
        goal: Option<Goal>,
    ) -> Row {
        Row {
            job,
            document: document.to_owned(),
            contender: figures.name,
            ours: figures.name == ours.name,
            note: figures.note,
            median_us: microseconds(figures.median),
            minimum_us: microseconds(figures.minimum),
            drop_us: microseconds(figures.drop),
            peak_kib: None,
            items: None,
            times_ours: figures.median / ours.median,
            goal,
        }
    }

    fn verdict(&self) -> &'static str {
        self.goal.map_or("", |goal| verdict(self.times_ours >= goal.must, self.times_ours >= goal.aim))
    }
}

/// To the picosecond.
fn microseconds(seconds: f64) -> f64 {
    (seconds * 1e12).round() / 1e6
}

/// The size of a document in one form.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Size {
    pub(crate) document: String,
    pub(crate) form: &'static str,
    pub(crate) bytes: u64,
    /// Ratio to the minified JSON, or to the JSON after zstd for forms after zstd.
    pub(crate) of_json: f64,
}

/// A figure of this project with a separate goal, not against the time of a peer.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bound {
    pub(crate) what: &'static str,
    pub(crate) document: String,
    pub(crate) figure: f64,
    /// A rate should be large; everything else should be small.
    pub(crate) at_least: bool,
    pub(crate) goal: Goal,
}

impl Bound {
    /// A figure that should be at most `must`.
    pub(crate) fn at_most(what: &'static str, document: &str, figure: f64, must: f64, aim: f64) -> Bound {
        Bound { what, document: document.to_owned(), figure, at_least: false, goal: Goal { must, aim } }
    }

    /// A figure that should be at least `must`.
    pub(crate) fn at_least(what: &'static str, document: &str, figure: f64, must: f64, aim: f64) -> Bound {
        Bound { at_least: true, ..Bound::at_most(what, document, figure, must, aim) }
    }

    fn verdict(&self) -> &'static str {
        let reaches = |goal: f64| if self.at_least { self.figure >= goal } else { self.figure <= goal };
        verdict(reaches(self.goal.must), reaches(self.goal.aim))
    }
}

fn verdict(must: bool, aim: bool) -> &'static str {
    match (must, aim) {
        (_, true) => "aim",
        (true, false) => "met",
        (false, false) => "MISSED",
    }
}

/// All results of one run.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) bounds: Vec<Bound>,
    pub(crate) sizes: Vec<Size>,
}

impl Report {
    /// Adds the rows of one job, and prints them.
    pub(crate) fn add(&mut self, rows: Vec<Row>) {
        print(&rows);
        self.rows.extend(rows);
    }

    pub(crate) fn print_sizes(&self) {
        println!("\nsizes");
        for size in &self.sizes {
            println!("  {:18} {:22} {:>12} {:>8.4}", size.document, size.form, size.bytes, size.of_json);
        }
    }

    pub(crate) fn print_bounds(&self) {
        println!("\ngoals of its own");
        for bound in &self.bounds {
            println!(
                "  {:56} {:18} {:>12.3}  {} (must {} {}, aim {})",
                bound.what,
                bound.document,
                bound.figure,
                bound.verdict(),
                if bound.at_least { "≥" } else { "≤" },
                bound.goal.must,
                bound.goal.aim,
            );
        }
    }

    /// The number of goals, and of those missed, reached, or exceeded up to the aim.
    pub(crate) fn print_verdicts(&self) {
        let rows = self.rows.iter().filter(|row| row.goal.is_some()).map(Row::verdict);
        let verdicts: Vec<&str> = rows.chain(self.bounds.iter().map(Bound::verdict)).collect();
        let of = |verdict| verdicts.iter().filter(|&&other| other == verdict).count();
        println!(
            "\n{} goals: {} at the aim, {} met, {} missed",
            verdicts.len(),
            of("aim"),
            of("met"),
            of("MISSED")
        );
    }

    /// Writes `peers.json`, `peers.md` and `peers.svg` into `folder`.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("peers.json"), serde_json::to_string_pretty(self)? + "\n")?;
        fs::write(folder.join("peers.md"), markdown::tables(self))?;
        fs::write(folder.join("peers.svg"), plot::bars(&self.rows))?;
        Ok(())
    }
}

/// The text of one job.
fn print(rows: &[Row]) {
    let Some(first) = rows.first() else { return };
    println!("\n{}: {}", first.job, first.document);
    println!(
        "  {:26} {:>13} {:>13} {:>12} {:>10} {:>10}",
        "", "median µs", "minimum µs", "drop µs", "peak KiB", "× ours"
    );
    for row in rows {
        let peak = row.peak_kib.map(|peak| peak.to_string()).unwrap_or_default();
        let goal =
            row.goal.map(|goal| format!("{} (must {:.2}, aim {:.2})", row.verdict(), goal.must, goal.aim));
        println!(
            "  {:26} {:>13.3} {:>13.3} {:>12.3} {peak:>10} {:>10.3}  {}",
            row.contender,
            row.median_us,
            row.minimum_us,
            row.drop_us,
            row.times_ours,
            goal.unwrap_or_default(),
        );
    }
}
