//! §3.2 Writes strings of a document as msgpack.

use crate::msgpack::{SHORT_STR, put_short_str, put_str_bytes};
use crate::write::interner::{Interned, StringIndex};

/// Appends a string of `document`. Most are short and need no call.
#[inline]
pub(super) fn put_text(document: &Interned, index: StringIndex, out: &mut Vec<u8>) {
    match document.short_text::<SHORT_STR>(index) {
        Some((length, window)) => put_short_str(out, length, window),
        None => put_long(document, index, out),
    }
}

#[inline(never)]
fn put_long(document: &Interned, index: StringIndex, out: &mut Vec<u8>) {
    put_str_bytes(out, document.text_bytes(index));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventSink;
    use crate::write::interner::Interner;

    #[test]
    fn strings_of_any_length_are_written_at_any_place() {
        let texts: Vec<String> = (0..70).chain([255, 256, 65_535, 65_536]).map(|n| "é".repeat(n)).collect();
        // In both orders, so that short strings are also last.
        for texts in [texts.clone(), texts.into_iter().rev().collect()] {
            let mut interner = Interner::new();
            interner.begin_list().unwrap();
            texts.iter().for_each(|text| interner.string(text).unwrap());
            interner.end_list().unwrap();
            let document = interner.finish().unwrap();
            for (text, index) in texts.iter().zip((0..).map(StringIndex)) {
                let mut out = b"before".to_vec();
                put_text(&document, index, &mut out);
                let mut expected = b"before".to_vec();
                put_str_bytes(&mut expected, text.as_bytes());
                assert_eq!(out, expected, "{} bytes", text.len());
            }
        }
    }
}
