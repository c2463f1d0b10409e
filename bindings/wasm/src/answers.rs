//! Answers about one document, which `coconut-report` and `coconut-query` make.

use crate::document::{Document, Opened};
use crate::fault::Fault;
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::tree::TextScope;
use coconut_format::numerals::hex;
use coconut_query::{FilterQuestion, Open};
use coconut_report::answers::deps::{Answer, DepsQuestion};
use coconut_report::answers::find::{FindQuestion, Needle, Within};
use coconut_report::answers::impact::{Affected, ImpactQuestion};
use coconut_report::answers::info::Info;
use coconut_report::relations::{Direction, Relations};
use coconut_report::resources::ResourceGraph;
use coconut_report::{Failure, json, source};
use std::rc::Rc;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Document {
    /// Facts about the file and its contents, as `coco info --json`.
    pub fn info(&self) -> Result<String, Fault> {
        self.answer(|out| {
            out.append(&mut json::to_line(&Info::of(self.source(), None)?.to_report()));
            Ok(())
        })
    }

    /// Checks everything (§10), and returns the digest of the document's values (§4.7).
    pub fn verify(&self) -> Result<String, Fault> {
        self.view().check_integrity().map_err(|error| self.failed(error))?;
        let digest = self.view().root().digest().map_err(|error| self.failed(error))?;
        Ok(hex(&digest))
    }

    /// All that a resource depends on, or all that depends on it, as `coco deps --json`.
    pub fn related(
        &self,
        key: &str,
        is_up: bool,
        depth: Option<u32>,
        kinds: Vec<String>,
        types: Vec<String>,
        limit: Option<u32>,
    ) -> Result<String, Fault> {
        let direction = if is_up { Direction::Dependents } else { Direction::Dependencies };
        self.answer(|out| {
            let relations = Relations::of(self.view(), self.0.reveal)?;
            let question = DepsQuestion {
                depth: depth.unwrap_or(u32::MAX),
                kinds: &kinds,
                types: &types,
                limit: limit.map(|limit| limit as usize),
                has_edges: true,
                ..DepsQuestion::new(direction, key)
            };
            Answer::of(&relations, &question)?.write_json(&self.0.name, false, out)
        })
    }

    /// The numbers of dependents, as `coco impact --json`.
    pub fn impact(
        &self,
        keys: Vec<String>,
        depth: Option<u32>,
        kinds: Vec<String>,
        stop_at: Vec<String>,
    ) -> Result<String, Fault> {
        self.answer(|out| {
            if keys.is_empty() {
                return Err(Failure::usage("expected the key of a resource that may change"));
            }
            let graph = ResourceGraph::of(self.view(), self.0.reveal, &kinds)?;
            let (depth, stop_at) = (depth.unwrap_or(u32::MAX), &stop_at[..]);
            let question = ImpactQuestion { keys: &keys, depth, same_instance: false, stop_at };
            Affected::of(&graph, &question)?.write_json(&self.0.name, out)
        })
    }

    /// The places of a text in values and keys, as `coco find --json`.
    pub fn find(
        &self,
        text: String,
        word: bool,
        regex: bool,
        ignore_case: bool,
        types: Vec<String>,
        limit: Option<u32>,
    ) -> Result<String, Fault> {
        self.answer(|out| {
            let needle = Needle::new(&[text], regex, word, ignore_case)?;
            let (within, scope) = (Within::of(&[], &types)?, TextScope { keys: true, values: true });
            let limit = limit.map_or(u64::MAX, u64::from);
            let question = FindQuestion { needle: &needle, scope, within: &within, limit };
            question.write_json(self.source(), false, self.0.reveal, out).map(drop)
        })
    }

    /// The results of a filter, each on a line of JSON. With `only_choosing`, there is no answer
    /// for a filter that needs the interpreter: it may use up the stack, which ends the module.
    pub fn query(&self, filter: &str, most_steps: u32, only_choosing: bool) -> Result<Option<String>, Fault> {
        let name = &self.0.name;
        let question = FilterQuestion { filter, name, reveal: self.0.reveal, most_steps: most_steps.into() };
        if only_choosing && !question.only_chooses() {
            return Ok(None);
        }
        self.answer(|out| question.write_json(Rc::new(Shared(Rc::clone(&self.0))), out)).map(Some)
    }
}

impl Document {
    /// The document, and the facts of its file.
    pub(crate) fn source(&self) -> source::Source<'_> {
        let size = self.0.source_size.unwrap_or(self.view().length() as u64);
        let is_text = self.0.source_size.is_some();
        source::Source { name: &self.0.name, view: self.view(), size, is_text }
    }

    /// Does work that reads most of the document by views. These trust its offset tables, which are
    /// compared first.
    pub(crate) fn whole<T>(&self, work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Fault> {
        let checked = self.view().check_offset_tables().map_err(Failure::from);
        checked.and_then(|()| work()).map_err(|failure| failure.in_file(&self.0.name).into())
    }

    fn answer(&self, work: impl FnOnce(&mut Vec<u8>) -> Result<(), Failure>) -> Result<String, Fault> {
        let mut json = Vec::new();
        self.whole(|| work(&mut json))?;
        Ok(String::from_utf8(json).expect("answers are UTF-8"))
    }
}

/// A document that views of a filter share.
struct Shared(Rc<Opened>);

impl Open for Shared {
    fn view(&self) -> DocumentView<'_> {
        self.0.file.view()
    }
}
