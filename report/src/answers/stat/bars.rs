//! Bars of characters.

/// A bar of this length for `bytes` of `most`, in steps of an eighth. A size above zero has at
/// least one step.
pub(super) fn bar(bytes: u64, most: u64, length: usize) -> String {
    const EIGHTHS: [char; 8] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];
    let steps = u128::from(bytes) * 8 * length as u128 / u128::from(most.max(1));
    let steps = usize::try_from(steps).unwrap_or(usize::MAX).min(8 * length).max(usize::from(bytes > 0));
    let mut bar = "█".repeat(steps / 8);
    bar.extend((steps % 8).checked_sub(1).and_then(|at| EIGHTHS.get(at)));
    let shown = steps.div_ceil(8);
    bar.push_str(&" ".repeat(length - shown));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        let bars = [(0, 4), (1, 4), (2, 4), (4, 4), (1, 1000)].map(|(bytes, most)| bar(bytes, most, 2));
        assert_eq!(bars, ["  ", "▌ ", "█ ", "██", "▏ "]);
        assert_eq!(bar(0, 0, 3), "   ");
        assert_eq!(bar(u64::MAX, u64::MAX, 3), "███");
    }
}
