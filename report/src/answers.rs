//! Answers to the questions of the commands, each as data, as text for people and as JSON.

pub mod cycles;
pub mod deps;
pub mod ends;
pub mod find;
pub mod impact;
pub mod info;
pub mod ls;
pub mod path;
pub mod stat;
pub mod verify;
pub mod wire;

use coconut_format::numerals::grouped;

/// The note about an answer of which only a part is shown.
fn stopped(shown: usize, all: usize) -> Option<String> {
    let (parts, whole) = (grouped(shown as u64), grouped(all as u64));
    (shown < all).then(|| format!("stopped after {parts} of {whole}"))
}
