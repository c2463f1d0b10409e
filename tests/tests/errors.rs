//! Errors of the library: their codes, classes, advice and causes.

use coconut_codec::durable::Replace;
use coconut_codec::{CompileOptions, Document, LookupError, compile, durable, from_slice, to_vec};
use coconut_diff::value::apply_patch;
use coconut_format::Value;
use coconut_format::envelope::{Encoding, Envelope};
use coconut_format::explain::ErrorClass;
use coconut_format::graph::SnapshotBuilder;
use coconut_format::graph::address::Address;
use coconut_format::il::{NodeBuilder, SyntaxKind};
use coconut_format::landmark::LandmarkRule;
use coconut_format::names::{PackageUrl, Token};
use coconut_format::urn::Urn;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;

/// An error and its causes, as a program prints them.
fn chain(error: &dyn Error) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[test]
fn a_cause_is_printed_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("empty.coco");
    fs::write(&path, "").unwrap();
    let error = Document::open(&path).unwrap_err();
    let expected = format!(
        "cannot open `{}`: ENV-EMPTY: the file is empty (an interrupted write?) at byte 0",
        path.display()
    );
    assert_eq!(chain(&error), expected);
    assert_eq!((error.code(), error.class()), ("ENV-EMPTY", ErrorClass::Damaged));
    assert!(error.hint().is_some() && error.explanation().is_some());

    let error = compile(b"{", &CompileOptions::default()).unwrap_err();
    assert_eq!((error.code(), error.class()), ("SRC-JSON", ErrorClass::Content));
    assert!(error.source().is_none(), "the text is that of the inner error");
}

#[test]
fn values_that_do_not_fit_a_type_are_content() {
    let bytes = to_vec(&["text"]).unwrap();
    let error = from_slice::<Vec<u32>>(&bytes).unwrap_err();
    assert_eq!((error.code(), error.class()), ("VALUE-TYPE", ErrorClass::Content));
    let error = from_slice::<Vec<u32>>(b"{}").unwrap_err();
    assert_eq!((error.code(), error.class()), ("ENV-TEXT", ErrorClass::Foreign));
    let error = to_vec(&BTreeMap::from([((), 1)])).unwrap_err();
    assert_eq!((error.code(), error.class()), ("SINK", ErrorClass::Caller));
    let error = to_vec(&f64::NAN).unwrap_err();
    assert_eq!(error.to_string(), "expected a finite float, found NaN or an infinity, in the whole document");
}

#[test]
fn an_absent_key_is_a_fault_of_the_caller() {
    let file = Document::from_data(to_vec(&[1]).unwrap()).unwrap();
    let error = file.require("a").unwrap_err();
    assert_eq!((error.code(), error.class()), ("KEY-MISSING", ErrorClass::Caller));
    assert!(error.hint().is_some_and(|hint| hint.contains("JSON pointer")));
    assert!(matches!(error, LookupError::Missing { near, .. } if near.is_empty()));
}

#[test]
fn errors_of_names_rules_patches_and_builders_have_a_code_and_a_text() {
    fn met<E: Error>(
        error: E,
        told: impl Fn(&E) -> (&'static str, ErrorClass, Option<&'static str>),
        expected: (&str, ErrorClass),
    ) {
        let (code, class, explanation) = told(&error);
        assert_eq!((code, class), expected, "{error}");
        assert!(explanation.is_some(), "{code} has no text");
    }
    macro_rules! met {
        ($error:expr, $code:literal, $class:ident) => {
            met(
                $error,
                |error| (error.code(), error.class(), error.explanation()),
                ($code, ErrorClass::$class),
            )
        };
    }

    let package = PackageUrl::parse("https://example.org/a#1.0.0").unwrap();
    met!(Address::parse("a b").unwrap_err(), "NAME-FORM", Content);
    met!(Token::parse("a b").unwrap_err(), "NAME-FORM", Content);
    met!(Urn::parse("urn:").unwrap_err(), "URN-FORM", Content);
    met!(LandmarkRule::parse(&["/*["], None, &[]).unwrap_err(), "RULE-FORM", Caller);
    met!(apply_patch(&Value::Null, &Value::Null).unwrap_err(), "PATCH-FORM", Content);
    met!(NodeBuilder::new(SyntaxKind::Class).finish().unwrap_err(), "BUILD-NODE", Caller);
    met!(SnapshotBuilder::new(&package).finish().unwrap_err(), "BUILD-GRAPH", Caller);
    met!(Envelope::new("a b", Encoding::Msgpack).unwrap_err(), "BUILD-ENVELOPE", Caller);
}

#[test]
fn the_cause_of_a_durable_write_is_printed_once() {
    let folder = tempfile::tempdir().unwrap();
    let document = to_vec(&[1]).unwrap();
    let path = folder.path().join("none/a.coco");
    let error = durable::write(&path, &document, Replace::Always).unwrap_err();
    assert_eq!((error.code(), error.class()), ("SNAP-IO", ErrorClass::Io));
    let text = chain(&error);
    assert_eq!(text.matches("No such file").count(), 1, "{text}");
}
