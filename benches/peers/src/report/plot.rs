//! The ratios that have a goal, drawn.

use super::Row;

/// A bar for each peer that has a goal: its time as a multiple of Coconut's, on a logarithmic
/// scale.
pub(super) fn bars(rows: &[Row]) -> String {
    const ROW: usize = 20;
    const LEFT: f64 = 330.0;
    const DECADE: f64 = 95.0;
    let rows: Vec<&Row> = rows.iter().filter(|row| row.goal.is_some()).collect();
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
