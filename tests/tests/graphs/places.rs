//! §15.8 Secret and unknown places, in the order in which a printer of the document visits them.
//!
//! `cases/places/*.json` next to `*.expected`: one line for each value that is secret or unknown,
//! outermost only. With `COCONUT_BLESS=1` the texts are written again.

use std::fs;

use coconut_format::graph::{PathSet, Place, secret_places, unknown_places};
use coconut_format::landmark::Dialect;
use coconut_format::pointer::Pointer;
use coconut_format::{Node, Value};

use super::documents::{assert_is_text_of, cases, parse};

#[test]
fn a_walk_comes_upon_every_marked_place() {
    let cases = cases("places");
    assert_eq!(cases.len(), 6);
    for case in cases {
        let document = parse(&fs::read(&case).unwrap()).unwrap();
        let dialect = Dialect::of(&document).unwrap();
        let secrets = secret_places(&document, dialect);
        let unknowns = unknown_places(&document, dialect);
        let mut lines = String::new();
        for (what, places) in [("secret", secrets), ("unknown", unknowns)] {
            for pointer in marked(&document, &places) {
                assert!(places.contains(&pointer), "{pointer}");
                lines.push_str(&format!("{what} {pointer}\n"));
            }
        }
        assert_is_text_of(&case, &lines);
    }
}

/// The pointers of the outermost values in `places`, in document order.
fn marked(document: &Value, places: &PathSet) -> Vec<String> {
    fn go(value: &Value, at: Place, places: &PathSet, pointer: &mut Pointer, found: &mut Vec<String>) {
        if at == Place::Inside {
            found.push(pointer.as_str().to_owned());
            return;
        }
        for (key, inside) in value.entries() {
            pointer.push_key(key);
            go(inside, places.enter_key(at, key), places, pointer, found);
            pointer.pop();
        }
        for (index, inside) in value.items().enumerate() {
            pointer.push_index(index);
            go(inside, places.enter_item(at, index), places, pointer, found);
            pointer.pop();
        }
    }
    let mut found = Vec::new();
    go(document, places.root(), places, &mut Pointer::root(), &mut found);
    found
}
