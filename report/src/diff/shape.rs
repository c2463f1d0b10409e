//! The requested form of an answer, and the documents that it is about.

use coconut_codec::read::file::DocumentView;

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Lines for people.
    #[default]
    Text,
    /// One report in JSON.
    Json,
    /// A line of JSON for each change, and the summary last.
    Jsonl,
    /// A table and folded details, for a comment of at most 65,000 bytes.
    Markdown,
}

/// The form of an answer, and how much it contains.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The form.
    pub form: Form,
    /// Whether only the summary is written.
    pub only_summary: bool,
    /// Whether only signs and keys are written.
    pub only_names: bool,
    /// Whether changes that do not count are written, too.
    pub is_full: bool,
    /// The maximum number of characters of a value.
    pub width: usize,
    /// The unchanged lines around changed lines of a text.
    pub context: usize,
    /// The maximum number of changes. The summary counts all.
    pub max_changes: usize,
    /// Whether secrets are shown.
    pub reveals: bool,
    /// Whether text has the styles of a terminal.
    pub is_coloured: bool,
}

impl Default for Shape {
    /// The shape of `coco diff` without options, in a pipe.
    fn default() -> Shape {
        Shape {
            form: Form::Text,
            only_summary: false,
            only_names: false,
            is_full: false,
            width: 100,
            context: 1,
            max_changes: 10_000,
            reveals: false,
            is_coloured: false,
        }
    }
}

/// One of the two documents.
#[derive(Clone, Copy, Debug)]
pub struct NamedDocument<'d> {
    /// The name in the answer.
    pub name: &'d str,
    /// The document.
    pub view: DocumentView<'d>,
    /// Whether it stands for a missing document.
    pub is_missing: bool,
}

impl<'d> NamedDocument<'d> {
    /// A document that exists.
    pub fn new(name: &'d str, view: DocumentView<'d>) -> NamedDocument<'d> {
        NamedDocument { name, view, is_missing: false }
    }
}
