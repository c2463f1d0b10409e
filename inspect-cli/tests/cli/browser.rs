//! Opens pages in a real browser, and compares their contents with the results of the tool.

use crate::fixtures::compiled;
use crate::pictures::{HOSTILE, directory_with};
use crate::runs::{run, stdout_of};
use coconut_testing::missing;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names of the browser. `CHROMIUM` names another one.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return Some(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    BROWSERS
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}

/// The output of the tool, even if the result is empty.
fn answer(directory: &Path, arguments: &[&str]) -> String {
    String::from_utf8(run(directory, arguments).stdout).expect("the answer is UTF-8")
}

fn length(directory: &Path, arguments: &[&str]) -> usize {
    answer(directory, arguments).lines().count()
}

fn write_page(directory: &Path, name: &str, arguments: &[&str]) {
    let page = stdout_of(directory, &[&["graph"][..], arguments, &["--as", "html"]].concat());
    fs::write(directory.join(name), page).expect("the target directory can be written");
}

/// A graph of this many resources in layers, of some types.
fn layered(count: usize) -> String {
    let resource = |at: usize| {
        let targets = [at / 2, at / 3].map(|to| json!({"#ref": format!("resource-{to}")}));
        let properties = if at == 0 { json!({}) } else { json!({"one": targets[0], "other": targets[1]}) };
        (
            format!("resource-{at}"),
            json!({"type": format!("aws:m{}:T{}", at % 5, at % 11), "properties": properties}),
        )
    };
    json!({"package": "p", "vertices": (0..count).map(resource).collect::<serde_json::Map<_, _>>()})
        .to_string()
}

#[test]
fn a_page_answers_in_a_browser_as_the_tool_does() {
    // `.ci/run` reports that it skips this.
    if std::env::var_os("COCONUT_NO_BROWSER").is_some() {
        return;
    }
    let Some(browser) = browser() else { return missing("chromium") };
    if Command::new("node").arg("--version").output().is_err() {
        return missing("node");
    }
    let directory = crate::fixtures::directory("browser");
    let small = layered(60);
    fs::write(directory.join("small.json"), &small).expect("the target directory can be written");
    write_page(&directory, "small.html", &["small.json"]);
    fs::write(directory.join("large.coco"), compiled(layered(20_000).as_bytes())).expect("so can this");
    write_page(&directory, "large.html", &["large.coco"]);
    write_page(&directory, "changed.html", &["stack-new.coco", "--changed", "stack.coco"]);
    let hostile: Vec<(&str, &str, &[&str])> = HOSTILE.iter().map(|&key| (key, key, &["\""][..])).collect();
    let hostile = directory_with("browser-hostile", &hostile);
    write_page(&hostile, "hostile.html", &["graph.coco"]);
    fs::copy(hostile.join("hostile.html"), directory.join("hostile.html")).expect("both are in one folder");

    let resources = ["resource-3", "resource-7", "resource-59"].map(|key| {
        let hits = small.matches("\"resource-").count();
        let hits = (0..60).filter(|at| format!("resource-{at}").contains(key)).count().min(hits);
        let impact = answer(&directory, &["impact", "small.json", key, "--json"]);
        let impact: Value = serde_json::from_str(&impact).expect("the answer is JSON");
        let answers = json!({
            "search": key,
            "hits": hits,
            "rdeps": length(&directory, &["rdeps", "small.json", key, "--list", "--depth", "1"]),
            "deps": length(&directory, &["deps", "small.json", key, "--list", "--depth", "1"]),
            "impact": impact["resources"].as_array().expect("it is a list").len(),
            "all": length(&directory, &["deps", "small.json", key, "--list"]),
        });
        (key.to_owned(), answers)
    });
    let compiled = compiled(small.as_bytes()).len() as u64;
    let expected = json!({
        "resources": resources.into_iter().collect::<serde_json::Map<_, _>>(),
        "size": 60,
        "first": "resource-0",
        "bytes": format!("{} bytes", coconut_format::numerals::grouped(compiled)),
        "hostile": HOSTILE.len(),
        "changes": changes_of(&directory),
    });
    fs::write(directory.join("expected.json"), expected.to_string()).expect("so can this");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/page.mjs");
    let output = Command::new("node").arg(script).arg(browser).arg(&directory).output().expect("node runs");
    let (said, faults) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{faults}");
}

/// The first line of the tab of changes, from the summary of `diff`.
fn changes_of(directory: &Path) -> String {
    let answer = answer(directory, &["diff", "stack.coco", "stack-new.coco", "--json"]);
    let answer: Value = serde_json::from_str(&answer).expect("the answer is JSON");
    let mut words: Vec<(String, usize)> = Vec::new();
    for resource in answer["resources"].as_array().expect("it is a list") {
        let action = resource["action"].as_str().expect("it is a text");
        match words.iter_mut().find(|(word, _)| word == action) {
            Some((_, count)) => *count += 1,
            None => words.push((action.to_owned(), 1)),
        }
    }
    let words: Vec<String> = words.iter().map(|(word, count)| format!("{count} {word} ")).collect();
    format!("Since stack.coco: {}", words.concat())
}
