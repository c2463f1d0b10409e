//! Answers about one document, which `coconut-report` and `coconut-query` make.

use crate::error::{Fault, detached};
use crate::objects::of_json;
use crate::opened::{Opened, in_memory};
use coconut_codec::read::file::DocumentView;
use coconut_codec::read::tree::TextScope;
use coconut_format::Value;
use coconut_query::{FilterQuestion, Open};
use coconut_report::answers::deps::{Answer, DepsQuestion};
use coconut_report::answers::find::{FindQuestion, Needle, Within};
use coconut_report::answers::impact::{Affected, ImpactQuestion};
use coconut_report::answers::info::Info;
use coconut_report::relations::{Direction, Relations};
use coconut_report::resources::ResourceGraph;
use coconut_report::{Exit, Failure, code};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

/// The start and the edges of `deps` and `rdeps`.
pub(crate) struct Question<'q> {
    pub(crate) key: &'q str,
    pub(crate) depth: Option<u32>,
    pub(crate) kinds: &'q [String],
    pub(crate) types: &'q [String],
    pub(crate) limit: Option<usize>,
}

/// How a text matches.
#[derive(Clone, Copy)]
pub(crate) struct Match {
    pub(crate) word: bool,
    pub(crate) regex: bool,
    pub(crate) ignore_case: bool,
}

pub(crate) fn info(opened: &Opened) -> Result<Value, Fault> {
    opened.whole(|| {
        let envelope = opened.view().envelope().ok().filter(|_| opened.origin == "file");
        Ok(Info::of(opened.source(), envelope)?.to_report())
    })
}

pub(crate) fn edges(
    opened: &Opened,
    key: &str,
    direction: Direction,
) -> Result<Vec<(String, String)>, Fault> {
    opened.whole(|| {
        let relations = Relations::of(opened.view(), opened.reveal)?;
        let mut found = Vec::new();
        for start in relations.start(key, None)? {
            for (other, number) in relations.edges(start, direction)? {
                found.push((relations.key(other)?, relations.kind(number).to_owned()));
            }
        }
        Ok(found)
    })
}

pub(crate) fn related(
    opened: &Opened,
    question: &Question<'_>,
    direction: Direction,
) -> Result<Vec<u8>, Fault> {
    opened.whole(|| {
        let relations = Relations::of(opened.view(), opened.reveal)?;
        let &Question { key, depth, kinds, types, limit } = question;
        let depth = depth.unwrap_or(u32::MAX);
        let question =
            DepsQuestion { depth, kinds, types, limit, has_edges: true, ..DepsQuestion::new(direction, key) };
        let mut json = Vec::new();
        Answer::of(&relations, &question)?.write_json(&opened.name, false, &mut json)?;
        Ok(json)
    })
}

pub(crate) fn impact(
    opened: &Opened,
    keys: &[String],
    depth: Option<u32>,
    kinds: &[String],
    stop_at: &[String],
) -> Result<Vec<u8>, Fault> {
    opened.whole(|| {
        if keys.is_empty() {
            return Err(Failure::usage("expected the key of a resource that may change"));
        }
        let graph = ResourceGraph::of(opened.view(), opened.reveal, kinds)?;
        let depth = depth.unwrap_or(u32::MAX);
        let question = ImpactQuestion { keys, depth, same_instance: false, stop_at };
        let mut json = Vec::new();
        Affected::of(&graph, &question)?.write_json(&opened.name, &mut json)?;
        Ok(json)
    })
}

pub(crate) fn find(
    opened: &Opened,
    text: String,
    match_as: Match,
    types: &[String],
    limit: Option<u64>,
) -> Result<Vec<u8>, Fault> {
    opened.whole(|| {
        let needle = Needle::new(&[text], match_as.regex, match_as.word, match_as.ignore_case)?;
        let (within, scope) = (Within::of(&[], types)?, TextScope { keys: true, values: true });
        let limit = limit.unwrap_or(u64::MAX);
        let question = FindQuestion { needle: &needle, scope, within: &within, limit };
        let mut json = Vec::new();
        question.write_json(opened.source(), false, opened.reveal, &mut json)?;
        Ok(json)
    })
}

/// A document that views of a filter share.
struct Shared(Arc<Opened>);

impl Open for Shared {
    fn view(&self) -> DocumentView<'_> {
        self.0.view()
    }
}

/// The stack for values of a document, which has at most 512 levels.
const SMALL_STACK: usize = 8 << 20;

/// The stack of a filter, as for `coco query`.
const STACK: usize = 256 << 20;

/// The results of a filter that only selects, each on a line of JSON. `None` for any other.
pub(crate) fn query_here(
    opened: &Arc<Opened>,
    filter: &str,
    most_steps: u64,
) -> Result<Option<Vec<u8>>, Fault> {
    let question = question(opened, filter, most_steps);
    if !question.only_chooses() {
        return Ok(None);
    }
    on_stack(SMALL_STACK, || opened.whole(|| results_of(opened, &question))).map(Some)
}

fn question<'q>(opened: &'q Opened, filter: &'q str, most_steps: u64) -> FilterQuestion<'q> {
    FilterQuestion { filter, name: &opened.name, reveal: opened.reveal, most_steps }
}

fn results_of(opened: &Arc<Opened>, question: &FilterQuestion<'_>) -> Result<Vec<u8>, Failure> {
    let mut json = Vec::new();
    question.write_json(Rc::new(Shared(Arc::clone(opened))), &mut json)?;
    Ok(json)
}

fn on_stack<T: Send>(stack: usize, work: impl FnOnce() -> Result<T, Fault> + Send) -> Result<T, Fault> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(stack).spawn_scoped(scope, work);
        let ended = |message: String| Fault::from(Failure::new(Exit::Run, code::QUERY_ENDED, message));
        let worker = worker.map_err(|error| ended(format!("cannot run the filter: {error}")))?;
        let fault = || Err(ended("the filter met a fault of the interpreter".to_owned()));
        worker.join().unwrap_or_else(|_| fault())
    })
}

/// Runs any filter. For the process that has limits.
#[pyfunction]
pub(crate) fn run_filter<'py>(
    py: Python<'py>,
    name: &str,
    document: &[u8],
    filter: &str,
    reveal: bool,
    max_steps: u64,
) -> PyResult<Bound<'py, PyBytes>> {
    let lines = detached(py, || {
        let opened = Arc::new(in_memory(name, document, reveal)?);
        let question = question(&opened, filter, max_steps);
        on_stack(STACK, || opened.whole(|| results_of(&opened, &question)))
    })?;
    Ok(PyBytes::new(py, &lines))
}

/// The values on lines of JSON.
pub(crate) fn results<'py>(py: Python<'py>, lines: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let mut list = vec![b'['];
    list.extend(lines.strip_suffix(b"\n").unwrap_or(lines).iter().map(|&byte| match byte {
        // JSON text on one line has no other line breaks.
        b'\n' => b',',
        other => other,
    }));
    list.push(b']');
    of_json(py, &list)
}
