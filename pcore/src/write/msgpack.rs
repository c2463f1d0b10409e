//! §24.5 Writing msgpack.

use super::options::WriteOptions;
use super::tables::{Segment, Tables, Written};
use crate::code::Code;
use crate::error::PcoreError;
use crate::tape::{Entry, Stream, Tag};
use coconut_codec::foreign::{
    put_array_header, put_bin, put_bool, put_ext, put_float, put_float_32, put_map_header, put_nil,
    put_plain_integer, put_str_bytes,
};
use coconut_format::Integer;

pub(super) fn write(
    stream: &Stream<'_>,
    options: &WriteOptions,
    out: &mut Vec<u8>,
) -> Result<(), PcoreError> {
    let mut tables = Tables::new(stream, options);
    let mut payload = Vec::new();
    while let Some(written) = tables.next()? {
        payload.clear();
        let code = match written {
            Written::Inner(slot) => {
                put_natural(&mut payload, slot);
                Code::InnerTabulation
            }
            Written::Outer(slot) => {
                put_natural(&mut payload, slot);
                Code::Tabulation
            }
            Written::Object(segments, count) => {
                put_natural(&mut payload, segments.len() as u64);
                for segment in segments {
                    match segment {
                        Segment::Text(text) => put_str_bytes(&mut payload, text.as_bytes()),
                        Segment::Slot(slot) => put_natural(&mut payload, slot),
                    }
                }
                put_natural(&mut payload, count.into());
                Code::PcoreObjectStart
            }
            Written::Entry(entry) if entry.tag() == Tag::SensitivePayload => {
                if let Some(value) = tables.skip() {
                    put_scalar(stream, value, &mut payload);
                }
                Code::Binary
            }
            Written::Entry(entry) => match put_scalar(stream, entry, out) {
                true => continue,
                false => put_payload(stream, entry, &mut payload),
            },
        };
        put_ext(out, code.number().cast_signed(), &payload);
    }
    Ok(())
}

fn put_natural(out: &mut Vec<u8>, number: u64) {
    put_plain_integer(out, Integer::from(number));
}

/// Writes a value without an extension. `false` if it needs one.
fn put_scalar(stream: &Stream<'_>, entry: Entry, out: &mut Vec<u8>) -> bool {
    match entry.tag() {
        Tag::Nil => put_nil(out),
        Tag::False => put_bool(out, false),
        Tag::True => put_bool(out, true),
        Tag::Integer => put_plain_integer(out, Integer::from(entry.small_integer())),
        Tag::Wide => put_plain_integer(out, stream.wide[entry.index()]),
        Tag::Float => put_float(out, stream.floats[entry.index()]),
        Tag::Float32 => put_float_32(out, f32::from_bits(entry.low_bits())),
        Tag::Str => put_str_bytes(out, stream.bytes(entry)),
        Tag::Bin => put_bin(out, stream.bytes(entry)),
        Tag::PlainArray => put_array_header(out, entry.items()),
        Tag::PlainMap => put_map_header(out, entry.items()),
        _ => return false,
    }
    true
}

/// Writes the payload of an extension.
fn put_payload(stream: &Stream<'_>, entry: Entry, payload: &mut Vec<u8>) -> Code {
    match entry.tag() {
        Tag::Array => {
            put_natural(payload, entry.count());
            Code::ArrayStart
        }
        Tag::Map => {
            put_natural(payload, entry.count());
            Code::MapStart
        }
        Tag::TypedObject => {
            put_natural(payload, entry.number() + 1);
            Code::ObjectStart
        }
        Tag::Sensitive => Code::SensitiveStart,
        Tag::Default => Code::Default,
        Tag::Binary => {
            put_bin(payload, stream.bytes(entry));
            Code::Binary
        }
        Tag::Timestamp | Tag::Timespan => {
            let time = stream.times[entry.index()];
            put_plain_integer(payload, Integer::from(time.seconds));
            put_natural(payload, time.nanoseconds.into());
            if entry.tag() == Tag::Timestamp { Code::Timestamp } else { Code::Timespan }
        }
        _ => {
            put_str_bytes(payload, stream.bytes(entry));
            entry.code().unwrap_or(Code::Comment)
        }
    }
}
