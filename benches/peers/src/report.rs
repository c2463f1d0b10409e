//! What was measured: as text, as JSON, and as a plot.

use crate::measure::Figures;
use anyhow::Result;
use serde::Serialize;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// One contender of one job.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) job: &'static str,
    pub(crate) document: String,
    pub(crate) contender: &'static str,
    pub(crate) ours: bool,
    /// What is read, whether it is validated, and what the result holds.
    pub(crate) note: &'static str,
    pub(crate) median_us: f64,
    pub(crate) minimum_us: f64,
    /// Dropping the result.
    pub(crate) drop_us: f64,
    pub(crate) peak_kib: Option<u64>,
    /// How many times as long as Coconut it took.
    pub(crate) times_ours: f64,
    pub(crate) goal: Option<Goal>,
}

/// How many times as long as Coconut a peer must and should take; below 1 where Coconut may be slower.
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
            times_ours: figures.median.as_secs_f64() / ours.median.as_secs_f64(),
            goal,
        }
    }

    fn verdict(&self) -> &'static str {
        match self.goal {
            None => "",
            Some(goal) if self.times_ours >= goal.aim => "aim",
            Some(goal) if self.times_ours >= goal.must => "met",
            Some(_) => "MISSED",
        }
    }
}

pub(crate) fn microseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e9).round() / 1e3
}

/// The size of a document in one form.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Size {
    pub(crate) document: String,
    pub(crate) form: &'static str,
    pub(crate) bytes: u64,
    /// Of the minified JSON, or of that after zstd for forms after zstd.
    pub(crate) of_json: f64,
}

/// Everything that one run found.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) machine: String,
    pub(crate) rows: Vec<Row>,
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

    /// Writes `peers.json` and `peers.svg` into `folder`.
    pub(crate) fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("peers.json"), serde_json::to_string_pretty(self)? + "\n")?;
        fs::write(folder.join("peers.svg"), self.plot())?;
        Ok(())
    }

    /// A bar for each peer that has a goal: how many times as long as Coconut it takes, on a logarithmic scale.
    fn plot(&self) -> String {
        const ROW: usize = 20;
        const LEFT: f64 = 330.0;
        const DECADE: f64 = 95.0;
        let rows: Vec<&Row> = self.rows.iter().filter(|row| row.goal.is_some()).collect();
        let height = (rows.len() + 2) * ROW;
        let x_of = |times: f64| LEFT + DECADE * (1.0 + times.log10().clamp(-1.0, 5.0));
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 960 {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"960\" height=\"{height}\" fill=\"#fff\"/>\n"
        );
        for (decade, label) in [
            (0.1, "0.1"),
            (1.0, "as long"),
            (10.0, "10 ×"),
            (100.0, "100 ×"),
            (1e3, "1,000 ×"),
            (1e4, "10,000 ×"),
        ] {
            let x = x_of(decade);
            svg += &format!(
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{ROW}\" y2=\"{height}\" stroke=\"#ccc\"/>\
                 <text x=\"{x:.1}\" y=\"14\" text-anchor=\"middle\" fill=\"#555\">{label}</text>\n"
            );
        }
        for (number, row) in rows.iter().enumerate() {
            let (y, one, end) = ((number + 1) * ROW + 4, x_of(1.0), x_of(row.times_ours));
            let (x, width) = (one.min(end), (end - one).abs());
            let fill = if row.times_ours >= 1.0 { "#3a7d44" } else { "#b5552b" };
            let must = x_of(row.goal.map_or(1.0, |goal| goal.must));
            svg += &format!(
                "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"end\">{}, {}: {}</text>\
                 <rect x=\"{x:.1}\" y=\"{y}\" width=\"{width:.1}\" height=\"13\" fill=\"{fill}\"/>\
                 <line x1=\"{must:.1}\" x2=\"{must:.1}\" y1=\"{}\" y2=\"{}\" stroke=\"#000\" stroke-width=\"2\"/>\n",
                LEFT - 6.0,
                y + 11,
                row.job,
                row.document,
                row.contender,
                y - 2,
                y + 15,
            );
        }
        svg + "</svg>\n"
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
