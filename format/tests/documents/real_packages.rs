//! Every package that the compilers of 2017 left behind.

use coconut_format::il::{Dialect, Field, Step, Walk};
use coconut_format::{Package, Value};

use crate::corpus;

#[test]
fn every_real_package_encodes_to_the_document_it_came_from() {
    for row in corpus::packages() {
        let document = row.read();
        let package = Package::from_value(document.clone()).expect("an object");
        assert_eq!(package.to_value(), document, "{}", row.file);
    }
}

#[test]
fn every_real_package_consists_of_listed_fields_of_their_types() {
    for row in corpus::packages() {
        let package = row.package();
        let mut walk = Walk::new(package.root());
        while let Some(step) = walk.next() {
            let Step::Enter(node) = step else { continue };
            for (key, field) in node.fields() {
                let place = format!("{}{} {}", row.file, walk.pointer().as_str(), key.as_str());
                let spec = node.spec(key.as_str()).unwrap_or_else(|| panic!("{place}: not listed"));
                let is_null = matches!(field, Field::Value(Value::Null));
                assert!(is_null || !spec.era_of(field).is_empty(), "{place}: {} ", field.phrase());
            }
        }
    }
}

#[test]
fn the_forms_of_a_real_package_show_its_dialect() {
    for row in corpus::packages() {
        let dialects = row.package().dialects();
        let Some(dialect) = row.dialect() else { continue };
        // The index goes by date, and on this day the compilers changed from P2 to P3.
        let is_day_of_change = row.file.contains("/2017-02-13_") && dialects.contains(Dialect::P2);
        assert!(
            dialects.contains(dialect) || is_day_of_change,
            "{}: is of {dialect}, its forms are of {dialects}",
            row.file
        );
    }
}

#[test]
fn no_node_of_a_real_package_stays_undecoded() {
    for row in corpus::packages() {
        let package = row.package();
        for step in Walk::new(package.root()) {
            let Step::Enter(node) = step else { continue };
            for (key, field) in node.fields() {
                let is_node = matches!(field, Field::Value(value) if value.get("kind").is_some());
                assert!(!is_node, "{}: `{}` of a `{}`", row.file, key.as_str(), node.kind());
            }
        }
    }
}
