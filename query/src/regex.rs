//! Regular expressions, with the classes of Unicode such as `\p{Lu}`.

use super::steps;
use regex::{Captures, Regex, RegexBuilder};

/// A part of a text.
pub(super) enum Part<'t> {
    /// A text before, between or after matches.
    Other(&'t str),
    /// A match, and its groups.
    Match(Vec<Group<'t>>),
}

/// A group of a match, or the whole match.
pub(super) struct Group<'t> {
    /// The number of characters before it, and its text, unless it takes no part in the match.
    pub(super) found: Option<(usize, &'t str)>,
    pub(super) name: Option<String>,
}

/// The parts of a text by a regular expression, whose flags are those of `jq`. An error is a
/// message.
pub(super) fn parts<'t>(text: &'t str, pattern: &str, flags: &str) -> Result<Vec<Part<'t>>, String> {
    let (regex, is_global, skips_empty) = compiled(pattern, flags)?;
    let mut parts = Vec::new();
    let mut end = 0;
    let mut before = Chars { text, byte: 0, count: 0 };
    for captures in regex.captures_iter(text) {
        // Matches take memory, as do the results of a filter.
        if steps::are_exceeded(1) {
            break;
        }
        let Some(whole) = captures.get(0).filter(|whole| !(skips_empty && whole.is_empty())) else {
            continue;
        };
        before.count_to(whole.start());
        parts.push(Part::Other(&text[end..whole.start()]));
        parts.push(Part::Match(groups(&regex, &captures, before)));
        end = whole.end();
        if !is_global {
            break;
        }
    }
    parts.push(Part::Other(&text[end..]));
    Ok(parts)
}

/// The regular expression, whether all matches count, and whether empty ones do not.
fn compiled(pattern: &str, flags: &str) -> Result<(Regex, bool, bool), String> {
    let (mut is_global, mut skips_empty) = (false, false);
    let mut builder = RegexBuilder::new(pattern);
    for flag in flags.chars() {
        match flag {
            'g' => is_global = true,
            'n' => skips_empty = true,
            'i' => drop(builder.case_insensitive(true)),
            'm' => drop(builder.multi_line(true)),
            's' => drop(builder.dot_matches_new_line(true)),
            'p' => drop(builder.multi_line(true).dot_matches_new_line(true)),
            'l' => drop(builder.swap_greed(true)),
            'x' => drop(builder.ignore_whitespace(true)),
            _ => return Err(format!("{flags} is not a valid modifier string")),
        }
    }
    let regex = builder.build().map_err(|fault| {
        // The lines before the last show the place with a mark, which needs lines of its own.
        let reason = fault.to_string();
        let reason = reason.lines().last().unwrap_or_default();
        format!("invalid regex: {}", reason.trim_start_matches("error: "))
    })?;
    Ok((regex, is_global, skips_empty))
}

/// The groups of a match. `before` counts up to its start.
fn groups<'t>(regex: &Regex, captures: &Captures<'t>, before: Chars<'t>) -> Vec<Group<'t>> {
    let named = captures.iter().zip(regex.capture_names());
    let groups = named.map(|(group, name)| {
        // Groups begin in any order, but within the match.
        let mut before = before;
        let found = group.map(|group| (before.count_to(group.start()), group.as_str()));
        Group { found, name: name.map(str::to_owned) }
    });
    groups.collect()
}

/// Counts the characters before positions in bytes.
#[derive(Clone, Copy)]
struct Chars<'t> {
    text: &'t str,
    byte: usize,
    count: usize,
}

impl Chars<'_> {
    /// The number of characters before `byte`, which does not decrease from call to call.
    fn count_to(&mut self, byte: usize) -> usize {
        self.count += self.text[self.byte..byte].chars().count();
        self.byte = byte;
        self.count
    }
}
