//! Streams values of a document, whole or by views (§4).

use super::{Budget, CountedSink, Events, StreamError, ValueStreams};
use crate::event::{EventSink, SinkError};
use crate::limits;
use crate::read::canonical::Canonical;
use crate::read::view::{Content, Entries, Items, ValueView};
use crate::read::walk::Place;
use coconut_format::error::{DecodeError, ErrorKind};
use coconut_format::node::Kind;

/// A sink of a walk by views.
pub(crate) trait ViewSink {
    /// A scalar, or the beginning of a list or object.
    fn value(&mut self, content: &Content<'_>) -> Result<(), SinkError>;
    fn key(&mut self, key: &str) -> Result<(), SinkError>;
    /// The end of a list or object.
    fn end(&mut self, kind: Kind) -> Result<(), SinkError>;
}

impl<S: EventSink> ViewSink for Events<'_, S> {
    fn value(&mut self, content: &Content<'_>) -> Result<(), SinkError> {
        match *content {
            Content::Null => self.0.null(),
            Content::Bool(value) => self.0.bool(value),
            Content::Integer(value) => self.0.integer(value),
            Content::Float(value) => self.0.float(value),
            Content::String(value) => self.0.string(value),
            Content::List(_) => self.0.begin_list(),
            Content::Object(_) => self.0.begin_object(),
        }
    }

    fn key(&mut self, key: &str) -> Result<(), SinkError> {
        self.0.key(key)
    }

    fn end(&mut self, kind: Kind) -> Result<(), SinkError> {
        match kind {
            Kind::Object => self.0.end_object(),
            _ => self.0.end_list(),
        }
    }
}

impl ValueView<'_> {
    /// Emits this value into `sink`.
    ///
    /// Reads only the bytes that the value needs. For a value of at least an eighth of the file, it
    /// uses the much faster way of [`DocumentView::stream`]. That reads the whole file, and is not
    /// possible if the file is damaged.
    ///
    /// The budget is checked while it is emitted, so an oversized value has already been emitted in
    /// part. `to_json` returns all of it or nothing.
    ///
    /// [`DocumentView::stream`]: crate::read::file::DocumentView::stream
    pub fn stream<S: EventSink>(&self, sink: &mut S, budget: Budget) -> Result<(), StreamError> {
        self.emit(&mut Events(sink), budget)
    }

    /// Returns the digest of this value (§4.7): the SHA-256 of its canonical stream. The digest of
    /// the root is the one in the header of the file.
    ///
    /// Equal values have the same digest in every file, whatever its profile or layout. To compare
    /// two values once, use [`equals`](Self::equals), which reads only up to the first difference.
    /// Use digests to find values that many files have in common.
    ///
    /// Costs a pass over the expanded value, and computes it each time.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, compile};
    ///
    /// let open = |text: &str| {
    ///     Document::from_data(compile(text.as_bytes(), &CompileOptions::default())?.bytes)
    ///         .map_err(Box::<dyn std::error::Error>::from)
    /// };
    /// let old = open(r#"{"web": {"ports": [80, 443]}, "db": {"ports": [5432]}}"#)?;
    /// let new = open(r#"{"web": {"ports": [80, 443]}, "db": {"ports": [5433]}}"#)?;
    /// let digest = |file: &Document<Vec<u8>>, pointer: &str| {
    ///     file.root().pointer(pointer)?.expect("it exists").digest()
    /// };
    /// assert_eq!(digest(&old, "/web")?, digest(&new, "/web")?);
    /// assert_ne!(digest(&old, "/db")?, digest(&new, "/db")?);
    /// assert_eq!(old.root().digest()?, old.header().digest);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if the file is damaged, or if the value exceeds the default [`Budget`].
    pub fn digest(&self) -> Result<[u8; 32], DecodeError> {
        let mut canonical = Canonical::new();
        match self.emit(&mut canonical, Budget::default()) {
            Ok(()) => Ok(canonical.take()),
            Err(StreamError::Decode(error)) => Err(error),
            Err(StreamError::Sink(_)) => unreachable!("a hasher refuses nothing"),
        }
    }

    /// Emits the value in the way that takes fewer steps.
    fn emit<S: CountedSink + ViewSink>(&self, sink: &mut S, budget: Budget) -> Result<(), StreamError> {
        match self.is_much_of_file() && self.emit_surveyed(sink, budget)? {
            true => Ok(()),
            false => self.walk_views(sink, &mut Spent::new(budget)),
        }
    }

    /// Returns whether surveying the document pays off for this value. Views take about fifteen
    /// times as many steps for a value.
    fn is_much_of_file(&self) -> bool {
        let bytes = |span: std::ops::Range<u64>| span.end - span.start;
        let all = self.document().data.len() as u64;
        self.is_root() || self.span().is_ok_and(|span| bytes(span) >= all / 8)
    }

    /// Surveys the document, and then emits the value. Returns `false`, and emits nothing, if views
    /// might find an error.
    fn emit_surveyed<S: CountedSink>(&self, sink: &mut S, budget: Budget) -> Result<bool, StreamError> {
        let Some((tables, survey)) = self.document().fast_way(budget) else { return Ok(false) };
        let (cursor, slot, bound) = self.walk();
        sink.begin_document();
        ValueStreams::new(self.document(), &tables, &survey).walk(Place { cursor, bound }, slot, sink)?;
        Ok(true)
    }

    pub(super) fn walk_views<S: ViewSink>(&self, sink: &mut S, spent: &mut Spent) -> Result<(), StreamError> {
        let mut stack: Vec<ViewFrame<'_>> = Vec::new();
        let mut value = Some(*self);
        loop {
            if let Some(view) = value.take() {
                let at = view.offset();
                spent.value(at)?;
                let content = view.content()?;
                if let Content::String(text) = content {
                    spent.text(text, at)?;
                }
                sink.value(&content)?;
                match content {
                    Content::List(list) => stack.push(ViewFrame::List(list.items())),
                    Content::Object(object) => stack.push(ViewFrame::Object(object.iter())),
                    _ => {}
                }
                if stack.len() > limits::DEPTH as usize {
                    let limit = limits::DEPTH.into();
                    return Err(ErrorKind::Depth { limit }.at(at).into());
                }
            }
            match stack.last_mut() {
                None => return Ok(()),
                Some(ViewFrame::List(items)) => match items.next() {
                    Some(item) => value = Some(item?),
                    None => {
                        sink.end(Kind::List)?;
                        stack.pop();
                    }
                },
                Some(ViewFrame::Object(entries)) => match entries.next() {
                    Some(entry) => {
                        let (key, view) = entry?;
                        spent.text(key, view.offset())?;
                        sink.key(key)?;
                        value = Some(view);
                    }
                    None => {
                        sink.end(Kind::Object)?;
                        stack.pop();
                    }
                },
            }
        }
    }
}

/// A budget, and the amount used by lazy streams, counted as in a survey.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spent {
    pub(super) budget: Budget,
    pub(super) values: u64,
    pub(super) bytes: u64,
}

impl Spent {
    /// Starts with an unused budget.
    pub(super) fn new(budget: Budget) -> Spent {
        Spent { budget, values: 0, bytes: 0 }
    }

    fn value(&mut self, at: u64) -> Result<(), DecodeError> {
        self.add_values(1, at)?;
        self.add_bytes(1, at)
    }

    pub(super) fn add_values(&mut self, count: u64, at: u64) -> Result<(), DecodeError> {
        self.values = self.values.saturating_add(count);
        match self.values > self.budget.values {
            true => Err(ErrorKind::Nodes { count: self.values, limit: self.budget.values }.at(at)),
            false => Ok(()),
        }
    }

    pub(super) fn text(&mut self, text: &str, at: u64) -> Result<(), DecodeError> {
        self.add_bytes(text.len() as u64, at)
    }

    pub(super) fn add_bytes(&mut self, count: u64, at: u64) -> Result<(), DecodeError> {
        self.bytes = self.bytes.saturating_add(count);
        match self.bytes > self.budget.bytes {
            true => Err(ErrorKind::Bytes { count: self.bytes, limit: self.budget.bytes }.at(at)),
            false => Ok(()),
        }
    }
}

enum ViewFrame<'a> {
    List(Items<'a>),
    Object(Entries<'a>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;
    use crate::text::json::{JsonStyle, Printer};
    use crate::wire::header::Profile;

    fn open(text: &str, profile: Profile) -> DocumentFile<Vec<u8>> {
        let options = CompileOptions { profile, ..CompileOptions::default() };
        DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap()
    }

    /// Rows of one shape with integers, constants and nested objects, and values that are shared.
    fn rows(first: usize) -> String {
        let row = |n: usize| {
            let tags = ["alpha", "beta", "gamma"].map(|tag| format!("\"{tag} {}\"", n % 3)).join(", ");
            format!(
                r#"{{"id": {n}, "kind": "row", "at": {{"x": {n}, "y": "t{n}"}}, "tags": [{tags}], "none": null}}"#
            )
        };
        let rows: Vec<String> = (first..first + 12).map(row).collect();
        format!(r#"{{"rows": [{}], "last": {{"same": [1.5, true], "big": -{first}}}}}"#, rows.join(", "))
    }

    /// Compares both ways for a value and all values in it, and counts the values.
    fn compare(value: ValueView<'_>) -> usize {
        let budget = Budget::default();
        let printer = || Printer::new(Vec::new(), JsonStyle::Pretty { indent: 2 });
        let (mut surveyed, mut walked) = (printer(), printer());
        assert_eq!(value.emit_surveyed(&mut Events(&mut surveyed), budget), Ok(true));
        value.walk_views(&mut Events(&mut walked), &mut Spent::new(budget)).unwrap();
        let text = |printer: Printer<Vec<u8>>| String::from_utf8(printer.finish().unwrap()).unwrap();
        assert_eq!(text(surveyed), text(walked));
        let (mut surveyed, mut walked) = (Canonical::new(), Canonical::new());
        assert_eq!(value.emit_surveyed(&mut surveyed, budget), Ok(true));
        value.walk_views(&mut walked, &mut Spent::new(budget)).unwrap();
        assert_eq!(surveyed.take(), walked.take());
        let inner: usize = match value.content().unwrap() {
            Content::List(list) => list.items().map(|item| compare(item.unwrap())).sum(),
            Content::Object(object) => object.iter().map(|entry| compare(entry.unwrap().1)).sum(),
            _ => 0,
        };
        inner + 1
    }

    #[test]
    fn both_ways_emit_the_same_of_every_value() {
        for profile in Profile::ALL {
            assert_eq!(compare(open(&rows(10), profile).view().root()), 139);
        }
    }

    #[test]
    fn a_sink_takes_values_of_several_documents() {
        let texts = [rows(10), rows(500), rows(20)];
        let files = texts.each_ref().map(|text| open(text, Profile::Full));
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        printer.begin_list().unwrap();
        for file in &files {
            file.view().root().stream(&mut printer, Budget::default()).unwrap();
            file.view().stream(&mut printer, Budget::default()).unwrap();
            let rows = file.view().root().pointer("/rows").unwrap().unwrap();
            assert!(rows.is_much_of_file());
            rows.stream(&mut printer, Budget::default()).unwrap();
        }
        printer.end_list().unwrap();
        let minified = |text: &str| {
            let file = open(text, Profile::Plain);
            let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
            file.view()
                .root()
                .walk_views(&mut Events(&mut printer), &mut Spent::new(Budget::default()))
                .unwrap();
            String::from_utf8(printer.finish().unwrap()).unwrap()
        };
        let expected = texts.each_ref().map(|text| {
            let whole = minified(text);
            let rows = whole.strip_prefix(r#"{"rows":"#).unwrap().split(r#","last":"#).next().unwrap();
            format!("{whole},{whole},{rows}")
        });
        let printed = String::from_utf8(printer.finish().unwrap()).unwrap();
        assert_eq!(printed, format!("[{}]", expected.join(",")));
    }
}
