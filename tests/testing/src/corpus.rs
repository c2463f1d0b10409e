//! Real documents and results of other programs, which are not part of the repository.

use std::path::{Path, PathBuf};

/// The folder of the corpus, with its `INDEX.tsv`. Without one, the test is [skipped](crate::skip).
///
/// `COCONUT_CORPUS` names the folder. The default is `shared/corpus` next to the repository.
pub fn corpus() -> Option<PathBuf> {
    with_index(shared("COCONUT_CORPUS", "corpus"), "corpus of real documents (COCONUT_CORPUS)")
}

/// The folder with the results of the evaluator and planner of 2017, with its `INDEX.tsv`. Without
/// one, the test is [skipped](crate::skip).
///
/// `COCONUT_GOLDEN` names the folder. The default is `shared/golden` next to the repository.
pub fn golden() -> Option<PathBuf> {
    with_index(shared("COCONUT_GOLDEN", "golden"), "results of 2017 (COCONUT_GOLDEN)")
}

/// A folder or file of the cases of other tools. Without it, the test is [skipped](crate::skip).
///
/// `COCONUT_TESTDATA` names the folder that contains it. The default is `shared/testdata` next to
/// the repository.
pub fn testdata(name: &str) -> Option<PathBuf> {
    let path = shared("COCONUT_TESTDATA", "testdata").join(name);
    let is_there = path.exists();
    or_skip(path, is_there, "cases of other tools (COCONUT_TESTDATA)")
}

/// The folder that the variable names, or the default.
fn shared(variable: &str, default: &str) -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared").join(default);
    std::env::var_os(variable).map_or_else(beside, PathBuf::from)
}

fn with_index(folder: PathBuf, what: &str) -> Option<PathBuf> {
    let is_there = folder.join("INDEX.tsv").exists();
    or_skip(folder, is_there, what)
}

fn or_skip(path: PathBuf, is_there: bool, what: &str) -> Option<PathBuf> {
    if !is_there {
        crate::skip(what);
    }
    is_there.then_some(path)
}
