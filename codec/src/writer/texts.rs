//! §3.2 Strings of a document as msgpack.

use crate::dag::{Dag, StringIndex};
use crate::msgpack::{SHORT_STR, put_short_str, put_str_bytes};

/// Appends a string of `dag`. Most are short, and need no call.
#[inline]
pub(super) fn put_text(dag: &Dag, index: StringIndex, out: &mut Vec<u8>) {
    match dag.short_text::<SHORT_STR>(index) {
        Some((length, window)) => put_short_str(out, length, window),
        None => put_long(dag, index, out),
    }
}

#[inline(never)]
fn put_long(dag: &Dag, index: StringIndex, out: &mut Vec<u8>) {
    put_str_bytes(out, dag.text_bytes(index));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dag::Builder;
    use crate::event::EventSink;

    #[test]
    fn strings_of_any_length_are_written_wherever_they_stand() {
        let texts: Vec<String> = (0..70).chain([255, 256, 65_535, 65_536]).map(|n| "é".repeat(n)).collect();
        // In both orders, so that short ones are the last, too.
        for texts in [texts.clone(), texts.into_iter().rev().collect()] {
            let mut builder = Builder::new();
            builder.begin_list().unwrap();
            texts.iter().for_each(|text| builder.string(text).unwrap());
            builder.end_list().unwrap();
            let dag = builder.finish();
            for (text, index) in texts.iter().zip((0..).map(StringIndex)) {
                let mut out = b"before".to_vec();
                put_text(&dag, index, &mut out);
                let mut expected = b"before".to_vec();
                put_str_bytes(&mut expected, text.as_bytes());
                assert_eq!(out, expected, "{} bytes", text.len());
            }
        }
    }
}
