//! §4–§8 Values, and the structures of a file, one home each.

// Everything here meets bytes that nobody has checked. Tests know their bytes.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)
)]

pub(crate) mod directory;
#[cfg_attr(
    not(test),
    expect(
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "it counts keys that it holds, not bytes of a file"
    )
)]
pub(crate) mod distinct_keys;
pub(crate) mod edges;
pub(crate) mod header;
pub(crate) mod ids;
pub(crate) mod keys;
pub(crate) mod landmarks;
pub(crate) mod offsets;
pub(crate) mod shapes;
pub(crate) mod table;
pub(crate) mod trailer;
pub(crate) mod value;
