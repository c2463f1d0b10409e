//! Real documents, which are not part of the repository.

use std::path::{Path, PathBuf};

/// The folder of the corpus, with its `INDEX.tsv`. Without one, the test is [skipped](crate::skip).
///
/// `COCONUT_CORPUS` names the folder. The default is `shared/corpus` beside the repository.
pub fn corpus() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let folder = std::env::var_os("COCONUT_CORPUS").map_or_else(beside, PathBuf::from);
    let is_there = folder.join("INDEX.tsv").exists();
    if !is_there {
        crate::skip("corpus of real documents (COCONUT_CORPUS)");
    }
    is_there.then_some(folder)
}

/// A folder or file of the cases of other tools. Without it, the test is [skipped](crate::skip).
///
/// `COCONUT_TESTDATA` names the folder around it. The default is `shared/testdata` beside the
/// repository.
pub fn testdata(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/testdata");
    let path = std::env::var_os("COCONUT_TESTDATA").map_or_else(beside, PathBuf::from).join(name);
    let is_there = path.exists();
    if !is_there {
        crate::skip("cases of other tools (COCONUT_TESTDATA)");
    }
    is_there.then_some(path)
}
