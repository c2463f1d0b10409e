//! Errors of the library: their codes, classes, advice and causes.

use coconut_codec::{CompileOptions, Document, LookupError, compile, from_slice, to_vec};
use coconut_format::explain::ErrorClass;
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
fn what_does_not_fit_a_type_is_content() {
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
    assert!(matches!(error, LookupError::Missing { near, .. } if near.is_empty()));
}
