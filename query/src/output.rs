//! The output of filter results.

use super::ended::failure;
use super::operators::error;
use super::steps;
use super::value::{Opened, Val, sorted, write_string};
use coconut_codec::text::yaml::YamlPrinter;
use coconut_format::visible::Visible;
use coconut_report::coloured::json_writer;
use coconut_report::failure::Failure;
use coconut_report::safe::visible;
use std::fmt::Write as _;
use std::io::Write;
use std::rc::Rc;

/// The notation of results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// Each result as indented JSON
    #[default]
    Json,
    /// Each result on a line
    Jsonl,
    /// Each result as a document of YAML
    Yaml,
    /// All results as rows in columns for people
    Table,
    /// Each result as a row, with commas
    Csv,
    /// Each result as a row, with tabs
    Tsv,
}

/// The options of the output.
#[derive(Clone, Debug, Default)]
pub struct Style {
    /// The notation.
    pub notation: Notation,
    /// Strings without quotes.
    pub raw: bool,
    /// Nothing after each result.
    pub joined: bool,
    /// Sorted keys of objects.
    pub sorts_keys: bool,
    /// One level of indentation. Without one, each result is on one line.
    pub indent: Option<String>,
    /// The results go to a terminal, which must not interpret their text.
    pub is_safe: bool,
    /// Keys and values of JSON have colours.
    pub is_coloured: bool,
}

/// Prints results of one input after the other, for one or several files: they form one table, and
/// one stream of YAML.
#[derive(Debug)]
pub struct Output {
    style: Style,
    /// A text before each line, which is safe already.
    pub mark: Option<String>,
    /// The rows of a table, which are printed at the end.
    rows: Vec<Vec<String>>,
    /// The keys of the first result of a table, if it is an object.
    columns: Option<Vec<Rc<str>>>,
    has_rows: bool,
    line: String,
}

impl Output {
    /// Prints in this style.
    pub fn new(style: Style) -> Output {
        Output { style, mark: None, rows: Vec::new(), columns: None, has_rows: false, line: String::new() }
    }

    /// Prints a result, or keeps it for the table.
    pub fn add(&mut self, value: Val, out: &mut dyn Write) -> Result<(), Failure> {
        match self.style.notation {
            Notation::Json | Notation::Jsonl => self.json(&value, out),
            Notation::Yaml => {
                if std::mem::replace(&mut self.has_rows, true) {
                    out.write_all(b"---\n")?;
                }
                let mut printer = YamlPrinter::new(&mut *out);
                value.push(&mut printer)?;
                printer.finish()?;
                Ok(())
            }
            Notation::Table | Notation::Csv | Notation::Tsv => self.rows_of(value, out),
        }
    }

    /// Another output of the same style.
    pub fn another(&self) -> Output {
        Output::new(self.style.clone())
    }

    /// Prints the kept results.
    pub fn finish(&mut self, out: &mut dyn Write) -> Result<(), Failure> {
        let mut rows = std::mem::take(&mut self.rows);
        if let Some(columns) = self.columns.as_ref().filter(|_| self.style.notation == Notation::Table) {
            rows.insert(0, columns.iter().map(|key| visible(key)).collect());
        }
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let count = rows.iter().map(Vec::len).max().unwrap_or_default();
        let widths: Vec<usize> = (0..count).map(width).collect();
        for row in rows {
            let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            self.line_to(cells.collect::<Vec<_>>().join("  ").trim_end(), out)?;
        }
        Ok(())
    }

    fn json(&mut self, value: &Val, out: &mut dyn Write) -> Result<(), Failure> {
        self.line.clear();
        let is_text = self.style.raw && matches!(value, Val::String(_));
        match value {
            Val::String(text) if is_text => match self.style.is_safe {
                // A terminal must not interpret the text of a document, except for line ends.
                true => {
                    let lines: Vec<String> = text.split('\n').map(|line| Visible(line).to_string()).collect();
                    self.line.push_str(&lines.join("\n"));
                }
                false => self.line.push_str(text),
            },
            value => {
                let indent = match self.style.notation {
                    Notation::Jsonl => None,
                    _ => self.style.indent.as_deref(),
                };
                let mut printer = Printer { out: &mut self.line, indent, sorts: self.style.sorts_keys };
                printer.value(value, 0);
            }
        }
        steps::check()?;
        if !self.style.joined {
            self.line.push('\n');
        }
        let Style { is_safe, is_coloured, .. } = self.style;
        let mut shown = Vec::new();
        let line = match is_text || !(is_safe || is_coloured) {
            true => self.line.as_bytes(),
            false => {
                json_writer(&mut shown, is_safe, is_coloured).write_all(self.line.as_bytes())?;
                &shown
            }
        };
        let Some(mark) = &self.mark else { return Ok(out.write_all(line)?) };
        for line in line.split_inclusive(|&byte| byte == b'\n') {
            out.write_all(mark.as_bytes())?;
            out.write_all(line)?;
        }
        Ok(())
    }

    /// A result that is a list of rows stands for these rows.
    fn rows_of(&mut self, value: Val, out: &mut dyn Write) -> Result<(), Failure> {
        let is_container = |item: &Val| matches!(item.kind(), "array" | "object");
        match whole(value.opened())? {
            Opened::List(items) if !items.is_empty() && items.iter().all(is_container) => {
                items.iter().try_for_each(|item| self.row(item.clone(), out))
            }
            other => self.row(other.into(), out),
        }
    }

    fn row(&mut self, value: Val, out: &mut dyn Write) -> Result<(), Failure> {
        let is_first = !std::mem::replace(&mut self.has_rows, true);
        let cells: Vec<Val> = match whole(value.opened())? {
            Opened::List(items) => items.to_vec(),
            Opened::Object(entries) => {
                if is_first {
                    let columns: Vec<Rc<str>> = entries.keys().cloned().collect();
                    if self.style.notation != Notation::Table {
                        let heading = columns.iter().map(|key| Val::text(&**key)).collect();
                        self.separated(heading, out)?;
                    }
                    self.columns = Some(columns);
                }
                let columns = self.columns.as_deref().unwrap_or_default();
                if let Some(other) = entries.keys().find(|key| !columns.contains(key)) {
                    let message = format!("a row has the column {other}, which the first row lacks");
                    return Err(failure(&error(message).into_val()).with_hint(
                        "give all rows the same columns, for instance with `{name, type}` or `[.name, .type]`",
                    ));
                }
                columns.iter().map(|key| entries.get(key).cloned().unwrap_or_default()).collect()
            }
            Opened::Other(scalar) => vec![scalar],
        };
        match self.style.notation {
            Notation::Table => {
                let cells = cells.iter().map(|cell| visible(&plain(cell))).collect();
                self.rows.push(whole(cells)?);
                Ok(())
            }
            _ => self.separated(cells, out),
        }
    }

    fn separated(&mut self, cells: Vec<Val>, out: &mut dyn Write) -> Result<(), Failure> {
        let is_csv = self.style.notation == Notation::Csv;
        let cells = cells.iter().map(|cell| {
            let text = plain(cell);
            match is_csv {
                true if text.contains([',', '"', '\n', '\r']) => {
                    format!("\"{}\"", text.replace('"', "\"\""))
                }
                true => text,
                false => {
                    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
                }
            }
        });
        let line = whole(cells.collect::<Vec<_>>())?.join(if is_csv { "," } else { "\t" });
        let line = match self.style.is_safe {
            true => line.split('\t').map(visible).collect::<Vec<_>>().join("\t"),
            false => line,
        };
        self.line_to(&line, out)
    }

    fn line_to(&self, line: &str, out: &mut dyn Write) -> Result<(), Failure> {
        out.write_all(self.mark.as_deref().unwrap_or_default().as_bytes())?;
        out.write_all(line.as_bytes())?;
        Ok(out.write_all(b"\n")?)
    }
}

/// Passes on a result, unless a value of it could not be read.
fn whole<T>(read: T) -> Result<T, Failure> {
    steps::check().map(|()| read)
}

/// The text of a cell: strings without quotes, nothing for null, other values as JSON.
fn plain(cell: &Val) -> String {
    match cell {
        Val::Null => String::new(),
        Val::String(text) => text.to_string(),
        other => other.to_string(),
    }
}

/// Writes JSON as `jq` does.
struct Printer<'o> {
    out: &'o mut String,
    indent: Option<&'o str>,
    sorts: bool,
}

impl Printer<'_> {
    fn value(&mut self, value: &Val, level: usize) {
        match value.clone().opened() {
            Opened::List(items) => {
                self.container('[', ']', items.iter(), level, |printer, item| printer.value(item, level + 1));
            }
            Opened::Object(entries) => {
                let entries: Vec<_> = if self.sorts { sorted(&entries) } else { entries.iter().collect() };
                self.container('{', '}', entries.into_iter(), level, |printer, (key, value)| {
                    // Writing to a string does not fail.
                    let _ = write_string(key, printer.out);
                    printer.out.push_str(if printer.indent.is_some() { ": " } else { ":" });
                    printer.value(value, level + 1);
                });
            }
            Opened::Other(scalar) => {
                let _ = write!(self.out, "{scalar}");
            }
        }
    }

    fn container<T>(
        &mut self,
        open: char,
        close: char,
        items: impl ExactSizeIterator<Item = T>,
        level: usize,
        mut each: impl FnMut(&mut Self, T),
    ) {
        self.out.push(open);
        let is_empty = items.len() == 0;
        for (index, item) in items.enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            self.line(level + 1);
            each(self, item);
        }
        if !is_empty {
            self.line(level);
        }
        self.out.push(close);
    }

    fn line(&mut self, level: usize) {
        if let Some(indent) = self.indent {
            if steps::are_exceeded_by_text(level * indent.len()) {
                return;
            }
            self.out.push('\n');
            self.out.extend(std::iter::repeat_n(indent, level));
        }
    }
}
