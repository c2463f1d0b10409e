//! Runs the commands of the page about writing packages, on the files that the page shows.

use std::fs;
use std::path::Path;

/// The files that the page shows. The last words in back quotes before a block are its name.
fn files(page: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut name = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if ["```ts", "```yaml", "```json"].contains(&line) {
            let text: String =
                lines.by_ref().take_while(|line| *line != "```").map(|line| format!("{line}\n")).collect();
            files.push((std::mem::take(&mut name), text));
        } else if let Some(found) = line
            .split('`')
            .skip(1)
            .step_by(2)
            .filter(|word| word.contains('/') && !word.starts_with('.'))
            .last()
        {
            name = found.to_owned();
        }
    }
    files
}

#[test]
fn the_page_shows_the_output_of_its_commands() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/write.md");
    let text = fs::read_to_string(&page).unwrap();
    let compiler = Path::new(env!("CARGO_BIN_EXE_cocojs"));
    let coco = compiler.with_file_name(format!("coco{}", std::env::consts::EXE_SUFFIX));
    if !coco.is_file() {
        return coconut_testing::skipped::skip("`coco` beside `cocojs`, to run packages");
    }
    let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let copy = folder.path().join("write.md");
    fs::write(&copy, &text).unwrap();
    let files = files(&text);
    assert_eq!(files.len(), 8, "{files:?}");
    for (name, text) in files {
        let file = copy.with_extension("in").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let cases = trycmd::TestCases::new();
    cases.register_bin("coco", coco).register_bin("cocojs", compiler.to_owned());
    cases.env("COCONUT_CACHE_DIR", cache.path().to_string_lossy()).case(&copy).run();
    if std::env::var("TRYCMD").is_ok_and(|mode| mode == "overwrite") {
        fs::copy(&copy, &page).unwrap();
    }
}
