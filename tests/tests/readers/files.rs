//! The input files for the readers.

use coconut_codec::Profile;
use coconut_codec::compile::{CompileOptions, LandmarkChoice, compile_tuned};
use coconut_codec::event::push;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_codec::write::Tuning;
use coconut_format::Value;
use coconut_format::landmark::LandmarkRule;
use coconut_tests::generate::{
    RANDOM_RULE, checkpoint, hostile, package, provider_schema, random_document, terraform_state,
};
use std::fs;
use std::path::{Path, PathBuf};

/// A file in the folder, and the questions about it.
pub(crate) struct Given {
    /// The name of the file, without extension.
    pub(crate) stem: String,
    /// A description of the file, for messages.
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Keys to look up.
    pub(crate) keys: Vec<String>,
}

/// A temporary folder, which is removed when this is dropped.
pub(crate) struct Folder(PathBuf);

impl Folder {
    /// Creates one that no other process has; `owner` distinguishes those of this process.
    pub(crate) fn new(owner: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("coconut-readers-{owner}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder can be made");
        Folder(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).expect("the folder can be written");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The system clears its temporary folder of the rest.
        drop(fs::remove_dir_all(&self.0));
    }
}

/// A folder of files.
pub(crate) struct Files {
    folder: Folder,
    given: Vec<Given>,
}

impl Files {
    /// Writes all files into a folder.
    pub(crate) fn write(owner: &str) -> Files {
        let mut files = Files { folder: Folder::new(owner), given: Vec::new() };
        for document in hostile() {
            // Large ones take the other languages seconds, and the largest differ from others only
            // in their length.
            let tunings = match document.text.len() {
                0..20_000 => tunings(),
                20_000..400_000 => vec![("default", Tuning::default())],
                _ => continue,
            };
            files.add_all(&document.name, &document.text, &tunings, &LandmarkChoice::Detect);
        }
        let default = [("default", Tuning::default())];
        let generated = [
            ("checkpoint", checkpoint(120)),
            ("state", terraform_state(80)),
            ("schema", provider_schema(60)),
            ("package", package(120)),
        ];
        for (name, text) in generated {
            files.add_all(name, &text, &default, &LandmarkChoice::Detect);
        }
        let (patterns, join, edges) = RANDOM_RULE;
        let rule = LandmarkRule::parse(patterns, Some(join), edges).expect("the rule is well formed");
        for seed in 0..15 {
            let things = [3, 17, 40][seed % 3];
            let text = random_document(seed as u64, things);
            files.add_all(&format!("random {seed}"), &text, &tunings(), &LandmarkChoice::Rule(rule.clone()));
        }
        files
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// In the order of their names.
    pub(crate) fn given(&self) -> &[Given] {
        &self.given
    }

    fn add_all(&mut self, name: &str, text: &str, tunings: &[(&str, Tuning)], landmarks: &LandmarkChoice) {
        for profile in Profile::ALL {
            for (label, tuning) in tunings {
                let (tuning, landmarks) = (tuning.clone(), landmarks.clone());
                let options = CompileOptions { profile, landmarks, ..CompileOptions::default() };
                let bytes = compile_tuned(text.as_bytes(), &options, tuning);
                let bytes = bytes.expect("a generated text compiles");
                self.add(format!("{name}, {}, {label}", profile.name()), bytes);
            }
        }
    }

    fn add(&mut self, name: String, bytes: Vec<u8>) {
        let stem = format!("{:05}", self.given.len());
        let keys = sampled_keys(&bytes);
        let list = Value::List(keys.iter().cloned().map(Value::String).collect());
        let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
        push(&list, &mut printer).expect("a vector takes all");
        let text = printer.finish().expect("a vector takes all");
        self.folder.write(&format!("{stem}.coco"), &bytes);
        self.folder.write(&format!("{stem}.keys"), &text);
        self.given.push(Given { stem, name, bytes, keys });
    }
}

/// The full keys of a dozen landmarks spread over a document, and two keys that do not exist.
fn sampled_keys(bytes: &[u8]) -> Vec<String> {
    let file = DocumentFile::from_data(bytes).expect("a written file opens");
    let view = file.view();
    let count = view.landmark_count().expect("a written file has good tables");
    let step = usize::try_from(count.div_ceil(12).max(1)).expect("a count fits");
    let mut keys: Vec<String> = (0..count)
        .step_by(step)
        .filter_map(|ordinal| view.landmark(ordinal).expect("tables are good"))
        .map(|landmark| landmark.key().expect("keys are good").into_owned())
        .collect();
    let absent = keys.first().map(|key| format!("{key} and more"));
    keys.extend(absent);
    keys.push("no such key".to_owned());
    keys
}

/// Layouts that write the same document in different ways, with their names.
pub(crate) fn tunings() -> Vec<(&'static str, Tuning)> {
    let mut wide = Tuning::default();
    wide.wide = true;
    wide.blocks_from = 0;
    wide.index_from = 1;
    let mut eager = Tuning::default();
    eager.shared_min_bytes = 1;
    eager.string_min_uses = 1;
    eager.index_from = usize::MAX;
    let mut bare = Tuning::default();
    bare.shared_values = false;
    bare.nested_slots = false;
    bare.constant_slots = false;
    bare.integer_slots = false;
    bare.discriminators = false;
    vec![("default", Tuning::default()), ("wide", wide), ("eager, without index", eager), ("bare", bare)]
}
