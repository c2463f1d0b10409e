//! §20 Schemas of other systems are read in time proportional to their bytes, whatever the number
//! and the targets of their references.

use coconut_surface::{self as surface, Direction};
use coconut_testing::oracle;

/// The number of parts in a document. Their square would take minutes.
const MANY: usize = 40_000;

fn listed(item: impl Fn(usize) -> String) -> String {
    (0..MANY).map(item).collect::<Vec<_>>().join(",")
}

/// Each property refers to a separate definition, and is marked.
#[test]
fn a_resource_type_of_cloudformation_with_many_definitions() {
    let text = format!(
        r##"{{"typeName": "A::B::C", "definitions": {{{}}}, "properties": {{{}}}, "readOnlyProperties": [{}],
            "primaryIdentifier": ["/properties/P0"]}}"##,
        listed(|n| format!(r#""D{n}": {{"type": "string"}}"#)),
        listed(|n| format!(r##""P{n}": {{"$ref": "#/definitions/D{n}"}}"##)),
        listed(|n| format!(r#""/properties/P{n}""#)),
    );
    let document = oracle::read(text.as_bytes()).unwrap();
    let package = surface::read(&document).unwrap();
    let class = &package.definitions[0];
    let members = package.members(class.members);
    assert_eq!(members.len(), MANY);
    assert!(members.iter().all(|member| member.direction == Direction::Out));
}

/// A mark of a property whose type leads back to itself.
#[test]
fn a_resource_type_of_cloudformation_with_a_circle_of_definitions() {
    let text = format!(
        r##"{{"typeName": "A::B::C", "definitions": {{{}}}, "properties": {{"P": {{"$ref": "#/definitions/D0"}}}},
            "readOnlyProperties": [{}], "primaryIdentifier": ["/properties/P"]}}"##,
        listed(|n| format!(r##""D{n}": {{"$ref": "#/definitions/D{}"}}"##, (n + 1) % MANY)),
        listed(|n| format!(r#""/properties/P/{n}""#)),
    );
    let document = oracle::read(text.as_bytes()).unwrap();
    let package = surface::read(&document).unwrap();
    assert_eq!(package.definitions.len(), 1 + MANY);
}
