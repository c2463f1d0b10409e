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
