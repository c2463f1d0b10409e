//! §24.6 Values as rich data: the form of JSON that Puppet's catalogs have, made reversible.

mod attributes;
mod definition;
mod members;
mod parse;
mod push;
mod scalars;

pub(crate) use definition::Definitions;
pub(crate) use members::is_reserved;
pub(crate) use scalars::is_base64;
pub use scalars::is_incomplete_timespan;
