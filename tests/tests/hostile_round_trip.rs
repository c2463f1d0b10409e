//! Valid documents at the limits of the format convert back to the same value, in every profile and
//! layout.

use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, compile_tuned};
use coconut_codec::event::ValueSink;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::Budget;
use coconut_codec::text::json;
use coconut_codec::write::Tuning;
use coconut_format::Value;
use coconut_tests::generate::{checkpoint, hostile, package, provider_schema, terraform_state};

fn value_of_text(text: &str) -> Value {
    let mut sink = ValueSink::new();
    json::read(text.as_bytes(), &mut sink, &json::JsonOptions::default()).expect("a generated text is valid");
    sink.finish().expect("one document")
}

fn assert_comes_back(name: &str, text: &str, options: &CompileOptions, tuning: Tuning) {
    let bytes = compile_tuned(text.as_bytes(), options, tuning);
    let bytes = bytes.unwrap_or_else(|error| panic!("{name}: {error}"));
    let file = DocumentFile::from_data(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut sink = ValueSink::new();
    file.view().stream(&mut sink, Budget::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let value = sink.finish().expect("one document");
    assert!(value == value_of_text(text), "{name} as {}", options.profile.name());
    let mut sink = ValueSink::new();
    file.view().root().stream(&mut sink, Budget::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(sink.finish().expect("one document") == value, "{name}: lazily");
    let tree = file.view().tree().unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(tree.to_value() == value, "{name}: as a tree");
    file.view().check_integrity().unwrap_or_else(|error| panic!("{name}: verify: {error}"));
}

fn tunings() -> Vec<Tuning> {
    let mut wide = Tuning::default();
    wide.wide = true;
    wide.blocks_from = 0;
    wide.index_from = 1;
    let mut eager = Tuning::default();
    eager.shared_min_bytes = 1;
    eager.string_min_uses = 1;
    let mut bare = Tuning::default();
    bare.shared_values = false;
    bare.nested_slots = false;
    bare.constant_slots = false;
    bare.integer_slots = false;
    bare.discriminators = false;
    vec![Tuning::default(), wide, eager, bare]
}

#[test]
fn hostile_documents_come_back_in_every_profile_and_layout() {
    for document in hostile() {
        for profile in Profile::ALL {
            for tuning in tunings() {
                let options = CompileOptions { profile, ..CompileOptions::default() };
                assert_comes_back(&document.name, &document.text, &options, tuning);
            }
        }
    }
}

#[test]
fn generated_documents_come_back() {
    let documents = [
        ("checkpoint", checkpoint(300)),
        ("state", terraform_state(200)),
        ("schema", provider_schema(120)),
        ("package", package(200)),
    ];
    for (name, text) in documents {
        for profile in Profile::ALL {
            let options = CompileOptions { profile, ..CompileOptions::default() };
            assert_comes_back(name, &text, &options, Tuning::default());
        }
    }
}
