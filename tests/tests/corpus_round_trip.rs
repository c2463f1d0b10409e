//! Every source of the corpus compiles to a file that converts back to an equal document, in every
//! profile.

use coconut_codec::compile::{CompileOptions, compile, read_source};
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::Budget;
use coconut_codec::text::SourceFormat;
use coconut_codec::write::document_digest;
use coconut_format::Value;
use coconut_tests::corpus;
use std::path::{Path, PathBuf};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the corpus can be listed") {
        let path = entry.expect("the corpus can be listed").path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

fn value_of(file: &[u8]) -> Value {
    let file = DocumentFile::from_data(file).expect("a file just written opens");
    let mut sink = ValueSink::new();
    file.view().stream(&mut sink, Budget::default()).expect("a file just written streams");
    sink.finish().expect("one document")
}

#[test]
fn every_source_of_the_corpus_comes_back() {
    let Some(corpus) = corpus() else { return };
    let mut paths = Vec::new();
    files(&corpus, &mut paths);
    paths.sort();
    let mut documents = 0;
    for path in paths {
        let text = std::fs::read(&path).expect("the corpus can be read");
        let format = match path.extension().and_then(|extension| extension.to_str()) {
            Some("json" | "tfstate" | "bak") => SourceFormat::Json,
            Some("yaml" | "yml") => SourceFormat::Yaml,
            _ => continue,
        };
        let Ok((interned, _)) = read_source(&text, format) else { continue };
        let sink = if format == SourceFormat::Json {
            coconut_codec::text::json::read_documents(|options| {
                let mut sink = ValueSink::new();
                coconut_codec::text::json::read(&text, &mut sink, options).map(|_| sink)
            })
            .expect("it was read before")
        } else {
            let mut sink = ValueSink::new();
            coconut_codec::text::yaml::read(&text, &mut sink, &Default::default())
                .expect("it was read before");
            sink
        };
        let expected = sink.finish().expect("one document");
        let digest = document_digest(&interned);
        for profile in coconut_codec::Profile::ALL {
            let options = CompileOptions { format: Some(format), profile, ..CompileOptions::default() };
            let compiled = compile(&text, &options).expect("a document that can be read can be written");
            assert!(value_of(&compiled.bytes) == expected, "{} as {}", path.display(), profile.name());
            let file = DocumentFile::from_data(&compiled.bytes[..]).expect("it opens");
            assert_eq!(file.header().digest, digest);
            let tree = file.view().tree().expect("a file just written is read");
            assert!(tree.to_value() == expected, "{} as {} in a tree", path.display(), profile.name());
            let integrity = file.view().check_integrity();
            assert!(integrity.is_ok(), "{}: {integrity:?}", path.display());
        }
        documents += 1;
    }
    println!("{documents} documents came back");
    assert!(documents > 900, "{documents} documents of the corpus were read");
}
