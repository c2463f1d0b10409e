//! §20.1 Values in a schema: defaults and the values of enums.

use coconut_format::node::{Kind, Node};
use coconut_format::pointer::Pointer;
use coconut_format::value::Integer;
use std::fmt::{self, Write as _};

/// A value in a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Integer(Integer),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(&'a str),
    /// A list or an object: the JSON pointers of all leaves, with their scalars.
    Composite(String),
}

/// The maximum number of bytes kept for a list or object. Two longer ones with the same prefix and
/// the same number of values count as equal.
const MOST_BYTES: usize = 4096;

impl<'a> Literal<'a> {
    /// The literal with the value of a node.
    pub fn of<N: Node<'a>>(node: N) -> Literal<'a> {
        match node.kind() {
            Kind::Null => Literal::Null,
            Kind::Bool => node.as_bool().map_or(Literal::Null, Literal::Bool),
            Kind::Integer => node.as_integer().map_or(Literal::Null, Literal::Integer),
            Kind::Float => node.as_float().map_or(Literal::Null, Literal::Float),
            Kind::String => node.as_str().map_or(Literal::Null, Literal::Text),
            Kind::List | Kind::Object => Literal::Composite(composite(node)),
        }
    }
}

/// The text of a composite value: `{}` or `[]` if it is empty, otherwise its leaves. Does not
/// recurse.
fn composite<'a, N: Node<'a>>(root: N) -> String {
    let mut text = String::new();
    let mut pending = vec![(Pointer::root(), root)];
    while let Some((pointer, node)) = pending.pop() {
        if text.len() > MOST_BYTES {
            let _ = write!(text, " … {}", pending.len());
            break;
        }
        let separator = if text.is_empty() { "" } else { ", " };
        let first = pending.len();
        match node.kind() {
            Kind::Object if node.width() > 0 => {
                for (key, value) in node.entries() {
                    let mut pointer = pointer.clone();
                    pointer.push_key(key);
                    pending.push((pointer, value));
                }
            }
            Kind::List if node.width() > 0 => {
                for (index, value) in node.items().enumerate() {
                    let mut pointer = pointer.clone();
                    pointer.push_index(index);
                    pending.push((pointer, value));
                }
            }
            Kind::Object => text.push_str(&format!("{separator}{pointer}{{}}")),
            Kind::List => text.push_str(&format!("{separator}{pointer}[]")),
            _ => text.push_str(&format!("{separator}{pointer}={}", Literal::of(node))),
        }
        pending[first..].reverse();
    }
    text
}

impl fmt::Display for Literal<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::Null => f.write_str("null"),
            Literal::Bool(truth) => truth.fmt(f),
            Literal::Integer(number) => number.fmt(f),
            Literal::Float(number) => number.fmt(f),
            Literal::Text(text) => write!(f, "{text:?}"),
            Literal::Composite(text) => f.write_str(text),
        }
    }
}
