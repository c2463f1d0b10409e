//! What is found, with tables and without, and what is said of tables that lie.

use super::*;
use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::file::DocumentFile;
use coconut_format::landmark::LandmarkRule;

/// A list of objects of two shapes, with a key that follows nested, constant and integer values, and one object
/// that is no record.
fn file() -> DocumentFile<Vec<u8>> {
    let item = |n: usize| match n % 2 {
        0 => {
            format!(r#"{{"kind":"even","at":{{"line":{n},"file":"f{}"}},"id":"id {n}","n":{n}}}"#, n % 3)
        }
        _ => format!(r#"{{"n":{n},"list":[{n}],"id":"id {n}"}}"#),
    };
    let items: Vec<String> = (0..60).map(item).chain([r#"{"id":"alone"}"#.to_owned()]).collect();
    let text = format!(r#"{{"items":[{}]}}"#, items.join(","));
    let rule = LandmarkRule::parse(&["/items/*[id]"], None, &[]).unwrap();
    let options = CompileOptions { landmarks: LandmarkChoice::Rule(rule), ..CompileOptions::default() };
    DocumentFile::from_data(compile(text.as_bytes(), &options).unwrap().bytes).unwrap()
}

#[test]
fn a_key_is_found_wherever_its_field_stands_in_the_record() {
    let file = file();
    for n in 0..60 {
        let key = format!("id {n}");
        let Lookup::Found(landmark) = file.view().get_unique(&key).unwrap() else { panic!("{key}") };
        assert_eq!(landmark.ordinal().unwrap(), n);
        assert_eq!(landmark.key().unwrap(), key);
    }
    assert!(matches!(file.view().get_unique("alone").unwrap(), Lookup::Found(_)));
    assert!(matches!(file.view().get_unique("id 60").unwrap(), Lookup::Missing));
}
