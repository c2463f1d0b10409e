//! Nodes of raised programs.

use coconut_format::Value as Json;
use coconut_format::graph::{SECRET_SIGNATURE, SIGNATURE_KEY};
use coconut_format::il::{Field, NodeBuilder, SyntaxKind, SyntaxNode};

/// A node with these fields, which must be in the list of kinds (§13.1).
pub(super) fn node<const N: usize>(kind: SyntaxKind, fields: [(&str, Field); N]) -> SyntaxNode {
    let builder = fields.into_iter().fold(NodeBuilder::new(kind), |node, (key, field)| node.set(key, field));
    builder.finish().expect("the list of kinds has these fields, and no value here is infinite")
}

pub(super) fn identifier(name: &str) -> SyntaxNode {
    node(SyntaxKind::Identifier, [("ident", name.into())])
}

pub(super) fn token(tok: &str) -> SyntaxNode {
    node(SyntaxKind::Token, [("tok", tok.into())])
}

pub(super) fn of_type(tok: &str) -> SyntaxNode {
    node(SyntaxKind::TypeToken, [("tok", tok.into())])
}

pub(super) fn load(tok: &str) -> SyntaxNode {
    node(SyntaxKind::LoadLocationExpression, [("name", token(tok).into())])
}

pub(super) fn member(object: SyntaxNode, tok: &str) -> SyntaxNode {
    node(SyntaxKind::LoadLocationExpression, [("object", object.into()), ("name", token(tok).into())])
}

/// `object[key]`, or null if the object has no such property.
pub(super) fn property(object: SyntaxNode, key: SyntaxNode) -> SyntaxNode {
    node(SyntaxKind::TryLoadDynamicExpression, [("object", object.into()), ("name", key.into())])
}

pub(super) fn null() -> SyntaxNode {
    node(SyntaxKind::NullLiteral, [])
}

pub(super) fn string(text: &str) -> SyntaxNode {
    node(SyntaxKind::StringLiteral, [("value", text.into())])
}

pub(super) fn number(value: &Json) -> SyntaxNode {
    node(SyntaxKind::NumberLiteral, [("value", value.clone().into())])
}

pub(super) fn boolean(flag: bool) -> SyntaxNode {
    node(SyntaxKind::BoolLiteral, [("value", flag.into())])
}

/// Marks a literal as a secret (§19.12). Other nodes are returned unchanged.
pub(super) fn hidden(literal: SyntaxNode) -> SyntaxNode {
    let literals = [SyntaxKind::StringLiteral, SyntaxKind::NumberLiteral, SyntaxKind::BoolLiteral];
    match (literals.contains(&literal.kind()), literal.to_value()) {
        (true, Json::Object(mut entries)) => {
            entries.push((SIGNATURE_KEY.to_owned(), Json::String(SECRET_SIGNATURE.to_owned())));
            SyntaxNode::from_value(Json::Object(entries))
                .expect("a literal may have keys that are not listed")
        }
        _ => literal,
    }
}

pub(super) fn array(element: &str, items: Vec<SyntaxNode>) -> SyntaxNode {
    node(SyntaxKind::ArrayLiteral, [("elemType", of_type(element).into()), ("elements", items.into())])
}

pub(super) fn sized_array(element: &str, size: SyntaxNode) -> SyntaxNode {
    node(SyntaxKind::ArrayLiteral, [("elemType", of_type(element).into()), ("size", size.into())])
}

pub(super) fn binary(left: SyntaxNode, operator: &str, right: SyntaxNode) -> SyntaxNode {
    let fields = [("left", left.into()), ("operator", operator.into()), ("right", right.into())];
    node(SyntaxKind::BinaryOperatorExpression, fields)
}

pub(super) fn object(entries: Vec<(String, SyntaxNode)>) -> SyntaxNode {
    let entry = |(key, value): (String, SyntaxNode)| match is_name(&key) {
        true => {
            let fields = [("property", token(&key).into()), ("value", value.into())];
            node(SyntaxKind::ObjectLiteralNamedProperty, fields)
        }
        false => {
            let fields = [("property", string(&key).into()), ("value", value.into())];
            node(SyntaxKind::ObjectLiteralComputedProperty, fields)
        }
    };
    let properties: Vec<SyntaxNode> = entries.into_iter().map(entry).collect();
    node(SyntaxKind::ObjectLiteral, [("type", of_type("dynamic").into()), ("properties", properties.into())])
}

pub(super) fn new(ty: &str, arguments: Vec<SyntaxNode>) -> SyntaxNode {
    let argument = |value: SyntaxNode| node(SyntaxKind::CallArgument, [("expr", value.into())]);
    let arguments: Vec<SyntaxNode> = arguments.into_iter().map(argument).collect();
    node(SyntaxKind::NewExpression, [("type", of_type(ty).into()), ("arguments", arguments.into())])
}

pub(super) fn assign(left: SyntaxNode, right: SyntaxNode) -> SyntaxNode {
    node(SyntaxKind::ExpressionStatement, [("expression", binary(left, "=", right).into())])
}

pub(super) fn block(statements: Vec<SyntaxNode>) -> SyntaxNode {
    node(SyntaxKind::Block, [("statements", statements.into())])
}

pub(super) fn parameter(name: &str) -> SyntaxNode {
    node(SyntaxKind::LocalVariable, [("name", identifier(name).into()), ("type", of_type("dynamic").into())])
}

/// Whether a text is a valid name in sources (§11): one that does not begin with a dot.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    begins && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// The valid name most similar to a text.
pub(super) fn name_like(text: &str) -> String {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let is_open = name.bytes().next().is_none_or(|byte| byte.is_ascii_digit());
    if is_open { format!("_{name}") } else { name }
}
