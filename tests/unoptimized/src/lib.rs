//! §9.1 The stack needed for a level of nesting in an unoptimized program that reads or prints it
//! with serde.
//!
//! The recursive functions are generic, so they are compiled in the program that uses them, with
//! its optimization. The packages of the workspace are optimized a little. This one is not
//! (`[profile.dev.package]` in `Cargo.toml`), like any program that `cargo build` makes elsewhere.

#![forbid(unsafe_code)]

#[cfg(test)]
mod tests {
    use coconut_codec::limits;
    use coconut_codec::read::file::DocumentFile;
    use coconut_codec::serde::from_view;
    use coconut_codec::write::interner::Interned;
    use coconut_codec::write::{Tuning, Writer, WriterOptions};
    use serde::{Deserialize, Serialize};
    use serde_json::{Value, json};
    use std::fmt::Debug;
    use std::thread;

    /// Measured: 180 to 350 KiB for lists, up to 500 KiB for objects and variants. A thread has 2
    /// MiB.
    const STACK: usize = 768 << 10;

    /// The number of levels of every document here.
    const LEVELS: usize = limits::SERDE_DEPTH as usize;

    fn file(document: &Value) -> DocumentFile<Vec<u8>> {
        let options = WriterOptions::new("document");
        let mut tuning = Tuning::default();
        tuning.shared_min_bytes = 0;
        let interned = Interned::from_serialize(document).expect("no key twice");
        let bytes = Writer::new(options).tuned(tuning).to_bytes(&interned).expect("it fits");
        DocumentFile::from_data(bytes).expect("a good file")
    }

    /// `inner`, which has no level itself, inside this number of containers.
    fn nested(levels: usize, inner: Value, around: fn(Value) -> Value) -> Value {
        (0..levels).fold(inner, |inner, _| around(inner))
    }

    /// The same, with each of its levels repeated next to it, so that each refers to the next as a
    /// shared value.
    fn through_shared_values(inner: Value, around: fn(Value) -> Value) -> DocumentFile<Vec<u8>> {
        let levels: Vec<Value> = (1..LEVELS).map(|levels| nested(levels, inner.clone(), around)).collect();
        let file = file(&Value::Array(levels));
        assert!(file.data().len() < 30 * LEVELS, "each level is stored once: {}", file.data().len());
        file
    }

    /// Runs on a stack of [`STACK`]. A stack overflow would abort the process.
    fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
        let thread = thread::Builder::new().stack_size(STACK).spawn(test).expect("a thread");
        thread.join().expect("the test on the small stack");
    }

    /// Reads the document as a `T`, and prints it.
    fn reads_and_prints<T: for<'de> Deserialize<'de> + Serialize + Debug>(
        file: DocumentFile<Vec<u8>>,
        printed: String,
    ) {
        on_a_small_stack(move || {
            let read: T = from_view(file.view().root()).expect("as deep as is allowed");
            assert_eq!(serde_json::to_string(&read).expect("text"), printed);
            assert_eq!(serde_json::to_string(&file.view().root()).expect("text"), printed);
            let value = serde_json::to_value(file.view().root()).expect("a value");
            assert_eq!(value.to_string(), printed);
        });
    }

    #[track_caller]
    fn assert_fits<T: for<'de> Deserialize<'de> + Serialize + Debug>(
        inner: &Value,
        around: fn(Value) -> Value,
    ) {
        let document = nested(LEVELS, inner.clone(), around);
        reads_and_prints::<T>(file(&document), document.to_string());
        let shared = through_shared_values(inner.clone(), around);
        let printed = serde_json::to_string(&shared.view().root()).expect("text");
        reads_and_prints::<Vec<T>>(shared, printed);
    }

    #[derive(Debug, Deserialize, Serialize)]
    struct List(Vec<Option<List>>);

    #[derive(Debug, Deserialize, Serialize)]
    struct Object {
        inner: Option<Box<Object>>,
        name: String,
    }

    #[derive(Debug, Deserialize, Serialize)]
    enum Variant {
        Leaf,
        Boxed(Box<Variant>),
    }

    #[test]
    fn lists_fit() {
        assert_fits::<Value>(&json!(1), |inner| json!([inner]));
        assert_fits::<List>(&json!(null), |inner| json!([inner]));
    }

    #[test]
    fn objects_fit() {
        assert_fits::<Value>(&json!(1), |inner| json!({ "inner": inner, "name": "x" }));
        assert_fits::<Object>(&json!(null), |inner| json!({ "inner": inner, "name": "x" }));
    }

    #[test]
    fn variants_fit() {
        assert_fits::<Variant>(&json!("Leaf"), |inner| json!({ "Boxed": inner }));
    }
}
