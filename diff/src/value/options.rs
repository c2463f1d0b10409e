//! §16.3 What the caller of a comparison can choose.

use crate::value::list::ListMode;
use crate::value::places::PlacePattern;
use crate::value::same::Strictness;

/// How two documents are compared.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether orders, forms of numbers and notes of tools count like values.
    pub is_exact: bool,
    /// What makes a resource the same as one of another key.
    pub moves: Moves,
    /// How lists at these places are paired, before all other rules.
    pub lists: Vec<(PlacePattern, ListMode)>,
    /// Whether created and deleted resources have a change for each of their entries.
    pub is_full: bool,
    /// Whether secrets are compared and given like other values.
    pub reveals: bool,
    /// What counts besides.
    pub strict: Strict,
}

/// Differences that may be none. They count on request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strict {
    /// Values that are not known yet.
    pub unknowns: bool,
    /// Secrets that were encrypted anew, perhaps with the same content.
    pub secrets: bool,
    /// Other forms of a value, and another order of items where no rule says what the list is. In
    /// objects, another order of keys still does not count.
    pub forms: bool,
}

impl Options {
    pub(crate) fn strictness(&self) -> Strictness {
        match (self.is_exact, self.strict.forms) {
            (false, true) => Strictness::VALUES,
            (is_exact, _) => Strictness::of(is_exact),
        }
    }

    /// Whether other spelling and notes of tools can be no difference.
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
    /// Whether an alias does.
    pub by_alias: bool,
    /// Whether the provider's id does.
    pub by_id: bool,
    /// Whether equal content does: always, never, or where no resource has an id.
    pub by_digest: Option<bool>,
    /// Whether the graphs are those before and after a plan. It says all that has moved, so the old
    /// address of a resource goes before the address of another one.
    pub as_planned: bool,
}

impl Moves {
    /// The usual evidence.
    pub const USUAL: Moves = Moves { by_alias: true, by_id: true, by_digest: None, as_planned: false };
    /// Nothing has moved.
    pub const NONE: Moves =
        Moves { by_alias: false, by_id: false, by_digest: Some(false), as_planned: false };
}
