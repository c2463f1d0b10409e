//! Shapes that do not occur in real packages, written by hand from the definitions of the two
//! compilers.

use super::*;
use crate::limits::MAX_DEPTH;
use crate::value::Value;

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Object(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A node with only the given fields.
fn tagged<const N: usize>(kind: &str, entries: [(&str, Value); N]) -> Value {
    let Value::Object(rest) = object(entries) else { unreachable!("an object was made") };
    let mut all = vec![("kind".to_owned(), text(kind))];
    all.extend(rest);
    Value::Object(all)
}

fn identifier(name: &str) -> Value {
    tagged("Identifier", [("ident", text(name))])
}

fn token(name: &str) -> Value {
    tagged("Token", [("tok", text(name))])
}

fn type_token(name: &str) -> Value {
    tagged("TypeToken", [("tok", text(name))])
}

fn empty_block() -> Value {
    tagged("Block", [("statements", Value::List(Vec::new()))])
}

fn null() -> Value {
    tagged("NullLiteral", [])
}

fn local(name: &str) -> Value {
    tagged("LocalVariable", [("name", identifier(name)), ("type", type_token("dynamic"))])
}

/// Decodes, checks that every field is listed and valid and that it encodes to the same value, and
/// returns the era.
fn era(value: Value) -> Era {
    let node = SyntaxNode::from_value(value.clone()).expect("a node of a known kind");
    assert_eq!(node.to_value(), value);
    let mut walk = SyntaxWalk::new(&node);
    let mut era = Era::ALL;
    while let Some(step) = walk.next() {
        let WalkEvent::Enter(node) = step else { continue };
        for (key, field) in node.fields() {
            let spec = node.spec(key.as_str()).unwrap_or_else(|| panic!("{} is not listed", key.as_str()));
            assert!(!spec.era_of(field).is_empty(), "{} at {}", key.as_str(), walk.pointer().as_str());
        }
        for spec in node.kind().fields().filter(|spec| spec.needed == Era::ALL) {
            assert!(node.get(spec.key).is_some(), "{} needs {}", node.kind(), spec.key);
        }
        era = era.intersection(node.era());
    }
    era
}

#[test]
fn reads_try_in_both_forms() {
    let clause = tagged("TryCatchClause", [("exception", local("e")), ("body", empty_block())]);
    let modern = tagged(
        "TryCatchFinally",
        [
            ("tryClause", empty_block()),
            ("catchClauses", Value::List(vec![clause])),
            ("finallyClause", empty_block()),
        ],
    );
    assert_eq!(era(modern), Era::since(PackageDialect::P4));
    let block = tagged("TryCatchBlock", [("block", empty_block()), ("exception", type_token("dynamic"))]);
    let early = tagged(
        "TryCatchFinally",
        [
            ("tryBlock", empty_block()),
            ("catchBlocks", Value::List(vec![block])),
            ("finallyBlock", empty_block()),
        ],
    );
    assert_eq!(era(early), Era::within(PackageDialect::P2, PackageDialect::P4));
}

#[test]
fn reads_labels_under_the_key_of_the_writer_and_of_the_reader() {
    for kind in ["BreakStatement", "ContinueStatement"] {
        for key in ["label", "identifier"] {
            let value = tagged(kind, [(key, identifier("outer"))]);
            assert_eq!(era(value.clone()), Era::ALL);
            let node = SyntaxNode::from_value(value).expect("a known kind");
            assert_eq!(node.token(key), Some("outer"));
        }
    }
    let labeled = tagged(
        "LabeledStatement",
        [("label", identifier("outer")), ("statement", tagged("EmptyStatement", []))],
    );
    assert_eq!(era(labeled), Era::ALL);
}

#[test]
fn reads_the_expressions_that_no_compiler_made() {
    let conditional = tagged(
        "ConditionalExpression",
        [("condition", null()), ("consequent", null()), ("alternate", null())],
    );
    assert_eq!(era(conditional), Era::ALL);
    assert_eq!(era(tagged("TypeOfExpression", [("expression", null())])), Era::ALL);
    let sized = tagged("ArrayLiteral", [("elemType", type_token("string")), ("size", null())]);
    assert_eq!(era(sized), Era::since(PackageDialect::P2));
    let argument = tagged("CallArgument", [("name", identifier("x")), ("expr", null())]);
    let new =
        tagged("NewExpression", [("type", type_token("a:b:C")), ("arguments", Value::List(vec![argument]))]);
    assert_eq!(era(new), Era::since(PackageDialect::P4));
}

#[test]
fn reads_classes_with_every_attribute() {
    let attribute = tagged("Attribute", [("decorator", token("a:b:d"))]);
    let method = tagged(
        "ClassMethod",
        [
            ("name", identifier("m")),
            ("description", text("does it")),
            ("attributes", Value::List(vec![attribute])),
            ("access", text("protected")),
            ("sealed", Value::Bool(true)),
            ("primary", Value::Bool(false)),
        ],
    );
    let class = tagged(
        "Class",
        [
            ("name", identifier("C")),
            ("implements", Value::List(vec![type_token("a:b:I")])),
            ("sealed", Value::Bool(true)),
            ("members", object([("m", method)])),
        ],
    );
    assert_eq!(era(class), Era::since(PackageDialect::P4));
}

#[test]
fn reads_the_early_forms_of_loops_lambdas_and_sequences() {
    let early_while = tagged("WhileStatement", [("test", null()), ("block", empty_block())]);
    assert_eq!(era(early_while), Era::until(PackageDialect::P3));
    let lambda = tagged("LambdaExpression", [("body", empty_block()), ("signature", text("()"))]);
    assert_eq!(era(lambda), Era::until(PackageDialect::P3));
    let sequence = tagged("SequenceExpression", [("expressions", Value::List(vec![null()]))]);
    assert_eq!(era(sequence), Era::until(PackageDialect::P5));
}

#[test]
fn reads_imports_that_bind_a_name() {
    let import = tagged("Import", [("referent", token("a:b")), ("name", identifier("b"))]);
    assert_eq!(era(import), Era::since(PackageDialect::P4));
    let early = tagged("Import", [("referent", token("a:b")), ("identifier", identifier("b"))]);
    assert_eq!(era(early), Era::within(PackageDialect::P4, PackageDialect::P4));
}

#[test]
fn unknown_keys_and_explicit_nulls_keep_their_place() {
    let value = object([
        ("zebra", Value::Integer(1u64.into())),
        ("kind", text("BoolLiteral")),
        ("raw", Value::Null),
        ("apple", Value::List(vec![null()])),
        ("value", Value::Bool(false)),
    ]);
    let node = SyntaxNode::from_value(value.clone()).expect("a known kind");
    assert_eq!(node.to_value(), value);
    assert_eq!(node.get("raw"), None);
    let keys: Vec<&str> = node.fields().iter().map(|(key, _)| key.as_str()).collect();
    assert_eq!(keys, ["zebra", "kind", "raw", "apple", "value"]);
    assert_eq!(node.fields()[3].1, Field::Value(Value::List(vec![null()])));
}

#[test]
fn a_field_that_is_not_of_the_listed_type_stays_a_value() {
    let value = tagged(
        "IfStatement",
        [
            ("condition", text("x > 0")),
            ("consequent", tagged("NoSuchStatement", [])),
            ("loc", object([("start", object([("line", Value::Integer(1u64.into()))]))])),
        ],
    );
    let node = SyntaxNode::from_value(value.clone()).expect("a known kind");
    assert_eq!(node.to_value(), value);
    assert_eq!((node.node("condition"), node.node("consequent"), node.location()), (None, None, None));
    assert_eq!(node.text("condition"), Some("x > 0"));
}

#[test]
fn a_value_without_a_known_kind_is_handed_back() {
    for value in [object([("ident", text("x"))]), tagged("Package", []), text("x"), Value::Null] {
        assert_eq!(SyntaxNode::from_value(value.clone()), Err(value));
    }
}

#[test]
fn decoding_takes_no_stack_for_levels() {
    let mut deep = identifier("x");
    for _ in 0..MAX_DEPTH {
        let list = Value::List(vec![deep]);
        deep = tagged("Block", [("statements", list)]);
    }
    let small_stack = std::thread::Builder::new().stack_size(64 << 10);
    let node = small_stack.spawn(move || SyntaxNode::from_value(deep)).unwrap().join().unwrap().unwrap();
    let mut nodes = vec![&node];
    while let Some(inner) = nodes[nodes.len() - 1].nodes("statements").next() {
        nodes.push(inner);
    }
    assert_eq!(nodes.len(), MAX_DEPTH / 2, "a list is a level, too");
}

#[test]
fn a_node_that_nests_too_deeply_stays_a_value() {
    let mut value = null();
    for _ in 0..MAX_DEPTH {
        value = tagged("TypeOfExpression", [("expression", value)]);
    }
    let node = SyntaxNode::from_value(value.clone()).expect("a known kind");
    let nodes: Vec<&SyntaxNode> = SyntaxWalk::new(&node)
        .filter_map(|step| match step {
            WalkEvent::Enter(node) => Some(node),
            WalkEvent::Leave(_) => None,
        })
        .collect();
    assert_eq!(nodes.len(), MAX_DEPTH);
    let fields = nodes[MAX_DEPTH - 1].fields();
    assert!(
        matches!(fields, [(_, Field::Tag), (_, Field::Value(Value::Object(_)))]),
        "{fields:?}: a tag is no level"
    );
    assert_eq!(node.to_value(), value);
}

#[test]
fn a_walk_visits_in_order_of_evaluation_with_places() {
    let loop_value = tagged(
        "ForStatement",
        [
            (
                "body",
                tagged("MultiStatement", [("statements", Value::List(vec![tagged("EmptyStatement", [])]))]),
            ),
            ("init", tagged("ExpressionStatement", [("expression", null())])),
        ],
    );
    let node = SyntaxNode::from_value(loop_value).expect("a known kind");
    let mut walk = SyntaxWalk::new(&node);
    let mut seen = Vec::new();
    while let Some(step) = walk.next() {
        let (word, node) = match step {
            WalkEvent::Enter(node) => ("enter", node),
            WalkEvent::Leave(node) => ("leave", node),
        };
        seen.push(format!("{word} {} {}", node.kind(), walk.pointer().as_str()));
    }
    assert_eq!(
        seen,
        [
            "enter ForStatement ",
            "enter ExpressionStatement /init",
            "enter NullLiteral /init/expression",
            "leave NullLiteral /init/expression",
            "leave ExpressionStatement /init",
            "enter MultiStatement /body",
            "enter EmptyStatement /body/statements/0",
            "leave EmptyStatement /body/statements/0",
            "leave MultiStatement /body",
            "leave ForStatement ",
        ]
    );
}

#[test]
fn the_list_has_the_kinds_of_every_dialect() {
    let newest =
        SyntaxKind::ALL.iter().filter(|kind| kind.is_tagged() && kind.era().contains(PackageDialect::P6));
    assert_eq!(newest.count(), 54);
    let retired: Vec<&str> = SyntaxKind::ALL
        .iter()
        .filter(|kind| !kind.era().contains(PackageDialect::P6))
        .map(|kind| kind.name())
        .collect();
    assert_eq!(retired, ["TryCatchBlock", "ObjectLiteralProperty", "LoadVariableExpression"]);
}

#[test]
fn a_builder_refuses_fields_that_are_not_listed() {
    let refuse = |builder: NodeBuilder| builder.finish().expect_err("should be refused");
    let kind = SyntaxKind::Identifier;
    assert_eq!(
        refuse(NodeBuilder::new(kind).set("ident", "x").set("tok", "x")),
        BuildError::UnknownField { kind, key: "tok".to_owned() }
    );
    assert_eq!(
        refuse(NodeBuilder::new(kind).set("ident", "x").set("ident", "y")),
        BuildError::Twice { kind, key: "ident".to_owned() }
    );
    assert_eq!(
        refuse(NodeBuilder::new(kind).set("ident", true)),
        BuildError::Misfit { kind, key: "ident", found: "true".to_owned() }
    );
    assert_eq!(refuse(NodeBuilder::new(kind)), BuildError::Missing { kind, key: "ident" });
    let kind = SyntaxKind::LoadVariableExpression;
    assert_eq!(refuse(NodeBuilder::new(kind).set("variable", "x")), BuildError::Retired { kind });
    let kind = SyntaxKind::WhileStatement;
    let test = SyntaxNode::from_value(null()).expect("a known kind");
    assert_eq!(
        refuse(NodeBuilder::new(kind).set("test", test)),
        BuildError::UnknownField { kind, key: "test".to_owned() }
    );
}

#[test]
fn a_builder_refuses_values_that_json_cannot_express() {
    let kind = SyntaxKind::ModuleProperty;
    let with_default = |value: Value| {
        let name = NodeBuilder::new(SyntaxKind::Identifier).set("ident", "x").finish().expect("complete");
        let of = NodeBuilder::new(SyntaxKind::TypeToken).set("tok", "number").finish().expect("complete");
        NodeBuilder::new(kind).set("name", name).set("type", of).set("default", value).finish()
    };
    let twice = Value::List(vec![Value::Object(vec![("a".into(), null()), ("a".into(), null())])]);
    assert_eq!(with_default(twice), Err(BuildError::Twice { kind, key: "a".to_owned() }));
    let infinite = Value::Object(vec![("a".into(), Value::Float(f64::INFINITY))]);
    let found = "a number that is not finite".to_owned();
    assert_eq!(with_default(infinite), Err(BuildError::Misfit { kind, key: "default", found }));
    let member = with_default(Value::Null).expect("complete");
    let kind = SyntaxKind::Class;
    let name = NodeBuilder::new(SyntaxKind::Identifier).set("ident", "C").finish().expect("complete");
    let property = SyntaxNode::from_value(tagged("ClassProperty", [])).expect("a known kind");
    let members = vec![("p".to_owned(), property.clone()), ("p".to_owned(), property)];
    assert_eq!(
        NodeBuilder::new(kind).set("name", name).set("members", members).finish(),
        Err(BuildError::Twice { kind, key: "p".to_owned() })
    );
    assert_eq!(member.get("default"), None);
}

#[test]
fn a_built_node_encodes_with_its_kind_first() {
    let node = NodeBuilder::new(SyntaxKind::NumberLiteral)
        .set("raw", "7.2")
        .set("value", Value::Float(7.2))
        .finish()
        .expect("complete");
    let expected = tagged("NumberLiteral", [("raw", text("7.2")), ("value", Value::Float(7.2))]);
    assert_eq!(node.to_value(), expected);
}

/// The rows of `kinds.tsv` and of `fields.tsv`.
fn registries() -> [(&'static str, String); 2] {
    let join = |cells: &[&str]| cells.join("\t") + "\n";
    let dialects = |era: Era| if era.is_empty() { "-".to_owned() } else { era.to_string() };
    let mut kinds = join(&["kind", "union", "dialects", "groups"]);
    let mut fields = join(&["owner", "key", "type", "dialects", "needed"]);
    let mut owners: Vec<String> = Vec::new();
    let mut add_fields = |owner: &str, specs: &[FieldSpec]| {
        if owners.iter().any(|known| known == owner) {
            return;
        }
        owners.push(owner.to_owned());
        for spec in specs {
            for form in spec.forms {
                let row =
                    [owner, spec.key, &form.of.to_string(), &dialects(form.era), &dialects(spec.needed)];
                fields.push_str(&join(&row));
            }
        }
    };
    for kind in SyntaxKind::ALL {
        let groups: Vec<String> = kind.groups().iter().map(|group| format!("{group:?}")).collect();
        let row = [kind.name(), &format!("{:?}", kind.union()), &dialects(kind.era()), &groups.join(", ")];
        kinds.push_str(join(&row).trim_end_matches(['\t', '\n']));
        kinds.push('\n');
        let mut lists = kind.field_lists().iter().filter(|list| !list.is_empty());
        if kind.is_tagged() {
            add_fields("Node", lists.next().expect("the fields of every node"));
        }
        for (group, name) in kind.groups().iter().zip(&groups) {
            add_fields(name, group.fields());
        }
        let own = lists.nth(groups.len());
        add_fields(kind.name(), own.copied().unwrap_or_default());
    }
    [("kinds.tsv", kinds), ("fields.tsv", fields)]
}

#[test]
fn the_registries_are_the_list_in_code() {
    for (file, expected) in registries() {
        let path = format!("{}/../spec/model/registry/{file}", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("COCONUT_BLESS").is_some() {
            std::fs::write(&path, &expected).unwrap();
        }
        let found = std::fs::read_to_string(&path).unwrap();
        for (line, (expected, found)) in expected.lines().zip(found.lines()).enumerate() {
            assert_eq!(expected, found, "line {} of {file} (COCONUT_BLESS=1 rewrites it)", line + 1);
        }
        assert_eq!(expected.lines().count(), found.lines().count(), "{file}");
    }
}
#[test]
#[cfg(target_pointer_width = "64")]
fn a_field_takes_72_bytes_at_most() {
    assert!(size_of::<(Key, Field)>() <= 72, "{} bytes", size_of::<(Key, Field)>());
}
