//! Tests that long output on a terminal goes through the pager of the user, and never in a pipe.

use crate::{fixtures, runs};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The tool's output on a terminal, and whether the pager was started. `None` without `script`,
/// which creates terminals.
fn on_terminal(directory: &Path, arguments: &str) -> Option<(String, bool)> {
    let mark = directory.join("paged");
    let _ = fs::remove_file(&mark);
    let pager = directory.join("pager");
    fs::write(&pager, format!("#!/bin/sh\ntouch {}\nexec cat\n", mark.display())).expect("a file");
    let made = Command::new("chmod").arg("+x").arg(&pager).status().expect("every Unix has it");
    assert!(made.success());
    let text = runs::on_terminal(directory, arguments, &[("PAGER", &pager)])?;
    Some((text, mark.exists()))
}

#[test]
#[cfg(target_os = "linux")]
fn a_pager_is_for_terminals_alone() {
    let directory = fixtures::directory("paging");
    let Some((text, is_paged)) = on_terminal(&directory, "ls stack.coco") else {
        return coconut_testing::skip("script");
    };
    assert!(is_paged && text.contains("Vpc::network"), "{text}");
    for quiet in
        ["ls stack.coco --paging never", "ls stack.coco --json", "ls stack.coco --paging=always | cat"]
    {
        let (text, is_paged) = on_terminal(&directory, quiet).expect("it was there before");
        assert!(!is_paged && text.contains("Vpc::network"), "{quiet}: {text}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn messages_come_after_the_pager() {
    let directory = fixtures::directory("paging-messages");
    let arguments = "get stack.coco small.coco network --max-bytes 20";
    let Some((text, is_paged)) = on_terminal(&directory, arguments) else {
        return coconut_testing::skip("script");
    };
    let place = |words: &str| text.find(words).unwrap_or_else(|| panic!("no {words}: {text}"));
    assert!(is_paged && place("==> stack.coco <==") < place("stopped after"), "{text}");
    assert!(place("stopped after") < place("found in 1 of 2 files"), "{text}");
}
