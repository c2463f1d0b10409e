//! §20 The surface of a package: one model for the packages of 2017 and for the schemas of other
//! systems.
//!
//! A [`Package`] borrows all texts from the document that it was read from. Members and types are
//! in two long lists, and refer to each other by number, so that a large schema costs a few
//! allocations. [`read()`] makes the model of any [`Node`](crate::Node), and [`compare()`] tells
//! what a new version breaks.

mod assign;
mod compare;
mod described;
mod draft;
mod error;
mod finding;
mod literal;
mod model;
mod plural;
mod print;
mod read;
mod renames;
mod rest;
mod restore;
mod rules;
mod schema;

pub use compare::{Comparison, Level, MOST_CHANGES, compare};
pub use described::Described;
pub use error::ApiError;
pub use finding::{Change, Place};
pub use literal::Literal;
pub use model::{
    Bounds, Definition, Direction, Export, Facets, Member, Members, NamedValue, Package, Role, Scalar, Type,
    TypeId,
};
pub use read::{Dialect, PULUMI_TYPE_KEYS, read, read_whole};
pub use renames::Renames;
pub use rest::Rest;
pub use rules::{ApiRule, Category, Severity};
