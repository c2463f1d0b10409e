//! Tests signals that end the tool.

use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn a_truncated_map_ends_the_tool_with_a_message() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_coco-inspect"))
        .args(["info", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than fits in a pipe: when the rest has been read, the process has started long ago.
    input.write_all(&[b' '; 1 << 20]).unwrap();
    let kill =
        Command::new("sh").args(["-c", "kill -s BUS \"$0\"", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    // A process that the signal does not end, ends with its input.
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert_eq!(
        String::from_utf8_lossy(&output.stderr),
        "error: a file became shorter while it was being read (something truncated it in place); run again\n"
    );
}
