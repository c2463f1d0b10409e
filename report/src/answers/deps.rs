//! Dependencies and dependents of a resource: a tree, a list, a number, or JSON.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_report::answers::deps::{Answer, DepsQuestion};
//! use coconut_report::relations::{Direction, Relations};
//! use coconut_report::style::TextWriter;
//!
//! let state = br#"{"version": 4, "resources": [
//!   {"mode": "managed", "type": "t", "name": "net", "instances": [{"attributes": {}}]},
//!   {"mode": "managed", "type": "t", "name": "web",
//!    "instances": [{"attributes": {}, "dependencies": ["t.net"]}]}]}"#;
//! let file = DocumentFile::from_data(compile(state, &CompileOptions::default())?.bytes)?;
//! let relations = Relations::of(file.view(), false)?;
//! let question = DepsQuestion::new(Direction::Dependents, "t.net");
//! let answer = Answer::of(&relations, &question)?;
//! assert_eq!(answer.count(), 1);
//!
//! let mut text = Vec::new();
//! answer.write_tree(false, &mut TextWriter::new(&mut text, false))?;
//! assert_eq!(String::from_utf8(text)?, "t.net\n└── t.web\n1 resource depends on it\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod json;
mod reached;
mod text;

use crate::failure::Failure;
use crate::name_filter::NameFilter;
use crate::relations::{Direction, Follow, Relations};
use coconut_format::numerals::grouped;
use reached::{Reached, Wanted};
pub use text::inferred_note;

/// The reason for an upper bound.
pub(super) const NOT_RECORDED: &str = "the state does not record which instance";

/// The remark about a guess that the caller requested.
pub(super) const GUESS: &str = "a guess: instances of a module use resources of their own instance";

/// The start of the search, and the resources to show.
#[derive(Clone, Copy, Debug)]
pub struct DepsQuestion<'q> {
    /// The direction in which edges are followed.
    pub direction: Direction,
    /// The resource to start from.
    pub key: &'q str,
    /// The class of landmarks that `key` names.
    pub class: Option<&'q str>,
    /// Follow at most this many edges.
    pub depth: u32,
    /// Follow only edges of these kinds. Empty for all.
    pub kinds: &'q [String],
    /// Only resources of these types, and paths to them. Empty for all.
    pub types: &'q [String],
    /// Guess that instances of a module use resources of their own instance.
    pub same_instance: bool,
    /// The maximum number of resources that are shown.
    pub limit: Option<usize>,
    /// Keep the edges, which JSON contains.
    pub has_edges: bool,
}

impl<'q> DepsQuestion<'q> {
    /// Asks for everything that can be reached.
    pub fn new(direction: Direction, key: &'q str) -> DepsQuestion<'q> {
        DepsQuestion {
            direction,
            key,
            class: None,
            depth: u32::MAX,
            kinds: &[],
            types: &[],
            same_instance: false,
            limit: None,
            has_edges: false,
        }
    }
}

/// The resources that a resource depends on, or that depend on it.
pub struct Answer<'q, 'a> {
    question: &'q DepsQuestion<'q>,
    relations: &'q Relations<'a>,
    start: Vec<u32>,
    reached: Reached,
}

impl<'q, 'a> Answer<'q, 'a> {
    /// Follows the edges.
    ///
    /// # Errors
    ///
    /// `NO-EDGES` if the document cannot have edges, `USAGE` for a kind that no edge has,
    /// `KEY-MISSING` and others if the key does not name a resource.
    pub fn of(
        relations: &'q Relations<'a>,
        question: &'q DepsQuestion<'q>,
    ) -> Result<Answer<'q, 'a>, Failure> {
        if !relations.has_edges() {
            return Err(relations.no_edges());
        }
        let wanted = Wanted {
            kinds: relations.wanted_kinds(question.kinds)?,
            types: NameFilter::of_types(question.types)?,
            depth: question.depth,
            edges: question.has_edges,
            follow: Follow::guessing(question.same_instance),
        };
        let start = relations.start(question.key, question.class)?;
        let reached = Reached::of(relations, &start, &wanted, question.direction)?;
        Ok(Answer { question, relations, start, reached })
    }

    /// The number of resources of a requested type, each instance counted.
    pub fn count(&self) -> usize {
        self.reached.wanted_members().count()
    }

    /// The remarks beside a list or a number. A tree and JSON contain them.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.guess();
        if self.reached.is_upper_bound() {
            notes.push(format!("at most {}; {NOT_RECORDED}", grouped(self.count() as u64)));
        }
        self.add_dangling(&mut notes);
        notes
    }

    /// The remark about a guess, if the caller requested one.
    fn guess(&self) -> Vec<String> {
        let is_guess = self.question.same_instance && self.relations.has_instances();
        is_guess.then(|| GUESS.to_owned()).into_iter().collect()
    }
}
