//! The pages in a real browser.

use crate::client::{Running, info, state};
use coconut_testing::missing;
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
    let all = BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    all.into_iter().find(|path| path.is_file())
}

#[test]
fn pages_keep_their_own_policy_in_a_browser() {
    // `.ci/run` reports that it skips this.
    if std::env::var_os("COCONUT_NO_BROWSER").is_some() {
        return;
    }
    let Some(browser) = browser() else { return missing("chromium") };
    let server = Running::start(&[]);
    server.send("LOCK", "/state/s", &info("one"));
    for n in 1..=3 {
        server.send("POST", "/state/s?ID=one", &state(n, "a", n));
    }
    for (path, expected) in [
        ("/", "<a href=\"/page/s\">s</a>"),
        ("/page/s", "Locked for"),
        ("/page/s/-/diff/1..3", "size = 1 → 3"),
        ("/page/s/-/log?key=t.x", "size = 2 → 3"),
        ("/page/s/-/graph/2", "t.x"),
    ] {
        let profile = tempfile::tempdir().unwrap();
        let output = Command::new(&browser)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--dump-dom",
                "--enable-logging=stderr",
                "--v=0",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg(format!("http://{}{path}", server.address()))
            .output()
            .unwrap();
        let (page, log) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(page.contains(expected), "{path}: {page}\n{log}");
        // A browser reports what a policy forbids, except the icon that it requests by itself.
        let refused: Vec<&str> = log
            .lines()
            .filter(|line| line.contains("CONSOLE") && line.contains("Content Security Policy"))
            .filter(|line| !line.contains("favicon"))
            .collect();
        assert_eq!(refused, [""; 0], "{path}");
    }
}

#[test]
fn pages_can_be_read_in_light_and_dark_and_used_by_keyboard() {
    if std::env::var_os("COCONUT_NO_BROWSER").is_some() {
        return;
    }
    let Some(browser) = browser() else { return missing("chromium") };
    let server = Running::start(&[]);
    server.send("LOCK", "/state/s", &info("one"));
    for n in 1..=3 {
        server.send("POST", "/state/s?ID=one", &state(n, "a", n));
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/pages.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(browser).arg(format!("http://{}", server.address()));
    let Ok(output) = node.output() else { return missing("node") };
    let (said, faults) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}{faults}");
}
