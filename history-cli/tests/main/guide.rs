//! The page that begins with an empty folder, run as its reader runs it.

use coconut_testing::skip;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command of the page, and the lines that it prints.
struct Step {
    command: String,
    expected: Vec<String>,
}

fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut is_console = false;
    for line in page.lines() {
        match line {
            "```console" => is_console = true,
            "```" => is_console = false,
            _ if !is_console => {}
            _ => match line.strip_prefix("$ ") {
                Some(command) => steps.push(Step { command: command.to_owned(), expected: Vec::new() }),
                None => steps.last_mut().expect("a command is first").expected.push(line.to_owned()),
            },
        }
    }
    steps
}

/// Whether a line is the expected one, in which `[..]` is any text.
fn fits(line: &str, expected: &str) -> bool {
    let mut parts = expected.split("[..]");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut is_open = false;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        (rest, is_open) = (&rest[at + part.len()..], part.is_empty());
    }
    rest.is_empty() || is_open
}

#[test]
fn the_page_shows_the_output_of_its_commands() {
    let has_terraform = Command::new("terraform").arg("version").env("CHECKPOINT_DISABLE", "1").output();
    if !has_terraform.is_ok_and(|output| output.status.success()) {
        return skip("terraform");
    }
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/states.md")).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let page = page.replace("8733", &port.to_string());
    let folder = tempfile::tempdir().unwrap();
    let configuration = page.split("```hcl\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    fs::create_dir(folder.path().join("shop")).unwrap();
    fs::write(folder.path().join("shop/main.tf"), configuration).unwrap();

    // `coco history` and `coco serve` run the program beside `coco`; here, a script does.
    let program = env!("CARGO_BIN_EXE_coco-history");
    let tool = format!("#!/bin/sh\n[ \"$1\" != history ] || shift\nexec '{program}' \"$@\"\n");
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    fs::write(bin.join("coco"), tool).unwrap();
    let mut script = String::from("chmod +x bin/coco; PATH=$PWD/bin:$PATH\n");
    let steps = steps(&page);
    for (number, step) in steps.iter().enumerate() {
        let command =
            step.command.replace("--root states >", &format!("--root states --listen 127.0.0.1:{port} >"));
        script.push_str(&format!("printf '@@{number}\\n'\n{command}\n"));
    }
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(folder.path())
        .env("CHECKPOINT_DISABLE", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(steps.len() > 15, "{} commands", steps.len());
    for (number, step) in steps.iter().enumerate() {
        let printed = text.split(&format!("@@{number}\n")).nth(1).and_then(|rest| rest.split("@@").next());
        let printed: Vec<&str> = printed.unwrap_or_default().lines().collect();
        let is_right = printed.len() == step.expected.len()
            && printed.iter().zip(&step.expected).all(|(line, expected)| fits(line, expected));
        assert!(
            is_right,
            "$ {}\n{}\nexpected\n{}\n{errors}",
            step.command,
            printed.join("\n"),
            step.expected.join("\n")
        );
    }
}
