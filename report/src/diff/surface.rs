//! The changes of a new version of a package or schema that its users notice (§20).

use super::filter::Filter;
use super::json;
use super::lines::cut;
use super::markdown;
use super::others::Others;
use super::shape::{Form, NamedDocument, Shape};
use super::text::ignored;
use crate::code;
use crate::failure::Failure;
use crate::json::{number, object, optional, text, to_line};
use crate::name_filter::{NameFilter, described};
use crate::safe::visible;
use crate::streamed::Report;
use crate::text::grouped;
use coconut_format::Value;
use coconut_surface::{self as surface, Change, Comparison, Level, Package, Severity};
use std::fmt::Write as _;
use std::io::Write;

/// The reported changes, and the number of omitted ones.
pub struct Told<'c> {
    /// The changes that the filter selects.
    pub changes: Vec<&'c Change>,
    /// The number of changes that a rule left out.
    pub ignored: usize,
    /// The number of rules that matched.
    pub rules: usize,
}

/// Two surfaces, and the changes between them.
pub struct Surfaces<'o> {
    /// The old document and its surface.
    pub old: (NamedDocument<'o>, &'o Package<'o>),
    /// The new document and its surface.
    pub new: (NamedDocument<'o>, &'o Package<'o>),
    /// The changes.
    pub found: &'o Comparison,
    /// The users for whom changes count.
    pub level: Level,
    /// The other values that differ. `None` if the documents have different forms, so that their
    /// values cannot be compared.
    pub others: Option<Others>,
}

impl Surfaces<'_> {
    /// The changes of the definitions with such keys (all without any), without ignored ones. Fails
    /// with `KEY-MISSING` if there is no such definition.
    pub fn changes(&self, wanted: &[String], filter: &Filter) -> Result<Told<'_>, Failure> {
        let keys = NameFilter::of_keys(wanted)?;
        if !has_one(self.old.1, &keys) && !has_one(self.new.1, &keys) {
            let message = format!("no definition of either document has {}", described(wanted, &[]));
            return Err(Failure::negative(code::KEY_MISSING, message)
                .in_file(self.new.0.name)
                .with_hint("`*` matches any text"));
        }
        let wanted = self.found.changes.iter().filter(|change| keys.has(&change.token));
        let (ignored, changes): (Vec<_>, Vec<_>) = wanted.partition(|change| filter.ignores(change));
        Ok(Told { changes, ignored: ignored.len(), rules: filter.used_rules() })
    }

    /// Writes these changes.
    pub fn write(&self, changes: &Told<'_>, shape: &Shape, out: &mut dyn Write) -> Result<(), Failure> {
        match shape.form {
            Form::Text => self.write_text(changes, shape, out),
            Form::Json => self.write_json(changes, shape, out),
            Form::Jsonl => self.write_lines(changes, shape, out),
            Form::Markdown => self.write_markdown(changes, shape, out),
        }
    }

    /// Some of the changes, and the number of the others.
    fn shown<'c>(&self, changes: &'c [&'c Change], shape: &Shape) -> (&'c [&'c Change], usize) {
        let shown = if shape.only_summary { 0 } else { changes.len().min(shape.max_changes) };
        let left = if shape.only_summary { 0 } else { changes.len() - shown + self.found.left_out };
        (&changes[..shown], left)
    }

    fn write_text(&self, changes: &Told<'_>, shape: &Shape, out: &mut dyn Write) -> Result<(), Failure> {
        let (shown, left) = self.shown(&changes.changes, shape);
        if shape.only_names {
            let mut last = None;
            for change in shown.iter().filter(|change| last.replace(&change.token) != Some(&change.token)) {
                let worst = shown.iter().filter(|other| other.token == change.token);
                let worst = worst.map(|other| other.severity).max().unwrap_or(change.severity);
                writeln!(out, "{} {}", sign(worst), visible(&change.token))?;
            }
            return Ok(());
        }
        let version =
            |package: &Package<'_>| package.version.map_or(String::new(), |version| format!(" {version}"));
        if !shape.only_summary {
            let title = format!(
                "{}{} → {}{}",
                visible(self.old.0.name),
                visible(&version(self.old.1)),
                visible(self.new.0.name),
                visible(&version(self.new.1))
            );
            writeln!(out, "{title}")?;
        }
        let mut last = None;
        for change in shown {
            if last.replace(&change.token) != Some(&change.token) {
                writeln!(out, "{}", visible(&change.token))?;
            }
            writeln!(out, "  {}", line_of(change, shape))?;
        }
        if left > 0 {
            writeln!(out, "… {left} more")?;
        }
        Ok(writeln!(out, "{}", self.summary(changes))?)
    }

    fn write_json(&self, changes: &Told<'_>, shape: &Shape, out: &mut dyn Write) -> Result<(), Failure> {
        let (shown, left) = self.shown(&changes.changes, shape);
        let mut report = Report::begin(out, "diff-api", self.head())?;
        report.list("changes", shown.iter().map(|change| Ok(change_json(change))))?;
        report.member("summary", &self.summary_json(changes, left))?;
        report.end()
    }

    fn write_lines(&self, changes: &Told<'_>, shape: &Shape, out: &mut dyn Write) -> Result<(), Failure> {
        let (shown, left) = self.shown(&changes.changes, shape);
        for change in shown {
            out.write_all(&to_line(&change_json(change)))?;
        }
        let Value::Object(mut members) = object(self.head()) else { return Ok(()) };
        members.push(("summary".to_owned(), self.summary_json(changes, left)));
        Ok(out.write_all(&to_line(&Value::Object(members)))?)
    }

    fn head(&self) -> [(&'static str, Value); 3] {
        let of = |(named, package): (NamedDocument<'_>, &Package<'_>)| {
            let Value::Object(mut members) = json::document(&named) else { return Value::Null };
            members.push(("form".to_owned(), text(package.dialect.name())));
            members.push(("package".to_owned(), text(&*package.name)));
            members.push(("version".to_owned(), optional(package.version)));
            Value::Object(members)
        };
        let level = self.level.name();
        [("old", of(self.old)), ("new", of(self.new)), ("level", text(level))]
    }

    fn summary_json(&self, changes: &Told<'_>, left: usize) -> Value {
        let mut members: Vec<(String, Value)> = counts(changes, self.found)
            .into_iter()
            .map(|(severity, count)| (severity.name().to_owned(), number(count as u64)))
            .collect();
        members.push(("ignored".to_owned(), number(changes.ignored as u64)));
        members.push(("not_listed".to_owned(), number(left as u64)));
        let others = self.others.map_or(Value::Null, |others| number(others.differing as u64));
        members.push(("other_values".to_owned(), others));
        Value::Object(members)
    }

    fn write_markdown(&self, changes: &Told<'_>, shape: &Shape, out: &mut dyn Write) -> Result<(), Failure> {
        let (shown, mut left) = self.shown(&changes.changes, shape);
        let names = (markdown::code(self.old.0.name), markdown::code(self.new.0.name));
        let mut page = format!("{} → {}: {}\n", names.0, names.1, self.summary(changes));
        if !shown.is_empty() {
            page.push_str("\n| level | what | where | change |\n|---|---|---|---|\n");
        }
        for (index, change) in shown.iter().enumerate() {
            let place = change.place.name().unwrap_or_default();
            let member = change
                .member
                .as_deref()
                .map_or(String::new(), |member| format!(" {}", markdown::code(member)));
            let message = markdown::plain(&cut(&change.message(), shape.width.max(40) * 2));
            let row = format!(
                "| {} | {} | {place}{member} | {message} ({}) |\n",
                change.severity.name(),
                markdown::code(&change.token),
                change.rule.id
            );
            if page.len() + row.len() > markdown::MOST_BYTES - markdown::END_BYTES {
                left += shown.len() - index;
                break;
            }
            page.push_str(&row);
        }
        if left > 0 {
            let _ = write!(page, "\n{left} more do not fit into a comment.\n");
        }
        Ok(out.write_all(page.as_bytes())?)
    }

    /// A remark about the other values that differ, if there are any.
    pub fn more(&self) -> Option<String> {
        match self.others.unwrap_or_default().differing {
            0 => None,
            1 => Some("1 other value differs (--values shows it)".to_owned()),
            many => Some(format!("{} other values differ (--values shows them)", grouped(many as u64))),
        }
    }

    /// The counts, in one sentence.
    fn summary(&self, changes: &Told<'_>) -> String {
        let words: Vec<String> = counts(changes, self.found)
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(severity, count)| format!("{count} {}", severity.name()))
            .collect();
        let others = self.others.unwrap_or_default();
        let mut text = match (words.is_empty(), others.differing) {
            (false, _) => words.join(", "),
            (true, 0) => "no changes".to_owned(),
            (true, _) => "nothing that its users notice".to_owned(),
        };
        if let Some(more) = self.more() {
            let _ = write!(text, "; {more}");
        }
        match others.notes {
            0 => {}
            1 => text.push_str("; 1 difference in order or notes of tools"),
            many => {
                let _ = write!(text, "; {} differences in order or notes of tools", grouped(many as u64));
            }
        }
        text.push_str(&ignored(changes.ignored, changes.rules));
        text
    }

    /// The number of these changes of each severity. Without a selection, changes that are not
    /// listed count, too.
    pub fn counts(&self, changes: &Told<'_>) -> Vec<(Severity, usize)> {
        counts(changes, self.found)
    }
}

/// A change in one line, without its token.
fn line_of(change: &Change, shape: &Shape) -> String {
    let mut line = format!("{} {}", sign(change.severity), change.severity.name());
    if let Some(place) = change.place.name() {
        let _ = write!(line, " {place}");
    }
    if let Some(member) = &change.member {
        let _ = write!(line, ".{}", visible(member));
    }
    let message = visible(&cut(&change.message(), shape.width.max(40) * 2));
    let _ = write!(line, ": {message} [{}]", change.rule.id);
    line
}

fn counts(changes: &Told<'_>, found: &Comparison) -> Vec<(Severity, usize)> {
    let is_all = changes.changes.len() == found.changes.len();
    let count = |severity| match is_all {
        true => found.count(severity),
        false => changes.changes.iter().filter(|change| change.severity == severity).count(),
    };
    Severity::ALL.into_iter().map(|severity| (severity, count(severity))).collect()
}

fn sign(severity: Severity) -> char {
    match severity {
        Severity::Breaking => '!',
        Severity::Warning => '~',
        Severity::Compatible => '=',
        Severity::Info => '+',
    }
}

fn change_json(change: &Change) -> Value {
    let texts = |value: &Option<String>| optional(value.as_deref());
    object([
        ("level", text(change.severity.name())),
        ("breaking", Value::Bool(change.severity == Severity::Breaking)),
        ("rule", text(change.rule.id)),
        ("role", optional(change.role.map(surface::Role::name))),
        ("token", text(&change.token)),
        ("new_token", texts(&change.new_token)),
        ("location", optional(change.place.name())),
        ("member", texts(&change.member)),
        ("new_member", texts(&change.new_member)),
        ("old", texts(&change.old)),
        ("new", texts(&change.new)),
        ("document", text(if change.is_new() { "new" } else { "old" })),
        ("pointer", text(&change.pointer)),
        ("message", text(change.message())),
    ])
}

/// Whether a package has a definition with such a name.
pub fn has_one(package: &Package<'_>, keys: &NameFilter) -> bool {
    keys.is_all() || package.definitions.iter().any(|definition| keys.has(&definition.token))
}
