//! §16.3 Options for the caller of a comparison.

use crate::value::list::ListMode;
use crate::value::places::PlacePattern;
use crate::value::same::Strictness;

/// Options for comparing two documents.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether orders, forms of numbers and notes of tools count like values.
    pub is_exact: bool,
    /// The evidence that pairs resources with different keys.
    pub moves: Moves,
    /// The modes for lists at these places, which override all other rules.
    pub lists: Vec<(PlacePattern, ListMode)>,
    /// Whether created and deleted resources have a change for each of their entries.
    pub is_full: bool,
    /// Whether secrets are compared and returned like other values.
    pub reveals: bool,
    /// The additional differences that count.
    pub strict: Strict,
}

/// Possible differences, which count only on request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strict {
    /// Values that are not known yet.
    pub unknowns: bool,
    /// Secrets that were encrypted again, possibly with the same content.
    pub secrets: bool,
    /// Other forms of a value, and another order of items if no rule describes the list. In
    /// objects, the order of keys never counts.
    pub forms: bool,
}

impl Options {
    pub(crate) fn strictness(&self) -> Strictness {
        match (self.is_exact, self.strict.forms) {
            (false, true) => Strictness::VALUES,
            (is_exact, _) => Strictness::of(is_exact),
        }
    }

    /// Whether spelling and notes of tools may be ignored.
    pub(crate) fn is_by_meaning(&self) -> bool {
        !self.is_exact && !self.strict.forms
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            is_exact: false,
            moves: Moves::USUAL,
            lists: Vec::new(),
            is_full: false,
            reveals: false,
            strict: Strict::default(),
        }
    }
}

/// The evidence that makes a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moves {
    /// Whether an alias is evidence.
    pub by_alias: bool,
    /// Whether the provider's id is evidence.
    pub by_id: bool,
    /// Whether equal content is evidence: always, never, or only for resources without ids.
    pub by_digest: Option<bool>,
    /// Whether the graphs are those before and after a plan. A plan records all moves, so the old
    /// address of a resource has priority over the address of another one.
    pub as_planned: bool,
}

impl Moves {
    /// The usual evidence.
    pub const USUAL: Moves = Moves { by_alias: true, by_id: true, by_digest: None, as_planned: false };
    /// No evidence: nothing is treated as moved.
    pub const NONE: Moves =
        Moves { by_alias: false, by_id: false, by_digest: Some(false), as_planned: false };
}
