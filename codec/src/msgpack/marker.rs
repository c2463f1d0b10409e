//! §3.1 First bytes. The numbers of the msgpack specification, once.

pub(crate) const POSITIVE_FIXINT_MAX: u8 = 0x7f;
pub(crate) const FIXMAP: u8 = 0x80;
pub(crate) const FIXARRAY: u8 = 0x90;
pub(crate) const FIXSTR: u8 = 0xa0;
pub(crate) const NIL: u8 = 0xc0;
pub(crate) const RESERVED: u8 = 0xc1;
pub(crate) const FALSE: u8 = 0xc2;
pub(crate) const TRUE: u8 = 0xc3;
pub(crate) const BIN_8: u8 = 0xc4;
pub(crate) const BIN_16: u8 = 0xc5;
pub(crate) const BIN_32: u8 = 0xc6;
pub(crate) const EXT_8: u8 = 0xc7;
pub(crate) const EXT_16: u8 = 0xc8;
pub(crate) const EXT_32: u8 = 0xc9;
pub(crate) const FLOAT_32: u8 = 0xca;
pub(crate) const FLOAT_64: u8 = 0xcb;
pub(crate) const UINT_8: u8 = 0xcc;
pub(crate) const UINT_16: u8 = 0xcd;
pub(crate) const UINT_32: u8 = 0xce;
pub(crate) const UINT_64: u8 = 0xcf;
pub(crate) const INT_8: u8 = 0xd0;
pub(crate) const INT_16: u8 = 0xd1;
pub(crate) const INT_32: u8 = 0xd2;
pub(crate) const INT_64: u8 = 0xd3;
pub(crate) const FIXEXT_1: u8 = 0xd4;
pub(crate) const FIXEXT_2: u8 = 0xd5;
pub(crate) const FIXEXT_4: u8 = 0xd6;
pub(crate) const FIXEXT_8: u8 = 0xd7;
pub(crate) const FIXEXT_16: u8 = 0xd8;
pub(crate) const STR_8: u8 = 0xd9;
pub(crate) const STR_16: u8 = 0xda;
pub(crate) const STR_32: u8 = 0xdb;
pub(crate) const ARRAY_16: u8 = 0xdc;
pub(crate) const ARRAY_32: u8 = 0xdd;
pub(crate) const MAP_16: u8 = 0xde;
pub(crate) const MAP_32: u8 = 0xdf;
pub(crate) const NEGATIVE_FIXINT: u8 = 0xe0;

/// Extension types of the value layer (§4.3).
pub(crate) const EXT_UNSIGNED: i8 = 1;
/// See [`EXT_UNSIGNED`].
pub(crate) const EXT_SIGNED: i8 = 2;
