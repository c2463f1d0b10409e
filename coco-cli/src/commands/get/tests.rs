//! What is held of what is printed, and which keys are tried and suggested.

use super::*;
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile};
use coconut_format::landmark::LandmarkRule;

#[test]
fn no_more_text_is_held_than_there_is_room_for() {
    let room = Room::new(10);
    let (mut first, mut second) =
        (Held { bytes: Vec::new(), room: &room }, Held { bytes: Vec::new(), room: &room });
    first.write_all(b"1234").unwrap();
    second.write_all(b"567890").unwrap();
    assert_eq!(room.check(7), Ok(()));
    assert_eq!(first.write_all(b"a").unwrap_err().kind(), io::ErrorKind::OutOfMemory);
    assert_eq!((&first.bytes[..], &second.bytes[..]), (&b"1234"[..], &b"567890"[..]));
    assert_eq!(room.check(7), Err(ErrorKind::Bytes { count: 11, limit: 10 }.at(7)));
}

#[test]
fn keys_that_nobody_types_are_not_similar() {
    for (length, similar) in [(COMPARED, 1), (COMPARED + 1, 0)] {
        // A landmark each, as long as this and longer than what is looked for.
        let key = format!("{}y", "x".repeat(length - 1));
        let others: Vec<String> = (0..16).map(|n| format!(r#""{n}":0"#)).collect();
        let text = format!(r#"{{"{key}":0,{}}}"#, others.join(","));
        let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
        let file = DocumentFile::from_data(&bytes[..]).unwrap();
        assert_eq!(similar_keys(file.view(), "Y").unwrap().len(), similar, "a key of {length} bytes");
        assert_eq!(similar_keys(file.view(), &key[1..]).unwrap().len(), similar, "all of it but a letter");
    }
}

#[test]
fn keys_with_a_typing_error_are_similar() {
    let others: Vec<String> = (0..16).map(|n| format!(r#""{n}":0"#)).collect();
    let text = format!(r#"{{"aws:ec2/vpc:Vpc":0,"aws:ec2/subnet:Subnet":0,{}}}"#, others.join(","));
    let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
    let file = DocumentFile::from_data(&bytes[..]).unwrap();
    let similar = |wanted| similar_keys(file.view(), wanted).unwrap();
    assert_eq!(similar("aws:ec2/subnte:Subnet"), ["aws:ec2/subnet:Subnet"]);
    assert_eq!(similar("aws:ec2/subnet:Subent"), ["aws:ec2/subnet:Subnet"]);
    assert_eq!(similar("gcp:network:Vpc"), ["aws:ec2/vpc:Vpc"], "of the same last part");
    assert_eq!(similar("gcp:network:Network"), [""; 0]);
    assert_eq!(similar("z"), [""; 0], "of one letter nothing is left");
}

/// A command line of `get` alone.
#[derive(clap::Parser)]
struct Alone {
    #[command(flatten)]
    get: Get,
}

/// What `coco get --all` with these options prints of two landmarks with one key, with a budget of values and of bytes.
fn printed_within(options: &[&str], values: u64, bytes: u64) -> Result<Vec<Vec<u8>>, StreamError> {
    let text = br#"{"version":3,"deployment":{"manifest":{},"resources":[
        {"urn":"u","type":"t","x":"abc"},{"urn":"u","type":"t","x":"abc"}]}}"#;
    let compiled = compile(text, &CompileOptions::default()).unwrap().bytes;
    let file = DocumentFile::from_data(&compiled[..]).unwrap();
    let arguments = [&["coco", "file", "u/x", "--all"], options].concat();
    let get = <Alone as clap::Parser>::parse_from(arguments).get;
    let found = get.find("file", file.view()).unwrap();
    let screen = Screen::of_arguments(options.iter().map(Into::into));
    let second = found[1].value.offset();
    let printed = get.print_all(&found, Budget { values, bytes }, &screen);
    if let Err(error) = &printed {
        assert!(matches!(error, StreamError::Decode(error) if error.offset() == second), "{error}");
    }
    printed
}

fn kind_of(printed: Result<Vec<Vec<u8>>, StreamError>) -> ErrorKind {
    match printed {
        Err(StreamError::Decode(error)) => error.kind(),
        other => panic!("{other:?} is no limit"),
    }
}

#[test]
fn all_values_of_a_key_share_one_budget() {
    // A value takes a byte, and its text three.
    for options in [&[][..], &["--compact"], &["--as=yaml"]] {
        assert!(printed_within(options, 3, 9).is_ok_and(|texts| texts.len() == 2));
        assert!(printed_within(options, 2, 8).is_ok_and(|texts| texts.len() == 2));
        let values = kind_of(printed_within(options, 1, 8));
        assert_eq!(values, ErrorKind::Nodes { count: 2, limit: 1 }, "{options:?}");
        let bytes = kind_of(printed_within(options, 2, 7));
        assert_eq!(bytes, ErrorKind::Bytes { count: 8, limit: 7 }, "{options:?}");
    }
}

#[test]
fn raw_texts_share_one_budget() {
    let texts = vec![b"abc".to_vec(), b"abc".to_vec()];
    assert_eq!(printed_within(&["--raw"], 0, 7), Ok(texts.clone()));
    assert_eq!(printed_within(&["--raw"], 0, 6), Ok(texts));
    let kind = kind_of(printed_within(&["--raw"], 0, 5));
    assert_eq!(kind, ErrorKind::Bytes { count: 6, limit: 5 });
}

#[test]
fn what_begins_with_a_slash_and_is_no_key_is_a_pointer_whatever_has_the_empty_key() {
    let text = br#"{"v":"of the root","r":{"":{"v":"of a landmark"},"a":{"v":2},"/v/w":{"v":3}}}"#;
    let rule = LandmarkRule::parse(&["/r/*"], None, &[]).unwrap();
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    let compiled = compile(text, &options).unwrap().bytes;
    let file = DocumentFile::from_data(&compiled[..]).unwrap();
    for (name, pointer) in
        [("", ""), ("/v", "/v"), ("/r/a/v", "/r/a/v"), ("/r//v", "/r//v"), ("/v/w/v", "/r/~1v~1w/v")]
    {
        let get = <Alone as clap::Parser>::parse_from(["coco", "file", name]).get;
        let found = get.find("file", file.view()).unwrap();
        let expected = file.view().root().pointer(pointer).unwrap().unwrap();
        assert_eq!(found[0].value.offset(), expected.offset(), "{name}");
    }
}
