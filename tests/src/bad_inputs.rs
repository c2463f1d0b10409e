//! The bad inputs of `tests/cases/bad-inputs.tsv`: how they are made, and what each reader must
//! report.
//!
//! A row is `name`, `recipe`, `expected`, `get`, `verify`, `load`. A recipe is a list of words,
//! applied from the left:
//!
//! | word | makes |
//! |---|---|
//! | `vector:NAME`, `bad-vector:NAME` | the bytes of a good or a bad vector |
//! | `source` | [`SOURCE`] |
//! | `compile` | the compiled form of the source so far |
//! | `text:TEXT` | a text, with `\n`, `\r`, `\t`, `\\`, `\s` for a blank and `\xHH` |
//! | `repeat:N` | everything so far, N times |
//! | `append:TEXT`, `prepend:TEXT` | everything so far, with a text after or before it |
//! | `cut:N` | the first N bytes; a negative N removes the last −N |
//! | `crlf`, `lf`, `seven-bit` | a text conversion: LF to CR LF, CR LF to LF, no high bits |
//! | `zero:N` | the first N bytes zero; 0 for all |
//! | `flip:N` | the lowest bit of byte N changed; a negative N counts from the end |
//! | `replace:TEXT=TEXT` | the first of these texts replaced by another of the same length |
//! | `flip-behind:TEXT=N` | the lowest bit of the byte N bytes after a text changed |
//! | `repair` | all checksums computed again |
//! | `json`, `yaml` | last: the bytes are a source text |
//!
//! Expected is `CODE @ OFFSET` of a compiled file, as the full check reports it;
//! `CODE @ LINE:COLUMN` of a source; or `accepted`. `get` and `verify` are the exit codes of
//! `coco get FILE ''` and of `coco check FILE`. The name of the file declares its type. `load` is
//! the reason why the loader does not use such a compiled form next to [`SOURCE`]. For a source
//! next to a compiled form of another source it is `refused` or `used`.

use crate::checksums::repair;
use crate::vectors::vectors;
use coconut_codec::compile::{CompileOptions, compile};
use std::fs;
use std::path::Path;

/// A good source, with a value that bad compiled forms do not have.
pub const SOURCE: &str = r#"{"name": "good", "list": [1, "two", null]}"#;

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Case {
    /// The name of the input.
    pub name: String,
    /// The recipe that makes it.
    pub recipe: String,
    /// The expected code and place.
    pub expected: String,
    /// The exit code of reading it.
    pub get: i32,
    /// The exit code of verifying it.
    pub verify: i32,
    /// The result of the loader.
    pub load: String,
}

impl Case {
    /// The expected code, or `accepted`.
    pub fn code(&self) -> &str {
        self.expected.split(" @ ").next().unwrap_or_default()
    }

    /// The expected place; empty if nothing is wrong.
    pub fn place(&self) -> &str {
        self.expected.split(" @ ").nth(1).unwrap_or_default()
    }
}

/// The table.
///
/// # Panics
///
/// If the table is absent or not well formed. It is part of the repository.
pub fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases/bad-inputs.tsv");
    let text = fs::read_to_string(path).expect("the cases are in the repository");
    let rows = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).skip(1);
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        let &[name, recipe, expected, get, verify, load] = &cells[..] else { panic!("six cells: {row}") };
        let exit = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("an exit code: {row}"));
        let [name, recipe, expected, load] = [name, recipe, expected, load].map(str::to_owned);
        Case { name, recipe, expected, get: exit(get), verify: exit(verify), load }
    })
    .collect()
}

/// A text of a recipe, unescaped.
fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let (&escape, after) = rest.split_first().expect("a backslash is followed by a letter");
        rest = after;
        match escape {
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b's' => out.push(b' '),
            b'x' => {
                let (digits, after) = rest.split_at(2);
                rest = after;
                let digits = std::str::from_utf8(digits).expect("two digits");
                out.push(u8::from_str_radix(digits, 16).expect("two digits"));
            }
            other => out.push(other),
        }
    }
    out
}

/// The index of byte `at`, counted from the end when it is negative.
fn place(at: &str, length: usize) -> usize {
    let at: isize = at.parse().expect("a number");
    if at < 0 { length.checked_add_signed(at).expect("within the bytes") } else { at.unsigned_abs() }
}

/// The bytes of a vector of `good` or `bad`.
fn vector(folder: &str, name: &str) -> Vec<u8> {
    vectors(folder).into_iter().find(|vector| vector.name == name).expect("a vector of this name").bytes
}

/// The offset after the first occurrence of a text.
fn end_of(bytes: &[u8], text: &[u8]) -> usize {
    let found = bytes.windows(text.len()).position(|window| window == text);
    found.expect("a text that is there") + text.len()
}

/// The reader for the bytes of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The reader of compiled files.
    Compiled,
    /// The compiler of JSON.
    Json,
    /// The compiler of YAML.
    Yaml,
}

impl Reader {
    /// The extension of a file with these bytes.
    pub fn extension(self) -> &'static str {
        match self {
            Reader::Compiled => "coco",
            Reader::Json => "json",
            Reader::Yaml => "yaml",
        }
    }
}

/// The bytes made by a recipe, and their reader.
///
/// # Panics
///
/// If a word is unknown, or names something that does not exist.
pub fn prepared(recipe: &str) -> (Vec<u8>, Reader) {
    let mut bytes = Vec::new();
    let mut reader = Reader::Compiled;
    for word in recipe.split(' ') {
        let (verb, rest) = word.split_once(':').unwrap_or((word, ""));
        match verb {
            "vector" => bytes = vector("good", rest),
            "bad-vector" => bytes = vector("bad", rest),
            "source" => bytes = SOURCE.as_bytes().to_vec(),
            "compile" => {
                bytes = compile(&bytes, &CompileOptions::default()).expect("a good source").bytes;
            }
            "replace" => {
                let (from, to) = rest.split_once('=').expect("two texts");
                let (from, to) = (unescaped(from), unescaped(to));
                let at = end_of(&bytes, &from) - from.len();
                bytes[at..at + from.len()].copy_from_slice(&to);
            }
            "flip-behind" => {
                let (text, behind) = rest.split_once('=').expect("a text and a number");
                let at = end_of(&bytes, &unescaped(text)) + place(behind, usize::MAX);
                bytes[at] ^= 1;
            }
            "text" => bytes = unescaped(rest),
            "repeat" => bytes = bytes.repeat(rest.parse().expect("a number")),
            "append" => bytes.extend(unescaped(rest)),
            "prepend" => bytes = [unescaped(rest), bytes].concat(),
            "cut" => bytes.truncate(place(rest, bytes.len())),
            "crlf" => {
                bytes = bytes
                    .iter()
                    .flat_map(|&byte| if byte == b'\n' { vec![b'\r', byte] } else { vec![byte] })
                    .collect();
            }
            "lf" => {
                let before_lf = |at: usize| bytes.get(at..at + 2) == Some(b"\r\n");
                bytes = (0..bytes.len()).filter(|&at| !before_lf(at)).map(|at| bytes[at]).collect();
            }
            "seven-bit" => bytes.iter_mut().for_each(|byte| *byte &= 0x7f),
            "zero" => {
                let count = place(rest, bytes.len());
                let count = if count == 0 { bytes.len() } else { count };
                bytes[..count].fill(0);
            }
            "flip" => {
                let at = place(rest, bytes.len());
                bytes[at] ^= 1;
            }
            "repair" => repair(&mut bytes),
            "json" => reader = Reader::Json,
            "yaml" => reader = Reader::Yaml,
            _ => panic!("no such word: {word}"),
        }
    }
    (bytes, reader)
}
