//! §10.1 A file that is read in pieces gives the same answers as the same bytes in memory, or is
//! refused for the same reason.

use super::{BUDGET, file_of};
use crate::checksums::repair;
use crate::generate::{checkpoint, urn};
use arbitrary::{Result, Unstructured};
use coconut_codec::Profile;
use coconut_codec::bytes::paged::PagedFile;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::{DocumentFile, DocumentView, Storage};
use coconut_codec::read::integrity::Integrity;
use coconut_codec::read::lookup::LandmarkView;
use coconut_codec::read::stream::StreamError;
use coconut_codec::serde::{Limits, Reader};
use coconut_format::{DecodeError, Value};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// Resources of the graphs here: enough for a file of many pages with an index.
const RESOURCES: usize = 150;

/// Asks a question, chosen by the first bytes, of a file with arbitrary bytes or of a graph with
/// some bytes changed. Asks it in both ways.
pub fn paged(data: &[u8]) {
    let mut choices = Unstructured::new(data);
    let Ok(Case { bytes, questions }) = case(&mut choices) else { return };
    let path = PLACE.with(|(_, path)| path.clone());
    fs::write(&path, &bytes).expect("the directory is ours");
    let whole = DocumentFile::from_data(bytes);
    let by_piece = PagedFile::open(&path).expect("it was just written");
    let by_piece = DocumentFile::from_data(by_piece);
    let (whole, by_piece) = match (whole, by_piece) {
        (Ok(whole), Ok(by_piece)) => (whole, by_piece),
        (whole, by_piece) => return assert_eq!(by_piece.err(), whole.err(), "opening"),
    };
    assert_eq!(by_piece.header(), whole.header());
    for question in questions {
        let expected = answer(&whole, question);
        assert_eq!(answer(&by_piece, question), expected, "{question:?}");
        assert_eq!(by_piece.touched_ranges(), whole.touched_ranges(), "after {question:?}");
    }
    assert!(by_piece.data().fault().is_none(), "the file can be read");
}

thread_local! {
    /// The path of the file, in a directory that is removed at the end.
    static PLACE: (TempDir, PathBuf) = {
        let directory = tempfile::tempdir().expect("a directory for temporary files");
        let path = directory.path().join("file");
        (directory, path)
    };

    /// The same graph in each profile.
    static GRAPHS: [Vec<u8>; 3] = Profile::ALL.map(|profile| {
        let options = CompileOptions { profile, ..CompileOptions::default() };
        compile(checkpoint(RESOURCES).as_bytes(), &options).expect("a graph within the limits").bytes
    });
}

/// A file, and the question to ask.
struct Case {
    bytes: Vec<u8>,
    questions: Vec<Question>,
}

fn case(choices: &mut Unstructured<'_>) -> Result<Case> {
    let source = choices.int_in_range(0..=5u8)?;
    let count = choices.int_in_range(1..=6u8)?;
    let questions = (0..count).map(|_| question(choices)).collect::<Result<_>>()?;
    if source == 0 {
        let bytes = file_of(choices.bytes(choices.len())?).unwrap_or_default();
        return Ok(Case { bytes, questions });
    }
    let mut bytes = GRAPHS.with(|graphs| graphs[usize::from(source) % graphs.len()].clone());
    let is_repaired = choices.arbitrary()?;
    while !choices.is_empty() {
        let at = choices.arbitrary::<u32>()? as usize % bytes.len();
        bytes[at] = choices.arbitrary()?;
    }
    if is_repaired {
        repair(&mut bytes);
    }
    Ok(Case { bytes, questions })
}

/// The questions.
#[derive(Clone, Copy, Debug)]
enum Question {
    /// The landmarks that have the URN of this resource.
    Key(usize),
    /// A landmark: its key, its value, and the ends of its edges.
    Landmark(u32),
    /// The number of landmarks.
    Count,
    /// The value of the last landmark, through serde.
    Typed,
    /// The whole document as events.
    Stream,
    /// The number of values that a tree of it stores.
    Tree,
    Blocks,
    Values,
    Integrity,
}

fn question(choices: &mut Unstructured<'_>) -> Result<Question> {
    let number = choices.int_in_range(0..=RESOURCES + 1)?;
    Ok(match choices.int_in_range(0..=15u8)? {
        0..=4 => Question::Key(number),
        5..=8 => Question::Landmark(u32::try_from(number).expect("a small number")),
        9 => Question::Count,
        10 => Question::Typed,
        11 => Question::Stream,
        12 => Question::Tree,
        13 => Question::Blocks,
        14 => Question::Values,
        _ => Question::Integrity,
    })
}

/// The answer of a file.
#[derive(Debug, PartialEq)]
enum Answer {
    Offsets(Vec<u64>),
    Landmark { offset: u64, key: String, value: Value, ends: Vec<u64> },
    Count(usize),
    Value(Value),
    Typed(std::result::Result<serde_json::Value, String>),
    Integrity(Integrity),
    Nothing,
}

fn answer<D: Storage>(
    file: &DocumentFile<D>,
    question: Question,
) -> std::result::Result<Answer, StreamError> {
    let view = file.view();
    Ok(match question {
        Question::Key(number) => {
            Answer::Offsets(view.get_all(&urn(number))?.iter().map(LandmarkView::offset).collect())
        }
        Question::Landmark(ordinal) => match view.landmark(ordinal)? {
            Some(landmark) => told(landmark)?,
            None => Answer::Nothing,
        },
        Question::Count => Answer::Count(view.landmark_count()? as usize),
        Question::Typed => {
            let Some(landmark) = view.landmark_count()?.checked_sub(1) else { return Ok(Answer::Nothing) };
            let Some(landmark) = view.landmark(landmark)? else { return Ok(Answer::Nothing) };
            let limits = Limits { values: BUDGET.values, bytes: BUDGET.bytes, ..Limits::default() };
            let reader = Reader::new(view).with_limits(limits);
            let typed = reader.read(landmark.value()?);
            Answer::Typed(typed.map_err(|error| error.to_string()))
        }
        Question::Stream => Answer::Value(whole(view)?),
        Question::Tree => Answer::Count(view.tree()?.stored_nodes()),
        Question::Blocks => nothing(view.check_blocks())?,
        Question::Values => nothing(view.check_values())?,
        Question::Integrity => Answer::Integrity(view.check_integrity()?),
    })
}

fn nothing(checked: std::result::Result<(), DecodeError>) -> std::result::Result<Answer, DecodeError> {
    checked.map(|()| Answer::Nothing)
}

fn whole(view: DocumentView<'_>) -> std::result::Result<Value, StreamError> {
    let mut sink = ValueSink::new();
    view.stream(&mut sink, BUDGET)?;
    Ok(sink.finish().expect("a stream that succeeds is one document"))
}

fn told(landmark: LandmarkView<'_>) -> std::result::Result<Answer, StreamError> {
    let key = landmark.key()?.into_owned();
    let mut sink = ValueSink::new();
    landmark.value()?.stream(&mut sink, BUDGET)?;
    let value = sink.finish().expect("a stream that succeeds is one document");
    let edges = landmark.dependencies()?.into_iter().chain(landmark.dependents()?);
    let ends = edges.map(|edge| edge.landmark.offset()).collect();
    Ok(Answer::Landmark { offset: landmark.offset(), key, value, ends })
}
