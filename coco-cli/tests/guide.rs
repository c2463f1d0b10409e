//! Tests that the output of each command in the guide and in the README is the one shown there.
//!
//! `TRYCMD=overwrite` writes the current output to the pages, for review.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

/// The pages with commands.
fn pages() -> Vec<PathBuf> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let guide = fs::read_dir(top.join("docs/guide")).unwrap().map(|entry| entry.unwrap().path());
    let guide = guide.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let mut pages: Vec<PathBuf> = guide.chain([top.join("README.md")]).collect();
    pages.sort();
    pages
}

/// Copies the files of the examples to the folder in which the commands of a page run.
fn example_in(folder: &Path) {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/guide/example");
    fs::create_dir(folder).unwrap();
    for entry in fs::read_dir(example).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, folder.join(path.file_name().unwrap())).unwrap();
    }
}

#[test]
fn the_pages_show_the_output_of_the_commands() {
    let is_overwriting = std::env::var("TRYCMD").is_ok_and(|mode| mode == "overwrite");
    let pages = pages();
    assert!(pages.len() >= 7, "{pages:?}");
    let mut failed = Vec::new();
    for page in pages {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let copy = folder.path().join(page.file_name().unwrap());
        fs::copy(&page, &copy).unwrap();
        let files = copy.with_extension("in");
        example_in(&files);
        let state = fs::read(files.join("staging.tfstate")).unwrap();
        // Only on some pages: a folder with a truncated file is unsuitable for questions about
        // folders.
        if fs::read_to_string(&page).unwrap().contains("torn.tfstate") {
            fs::write(files.join("torn.tfstate"), &state[..700]).unwrap();
        }
        let cases = trycmd::TestCases::new();
        cases.env("COCONUT_CACHE_DIR", cache.path().to_string_lossy()).case(&copy);
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| cases.run()));
        match result {
            _ if is_overwriting => fs::copy(&copy, &page).map(drop).unwrap(),
            Ok(()) => {}
            Err(_) => failed.push(page),
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}
