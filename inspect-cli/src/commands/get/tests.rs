//! Tests that the output is held back.

use super::*;
use coconut_codec::compile::{CompileOptions, compile};
use coconut_shell::console::GlobalOptions;
use coconut_shell::open::{Storage, open_bytes};

/// A command line with `get` only.
#[derive(clap::Parser)]
struct Alone {
    #[command(flatten)]
    get: Get,
    #[command(flatten)]
    global: GlobalOptions,
}

fn alone(arguments: &[&str]) -> (Get, Console) {
    let Alone { get, global } =
        <Alone as clap::Parser>::parse_from([&["get", "file", "u/x"], arguments].concat());
    (get, Console::new(&global))
}

#[test]
fn no_more_text_is_held_than_there_is_room_for() {
    let budget = Budget { values: 0, bytes: 10 };
    let limit = 10 * limits::PRINTED_PER_TEXT_BYTE;
    let mut held = Held { bytes: Vec::new(), budget, wanted: 0 };
    let text = vec![b'x'; usize::try_from(limit).unwrap()];
    held.write_all(&text).unwrap();
    held.check(7).unwrap();
    assert_eq!(held.write_all(b"a").unwrap_err().kind(), io::ErrorKind::OutOfMemory);
    assert_eq!(held.bytes, text);
    assert_eq!(held.check(7).unwrap_err().code(), "LIM-BYTES");
}

/// The output of `get --all` with these options for two landmarks with one key, within a budget of
/// values and bytes.
fn printed_within(options: &[&str], values: u64, bytes: u64) -> Result<String, String> {
    let text = br#"{"version":3,"deployment":{"manifest":{},"resources":[
        {"urn":"u","type":"t","x":"abc"},{"urn":"u","type":"t","x":"abc"}]}}"#;
    let compiled = compile(text, &CompileOptions::default()).unwrap().bytes;
    let opened = open_bytes(Storage::new(compiled), "file", false).unwrap();
    let (get, console) = alone(&[&["--all"], options].concat());
    let mut held = Held { bytes: Vec::new(), budget: Budget { values, bytes }, wanted: 0 };
    let printed = get.print(&opened, "u/x", &console, &mut held);
    printed.map_err(|failure| failure.to_lines())?;
    Ok(String::from_utf8(held.bytes).unwrap())
}

/// The byte at which the second of the two values begins.
fn second_value() -> u64 {
    let text = printed_within(&["--json"], 1000, 1000).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    report["matches"][1]["offset"].as_u64().unwrap()
}

#[test]
fn all_values_of_a_key_share_one_budget() {
    let second = second_value();
    // A value takes a byte; its text takes three.
    for options in [&[][..], &["--compact"], &["--as=yaml"]] {
        assert!(printed_within(options, 2, 8).is_ok_and(|text| text.lines().count() == 2));
        let values = printed_within(options, 1, 8).unwrap_err();
        assert!(values.contains("2 values, the limit is 1"), "{values}");
        let bytes = printed_within(options, 2, 7).unwrap_err();
        assert!(bytes.contains("8 bytes") && bytes.contains(&format!("byte {second}")), "{bytes}");
    }
}

#[test]
fn raw_texts_share_one_budget() {
    assert_eq!(printed_within(&["--raw"], 0, 6).as_deref(), Ok("abc\nabc\n"));
    let said = printed_within(&["--raw"], 0, 5).unwrap_err();
    assert!(said.contains("6 bytes") && said.contains(&format!("byte {}", second_value())), "{said}");
}
