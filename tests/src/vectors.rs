//! The conformance vectors of `spec/vectors`, as the README there describes them.

use std::fs;
use std::path::{Path, PathBuf};

/// A vector: its bytes and its metadata.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The name of its file, without extension.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The bytes of its hexadecimal digits.
    pub bytes: Vec<u8>,
    metadata: Vec<(String, String)>,
}

impl Vector {
    fn read(path: PathBuf) -> Vector {
        let text = fs::read_to_string(&path).expect("a vector is text");
        let mut digits = String::new();
        let mut metadata = Vec::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("#!") {
                let rest = rest.trim_start();
                let (key, value) = match rest.find(": ") {
                    Some(at) => (&rest[..at], &rest[at + 2..]),
                    None => (rest.strip_suffix(':').expect("metadata has a colon"), ""),
                };
                metadata.push((key.to_owned(), value.trim().to_owned()));
                continue;
            }
            let code = line.split('#').next().unwrap_or_default();
            digits.extend(code.chars().filter(|c| !c.is_whitespace()));
        }
        let pairs = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).expect("ASCII"));
        let bytes = pairs.map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal")).collect();
        let name = path.file_stem().expect("a file name").to_string_lossy().into_owned();
        Vector { name, path, bytes, metadata }
    }

    /// The values of metadata whose key is `word` and what follows it: `get KEY` has the rest
    /// `KEY`.
    pub fn all<'v>(&'v self, word: &str) -> impl Iterator<Item = (&'v str, &'v str)> {
        let word = word.to_owned();
        self.metadata.iter().filter_map(move |(key, value)| {
            let rest = key.strip_prefix(word.as_str())?;
            let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
            Some((rest, value.as_str()))
        })
    }

    /// The error of a bad vector at `level`, as `CODE @ OFFSET`; `None` if it is accepted.
    pub fn expectation(&self, level: &str) -> Option<&str> {
        self.all(level).map(|(_, value)| value).next()
    }
}

/// All vectors of `good` or `bad`, by name.
///
/// # Panics
///
/// If the folder or a vector cannot be read. They are part of the repository.
pub fn vectors(folder: &str) -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../spec/vectors").join(folder);
    let entries = fs::read_dir(&folder).expect("the vectors are in the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("they can be listed").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "hex"));
    paths.sort();
    paths.into_iter().map(Vector::read).collect()
}
