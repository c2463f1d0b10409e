//! One screen about a document: its type, size, counts, digest and parts.

use crate::failure::Failure;
use crate::json::{self, number, object, report, text};
use crate::select::word_of;
use crate::source::Source;
use crate::style::{DIM, STRONG, TextWriter};
use coconut_codec::SourceRecord;
use coconut_codec::read::parts::PartView;
use coconut_format::Value;
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_format::error::DecodeError;
use coconut_format::landmark::EdgePattern;
use coconut_format::numerals::{grouped, hex, percent};

/// Type, size, counts, digest and parts of a document.
pub struct Info<'d> {
    source: Source<'d>,
    /// `None` for a source.
    encoding: Option<Encoding>,
    /// Parameters of the envelope that readers do not need.
    parameters: Vec<(String, String)>,
    parts: Vec<PartView>,
    /// The number of landmarks of each class. Empty if the rule is not understood, or if they are
    /// not counted.
    classes: Vec<u64>,
    /// The number of references to missing landmarks, or the reason why it is unknown.
    dangling: Result<u64, String>,
    /// The reason why the rule is not understood.
    rule_fault: Option<DecodeError>,
}

/// A file up to this size is searched even without an index.
const SEARCHED: u64 = 1 << 20;

const NO_INDEX: &str = "the file has no index";

impl<'d> Info<'d> {
    /// Reads the header, the directory and the classes of the landmarks, and follows references.
    /// `envelope` is that of the file, if it has one.
    pub fn of(source: Source<'d>, envelope: Option<EnvelopeView<'_>>) -> Result<Info<'d>, Failure> {
        let document = source.view;
        let parameters = envelope.iter().flat_map(EnvelopeView::parameters);
        // A rule of a later version does not prevent other output.
        let (mut classes, mut rule_fault) = (Vec::new(), None);
        let is_searched = document.has_index() || source.document_bytes() <= SEARCHED;
        match document.header().rule() {
            Ok(_) if !is_searched => {}
            Ok(rule) => {
                classes = vec![0; rule.patterns().len()];
                for landmark in document.landmarks()? {
                    if let Some(count) = classes.get_mut(usize::from(landmark?.class()?)) {
                        *count += 1;
                    }
                }
            }
            Err(fault) => rule_fault = Some(fault),
        }
        Ok(Info {
            source,
            encoding: envelope.as_ref().map(EnvelopeView::encoding),
            parameters: parameters.map(|p| (p.name().to_owned(), p.value().into_owned())).collect(),
            parts: document.parts()?,
            // A damaged value does not prevent other output.
            dangling: match is_searched {
                true => document
                    .dangling_references(0, |_| false)
                    .map(|dangling| dangling.count)
                    .map_err(|error: DecodeError| error.kind().to_string()),
                false => Err(NO_INDEX.to_owned()),
            },
            classes,
            rule_fault,
        })
    }

    /// Writes a line for each fact, and a table of the parts.
    pub fn write_text(&self, out: &mut TextWriter<'_>) -> Result<(), Failure> {
        let header = self.source.view.header();
        let Source { size, is_text, .. } = self.source;
        let form = match (self.encoding, &header.source) {
            (Some(encoding), _) => encoding.suffix().to_owned(),
            (None, Some(source)) => format!("{} source", source.format),
            (None, None) => "source".to_owned(),
        };
        let dialect = header.dialect.as_deref().map_or(String::new(), |name| format!(", dialect {name}"));
        let mut rows = vec![
            ("type", format!("{}{dialect}", header.document_type)),
            ("version", format!("{} ({form})", header.version)),
        ];
        if !is_text {
            rows.push(("profile", header.profile.name().to_owned()));
        }
        rows.push(("size", format!("{} bytes", grouped(size))));
        if let Some(source) = self.record() {
            if !is_text {
                let ratio = percent(size, source.bytes);
                let bytes = grouped(source.bytes);
                rows.push(("source", format!("{}, {bytes} bytes; this is {ratio} of it", source.format)));
            }
            rows.push(("source hash", format!("sha-256:{}", hex(&source.sha_256))));
        }
        rows.push(("digest", format!("sha-256:{}", hex(&header.digest))));
        let levels = if header.depth == 1 { "level" } else { "levels" };
        rows.push(("values", format!("{}, {} {levels} deep", grouped(header.values), header.depth)));
        rows.push(match (&self.rule_fault, header.rule_text.is_empty()) {
            (Some(fault), _) => ("landmarks", format!("{}; their rule: {fault}", grouped(header.landmarks))),
            (None, true) => ("landmarks", "none; values are found by JSON pointers only".to_owned()),
            (None, false) => ("landmarks", grouped(header.landmarks)),
        });
        let rule = header.rule().cloned().unwrap_or_default();
        for (pattern, count) in rule.patterns().iter().zip(&self.classes) {
            rows.push(("", format!("{} {} ({pattern})", grouped(*count), word_of(pattern))));
        }
        if !rule.patterns().is_empty() && self.classes.is_empty() {
            rows.push(("", format!("not counted by class: {NO_INDEX}")));
        }
        let mut kinds: Vec<&str> = Vec::new();
        for kind in rule.edges().iter().map(EdgePattern::kind) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if !kinds.is_empty() {
            rows.push(("edges", kinds.join(", ")));
        }
        match &self.dangling {
            Ok(0) => {}
            Ok(1) => rows.push(("references", "1 leads nowhere; `deps` and `rdeps` show it".to_owned())),
            Ok(count) => {
                let count = grouped(*count);
                rows.push(("references", format!("{count} lead nowhere; `deps` and `rdeps` show them")));
            }
            Err(reason) => rows.push(("references", format!("not counted: {reason}"))),
        }
        rows.push(("producer", header.producer.clone()));
        for (key, features) in [("optional", &header.optional), ("requires-write", &header.requires_write)] {
            if !features.is_empty() {
                rows.push((key, features.join(", ")));
            }
        }
        for (name, value) in &self.parameters {
            rows.push(("parameter", format!("{name}={value}")));
        }
        for (name, value) in rows {
            let name = out.paint(STRONG, &format!("{name:<12}"));
            let value = out.paint(anstyle::Style::new(), &value);
            out.line(&format!("{name} {value}"))?;
        }
        if is_text { Ok(()) } else { self.write_parts(out) }
    }

    /// The record of the source, unless the source is text in the same file.
    fn record(&self) -> Option<&SourceRecord> {
        let is_own_text = self.source.is_text && self.encoding.is_some();
        self.source.view.header().source.as_ref().filter(|_| !is_own_text)
    }

    fn write_parts(&self, out: &mut TextWriter<'_>) -> Result<(), Failure> {
        out.styled(DIM, "")?;
        out.styled(DIM, "part                            offset        bytes           items")?;
        for part in &self.parts {
            let length = part.span.end - part.span.start;
            let items = part.items.map_or(String::new(), |items| grouped(items.into()));
            let (offset, bytes, share) =
                (grouped(part.span.start), grouped(length), percent(length, self.source.size));
            let line =
                format!("{:>4} {:<20} {offset:>12} {bytes:>12} {share:>8}  {items}", part.number, part.name);
            out.line(line.trim_end())?;
        }
        Ok(())
    }

    /// The report. The schema is `schemas/info.json`.
    pub fn to_report(&self) -> Value {
        let Source { name, view, size, is_text } = self.source;
        let header = view.header();
        let texts = |texts: &[String]| Value::List(texts.iter().map(text).collect());
        let rule = header.rule().cloned().unwrap_or_default();
        let patterns = rule.patterns().iter();
        let classes = (0u64..).zip(patterns.zip(&self.classes)).map(|(class, (pattern, count))| {
            object([
                ("class", number(class)),
                ("name", text(word_of(pattern))),
                ("pattern", text(pattern.to_string())),
                ("landmarks", number(*count)),
            ])
        });
        let source = self.record().map(|source| {
            object([
                ("format", text(&source.format)),
                ("bytes", number(source.bytes)),
                ("sha_256", text(hex(&source.sha_256))),
            ])
        });
        let parts = self.parts.iter().filter(|_| !is_text).map(|part| {
            object([
                ("number", number(u64::from(part.number))),
                ("name", text(part.name)),
                ("offset", number(part.span.start)),
                ("bytes", number(part.span.end - part.span.start)),
                ("critical", Value::Bool(part.is_critical)),
                ("items", part.items.map_or(Value::Null, |items| number(u64::from(items)))),
            ])
        });
        let parameters = self.parameters.iter().map(|(name, value)| (name.clone(), text(value)));
        report(
            "info",
            [
                ("file", text(name)),
                ("document_type", text(&header.document_type)),
                ("dialect", header.dialect.as_ref().map_or(Value::Null, text)),
                ("version", number(u64::from(header.version))),
                ("encoding", json::optional(self.encoding.map(Encoding::suffix))),
                ("profile", text(header.profile.name())),
                ("bytes", number(size)),
                ("source", source.unwrap_or(Value::Null)),
                ("digest", text(hex(&header.digest))),
                ("values", number(header.values)),
                ("depth", number(u64::from(header.depth))),
                ("landmarks", number(header.landmarks)),
                ("classes", Value::List(classes.collect())),
                ("edges", texts(&header.rule_text.edge_texts())),
                ("dangling", self.dangling.as_ref().map_or(Value::Null, |&count| number(count))),
                ("producer", text(&header.producer)),
                ("optional", texts(&header.optional)),
                ("requires_write", texts(&header.requires_write)),
                ("parameters", Value::Object(parameters.collect())),
                ("parts", Value::List(parts.collect())),
            ],
        )
    }
}
