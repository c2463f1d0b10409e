//! Every form of token, every edge of a span, every block: exact values and offsets.

use super::*;

fn tokens(bytes: &[u8]) -> Result<Vec<Token<'_>>, DecodeError> {
    let mut cursor = Cursor::unchecked(bytes);
    let mut tokens = Vec::new();
    while !cursor.is_at_end() {
        tokens.push(cursor.token()?);
    }
    Ok(tokens)
}

#[test]
fn reads_every_width_of_integer() {
    let bytes = [0x7f, 0xcc, 0x80, 0xcd, 1, 0, 0xff, 0xd0, 0x80, 0xd1, 0, 5];
    let expected = [
        Token::Unsigned(127),
        Token::Unsigned(128),
        Token::Unsigned(256),
        Token::Negative(-1),
        Token::Negative(-128),
        Token::Unsigned(5),
    ];
    assert_eq!(tokens(&bytes).unwrap(), expected);
}

#[test]
fn refuses_a_count_that_the_bytes_left_cannot_hold() {
    let error = tokens(&[0xc0, 0xdd, 0xff, 0xff, 0xff, 0xff]).unwrap_err();
    assert_eq!(error, ErrorKind::Count { declared: 0xffff_ffff, available: 0 }.at(1));
    let error = tokens(&[0x82, 0xc0, 0xc0, 0xc0]).unwrap_err();
    assert_eq!(error, ErrorKind::Count { declared: 2, available: 3 }.at(0));
}

#[test]
fn refuses_a_string_longer_than_the_rest() {
    let error = tokens(&[0xd9, 5, b'a']).unwrap_err();
    assert_eq!(error, ErrorKind::Short { needed: 5, available: 1 }.at(2));
}

#[test]
fn refuses_the_reserved_byte_and_narrow_floats() {
    assert_eq!(tokens(&[0xc0, 0xc1]).unwrap_err(), ErrorKind::ReservedByte.at(1));
    let error = tokens(&[0xca, 0, 0, 0, 0]).unwrap_err();
    assert_eq!(error, ErrorKind::Type { expected: "float 64", found: "float 32" }.at(0));
}

#[test]
fn reports_the_byte_that_is_not_utf8() {
    let mut cursor = Cursor::unchecked(&[0xc0, 0xa3, b'a', 0xff, b'b']);
    cursor.token().unwrap();
    assert_eq!(cursor.str().unwrap_err(), ErrorKind::Utf8.at(3));
}

/// Does what `skip` does, by tokens alone.
fn skip_by_tokens(cursor: &mut Cursor<'_>, count: u64) -> Result<(), DecodeError> {
    let mut pending = count;
    while pending > 0 {
        let more = match cursor.token()? {
            Token::Array(count) => u64::from(count),
            Token::Map(count) => 2 * u64::from(count),
            _ => 0,
        };
        pending = pending - 1 + more;
    }
    Ok(())
}

proptest::proptest! {
    #[test]
    fn skipping_ends_where_reading_ends(
        bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..60),
        count in 0u64..6,
    ) {
        let (mut skipped, mut read) = (Cursor::unchecked(&bytes), Cursor::unchecked(&bytes));
        let results = (skipped.skip(count), skip_by_tokens(&mut read, count));
        proptest::prop_assert_eq!(results.0, results.1);
        proptest::prop_assert_eq!(skipped.position(), read.position());
    }
}

#[test]
fn every_first_byte_is_skipped_as_it_is_read() {
    for first in 0..=u8::MAX {
        let bytes: Vec<u8> = std::iter::once(first).chain([2; 40]).collect();
        let (mut skipped, mut read) = (Cursor::unchecked(&bytes), Cursor::unchecked(&bytes));
        assert_eq!(skipped.skip(1), skip_by_tokens(&mut read, 1), "{first:#04x}");
        assert_eq!(skipped.position(), read.position(), "{first:#04x}");
    }
}

#[test]
fn skips_nested_values_without_a_stack() {
    let mut deep = vec![0x91; 1_000_000];
    deep.push(0xc0);
    deep.push(0x05);
    let mut cursor = Cursor::unchecked(&deep);
    cursor.skip(1).unwrap();
    assert_eq!(cursor.token().unwrap(), Token::Unsigned(5));
}

#[test]
fn a_missing_value_is_reported_where_it_should_begin() {
    // Each count by itself is possible, in the short and in the long forms.
    let short = ErrorKind::Short { needed: 1, available: 0 };
    let error = |bytes: &[u8], count| Cursor::unchecked(bytes).skip(count).unwrap_err();
    assert_eq!(error(&[0x92, 0x92, 0xc0, 0xc0], 1), short.at(4));
    assert_eq!(error(&[0xdc, 0, 2, 0xdc, 0, 2, 0xc0, 0xc0], 1), short.at(8));
    assert_eq!(error(&[0x92, 0xa1, b'x'], 1), short.at(3));
    assert_eq!(error(&[0xc0, 0xc0], 4), short.at(2));
    // And one that is impossible.
    let count = ErrorKind::Count { declared: 3, available: 2 };
    assert_eq!(error(&[0x92, 0x93, 0xc0, 0xc0], 1), count.at(1));
}

/// Asserts that `bytes` are this one token.
#[track_caller]
fn assert_token(bytes: &[u8], expected: Token<'_>) {
    let mut cursor = Cursor::unchecked(bytes);
    assert_eq!(cursor.token(), Ok(expected), "{bytes:02x?}");
    assert_eq!(cursor.position(), bytes.len(), "{bytes:02x?}");
}

/// `head`, and `length` bytes after it.
fn with_payload(head: &[u8], length: usize) -> Vec<u8> {
    [head, &vec![b'x'; length]].concat()
}

#[test]
fn reads_every_form_of_scalar() {
    assert_token(&[0x00], Token::Unsigned(0));
    assert_token(&[0x7f], Token::Unsigned(127));
    assert_token(&[0xe0], Token::Negative(-32));
    assert_token(&[0xff], Token::Negative(-1));
    assert_token(&[0xc0], Token::Nil);
    assert_token(&[0xc2], Token::Bool(false));
    assert_token(&[0xc3], Token::Bool(true));
    assert_token(&[0xcb, 0xbf, 0xf8, 0, 0, 0, 0, 0, 0], Token::Float(-1.5));
    assert_token(&[0xcc, 0xfe], Token::Unsigned(0xfe));
    assert_token(&[0xcd, 0xfe, 1], Token::Unsigned(0xfe01));
    assert_token(&[0xce, 0xfe, 1, 2, 3], Token::Unsigned(0xfe01_0203));
    assert_token(&[0xcf, 0xfe, 1, 2, 3, 4, 5, 6, 7], Token::Unsigned(0xfe01_0203_0405_0607));
    assert_token(&[0xd0, 0x7f], Token::Unsigned(127));
    assert_token(&[0xd0, 0x81], Token::Negative(-127));
    assert_token(&[0xd1, 0x80, 1], Token::Negative(-32_767));
    assert_token(&[0xd2, 0x80, 0, 0, 1], Token::Negative(-2_147_483_647));
    assert_token(&[0xd3, 0x80, 0, 0, 0, 0, 0, 0, 1], Token::Negative(i64::MIN + 1));
}

#[test]
fn reads_every_form_of_string_and_bytes() {
    assert_token(&[0xa0], Token::Str(b""));
    assert_token(&with_payload(&[0xbf], 31), Token::Str(&[b'x'; 31]));
    assert_token(&with_payload(&[0xd9, 33], 33), Token::Str(&[b'x'; 33]));
    assert_token(&with_payload(&[0xda, 1, 2], 258), Token::Str(&[b'x'; 258]));
    assert_token(&with_payload(&[0xdb, 0, 0, 1, 2], 258), Token::Str(&[b'x'; 258]));
    assert_token(&with_payload(&[0xc4, 33], 33), Token::Bin(&[b'x'; 33]));
    assert_token(&with_payload(&[0xc5, 1, 2], 258), Token::Bin(&[b'x'; 258]));
    assert_token(&with_payload(&[0xc6, 0, 0, 1, 2], 258), Token::Bin(&[b'x'; 258]));
}

#[test]
fn reads_every_form_of_extension() {
    for (first, length) in [(0xd4, 1), (0xd5, 2), (0xd6, 4), (0xd7, 8)] {
        let payload = vec![b'x'; length];
        assert_token(&with_payload(&[first, 0xff], length), Token::Ext(-1, &payload));
    }
    assert_token(&with_payload(&[0xd8, 5], 16), Token::OtherExt(5, &[b'x'; 16]));
    assert_token(&with_payload(&[0xc7, 3, 0x80], 3), Token::OtherExt(-128, &[b'x'; 3]));
    assert_token(&with_payload(&[0xc8, 1, 2, 5], 258), Token::OtherExt(5, &[b'x'; 258]));
    assert_token(&with_payload(&[0xc9, 0, 0, 1, 2, 5], 258), Token::OtherExt(5, &[b'x'; 258]));
}

/// A token with a count.
type Head = fn(u32) -> Token<'static>;

#[test]
fn a_count_may_not_exceed_the_bytes_left() {
    let heads: [(&[u8], u32, usize, Head); 6] = [
        (&[0x9f], 15, 15, Token::Array),
        (&[0xdc, 1, 2], 258, 258, Token::Array),
        (&[0xdd, 0, 0, 1, 2], 258, 258, Token::Array),
        (&[0x8f], 15, 30, Token::Map),
        (&[0xde, 1, 2], 258, 516, Token::Map),
        (&[0xdf, 0, 0, 1, 2], 258, 516, Token::Map),
    ];
    for (head, count, least, token) in heads {
        for more in [0, 1] {
            let bytes = with_payload(head, least + more);
            assert_eq!(Cursor::unchecked(&bytes).token(), Ok(token(count)), "{head:02x?}");
        }
        let bytes = with_payload(head, least - 1);
        let expected = ErrorKind::Count { declared: count.into(), available: least as u64 - 1 }.at(0);
        assert_eq!(Cursor::unchecked(&bytes).token(), Err(expected), "{head:02x?}");
    }
}

#[test]
fn a_cut_token_is_short_at_the_end_of_its_bytes() {
    // The first byte, the number of bytes after it, and the start of the piece whose last byte is
    // missing.
    let cut: [(&[u8], u64, u64); 12] = [
        (&[0xa3, b'a', b'b'], 3, 1),
        (&[0xcb, 0, 0, 0, 0, 0, 0, 0], 8, 1),
        (&[0xcc], 1, 1),
        (&[0xcd, 0], 2, 1),
        (&[0xd2, 0, 0, 0], 4, 1),
        (&[0xc4], 1, 1),
        (&[0xda, 0], 2, 1),
        (&[0xdb, 0, 0, 0], 4, 1),
        (&[0xd4, 1], 1, 2),
        (&[0xd8, 1, 0], 16, 2),
        (&[0xc7, 2, 1, 0], 2, 3),
        (&[0xc9, 0xff, 0xff, 0xff, 0xff, 1, 0], 0xffff_ffff, 6),
    ];
    for (bytes, needed, at) in cut {
        let available = bytes.len() as u64 - at;
        let expected = ErrorKind::Short { needed, available }.at(at);
        assert_eq!(Cursor::unchecked(bytes).token(), Err(expected), "{bytes:02x?}");
    }
    assert_eq!(Cursor::unchecked(&[]).token(), Err(ErrorKind::Short { needed: 1, available: 0 }.at(0)));
}

#[test]
fn a_span_is_cut_to_the_file_and_nothing_is_read_beyond_it() {
    let data = [0x01, 0x02, 0x03, 0x04];
    let mut cursor = Cursor::new(Bytes::Whole(&data), 1, 3, None);
    assert_eq!((cursor.position(), cursor.end(), cursor.is_at_end()), (1, 3, false));
    assert_eq!(cursor.peek(), Ok(2));
    assert_eq!(cursor.position(), 1, "a byte that was peeked at stays");
    assert_eq!(cursor.take(2), Ok(&[2, 3][..]));
    assert!(cursor.is_at_end());
    let short = |needed, at| Err(ErrorKind::Short { needed, available: 0 }.at(at));
    assert_eq!(cursor.take(1).map(drop), short(1, 3));
    assert_eq!(cursor.peek().map(drop), short(1, 3));
    assert_eq!(cursor.take(0), Ok(&[][..]));
    assert_eq!(Cursor::new(Bytes::Whole(&data), 1, 9, None).end(), 4);
    assert_eq!(Cursor::new(Bytes::Whole(&data), 9, 9, None).position(), 4);
    let error = Cursor::new(Bytes::Whole(&data), 1, 3, None).take(usize::MAX).unwrap_err();
    assert_eq!(error, ErrorKind::Short { needed: u64::MAX, available: 2 }.at(1));
}

#[test]
fn the_error_for_a_token_of_another_kind_names_it() {
    let kinds: [(&[u8], &str); 10] = [
        (&[0xc0], "nil"),
        (&[0xc2], "bool"),
        (&[0x05], "integer"),
        (&[0xff], "integer"),
        (&[0xcb, 0, 0, 0, 0, 0, 0, 0, 0], "float"),
        (&[0xa0], "string"),
        (&[0xc4, 0], "bytes"),
        (&[0x80], "map"),
        (&[0xd4, 1, 0], "extension"),
        (&[0xc7, 0, 1], "extension"),
    ];
    for (bytes, found) in kinds {
        let bytes = [&[0xc0], bytes].concat();
        let mut cursor = Cursor::new(Bytes::Whole(&bytes), 1, bytes.len(), None);
        let expected = ErrorKind::Type { expected: "array", found }.at(1);
        assert_eq!(cursor.array_header(), Err(expected), "{found}");
    }
    assert_eq!(Cursor::unchecked(&[0x92, 1, 2]).array_header(), Ok(2));
    let expected = ErrorKind::Type { expected: "string", found: "array" }.at(0);
    assert_eq!(Cursor::unchecked(&[0x90]).str(), Err(expected));
    assert_eq!(Cursor::unchecked(b"\xa5text!").str(), Ok("text!"));
}

/// A file of two blocks with their checksums after them.
fn two_blocks() -> (Vec<u8>, Blocks) {
    use crate::bytes::checksum::{BLOCK, BlockSize, block_table};
    let content = vec![0x05; 2 * BLOCK];
    let table = block_table(&content, BlockSize::PAGE);
    let blocks = Blocks::new(content.len(), content.len() + table.len(), BlockSize::PAGE);
    let root = block_table(&table, BlockSize::PAGE);
    ([content, table, root].concat(), blocks)
}

#[test]
fn no_bytes_are_returned_from_a_damaged_block() {
    use crate::bytes::checksum::BLOCK;
    let (mut file, blocks) = two_blocks();
    file[BLOCK + 7] ^= 0x40;
    let mut cursor = Cursor::new(Bytes::Whole(&file), BLOCK - 2, 2 * BLOCK, Some(&blocks));
    assert_eq!(cursor.peek(), Ok(5));
    assert_eq!(cursor.token(), Ok(Token::Unsigned(5)));
    let is_damage = |error: DecodeError| {
        matches!(error.kind(), ErrorKind::Checksum { .. }) && error.offset() == BLOCK as u64
    };
    assert!(cursor.take(2).is_err_and(is_damage), "it goes on into the second block");
    assert_eq!(cursor.position(), BLOCK - 1);
    assert_eq!(cursor.token(), Ok(Token::Unsigned(5)));
    assert!(cursor.peek().is_err_and(is_damage));
    assert!(cursor.skip(1).is_err_and(is_damage));
    assert!(cursor.token().is_err_and(is_damage));
}

#[test]
fn no_block_is_verified_for_an_empty_range() {
    let (mut file, blocks) = two_blocks();
    file[7] ^= 0x40;
    assert_eq!(Cursor::new(Bytes::Whole(&file), 5, 9, Some(&blocks)).take(0), Ok(&[][..]));
    assert_eq!(blocks.verified_bytes(), 0);
}

#[test]
fn a_span_that_ends_within_a_verified_block_ends_there() {
    let (file, blocks) = two_blocks();
    let mut cursor = Cursor::new(Bytes::Whole(&file), 10, 12, Some(&blocks));
    assert_eq!(cursor.take(1), Ok(&[5][..]));
    assert_eq!(cursor.take(2).map(drop), Err(ErrorKind::Short { needed: 2, available: 1 }.at(11)));
    // Now that its block was verified, a cursor begins with it.
    let mut cursor = Cursor::new(Bytes::Whole(&file), 10, 12, Some(&blocks));
    assert_eq!(cursor.skip(2), Ok(()));
    assert_eq!(cursor.skip(1), Err(ErrorKind::Short { needed: 1, available: 0 }.at(12)));
}

#[test]
fn the_fast_way_of_skipping_takes_every_common_form() {
    for first in 0..=u8::MAX {
        let payload = match first {
            0x00..=0x7f | 0xc0 | 0xc2 | 0xc3 | 0xe0..=0xff => Some((0, 0)),
            0x80..=0x8f => Some((0, 2 * u64::from(first & 0x0f))),
            0x90..=0x9f => Some((0, u64::from(first & 0x0f))),
            0xa0..=0xbf => Some((usize::from(first & 0x1f), 0)),
            // The byte after the first is 7.
            0xc4 | 0xd9 => Some((1 + 7, 0)),
            0xcc | 0xd0 => Some((1, 0)),
            0xcd | 0xd1 | 0xd4 => Some((2, 0)),
            0xd5 => Some((3, 0)),
            0xce | 0xd2 => Some((4, 0)),
            0xd6 => Some((5, 0)),
            0xcb | 0xcf | 0xd3 => Some((8, 0)),
            0xd7 => Some((9, 0)),
            _ => None,
        };
        // A value, and after it the byte that ends the fast way: the reserved byte, with space for
        // any token.
        let mut bytes = vec![first];
        if let Some((length, values)) = payload {
            bytes.extend(vec![7; length]);
            bytes.extend(vec![0xc0; usize::try_from(values).unwrap()]);
        }
        let end = bytes.len();
        bytes.extend([0xc1; 300]);
        let mut cursor = Cursor::unchecked(&bytes);
        let left = cursor.skip_ready(2);
        let expected = if payload.is_some() { (1, end) } else { (2, 0) };
        assert_eq!((left, cursor.position()), expected, "{first:#04x}");
    }
}

#[test]
fn the_fast_way_of_skipping_ends_where_the_span_or_the_verified_bytes_do() {
    // The last value ends with the span.
    let mut cursor = Cursor::unchecked(&[0xc0, 0xa2, b'a', b'b']);
    assert_eq!((cursor.skip_ready(2), cursor.position()), (0, 4));
    // Its last byte is missing.
    let mut cursor = Cursor::unchecked(&[0xc0, 0xa2, b'a']);
    assert_eq!((cursor.skip_ready(2), cursor.position()), (1, 1));
    // There is one more value left than bytes.
    let mut cursor = Cursor::unchecked(&[0x92, 0xc1, 0xc1]);
    assert_eq!((cursor.skip_ready(1), cursor.position()), (2, 1));
    let mut cursor = Cursor::unchecked(&[0x92, 0xc1]);
    assert_eq!((cursor.skip_ready(1), cursor.position()), (1, 0));
    let mut cursor = Cursor::unchecked(&[0xd9]);
    assert_eq!((cursor.skip_ready(1), cursor.position()), (1, 0));
    // Nothing is skipped in an unverified block, even if it is in memory.
    let (file, blocks) = two_blocks();
    let mut cursor = Cursor::new(Bytes::Whole(&file), 0, 8, Some(&blocks));
    assert_eq!((cursor.skip_ready(3), cursor.position()), (3, 0));
    cursor.peek().unwrap();
    assert_eq!((cursor.skip_ready(3), cursor.position()), (0, 3));
}

#[test]
fn the_values_left_may_take_all_the_bytes_left_and_no_more() {
    // Long forms, which the fast way leaves to the tokens.
    let array = [0xdc, 0, 2, 0xc0, 0xc0];
    let mut cursor = Cursor::unchecked(&array);
    assert_eq!((cursor.skip(1), cursor.position()), (Ok(()), 5));
    let map = [0xde, 0, 1, 0xc0, 0xc0, 0x07];
    let mut cursor = Cursor::unchecked(&map);
    assert_eq!((cursor.skip(1), cursor.position()), (Ok(()), 5));
    let error = Cursor::unchecked(&array).skip(2).unwrap_err();
    assert_eq!(error, ErrorKind::Short { needed: 1, available: 0 }.at(5));
    let mut cursor = Cursor::unchecked(&array);
    assert_eq!((cursor.skip(0), cursor.position()), (Ok(()), 0));
}

#[test]
fn a_near_string_is_the_next_token_after_so_many_values() {
    // One, "ab", a list of two, "c", nil.
    let data = b"\x01\xa2ab\x91\x02\xa1c\xc0";
    let near = |steps| Cursor::unchecked(data).near_string(steps);
    assert_eq!(near(1), Some((&b"ab"[..], 1)));
    assert_eq!(near(3), Some((&b"c"[..], 6)), "the list is one value");
    assert_eq!([0, 2, 4, 5, 9].map(near), [None; 5]);
    let few = Cursor::unchecked(b"\xa2ab\x01");
    assert_eq!(
        (few.near_string(0), few.near_string(9)),
        (Some((&b"ab"[..], 0)), None),
        "so many there are not"
    );
}

#[test]
fn the_bytes_of_a_piece_that_was_read_are_ready() {
    let content: Vec<u8> = (0..100).collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, &content).unwrap();
    let file = PagedFile::open(&path).unwrap();
    let ready = || Cursor::new(Bytes::Paged(&file), 5, 90, None).ready();
    assert_eq!(ready(), Some(&[][..]));
    assert!(file.get(0..1).is_some());
    assert_eq!(ready(), Some(&content[5..90]));
}

#[test]
fn a_short_id_is_read_in_each_of_its_widths() {
    let read = |bytes: &[u8]| {
        let mut cursor = Cursor::unchecked(bytes);
        (cursor.short_id(), cursor.position())
    };
    assert_eq!(read(&[0x7f, 0xc0]), (Some(127), 1));
    assert_eq!(read(&[0xcc, 0x80, 0xc0]), (Some(128), 2));
    assert_eq!(read(&[0xcd, 1, 2, 0xc0]), (Some(0x102), 3));
    assert_eq!(read(&[0xce, 1, 2, 3, 4, 0xc0]), (Some(0x0102_0304), 5));
    for left in
        [&[][..], &[0xcc], &[0xcd, 1], &[0xce, 1, 2, 3], &[0xcf, 0, 0, 0, 0, 0, 0, 0, 1], &[0xa1, b'a']]
    {
        assert_eq!(read(left), (None, 0), "{left:?}");
    }
}

#[test]
fn the_count_of_an_array_is_read_in_each_of_its_widths() {
    let read = |bytes: &[u8]| {
        let mut cursor = Cursor::unchecked(bytes);
        (cursor.array_count(), cursor.position())
    };
    assert_eq!(read(&[0x91, 0xc0]), (Ok(Some(1)), 1));
    assert_eq!(read(&[0xdc, 0, 1, 0xc0]), (Ok(Some(1)), 3));
    assert_eq!(read(&[0xdd, 0, 0, 0, 1, 0xc0]), (Ok(Some(1)), 5));
    assert_eq!(read(&[0x01]), (Ok(None), 1));
}

#[cfg(feature = "serde")]
#[test]
fn advancing_and_exhausting_move_and_read_nothing() {
    let mut cursor = Cursor::unchecked(&[1, 2, 3, 4]);
    cursor.advance(2);
    assert_eq!((cursor.position(), cursor.token()), (2, Ok(Token::Unsigned(3))));
    cursor.exhaust();
    assert_eq!((cursor.position(), cursor.is_at_end()), (4, true));
}
