//! §5 Payload. The structures of a file and the forms of its values, one home each.

// All bytes here are unchecked input, except in tests.
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
#[cfg(feature = "write")]
pub(crate) mod kept;
pub(crate) mod keys;
pub(crate) mod landmarks;
pub(crate) mod offsets;
pub(crate) mod shapes;
pub(crate) mod table;
pub(crate) mod trailer;
pub(crate) mod value;
