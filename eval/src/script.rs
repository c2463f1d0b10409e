//! §22 The text of programs: identifiers, literals, and their layout in lines.

mod identifier;
mod layout;

pub(crate) use identifier::{Identifiers, camel_case, is_global, is_identifier, pascal_case};
pub(crate) use layout::{Text, number, quoted};
