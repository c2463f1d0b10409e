//! §5–§8 The structures of a file, one home each.

#![deny(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)]

pub(crate) mod checksum;
