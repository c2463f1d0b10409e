//! `coco-inspect ls`: the keys of a document.

use super::grouped;
use crate::console::{Console, DIM};
use crate::failure::{Exit, Failure};
use crate::glob::Glob;
use crate::json::{self, number, object, report, text};
use crate::open::open;
use crate::select::{Classes, word_of};
use clap::Args;
use coconut_codec::lookup::LandmarkView;
use coconut_format::Value;
use coconut_format::error::DecodeError;
use std::path::PathBuf;

/// List the keys that can be looked up
///
/// One key per line, in document order; a document whose landmarks have several classes shows the class first.
/// Reads keys only, never the values. Exits with 1 if a GLOB matches nothing.
#[derive(Args, Debug)]
#[command(after_long_help = super::examples(include_str!("../../tests/help/ls.trycmd")))]
pub(crate) struct Ls {
    /// The document
    file: PathBuf,

    /// Which keys: `*` stands for any text, `?` for a character; a text without these may stand anywhere in the key
    glob: Option<String>,

    /// Only landmarks of this class: a number, a word or a pattern, as `info` shows them
    #[arg(long, value_name = "N|NAME")]
    class: Option<String>,

    /// Only say how many there are
    #[arg(long)]
    count: bool,

    /// Stop after this many
    #[arg(long, value_name = "N")]
    limit: Option<u64>,
}

impl Ls {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        let opened = open(&self.file)?;
        self.list(&opened, console).map_err(|failure| failure.in_file(&opened.name))
    }

    fn list(&self, opened: &crate::open::Opened, console: &mut Console) -> Result<Exit, Failure> {
        let document = opened.view();
        let rule = &document.header().rule;
        let classes = Classes::named(rule, self.class.as_deref())?;
        let glob = self.glob.as_deref().map(Glob::new);
        let words: Vec<String> = rule.patterns().iter().map(word_of).collect();
        let width = words.iter().map(String::len).max().unwrap_or_default();
        let mut rows = Vec::new();
        let (mut count, mut is_cut) = (0u64, false);
        let mut keys = document.keys()?;
        while let Some((landmark, key)) = keys.read_next()? {
            let class = landmark.class()?;
            if !classes.contains(class) || glob.as_ref().is_some_and(|glob| !glob.matches(key)) {
                continue;
            }
            if self.limit.is_some_and(|limit| count >= limit) {
                is_cut = true;
                break;
            }
            count += 1;
            if self.count {
                continue;
            }
            let word = words.get(usize::from(class)).map_or("", String::as_str);
            if console.json {
                rows.push(row(landmark, key, word)?);
            } else if words.len() > 1 {
                let line = format!(
                    "{} {}",
                    console.paint(DIM, &format!("{word:<width$}")),
                    crate::console::visible(key)
                );
                console.line(&line)?;
            } else {
                console.line(&crate::console::visible(key))?;
            }
        }
        if console.json {
            let mut members = report(
                "ls",
                [("file", text(&opened.name)), ("count", number(count)), ("truncated", Value::Bool(is_cut))],
            );
            if let (false, Value::Object(members)) = (self.count, &mut members) {
                members.push(("landmarks".to_owned(), Value::List(rows)));
            }
            json::print(console, &members)?;
        } else if self.count {
            console.line(&count.to_string())?;
        } else if is_cut {
            let all = grouped(document.landmark_count()?.into());
            let note = format!("... stopped after {}; the document has {all} landmarks", grouped(count));
            let note = console.paint(DIM, &note);
            console.line(&note)?;
        }
        let is_negative = count == 0 && (self.glob.is_some() || self.class.is_some());
        Ok(if is_negative { Exit::Negative } else { Exit::Good })
    }
}

fn row(landmark: LandmarkView<'_>, key: &str, word: &str) -> Result<Value, DecodeError> {
    let parent = landmark.parent()?.map(|parent| parent.ordinal()).transpose()?;
    Ok(object([
        ("ordinal", number(u64::from(landmark.ordinal()?))),
        ("key", text(key)),
        ("class", number(u64::from(landmark.class()?))),
        ("name", text(word)),
        ("parent", parent.map_or(Value::Null, |parent| number(u64::from(parent)))),
        ("offset", number(landmark.offset())),
    ]))
}
