//! Tests that a lookup in a large document reads only what it needs, and that no document exceeds
//! its memory limit.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use coconut_codec::event::EventSink;
use coconut_codec::write::interner::Interner;
use coconut_codec::write::{Writer, WriterOptions};
use std::fmt::Write;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

fn coco(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_coco"));
    command.current_dir(folder).args(arguments).env("COCONUT_CACHE_DIR", folder.join("cache"));
    command
}

/// Text of this many bytes without repetitions.
fn text(seed: u64, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::new();
    while text.len() < length {
        // Xorshift is random enough to prevent sharing.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        write!(text, "{state:016x}").unwrap();
    }
    text
}

/// The bytes that the process has read so far, from `/proc/PID/io`.
fn read_bytes(process: u32) -> u64 {
    let counts = fs::read_to_string(format!("/proc/{process}/io")).unwrap();
    let count = counts.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    count.parse().unwrap()
}

#[test]
fn a_lookup_in_a_compiled_file_does_not_read_all_of_it() {
    let folder = tempfile::tempdir().unwrap();
    // More than a pipe takes, so the process is still running when its counters are read.
    let wanted = text(0, 100_000);
    let others: String =
        (1..=2000).map(|n| format!(r#", "r{n}": {{"text": "{}"}}"#, text(n, 2000))).collect();
    let source = format!(r#"{{"resources": {{"wanted": {{"text": "{wanted}"}}{others}}}}}"#);
    fs::write(folder.path().join("large.json"), source).unwrap();
    assert!(coco(folder.path(), &["pack", "build", "large.json", "-q"]).status().unwrap().success());
    let length = fs::metadata(folder.path().join("large.coco")).unwrap().len();

    let mut get = coco(folder.path(), &["get", "large.coco", "wanted/text", "--raw"]);
    let mut child = get.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut printed = vec![0];
    stdout.read_exact(&mut printed).unwrap();
    let read = read_bytes(child.id());
    stdout.read_to_end(&mut printed).unwrap();
    assert_eq!(String::from_utf8(printed).unwrap(), wanted + "\n");
    assert!(child.wait().unwrap().success());
    assert!(read < length / 8, "{read} of {length} bytes");
}

/// A file of less than 100 kB that expands to 2 GB: a list of one text, repeated.
fn expanding_file() -> Vec<u8> {
    let mut interner = Interner::new();
    interner.begin_list().unwrap();
    let text = "x".repeat(60_000);
    for _ in 0..36_000 {
        interner.string(&text).unwrap();
    }
    interner.end_list().unwrap();
    Writer::new(WriterOptions::new("document"))
        .to_bytes(&interner.finish().expect("one whole document"))
        .unwrap()
}

#[test]
fn a_document_assembled_in_memory_has_a_limit() {
    let folder = tempfile::tempdir().unwrap();
    let file = expanding_file();
    assert!(file.len() < 100_000, "{} bytes", file.len());
    fs::write(folder.path().join("small.coco"), file).unwrap();
    let convert = ["pack", "repack", "small.coco", "-o", "out.coco"];
    for arguments in [&["get", "small.coco", ""][..], &[&convert[..], &["--profile", "plain"]].concat()] {
        let output = coco(folder.path(), arguments).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(7), "{arguments:?}: {message}");
        assert!(message.starts_with("error[LIM-BYTES]"), "{message}");
        assert!(output.stdout.is_empty());
    }
    assert!(coco(folder.path(), &convert).status().unwrap().success(), "what is shared stays shared");
}

/// A Pulumi schema of 12 MB without repetitions, and with this many modules.
fn schema(modules: u64) -> String {
    let resources: Vec<String> = (0..400)
        .map(|number| {
            let (module, doc) = (number % modules, text(number, 30_000));
            format!(
                r##""big:m{module}:R{number}": {{"description": "{doc}", "properties": {{"p{number}":
                {{"$ref": "#/types/big:m{module}:T"}}}}}}"##
            )
        })
        .collect();
    let types: Vec<String> = (0..modules)
        .map(|module| {
            format!(
                r#""big:m{module}:T": {{"type": "object", "properties": {{"x-y": {{"type": "string"}}}}}}"#
            )
        })
        .collect();
    format!(
        r#"{{"name": "big", "types": {{{}}}, "resources": {{{}}}}}"#,
        types.join(","),
        resources.join(",")
    )
}

/// The peak memory of a process, as far as it can be observed.
fn peak_kib(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Runs a command that succeeds, and returns its peak memory in KiB.
fn peak_of(command: &mut Command) -> u64 {
    let (mut child, mut peak) = (command.spawn().unwrap(), 0);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        peak = peak.max(peak_kib(child.id()).unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(1));
    };
    assert!(status.success());
    peak
}

fn package_of_a_large_schema(modules: u64) {
    const MOST_KIB: u64 = 40 << 10;
    // The document is in memory once, without its bytes.
    const MOST_KIB_COMPILED: u64 = 52 << 10;
    let folder = tempfile::tempdir().unwrap();
    let schema = schema(modules);
    fs::write(folder.path().join("big.json"), &schema).unwrap();
    for (output, most) in [("parts.json", MOST_KIB), ("parts.coco", MOST_KIB_COMPILED)] {
        let arguments = ["convert", "big.json", "--to", "cocopack", "-o", output, "-q"];
        let peak = peak_of(&mut coco(folder.path(), &arguments));
        assert!(peak < most, "{output}: {peak} KiB");
    }

    // Read as a whole, the result is the same. A pipe cannot be read twice.
    for (parts, whole) in [("parts.json", "whole.json"), ("parts.coco", "whole.coco")] {
        let mut convert = coco(folder.path(), &["convert", "-", "--to", "cocopack", "-o", whole, "-q"]);
        let mut child = convert.stdin(Stdio::piped()).spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), schema.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        let [parts, whole] = [parts, whole].map(|name| fs::read(folder.path().join(name)).unwrap());
        assert!(parts == whole);
    }

    // Names that had to change are findings, and then `--strict` writes nothing.
    for output in ["strict.json", "strict.coco"] {
        let arguments = ["convert", "big.json", "--to", "cocopack", "-o", output, "--strict"];
        let refused = coco(folder.path(), &arguments).output().unwrap();
        assert_eq!(refused.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&refused.stderr).starts_with("warning[CNV-NAME]"));
        assert!(!folder.path().join(output).exists());
    }
}

#[test]
fn the_package_of_a_large_schema_takes_little_memory() {
    package_of_a_large_schema(40);
}

#[test]
fn the_package_of_a_schema_of_one_large_module_takes_little_memory() {
    package_of_a_large_schema(1);
}
