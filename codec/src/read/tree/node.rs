//! The nodes of a tree (§4): eight bytes for each value.

use crate::wire::ids::{ShapeId, StringId};
use coconut_format::Integer;

/// A value of a tree in one word. The low four bits hold its form, the others a number or a
/// position.
///
/// ```text
///  63                                          4 3    0
/// ├ number, id, index of a node, offset in file ─┼ form ┤
/// ```
///
/// Strings in place and wide numbers stay in the file, which the tree borrows. Building a tree
/// spends most of its time waiting for fresh memory. With nodes of 16 bytes, and 16 more for each
/// string, a checkpoint took 50 % longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(u64);

/// The decoded content of a [`Node`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Null,
    Bool(bool),
    /// An integer from 0 to [`Node::MAX_UNSIGNED`].
    Unsigned(u64),
    /// Any other number, as the offset of its token.
    Number(usize),
    /// The id of a string in the table.
    StringId(usize),
    /// A string in place, as the offset of its token.
    Text(usize),
    /// The header of a list. It holds the number of items that follow.
    List(usize),
    /// The header of an object. It holds the number of pairs of key and value that follow.
    Object(usize),
    /// The header of a record. It holds the shape; its values follow, with nested objects in place.
    Record(usize),
}

impl Node {
    /// The largest integer stored in the node itself.
    pub(super) const MAX_UNSIGNED: u64 = u64::MAX >> 4;

    pub(super) const NULL: Node = Node(0);
    pub(super) const FALSE: Node = Node(1);
    pub(super) const TRUE: Node = Node(2);

    /// Returns the node before the values of a container: their number, or the shape of a record.
    /// It is not a value.
    pub(super) const fn header(count: u32) -> Node {
        Node(count as u64)
    }

    /// Returns the number in the [`header`](Self::header) of a list or object.
    #[expect(clippy::cast_possible_truncation, reason = "a header has 32 bits")]
    pub(super) const fn count(self) -> usize {
        self.0 as usize
    }

    /// Returns the shape in the header of a record.
    #[expect(clippy::cast_possible_truncation, reason = "a header has 32 bits")]
    pub(super) const fn shape(self) -> ShapeId {
        ShapeId(self.0 as u32)
    }

    pub(super) const fn bool(value: bool) -> Node {
        match value {
            true => Node::TRUE,
            false => Node::FALSE,
        }
    }

    /// Returns the node of an integer with its token at `offset`.
    #[inline]
    pub(super) fn integer(integer: Integer, offset: usize) -> Node {
        match integer.as_u64() {
            Some(number) if number <= Node::MAX_UNSIGNED => Node(number << 4 | 3),
            _ => Node::number(offset),
        }
    }

    pub(super) const fn small(number: u16) -> Node {
        Node((number as u64) << 4 | 3)
    }

    /// Returns the node of a number with its token at `offset`.
    pub(super) const fn number(offset: usize) -> Node {
        Node::at(offset, 4)
    }

    /// Returns the node of an id in the string table.
    pub(super) const fn string_id(id: StringId) -> Node {
        Node((id.0 as u64) << 4 | 5)
    }

    pub(super) const fn text(offset: usize) -> Node {
        Node::at(offset, 6)
    }

    pub(super) const fn list(header: usize) -> Node {
        Node::at(header, 7)
    }

    pub(super) const fn object(header: usize) -> Node {
        Node::at(header, 8)
    }

    pub(super) const fn record(header: usize) -> Node {
        Node::at(header, 9)
    }

    /// No bit of `place` is lost: no memory holds 2^60 bytes.
    const fn at(place: usize, form: u64) -> Node {
        Node((place as u64) << 4 | form)
    }

    #[inline]
    pub(super) const fn form(self) -> Form {
        let place = (self.0 >> 4) as usize;
        match self.0 & 0xf {
            0 => Form::Null,
            1 => Form::Bool(false),
            2 => Form::Bool(true),
            3 => Form::Unsigned(self.0 >> 4),
            4 => Form::Number(place),
            5 => Form::StringId(place),
            6 => Form::Text(place),
            7 => Form::List(place),
            8 => Form::Object(place),
            _ => Form::Record(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_returns_its_content() {
        let most = (1 << 60) - 1;
        assert_eq!(Node::NULL.form(), Form::Null);
        assert_eq!(Node::bool(false).form(), Form::Bool(false));
        assert_eq!(Node::bool(true).form(), Form::Bool(true));
        assert_eq!(Node::integer(Node::MAX_UNSIGNED.into(), 9).form(), Form::Unsigned(most as u64));
        assert_eq!(Node::integer((Node::MAX_UNSIGNED + 1).into(), 9).form(), Form::Number(9));
        assert_eq!(Node::integer((-1i64).into(), 9).form(), Form::Number(9));
        assert_eq!(Node::number(most).form(), Form::Number(most));
        assert_eq!(Node::string_id(StringId(7)).form(), Form::StringId(7));
        assert_eq!(Node::text(most).form(), Form::Text(most));
        assert_eq!(Node::list(0).form(), Form::List(0));
        assert_eq!(Node::object(1).form(), Form::Object(1));
        assert_eq!(Node::record(2).form(), Form::Record(2));
        assert_eq!(Node::header(u32::MAX).count(), u32::MAX as usize);
    }
}
