//! A filter on one document, from its text to the lines of its results.

use super::ended::Ended;
use super::filter::Filter;
use super::output::{Notation, Output, Style};
use super::plain::Plain;
use super::run::Run;
use super::value::Val;
use super::view::{Open, Source};
use coconut_report::code;
use coconut_report::failure::{Exit, Failure};
use std::io::Write;
use std::rc::Rc;

/// A filter without variables, on a whole document.
///
/// ```
/// use coconut_codec::{CompileOptions, Document, compile};
/// use coconut_query::FilterQuestion;
/// use std::rc::Rc;
///
/// let text = br#"{"a": [{"b": 1}, {"b": 2}]}"#;
/// let file = Document::from_data(compile(text, &CompileOptions::default())?.bytes)?;
/// let (filter, name) = (".a[].b", "a.json");
/// let question = FilterQuestion { filter, name, reveal: false, most_steps: 1_000 };
/// let mut lines = Vec::new();
/// question.write_json(Rc::new(file), &mut lines)?;
/// assert_eq!(lines, b"1\n2\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct FilterQuestion<'q> {
    /// The text of the filter.
    pub filter: &'q str,
    /// The name of the document for messages.
    pub name: &'q str,
    /// Whether secrets may be shown.
    pub reveal: bool,
    /// The maximum number of steps (`docs/query.md`).
    pub most_steps: u64,
}

impl FilterQuestion<'_> {
    /// Whether the filter only chooses values. It then runs without the interpreter, and its stack
    /// is bounded by the depth of the document.
    pub fn only_chooses(&self) -> bool {
        Plain::of(self.filter).is_some() || Filter::choosing(self.filter).is_some()
    }

    /// Writes the results, each on a line of JSON.
    ///
    /// # Errors
    ///
    /// Those of the filter, of its limits and of a damaged document. Results before the error have
    /// been written.
    pub fn write_json(&self, opened: Rc<dyn Open>, out: &mut dyn Write) -> Result<(), Failure> {
        let &FilterQuestion { filter: text, name, reveal, most_steps } = self;
        let mut output = Output::new(Style { notation: Notation::Jsonl, ..Style::default() });
        if let Some(plain) = Plain::of(text) {
            return output.add(plain.value_in(opened, reveal, most_steps, name)?, out);
        }
        let filter = match Filter::choosing(text) {
            Some(choosing) => choosing,
            None => Filter::compile(text, &[])?,
        };
        let source = Rc::new(Source::of(opened, name, reveal)?);
        let run = Run {
            filter: &filter,
            source: Some(Rc::clone(&source)),
            reveal,
            notes: &|_| (),
            most_steps,
            name,
        };
        let ended = run.on(source.root()?, Vec::<Val>::new(), |value| {
            output.add(value, out)?;
            Ok(true)
        });
        source.release();
        match ended? {
            Ended::Whole | Ended::Stopped | Ended::Halted(Exit::Good) => Ok(()),
            Ended::Halted(_) => {
                Err(Failure::new(Exit::Run, code::QUERY_ERROR, "the filter halted with an error"))
            }
        }
    }
}
