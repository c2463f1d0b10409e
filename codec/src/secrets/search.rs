//! §15.8 The search for secrets in documents: the possible marks in a document, the visited parts,
//! and the cost.

use super::restricted::{Part, Restricted};
use super::words::{PRIVATE, all_words, holds_a_string, holds_a_word, words_in};
use crate::limits;
use crate::read::file::DocumentView;
use crate::read::view::WatchedView;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::graph::{PathSet, secret_places_within};
use coconut_format::landmark::{DIALECTS, Dialect};
use coconut_format::node::{Kind, Node};
use std::cell::Cell;

/// A search for secrets in one document.
#[derive(Clone, Copy)]
pub(super) struct Search<'d> {
    pub(super) document: DocumentView<'d>,
    /// The maximum number of visited values. A shared value is visited once, or once for each
    /// occurrence if it contains secrets.
    pub(super) limit: u64,
}

impl<'d> Search<'d> {
    pub(super) fn new(document: DocumentView<'d>) -> Search<'d> {
        Search { document, limit: limits::search_budget(document.length()) }
    }

    /// The secret places of a part of a document of these dialects, which contains these of the
    /// words that mark secrets. Visited values are counted in `visited`.
    pub(super) fn secrets<'a, N: Node<'a>, P: Part<'a, N>>(
        self,
        root: (N, P),
        dialects: &[&Dialect],
        visited: &'a Cell<u64>,
        words: &[&str],
    ) -> Result<PathSet, DecodeError> {
        let most = limits::max_secret_steps(self.document.length());
        let places = self.walk(root, visited, |root| {
            secret_places_within(root, dialects, most, |word| words.contains(&word))
        })?;
        places.ok_or_else(|| {
            let (count, limit) = (most.saturating_add(1), most);
            ErrorKind::TooMany { what: "steps to secrets", count, limit }.at(self.document.root().offset())
        })
    }

    /// Walks a part of the document.
    pub(super) fn walk<'a, N: Node<'a>, P: Part<'a, N>, T>(
        self,
        (root, part): (N, P),
        visited: &'a Cell<u64>,
        walk: impl FnOnce(Restricted<'a, N, P>) -> T,
    ) -> Result<T, DecodeError> {
        let walked = walk(Restricted::new(root, part, visited, self.limit));
        match visited.get() > self.limit {
            true => Err(ErrorKind::Work { limit: self.limit }.at(self.document.root().offset())),
            false => Ok(walked),
        }
    }
}

/// The dialects that define the secrets: the one detected from the content, and the one in the
/// header, which readers do not compare with the content. Any dialect without its own marks
/// represents the rest, because Pulumi's secrets mark themselves.
pub(super) fn dialects_of<'a, N: Node<'a>>(document: DocumentView<'_>, root: N) -> Vec<&'static Dialect> {
    let shown = Dialect::of(root).unwrap_or(&DIALECTS[0]);
    let named = document.header().dialect.as_deref().and_then(Dialect::named);
    let named = named.filter(|named| named.name != shown.name);
    std::iter::once(shown).chain(named).collect()
}

/// The possible places of marks of secrets in a document.
pub(super) enum Marks {
    None,
    /// The places listed in the tables.
    Outside,
    /// Any place. The words are in the document.
    Anywhere(Vec<&'static str>),
}

/// Searches the bytes of the document for words that mark secrets, since strings are stored
/// unchanged, and the document for configuration.
pub(super) fn marks_of(document: DocumentView<'_>) -> Result<Marks, DecodeError> {
    let words = words_in(document.bytes());
    if !words.is_empty() {
        return Ok(Marks::Anywhere(words));
    }
    let fault = Cell::new(None);
    let root = WatchedView::new(document.root(), &fault);
    let around = root.get("checkpoint").unwrap_or(root);
    let has_configuration =
        ["config", "configuration"].iter().any(|key| around.get(key).or(root.get(key)).is_some());
    let is_list = root.kind() == Kind::List;
    let is_known = Dialect::of(root).is_some() || document.header().dialect.is_some();
    if let Some(error) = fault.take() {
        return Err(error);
    }
    let has_words = holds_a_word(document.bytes(), &["sensitive", "additionalSecretOutputs", "NoEcho"])
        || PRIVATE.iter().all(|word| holds_a_string(document.bytes(), word));
    Ok(match has_words || has_configuration {
        // The searches of these dialects visit all resources.
        true if is_known => Marks::Anywhere(words),
        true => Marks::Outside,
        // Only configuration contains secrets without one of the words.
        false if is_list && holds_a_word(document.bytes(), &["secret"]) => Marks::Outside,
        false => Marks::None,
    })
}

/// The words to search in a part of a document: all of them. Searching the bytes for them would
/// read the whole file, unless the part is the whole document.
pub(super) fn words_for(document: DocumentView<'_>, is_whole: bool) -> Vec<&'static str> {
    if is_whole { words_in(document.bytes()) } else { all_words() }
}
