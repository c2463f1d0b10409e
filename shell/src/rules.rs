//! A team's landmark rules, in a file that all commands read.
//!
//! ```text
//! COCONUT_RULES                        names the file
//! .coconut/rules.toml                  else, in the current folder or the nearest around it
//! ```
//!
//! The rules apply wherever a source is compiled to be read. Landmark options of a command line
//! have priority.

mod file;

use crate::console::{Console, visible};
use coconut_codec::bytes::input;
use coconut_codec::compile::{DocumentRule, LandmarkChoice};
use coconut_codec::loader::{WorkspaceFile, workspace_file};
use coconut_report::failure::Failure;
use coconut_report::glob::Glob;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The environment variable that names a file of rules.
const VARIABLE: &str = "COCONUT_RULES";

/// The file in the `.coconut` of a workspace.
const FILE: &str = "rules.toml";

/// The landmark rules of a file. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Rules(Arc<Parts>);

#[derive(Debug, Default)]
struct Parts {
    path: PathBuf,
    rules: Vec<NamedRule>,
}

/// A rule of a file.
#[derive(Debug)]
pub struct NamedRule {
    /// Its first line.
    pub line: u32,
    /// Patterns of file names; without any, the rule applies to all.
    files: Vec<NamePattern>,
    /// The rule, and the content by which it recognises its documents.
    pub document: DocumentRule,
}

/// A pattern of file names.
#[derive(Debug)]
enum NamePattern {
    Exact(String),
    Glob(Glob),
}

impl NamePattern {
    fn parse(text: &str) -> Result<NamePattern, Failure> {
        match text.contains(['*', '?', '[', '{']) {
            true => Glob::new(text).map(NamePattern::Glob),
            false => Ok(NamePattern::Exact(text.to_owned())),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            NamePattern::Exact(text) => text == name,
            NamePattern::Glob(glob) => glob.matches(name),
        }
    }
}

impl NamedRule {
    fn is_for(&self, name: Option<&str>) -> bool {
        let matches = |name: &str| self.files.iter().any(|pattern| pattern.matches(name));
        self.files.is_empty()
            || name.is_some_and(|name| matches(name) || uncompressed(name).is_some_and(matches))
    }
}

/// The name without the extension of a compressed file.
fn uncompressed(name: &str) -> Option<&str> {
    [".gz", ".zst"].iter().find_map(|extension| name.strip_suffix(extension))
}

impl Rules {
    /// The rules of this process, whose environment or folder names them. They are found at their
    /// first use, and `console` is warned of a file that is not used.
    pub fn of_process(console: &mut Console) -> Result<Rules, Failure> {
        static FOUND: OnceLock<Rules> = OnceLock::new();
        if let Some(found) = FOUND.get() {
            return Ok(found.clone());
        }
        let rules = Rules::find(console)?;
        Ok(FOUND.get_or_init(|| rules).clone())
    }

    fn find(console: &mut Console) -> Result<Rules, Failure> {
        if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
            let path = PathBuf::from(path);
            let bytes = input::read(&path).map_err(|error| {
                Failure::reading(&path, &error)
                    .with_hint(format!("`{VARIABLE}` names this file of landmark rules"))
            })?;
            return Rules::parse(path, &bytes);
        }
        let Some(WorkspaceFile { path, bytes }) = workspace_file(Path::new("."), FILE) else {
            return Ok(Rules::default());
        };
        match bytes {
            Ok(bytes) => Rules::parse(path, &bytes),
            Err(reason) => {
                let place = visible(&path.to_string_lossy());
                let message = format!(
                    "{}\n --> {place}\n  = its landmark rules are not used",
                    visible(&reason.to_string())
                );
                console.warn(Some(reason.code()), &message);
                Ok(Rules::default())
            }
        }
    }

    fn parse(path: PathBuf, bytes: &[u8]) -> Result<Rules, Failure> {
        let rules = file::parse(bytes).map_err(|failure| failure.in_file(&path.to_string_lossy()))?;
        Ok(Rules(Arc::new(Parts { path, rules })))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.rules.is_empty()
    }

    /// The file that contains them.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The rules that may apply to the source at `path`. Standard input has no name.
    pub fn of<'r>(&'r self, path: &'r Path) -> impl Iterator<Item = &'r NamedRule> {
        let name = path.file_name().filter(|_| path != Path::new("-")).and_then(OsStr::to_str);
        self.0.rules.iter().filter(move |rule| rule.is_for(name))
    }

    /// The landmarks of the source at `path`.
    pub fn landmarks_of(&self, path: &Path) -> LandmarkChoice {
        let rules: Arc<[DocumentRule]> = self.of(path).map(|rule| rule.document.clone()).collect();
        match rules.is_empty() {
            true => LandmarkChoice::Detect,
            false => LandmarkChoice::ByDocument(rules),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str, candidates: &[&str]) -> Vec<String> {
        let text = format!("[[rule]]\nfiles = {text}\nlandmarks = '/a/*'\n");
        let rules = Rules::parse(PathBuf::from("rules.toml"), text.as_bytes()).unwrap();
        let is_for = |name: &&&str| rules.of(Path::new(name)).count() == 1;
        candidates.iter().filter(is_for).map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_file_is_recognised_by_its_name_alone() {
        let all = ["a.json", "d/a.json", "a.json.gz", "ba.json", "a.yaml", "-", "a.json/b"];
        assert_eq!(names("'a.json'", &all), ["a.json", "d/a.json", "a.json.gz"]);
        assert_eq!(names("'*.json'", &all), ["a.json", "d/a.json", "a.json.gz", "ba.json"]);
        assert_eq!(
            names("['a.{json,yaml}', 'b*']", &all),
            ["a.json", "d/a.json", "a.json.gz", "ba.json", "a.yaml", "a.json/b"]
        );
        assert_eq!(names("'*'", &all).len(), 6, "standard input has no name");
    }

    #[test]
    fn a_source_that_no_rule_is_for_is_compiled_as_ever() {
        let text = b"[[rule]]\nfiles = 'a'\nlandmarks = '/a/*'\n";
        let rules = Rules::parse(PathBuf::from("rules.toml"), text).unwrap();
        assert!(matches!(rules.landmarks_of(Path::new("b")), LandmarkChoice::Detect));
        assert!(
            matches!(rules.landmarks_of(Path::new("a")), LandmarkChoice::ByDocument(rules) if rules.len() == 1)
        );
    }
}
