//! Candidates that were not built, estimated from the existing layout.

use crate::documents::Document;
use crate::{ratio, size};
use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::json;
use coconut_codec::write::Tuning;
use coconut_format::Value;

/// Bytes of the parts of a file.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) strings: usize,
    pub(crate) shapes: usize,
    pub(crate) shared: usize,
    pub(crate) root: usize,
    pub(crate) offsets: usize,
    pub(crate) index: usize,
    pub(crate) sums: usize,
    string_count: usize,
}

impl Parts {
    pub(crate) fn total(&self) -> usize {
        self.strings + self.shapes + self.shared + self.root + self.offsets + self.index + self.sums
    }
}

pub(crate) fn parts(bytes: &[u8]) -> Parts {
    let file = DocumentFile::from_data(bytes).expect("a file just written opens");
    let mut parts = Parts::default();
    for part in file.view().parts().expect("a file just written is good") {
        let length = usize::try_from(part.span.end - part.span.start).expect("it is in memory");
        match part.number {
            1 => {
                parts.strings = length;
                parts.string_count = part.items.unwrap_or_default() as usize;
            }
            2 => parts.shapes = length,
            3 => parts.shared = length,
            4 => parts.root = length,
            16..=18 => parts.offsets += length,
            32..=45 => parts.index += length,
            _ => parts.sums += length,
        }
    }
    parts
}

fn value_of(text: &str) -> Value {
    let mut sink = ValueSink::new();
    json::read(text.as_bytes(), &mut sink, &json::JsonOptions::default()).expect("it was read before");
    sink.finish().expect("one document")
}

/// Bytes of the document as ordinary msgpack.
pub(crate) fn canonical_len(text: &str) -> usize {
    fn header(count: usize) -> usize {
        match count {
            0..=15 => 1,
            16..=0xffff => 3,
            _ => 5,
        }
    }
    fn string(text: &str) -> usize {
        text.len()
            + match text.len() {
                0..=31 => 1,
                32..=255 => 2,
                256..=0xffff => 3,
                _ => 5,
            }
    }
    let root = value_of(text);
    let mut stack = vec![&root];
    let mut total = 0;
    while let Some(value) = stack.pop() {
        total += match value {
            Value::Null | Value::Bool(_) => 1,
            Value::Float(_) => 9,
            Value::Integer(number) => match (number.as_u64(), number.as_i64()) {
                (Some(0..=0x7f), _) | (None, Some(-32..=-1)) => 1,
                (Some(0x80..=0xff), _) | (None, Some(-128..=-33)) => 2,
                (Some(0x100..=0xffff), _) | (None, Some(-0x8000..=-129)) => 3,
                (Some(0x1_0000..=0xffff_ffff), _) | (None, Some(-0x8000_0000..=-0x8001)) => 5,
                _ => 9,
            },
            Value::String(text) => string(text),
            Value::List(items) => {
                stack.extend(items);
                header(items.len())
            }
            Value::Object(entries) => {
                stack.extend(entries.iter().map(|(_, value)| value));
                header(entries.len()) + entries.iter().map(|(key, _)| string(key)).sum::<usize>()
            }
        };
    }
    total
}

/// Prints the sizes with other forms of the string table, delta locations and a region for prose.
pub(crate) fn print(documents: &[Document]) {
    println!("## Candidates by arithmetic (bytes more than the default, negative is smaller)\n");
    println!(
        "| document | strings in the table | array of str + u32 each | blob + u32 each | delta locations | prose of 64 bytes and more, inline | share of the root |"
    );
    println!("|---|---|---|---|---|---|---|");
    for document in documents {
        let bytes = compile(document.text.as_bytes(), &CompileOptions::default()).expect("it compiles").bytes;
        let parts = parts(&bytes);
        let sampled = 4 * parts.string_count.div_ceil(8);
        let direct = signed(4 * parts.string_count) - signed(sampled);
        // A blob saves the headers, about one byte each.
        let blob = direct - signed(parts.string_count);
        let prose = prose(&document.text);
        println!(
            "| {} | {} | {direct} | {blob} | {} | {prose} | {:.2} |",
            document.name,
            parts.string_count,
            delta_locations(document),
            ratio(prose.min(parts.root), parts.root),
        );
    }
    println!();
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).expect("sizes in memory")
}

/// The size of distinct long strings, each written once: the content of a separate region.
fn prose(text: &str) -> usize {
    let root = value_of(text);
    let mut stack = vec![&root];
    let mut uses: std::collections::HashMap<&str, u32> = std::collections::HashMap::new();
    while let Some(value) = stack.pop() {
        match value {
            Value::String(text) if text.len() >= 64 => *uses.entry(text).or_default() += 1,
            Value::List(items) => stack.extend(items),
            Value::Object(entries) => stack.extend(entries.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    uses.iter().filter(|(_, uses)| **uses == 1).map(|(text, _)| text.len()).sum()
}

/// The bytes saved when ends of source locations are differences from their starts.
fn delta_locations(document: &Document) -> i64 {
    let mut root = value_of(&document.text);
    let mut stack = vec![&mut root];
    let mut found = false;
    while let Some(value) = stack.pop() {
        match value {
            Value::Object(entries) => {
                found |= subtract(entries);
                stack.extend(entries.iter_mut().map(|(_, value)| value));
            }
            Value::List(items) => stack.extend(items),
            _ => {}
        }
    }
    if !found {
        return 0;
    }
    let mut printer = json::Printer::new(Vec::new(), json::JsonStyle::Minified);
    coconut_codec::event::push(&root, &mut printer).expect("it was a document before");
    let text = String::from_utf8(printer.finish().expect("a vector takes any bytes")).expect("JSON is UTF-8");
    let changed = Document { name: String::new(), minified: text.len(), text };
    signed(size(&changed, Tuning::default())) - signed(size(document, Tuning::default()))
}

/// Makes `end` of a location relative to `start`.
fn subtract(entries: &mut [(String, Value)]) -> bool {
    let number = |entries: &[(String, Value)], at: &str, key: &str| -> Option<i64> {
        let (_, position) = entries.iter().find(|(name, _)| name == at)?;
        match position.get(key)? {
            Value::Integer(number) => number.as_i64(),
            _ => None,
        }
    };
    let numbers = ["line", "column"].map(|key| (number(entries, "start", key), number(entries, "end", key)));
    let [(Some(line), Some(end_line)), (Some(column), Some(end_column))] = numbers else { return false };
    let relative = [("line", end_line - line), ("column", end_column - column)];
    if let Some((_, Value::Object(end))) = entries.iter_mut().find(|(name, _)| name == "end") {
        for (key, value) in relative {
            if let Some((_, slot)) = end.iter_mut().find(|(name, _)| name == key) {
                *slot = Value::Integer(value.into());
            }
        }
    }
    true
}
