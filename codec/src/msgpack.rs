//! §3 The subset of msgpack that Coconut uses.
//!
//! One [`Cursor`] reads, and one set of `put_…` functions writes. Every walk over the bytes of a
//! file uses this cursor, from a lookup to the integrity check. So bounds, checksums and counts are
//! checked in one place.

// All bytes here are unchecked input, except in tests.
#![cfg_attr(
    not(test),
    deny(clippy::indexing_slicing, clippy::arithmetic_side_effects, clippy::cast_possible_truncation)
)]

mod cursor;
mod encode;
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod foreign;
pub(crate) mod marker;
mod short;

pub(crate) use cursor::{Cursor, Token, utf8};
#[cfg(any(feature = "whole", feature = "write"))]
pub(crate) use encode::put_float;
#[cfg(feature = "verify")]
pub(crate) use encode::shortest_length;
#[cfg(feature = "write")]
pub(crate) use encode::{SHORT_STR, put_short_str, put_str_bytes, str_len};
pub(crate) use encode::{
    put_array_header, put_bin, put_bool, put_map_header, put_negative, put_nil, put_plain_integer, put_str,
    put_unsigned,
};
#[cfg(feature = "whole")]
pub(crate) use short::TakeShort;
