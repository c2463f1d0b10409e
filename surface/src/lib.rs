//! §20 The surface of a package: one model for Coconut 2017 packages and for the schemas of other
//! systems.
//!
//! A [`Package`] borrows all texts from its document. Members and types are in two long lists and
//! refer to each other by number, so that a large schema costs a few allocations. [`read()`] builds
//! the model from any [`Node`](coconut_format::Node), [`compare()`] finds the breaking changes of a
//! new version, and [`mod@write`] writes packages and Pulumi schemas.
//!
//! Each dialect has a folder: its reader in `read.rs`, the names of its definitions in a package in
//! `names.rs`, its writer in `write.rs`.

#![forbid(unsafe_code)]

mod cloudformation;
mod cocopack;
mod compare;
mod dialect;
mod error;
mod kubernetes;
mod literal;
mod model;
mod print;
mod pulumi;
mod read;
mod rest;
mod restore;
mod rules;
mod settings;
mod terraform;
mod typescript;
pub mod write;

pub use compare::finding::{Change, Place};
pub use compare::renames::Renames;
pub use compare::{Comparison, Level, MOST_CHANGES, compare};
pub use dialect::Dialect;
pub use error::ApiError;
pub use literal::Literal;
pub use model::{
    Bounds, Definition, Direction, Export, Facets, Member, Members, NamedValue, Package, Role, Scalar, Type,
    TypeId,
};
pub use pulumi::read::PULUMI_TYPE_KEYS;
pub use read::{read, read_whole};
pub use rest::Rest;
pub use rules::{ApiRule, Category, Severity};
pub use settings::{Setting, SettingKind};
