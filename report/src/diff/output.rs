//! The result in the order of writing: header, changes, summary.

use super::filter::Filter;
use super::json::{JsonOutput, LineOutput};
use super::markdown::MarkdownOutput;
use super::shape::{Form, NamedDocument, Shape};
use super::shown::{is_changed_too, is_forgotten};
use super::text::TextOutput;
use crate::failure::Failure;
use coconut_diff::value::Class;
use coconut_diff::{Change, Happened, Masks, ResourceChange, Summary};
use std::io::Write;

/// The request, and the compared documents.
#[derive(Clone, Copy)]
pub(super) struct Answer<'o> {
    pub(super) old: NamedDocument<'o>,
    pub(super) new: NamedDocument<'o>,
    pub(super) shape: &'o Shape,
}

/// The results that were not left out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// The resources, by what happened to them.
    pub summary: Summary,
    /// Moved resources that changed, too.
    pub moved_and_changed: usize,
    /// Forgotten resources, including those replaced by a new one.
    pub forgotten: usize,
    /// Changes outside resources that count.
    pub front: usize,
    /// All changes outside resources.
    pub front_all: usize,
    /// Those of them that only change the order or form, and those that are not known yet.
    pub front_order: usize,
    /// The changes outside resources that are known later.
    pub front_unknown: usize,
    /// The number of differences matched by rules, and the number of these rules.
    pub ignored: usize,
    /// The number of rules that matched.
    pub rules: usize,
    /// Changes that were not printed.
    pub not_shown: usize,
}

impl Counted {
    /// Whether the documents differ.
    pub fn is_any(&self) -> bool {
        let Summary { created, deleted, changed, replaced, moved, forgotten, .. } = self.summary;
        created + deleted + changed + replaced + moved + forgotten + self.front > 0
    }

    /// The number of resources of a kind.
    pub fn of(&self, happened: Happened) -> usize {
        match happened {
            Happened::Created => self.summary.created,
            Happened::Deleted => self.summary.deleted,
            Happened::Changed => self.summary.changed,
            Happened::Replaced => self.summary.replaced,
            Happened::Moved => self.summary.moved,
            Happened::Forgotten => self.summary.forgotten,
        }
    }
}

/// Writes the parts of a result in one form.
pub(super) trait Writer {
    /// The documents describe resources in different forms.
    fn different_forms(&mut self) -> Result<(), Failure>;
    /// The changes outside resources.
    fn front(&mut self, changes: &[Change<'_>], masks: &Masks) -> Result<(), Failure>;
    /// A resource.
    fn resource(&mut self, resource: &ResourceChange<'_>, masks: &Masks) -> Result<(), Failure>;
    /// The end.
    fn end(self: Box<Self>, counted: &Counted) -> Result<(), Failure>;
}

/// Counts the shown differences, and writes them.
pub(super) struct Output<'c> {
    writer: Box<dyn Writer + 'c>,
    counted: Counted,
    left: usize,
    prints: bool,
}

impl<'c> Output<'c> {
    pub(super) fn begin(answer: &Answer<'_>, out: &'c mut dyn Write) -> Result<Output<'c>, Failure> {
        let prints = !answer.shape.only_summary;
        let left = answer.shape.max_changes;
        let writer: Box<dyn Writer + 'c> = match answer.shape.form {
            Form::Markdown => Box::new(MarkdownOutput::begin(answer, out)),
            Form::Text => Box::new(TextOutput::begin(answer, out)?),
            Form::Json => Box::new(JsonOutput::begin(answer, out)?),
            Form::Jsonl => Box::new(LineOutput::begin(answer, out)),
        };
        Ok(Output { writer, counted: Counted::default(), left, prints })
    }

    pub(super) fn different_forms(&mut self, is_so: bool) -> Result<(), Failure> {
        if is_so { self.writer.different_forms() } else { Ok(()) }
    }

    pub(super) fn front(&mut self, changes: Vec<Change<'_>>, masks: &Masks) -> Result<(), Failure> {
        self.counted.front = changes.iter().filter(|change| change.counts).count();
        self.counted.front_all = changes.len();
        let of_class = |class| {
            changes.iter().filter(|change| !change.counts && change.difference.class == class).count()
        };
        self.counted.front_order = of_class(Class::Order);
        self.counted.front_unknown = of_class(Class::Unknown);
        let shown = changes.len().min(self.left);
        self.left -= shown;
        self.counted.not_shown += changes.len() - shown;
        if self.prints { self.writer.front(&changes[..shown], masks) } else { Ok(()) }
    }

    pub(super) fn resource(&mut self, resource: &ResourceChange<'_>, masks: &Masks) -> Result<(), Failure> {
        self.counted.summary.add(resource);
        self.counted.moved_and_changed += usize::from(is_changed_too(resource));
        self.counted.forgotten += usize::from(is_forgotten(resource));
        if !self.prints {
            return Ok(());
        }
        let changes = resource.changes.len().max(1);
        if changes > self.left {
            self.counted.not_shown += changes;
            return Ok(());
        }
        self.left -= changes;
        self.writer.resource(resource, masks)
    }

    /// `found` contains everything that was not left out.
    pub(super) fn end(mut self, filter: &mut Filter, found: Option<Summary>) -> Result<Counted, Failure> {
        self.counted.summary.unchanged = found.map_or(0, |found| found.unchanged);
        self.counted.summary.metadata_only = filter.metadata_only;
        (self.counted.ignored, self.counted.rules) = (filter.ignored, filter.used_rules());
        self.writer.end(&self.counted)?;
        Ok(self.counted)
    }
}
