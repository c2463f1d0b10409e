//! The text files of the project, what a check reads in them, and its complaints.

use std::fs;
use std::path::{Path, PathBuf};

/// All complaints of one run.
#[derive(Default)]
pub(super) struct Complaints(pub(super) Vec<String>);

impl Complaints {
    pub(super) fn add(&mut self, path: &str, line: usize, what: impl AsRef<str>) {
        self.0.push(format!("{path}:{line}: {}", what.as_ref()));
    }

    #[track_caller]
    pub(super) fn assert_none(&self) {
        assert!(self.0.is_empty(), "\n{}\n", self.0.join("\n"));
    }
}

/// A text file; its path is relative to the root and has `/` on every system.
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) text: String,
}

impl SourceFile {
    /// Lines with their number, from 1.
    pub(super) fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }

    /// Lines without comments and without quoted text.
    pub(super) fn code(&self) -> impl Iterator<Item = (usize, String)> {
        self.lines().map(|(number, line)| (number, code_of(line)))
    }
}

/// A manifest with every dependency of every kind.
pub(super) struct Manifest {
    pub(super) path: String,
    pub(super) name: String,
    pub(super) dependencies: Vec<(usize, String, String)>,
}

impl Manifest {
    /// `None` for the workspace, which is no package.
    pub(super) fn read(file: &SourceFile) -> Option<Manifest> {
        let (_, package) = file.text.split_once("[package]")?;
        let name = package.lines().find_map(|line| line.strip_prefix("name = "))?;
        let dependencies = dependency_lines(&file.text)
            .map(|(line, section, name)| (line, section.to_owned(), name))
            .collect();
        Some(Manifest { path: file.path.clone(), name: name.trim_matches('"').to_owned(), dependencies })
    }
}

/// Line, kind of section, and package of each dependency in a manifest.
pub(super) fn dependency_lines(manifest: &str) -> impl Iterator<Item = (usize, &str, String)> {
    let mut section = "";
    manifest.lines().enumerate().filter_map(move |(index, line)| {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
            // `[dependencies.name]`
            let (kind, name) = section.rsplit_once('.')?;
            let kind = kind.rsplit('.').next().filter(|kind| kind.ends_with("dependencies"))?;
            return Some((index + 1, kind, name.to_owned()));
        }
        let kind = section.rsplit('.').next().filter(|kind| kind.ends_with("dependencies"))?;
        let (key, value) = line.split_once('=').filter(|_| !line.starts_with('#'))?;
        let renamed = value.split_once("package = \"").and_then(|(_, rest)| rest.split('"').next());
        let name = renamed.unwrap_or(key.trim().split('.').next()?);
        Some((index + 1, kind, name.to_owned()))
    })
}

pub(super) fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

pub(super) fn code_of(line: &str) -> String {
    let mut code = String::new();
    let mut in_quotes = false;
    let mut characters = line.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '/' if !in_quotes && line[at..].starts_with("//") => break,
            '\'' if !in_quotes && line[at..].starts_with("'\"'") => {
                characters.nth(1);
            }
            '\\' if in_quotes => {
                characters.next();
            }
            '"' => in_quotes = !in_quotes,
            _ if in_quotes => {}
            _ => code.push(character),
        }
    }
    code.trim().to_owned()
}

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the root").to_owned()
}

#[track_caller]
pub(super) fn read_file(path: &str) -> SourceFile {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    SourceFile { path: path.to_owned(), text }
}

/// All text files of the project whose path ends in `ending`, sorted by path.
pub(super) fn read_tree(ending: &str) -> Vec<SourceFile> {
    // Output of builds, tools and fuzzing.
    let skipped =
        ["target", ".git", "node_modules", "fuzz/corpus", "fuzz/artifacts", "__pycache__", ".pytest_cache"];
    let mut files = Vec::new();
    let mut directories = vec![root()];
    while let Some(directory) = directories.pop() {
        let entries =
            fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
        for entry in entries {
            let path = entry.expect("an entry of a directory that was just opened").path();
            if skipped.iter().any(|name| path.ends_with(name)) {
                continue;
            }
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let relative =
                path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
            if !relative.ends_with(ending) {
                continue;
            }
            // A binary vector is not text, and none of these rules is about it.
            if let Ok(text) = fs::read_to_string(&path) {
                files.push(SourceFile { path: relative, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files
}
