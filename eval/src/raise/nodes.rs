//! Nodes of raised programs.

use coconut_format::Value as Json;
use coconut_format::il::{Field, Kind, NodeBuilder, SyntaxNode};

/// A node with these fields. They are those of the list of kinds (§13.1).
pub(super) fn node<const N: usize>(kind: Kind, fields: [(&str, Field); N]) -> SyntaxNode {
    let builder = fields.into_iter().fold(NodeBuilder::new(kind), |node, (key, field)| node.set(key, field));
    builder.finish().expect("the list of kinds has these fields, and no value here is infinite")
}

pub(super) fn identifier(name: &str) -> SyntaxNode {
    node(Kind::Identifier, [("ident", name.into())])
}

pub(super) fn token(tok: &str) -> SyntaxNode {
    node(Kind::Token, [("tok", tok.into())])
}

pub(super) fn of_type(tok: &str) -> SyntaxNode {
    node(Kind::TypeToken, [("tok", tok.into())])
}

pub(super) fn load(tok: &str) -> SyntaxNode {
    node(Kind::LoadLocationExpression, [("name", token(tok).into())])
}

pub(super) fn member(object: SyntaxNode, tok: &str) -> SyntaxNode {
    node(Kind::LoadLocationExpression, [("object", object.into()), ("name", token(tok).into())])
}

/// `object[key]`, or null where the object has no such property.
pub(super) fn property(object: SyntaxNode, key: SyntaxNode) -> SyntaxNode {
    node(Kind::TryLoadDynamicExpression, [("object", object.into()), ("name", key.into())])
}

pub(super) fn null() -> SyntaxNode {
    node(Kind::NullLiteral, [])
}

pub(super) fn string(text: &str) -> SyntaxNode {
    node(Kind::StringLiteral, [("value", text.into())])
}

pub(super) fn number(value: &Json) -> SyntaxNode {
    node(Kind::NumberLiteral, [("value", value.clone().into())])
}

pub(super) fn boolean(flag: bool) -> SyntaxNode {
    node(Kind::BoolLiteral, [("value", flag.into())])
}

pub(super) fn array(element: &str, items: Vec<SyntaxNode>) -> SyntaxNode {
    node(Kind::ArrayLiteral, [("elemType", of_type(element).into()), ("elements", items.into())])
}

pub(super) fn sized_array(element: &str, size: SyntaxNode) -> SyntaxNode {
    node(Kind::ArrayLiteral, [("elemType", of_type(element).into()), ("size", size.into())])
}

pub(super) fn binary(left: SyntaxNode, operator: &str, right: SyntaxNode) -> SyntaxNode {
    let fields = [("left", left.into()), ("operator", operator.into()), ("right", right.into())];
    node(Kind::BinaryOperatorExpression, fields)
}

pub(super) fn object(entries: Vec<(String, SyntaxNode)>) -> SyntaxNode {
    let entry = |(key, value): (String, SyntaxNode)| match is_name(&key) {
        true => {
            let fields = [("property", token(&key).into()), ("value", value.into())];
            node(Kind::ObjectLiteralNamedProperty, fields)
        }
        false => {
            let fields = [("property", string(&key).into()), ("value", value.into())];
            node(Kind::ObjectLiteralComputedProperty, fields)
        }
    };
    let properties: Vec<SyntaxNode> = entries.into_iter().map(entry).collect();
    node(Kind::ObjectLiteral, [("type", of_type("dynamic").into()), ("properties", properties.into())])
}

pub(super) fn new(ty: &str, arguments: Vec<SyntaxNode>) -> SyntaxNode {
    let argument = |value: SyntaxNode| node(Kind::CallArgument, [("expr", value.into())]);
    let arguments: Vec<SyntaxNode> = arguments.into_iter().map(argument).collect();
    node(Kind::NewExpression, [("type", of_type(ty).into()), ("arguments", arguments.into())])
}

pub(super) fn assign(left: SyntaxNode, right: SyntaxNode) -> SyntaxNode {
    node(Kind::ExpressionStatement, [("expression", binary(left, "=", right).into())])
}

pub(super) fn block(statements: Vec<SyntaxNode>) -> SyntaxNode {
    node(Kind::Block, [("statements", statements.into())])
}

pub(super) fn parameter(name: &str) -> SyntaxNode {
    node(Kind::LocalVariable, [("name", identifier(name).into()), ("type", of_type("dynamic").into())])
}

/// Whether a text is a name of sources (§11): one that does not begin with a dot.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    let begins = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    begins && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A name that is as much like a text as names can be.
pub(super) fn name_like(text: &str) -> String {
    let name: String = text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let is_open = name.bytes().next().is_none_or(|byte| byte.is_ascii_digit());
    if is_open { format!("_{name}") } else { name }
}
