//! Tests the readers and the printer on real files. Skipped if the corpus is absent.

use super::json::{self, JsonOptions, JsonStyle, Printer};
use super::{RefuseDuplicateKeys, SourceError};
use crate::event::ValueSink;
use coconut_format::Value;
use coconut_testing::oracle;
use std::path::PathBuf;

/// The rows of `INDEX.tsv` as (file, kind, era, parse), or `None` if there is no corpus.
fn rows() -> Option<(PathBuf, Vec<[String; 4]>)> {
    let directory = coconut_testing::corpus()?;
    let index = std::fs::read_to_string(directory.join("INDEX.tsv")).expect("a corpus has an index");
    let rows = index.lines().skip(1).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        [columns[0], columns[1], columns[2], columns[8]].map(str::to_owned)
    });
    let rows = rows.collect();
    Some((directory, rows))
}

fn read_json(text: &[u8]) -> Result<Value, SourceError> {
    let mut sink = RefuseDuplicateKeys::new(ValueSink::new());
    json::read(text, &mut sink, &JsonOptions::default())?;
    Ok(sink.into_inner().finish().expect("a text that was read is one whole document"))
}

#[test]
fn every_json_file_is_read_as_serde_json_reads_it() {
    let Some((directory, rows)) = rows() else { return };
    let mut count = 0;
    for [file, _, _, parse] in rows {
        // The index has no verdict on the current files, some of which are broken on purpose.
        let is_undecided = parse.is_empty() && file.ends_with(".json");
        if parse != "json-ok" && !is_undecided {
            continue;
        }
        let text = std::fs::read(directory.join(&file)).expect("the index names files that are there");
        match (read_json(&text), oracle::read(&text).ok()) {
            // The name of the file is more useful than a diff of whole documents.
            (Ok(ours), Some(theirs)) => assert!(ours == theirs, "{file} differs"),
            (Err(error), None) if is_undecided => assert_eq!(error.code(), "SRC-JSON", "{file}"),
            (Err(error), _) if is_undecided && error.code() == "SRC-DUPKEY" => {}
            (Err(error), _) => panic!("{}", error.render(&file, &text)),
            (Ok(_), None) => panic!("{file} is not JSON"),
        }
        count += 1;
    }
    assert!(count > 500, "the index lists only {count} files");
}

#[test]
fn packages_that_compilers_wrote_in_2017_are_printed_byte_for_byte() {
    let Some((directory, rows)) = rows() else { return };
    let mut count = 0;
    for [file, kind, era, parse] in rows {
        // The manifests in the same folders (`Lumi.json`) were written by hand.
        if kind != "pack" || era == "modern" || parse != "json-ok" || !file.ends_with("pack.json") {
            continue;
        }
        let text = std::fs::read(directory.join(&file)).expect("the index names files that are there");
        let mut printer = Printer::new(Vec::new(), JsonStyle::Pretty { indent: 4 }).with_final_newline();
        if let Err(error) = json::read(&text, &mut printer, &JsonOptions::default()) {
            panic!("{}", error.render(&file, &text));
        }
        assert!(printer.finish().expect("memory takes all bytes") == text, "{file} differs");
        count += 1;
    }
    assert!(count > 250, "the index lists only {count} packages");
}

#[test]
fn broken_json_files_get_a_place_and_advice() {
    let Some((directory, rows)) = rows() else { return };
    for [file, _, _, parse] in rows {
        if parse.starts_with("json-FAIL") {
            let text = std::fs::read(directory.join(&file)).expect("the index names files that are there");
            let error = read_json(&text).expect_err(&file);
            assert_eq!(error.code(), "SRC-JSON", "{file}");
            assert!(error.hint().is_some() && error.render(&file, &text).contains('^'), "{file}");
        }
    }
}

#[cfg(feature = "yaml")]
#[test]
fn yaml_files_are_read_or_refused_as_the_index_says() {
    use super::SourceErrorKind;
    use super::yaml::{self, YamlOptions};
    let Some((directory, rows)) = rows() else { return };
    for [file, _, _, parse] in rows {
        if !parse.starts_with("yaml") && parse != "empty" {
            continue;
        }
        let text = std::fs::read(directory.join(&file)).expect("the index names files that are there");
        let read = yaml::read(&text, &mut ValueSink::new(), &YamlOptions::default());
        match (parse.as_str(), read) {
            ("yaml-ok", Ok(_)) => {}
            // A file with only comments is null to the reader that made the index, but not a
            // document here.
            ("yaml-ok" | "empty", Err(error)) => {
                assert_eq!(error.kind(), &SourceErrorKind::YamlEmpty, "{file}");
            }
            (_, Err(error)) => {
                assert!(error.code().starts_with("SRC-YAML") && error.hint().is_some(), "{file}: {error}");
                assert!(error.render(&file, &text).contains('^'), "{file}");
            }
            // An unknown tag becomes a key.
            (parse, Ok(_)) => assert!(parse.contains("constructor for the tag"), "{file} was read"),
        }
    }
}
