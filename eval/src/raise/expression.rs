//! Expressions of a raised program, from which its nodes and its text are made.

use coconut_format::Value as Json;

/// An expression of a raised program.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Null,
    Bool(bool),
    Number(Json),
    Text(String),
    /// A literal that is a secret.
    Hidden(Box<Expression>),
    List(Vec<Expression>),
    Object(Vec<(String, Expression)>),
    /// The variable of the resource at this position.
    Resource(usize),
    /// The member with this token, of the resource at this position.
    Output(usize, String),
    Binary(Box<Expression>, &'static str, Box<Expression>),
    /// `object[key]`.
    Property(Box<Expression>, Box<Expression>),
    /// An array of this element type and size.
    Sized(String, Box<Expression>),
}

impl Expression {
    pub(super) fn text(text: &str) -> Expression {
        Expression::Text(text.to_owned())
    }

    pub(super) fn binary(left: Expression, operator: &'static str, right: Expression) -> Expression {
        Expression::Binary(left.into(), operator, right.into())
    }

    pub(super) fn property(object: Expression, key: Expression) -> Expression {
        Expression::Property(object.into(), key.into())
    }
}
