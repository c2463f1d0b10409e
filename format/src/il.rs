//! §13 CocoIL. The syntax tree in a compiled package.
//!
//! A tree of [`SyntaxNode`]s, each of a [`SyntaxKind`] from the one list in `il/kinds.rs`. That
//! list has the fields of each kind, their types, and their [`PackageDialect`]s. Decoding, walking,
//! building and verifying all follow it.
//!
//! Decoding never fails and loses nothing. A field that is not in the list, or not of the listed
//! type, stays a [`Value`](crate::Value) in its place, and `verify` reports it. So every tree
//! encodes to exactly the value that it came from, in any dialect.
//!
//! ```
//! use coconut_format::Value;
//! use coconut_format::il::{SyntaxKind, SyntaxNode, View};
//!
//! let literal = Value::Object(vec![
//!     ("kind".into(), Value::String("BoolLiteral".into())),
//!     ("value".into(), Value::Bool(true)),
//! ]);
//! let node = SyntaxNode::from_value(literal.clone()).expect("an object with a known kind");
//! assert_eq!(node.kind(), SyntaxKind::BoolLiteral);
//! assert!(matches!(node.view(), View::BoolLiteral(literal) if literal.value()));
//! assert_eq!(node.to_value(), literal);
//! ```

mod build;
mod decode;
mod dialect;
mod field;
mod kinds;
mod listing;
mod node;
#[cfg(test)]
mod tests;
mod walk;

pub use build::{BuildError, NodeBuilder};
pub(crate) use decode::record as decode_record;
pub use dialect::{Era, PackageDialect};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use field::{FieldSpec, Form, Type, Union};
#[cfg(not(feature = "tooling"))]
pub(crate) use field::{FieldSpec, Form, Type, Union};
pub use kinds::SyntaxKind;
#[cfg(not(feature = "tooling"))]
pub(crate) use kinds::*;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use kinds::*;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use node::NodeView;
#[cfg(not(feature = "tooling"))]
pub(crate) use node::NodeView;
pub use node::{Field, Key, SyntaxNode};
pub use walk::{SyntaxWalk, WalkEvent};
