//! Every code that the tools explain has a test, or a reason here why it has none.

use coconut_codec::cache::CacheFault;
use coconut_codec::durable::DurableError;
use coconut_codec::loader::{FallbackReason, FleetFault, LoadErrorKind};
use coconut_codec::text::{LintKind, SourceErrorKind};
use coconut_eval::EvalErrorKind;
use coconut_format::ErrorKind;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Codes that cannot occur where tests run, with the reason.
const NOWHERE: [(&str, &str); 3] = [
    ("CACHE-PLATFORM", OTHER_SYSTEMS),
    ("LOAD-PLATFORM", OTHER_SYSTEMS),
    ("SRV-PANIC", "of a fault of the server, of which none is known"),
];

const OTHER_SYSTEMS: &str =
    "of systems without owners and modes, for which the library is compiled and not run";

/// Codes that tests name by their variant.
const BY_NAME: [(&str, &str); 7] = [
    ("CACHE-LOCKED", "CacheFault::Locked"),
    ("FLEET-LOCATION", "FleetFault::Location"),
    ("FLEET-SIZE", "FleetFault::TooLarge"),
    ("W-BOM", "LintKind::ByteOrderMark"),
    ("W-YAML-NUMBER", "LintKind::YamlNumber"),
    ("W-YAML-TAG", "LintKind::YamlTag"),
    ("W-YAML-VERSION", "LintKind::YamlVersion"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The codes of the tools, which are read as text: tests are built without them.
fn codes_of_tools(path: &str) -> BTreeSet<String> {
    let text = read(&root().join(path));
    let constants = text.lines().filter_map(|line| line.trim_start().strip_prefix("pub const "));
    let codes = constants
        .filter_map(|constant| Some(constant.split_once(": &str = \"")?.1.split('"').next()?.to_owned()));
    codes.collect()
}

/// All codes with a text in `coco explain`, except rules.
fn codes() -> BTreeSet<String> {
    let of_documents = [ErrorKind::CODES, SourceErrorKind::CODES, LintKind::CODES];
    let of_loading = [CacheFault::CODES, FallbackReason::CODES, LoadErrorKind::CODES, FleetFault::CODES];
    let others = [DurableError::CODES, coconut_format::code::CODES, EvalErrorKind::CODES];
    let known = of_documents.iter().chain(&of_loading).chain(&others).flat_map(|codes| codes.iter());
    let mut codes: BTreeSet<String> = known.map(|&code| code.to_owned()).collect();
    codes.extend(codes_of_tools("report/src/code.rs"));
    codes
}

/// The text of the tests: the tests and their cases, transcripts and vectors, and the test modules
/// in sources.
fn texts_of_tests() -> Vec<String> {
    let mut texts = Vec::new();
    let mut folders: Vec<PathBuf> = [
        "format",
        "codec",
        "eval",
        "cocojs",
        "history",
        "history-cli",
        "hub",
        "hub-cli",
        "deploy",
        "deploy-cli",
        "fleet",
        "report",
        "query",
        "shell",
        "coco-cli",
        "inspect-cli",
        "tests",
        "spec/vectors",
    ]
    .map(|folder| root().join(folder))
    .into();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("it is in the repository") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(text) = fs::read_to_string(&path) else { continue };
            let relative = path.strip_prefix(root()).expect("it is below");
            let has = |name: &str| relative.components().any(|part| part.as_os_str() == name);
            let is_source = has("src") && !relative.starts_with("tests");
            let is_of_tests = has("tests") || relative.ends_with("tests.rs");
            match is_source && !is_of_tests {
                // Tests are at the end of a file, and some run on one system only.
                true => texts.extend(text.split_once("\nmod tests {").map(|(_, tests)| tests.to_owned())),
                false if !path.ends_with("codes.rs") => texts.push(text),
                false => {}
            }
        }
    }
    texts
}

fn has_code(text: &str, code: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(code)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + code.len()..].starts_with(is_part))
}

#[test]
fn every_code_is_met_by_a_test() {
    let (codes, texts) = (codes(), texts_of_tests());
    assert!(codes.len() > 130 && texts.len() > 300, "{} codes, {} texts", codes.len(), texts.len());
    let is_met = |text: &str| texts.iter().any(|other| has_code(other, text));
    let unmet: BTreeSet<&str> = codes.iter().map(String::as_str).filter(|code| !is_met(code)).collect();
    let (nowhere, by_name) = (NOWHERE.map(|(code, _)| code), BY_NAME.map(|(code, _)| code));
    assert_eq!(unmet, nowhere.into_iter().chain(by_name).collect());
    let missing: Vec<_> = BY_NAME.iter().filter(|(_, name)| !is_met(name)).collect();
    assert!(missing.is_empty(), "no test has these: {missing:?}");
}
