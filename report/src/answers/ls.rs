//! The keys of a document that can be looked up.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_report::answers::ls::{Columns, Keys, LsQuestion};
//! use coconut_report::source::Source;
//! use coconut_report::style::TextWriter;
//!
//! let graph = br#"{"package": "net:*", "vertices": {"web": {"type": "t"}, "db": {"type": "t"}}}"#;
//! let file = DocumentFile::from_data(compile(graph, &CompileOptions::default())?.bytes)?;
//! let question = LsQuestion { glob: Some("w*"), ..LsQuestion::default() };
//! let keys = Keys::of(Source::new("net.coco", file.view()), &question, false)?;
//!
//! let mut text = Vec::new();
//! let found = keys.write_text(Columns::Keys, &mut TextWriter::new(&mut text, false))?;
//! assert_eq!((found.count, text), (1, b"web\n".to_vec()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::failure::Failure;
use crate::glob::Glob;
use crate::json::{members, number, optional_number, text};
use crate::name_filter::NameFilter;
use crate::safe::visible;
use crate::select::{Classes, KeyNumbers, numbered, type_of, word_of};
use crate::source::Source;
use crate::streamed::{Report, collected};
use crate::style::{DIM, TextWriter};
use coconut_codec::read::lookup::LandmarkView;
use coconut_codec::secrets::{HiddenKeys, Redaction};
use coconut_format::Value;
use coconut_format::numerals::grouped;
use std::io::Write;

/// The landmarks to list.
#[derive(Clone, Copy, Debug, Default)]
pub struct LsQuestion<'q> {
    /// A pattern of keys, or a text that they contain.
    pub glob: Option<&'q str>,
    /// Ignore case in the pattern.
    pub ignore_case: bool,
    /// Only landmarks of this class.
    pub class: Option<&'q str>,
    /// Only resources of these types. Empty for all.
    pub types: &'q [String],
    /// The maximum number of landmarks.
    pub limit: Option<u64>,
    /// Count only. Then no key is shown, and secrets are only looked for if there is a pattern.
    pub only_count: bool,
}

/// The columns of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    /// Only keys.
    Keys,
    /// Classes before the keys.
    Classes,
    /// Classes before the keys, and types after them.
    All,
}

/// The landmarks of a document that a question selects.
pub struct Keys<'d> {
    source: Source<'d>,
    classes: Classes,
    glob: Option<Glob>,
    types: NameFilter,
    limit: Option<u64>,
    only_count: bool,
    hidden: HiddenKeys,
    words: Vec<String>,
}

/// The number of listed landmarks, and whether there are more.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    /// The number.
    pub count: u64,
    /// Whether there are more.
    pub is_cut: bool,
}

impl<'d> Keys<'d> {
    /// Prepares the search, which runs while the answer is written.
    pub fn of(source: Source<'d>, question: &LsQuestion<'_>, reveal: bool) -> Result<Keys<'d>, Failure> {
        let document = source.view;
        let rule = document.header().rule()?;
        // With a pattern, hidden keys must be excluded from the comparison.
        let redaction = match question.only_count && question.glob.is_none() {
            true => Redaction::default(),
            false => Redaction::of_document(document, reveal)?,
        };
        Ok(Keys {
            source,
            classes: Classes::named(document, question.class)?,
            glob: question.glob.map(|glob| Glob::with_case(glob, question.ignore_case)).transpose()?,
            types: NameFilter::of_types(question.types)?,
            limit: question.limit,
            only_count: question.only_count,
            hidden: HiddenKeys::of(document, &redaction)?,
            words: rule.patterns().iter().map(word_of).collect(),
        })
    }

    /// Whether landmarks can be of several classes.
    pub fn has_classes(&self) -> bool {
        self.words.len() > 1
    }

    /// Passes each landmark to `list`, with its key, its number among those with the same key, and
    /// the word for its class. Only counts, if that was the question.
    fn each(
        &self,
        mut list: impl FnMut(LandmarkView<'d>, &str, Option<u32>, &str) -> Result<(), Failure>,
    ) -> Result<Found, Failure> {
        let mut count = 0;
        let mut numbers = KeyNumbers::default();
        let mut keys = self.source.view.keys()?;
        while let Some((landmark, key)) = keys.read_next()? {
            let class = landmark.class()?;
            let key = self.hidden.shown(landmark, key)?;
            if !self.classes.contains(class) || self.glob.as_ref().is_some_and(|glob| !glob.matches(key)) {
                continue;
            }
            if !self.types.is_all() && !self.types.has(&type_of(landmark)?) {
                continue;
            }
            if self.limit.is_some_and(|limit| count >= limit) {
                return Ok(Found { count, is_cut: true });
            }
            count += 1;
            if self.only_count {
                continue;
            }
            // Hidden keys cannot be used for lookups, with or without a number.
            let number = match self.hidden.has(landmark)? {
                true => None,
                false => numbers.of(landmark, key)?,
            };
            list(landmark, key, number, self.words.get(usize::from(class)).map_or("", String::as_str))?;
        }
        Ok(Found { count, is_cut: false })
    }

    /// Counts the landmarks.
    pub fn count(&self) -> Result<Found, Failure> {
        self.each(|_, _, _, _| Ok(()))
    }

    /// Writes a line for each landmark, in document order.
    pub fn write_text(&self, columns: Columns, out: &mut TextWriter<'_>) -> Result<Found, Failure> {
        let width = self.words.iter().map(String::len).max().unwrap_or_default();
        self.each(|landmark, key, number, word| {
            let key = visible(&numbered(key, number));
            if columns == Columns::Keys {
                return out.line(&key);
            }
            let word = out.paint(DIM, &format!("{word:<width$}"));
            if columns == Columns::Classes {
                return out.line(&format!("{word} {key}"));
            }
            let type_name = out.paint(DIM, &type_of(landmark)?);
            out.line(&format!("{word} {key}  {type_name}"))
        })
    }

    /// The note about landmarks that were left out.
    pub fn cut_note(&self, found: Found) -> Result<Option<String>, Failure> {
        let all = grouped(self.source.view.landmark_count()?.into());
        let note = || format!("... stopped after {}; the document has {all} landmarks", grouped(found.count));
        Ok(found.is_cut.then(note))
    }

    /// The report that `write_json` writes, as data.
    pub fn to_report(&self) -> Result<Value, Failure> {
        collected(|out| self.write_json(out).map(drop))
    }

    /// Writes a report. The schema is `schemas/ls.json`.
    pub fn write_json(&self, out: &mut dyn Write) -> Result<Found, Failure> {
        // Nothing is written before a count that may fail.
        let counted = self.only_count.then(|| self.count()).transpose()?;
        let mut report = Report::begin(out, "ls", [("file", text(self.source.name))])?;
        let found = match counted {
            Some(found) => found,
            None => {
                report.begin_list("landmarks")?;
                let found = self.each(|landmark, key, own_number, word| {
                    let parent = landmark.parent()?.map(|parent| parent.ordinal()).transpose()?;
                    report.item(&members([
                        ("ordinal", Some(number(u64::from(landmark.ordinal()?)))),
                        ("key", Some(text(key))),
                        ("number", own_number.map(|own| number(u64::from(own)))),
                        ("class", Some(number(u64::from(landmark.class()?)))),
                        ("name", Some(text(word))),
                        ("parent", Some(optional_number(parent.map(u64::from)))),
                        ("offset", Some(number(landmark.offset()))),
                    ]))
                })?;
                report.end_list()?;
                found
            }
        };
        report.member("count", &number(found.count))?;
        report.member("truncated", &Value::Bool(found.is_cut))?;
        report.end()?;
        Ok(found)
    }
}
