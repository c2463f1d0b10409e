//! Runs the tool.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the tool in `directory`. Both outputs are captured, so neither is a terminal.
pub(crate) fn run(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco-inspect"));
    command.current_dir(directory).args(arguments);
    command.output().expect("the tool is built and can be run")
}

/// The output of a successful run.
pub(crate) fn stdout_of(directory: &Path, arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } = run(directory, arguments);
    assert!(status.success(), "{arguments:?}: {status}, {}", String::from_utf8_lossy(&stderr));
    String::from_utf8(stdout).expect("what the tool prints is UTF-8")
}

/// The tool's output on a terminal for these shell words, from both of its outputs. `None` without
/// `script`, which creates terminals.
pub(crate) fn on_terminal(directory: &Path, words: &str, environment: &[(&str, &Path)]) -> Option<String> {
    let line = format!("{} {words}", env!("CARGO_BIN_EXE_coco-inspect"));
    let mut command = Command::new("script");
    command.current_dir(directory).args(["-qec", &line, "/dev/null"]);
    command.env("TERM", "xterm").env_remove("COCONUT_PAGER").envs(environment.iter().copied());
    let output = command.output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}
