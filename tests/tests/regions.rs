//! §5 Every byte of a file with its meaning. For a bad file, the bytes up to its fault, and the
//! fault.

use coconut_codec::read::regions::{Piece, dissect};
use coconut_format::DecodeError;
use coconut_format::envelope::{Encoding, EnvelopeView};
use coconut_tests::checksums;
use coconut_tests::vectors::vectors;

/// All pieces, after a check that they tile the file, and the fault.
fn dissected(name: &str, data: &[u8]) -> (Vec<Piece>, Option<DecodeError>) {
    let mut pieces: Vec<Piece> = Vec::new();
    let fault = dissect(data, &mut |piece| {
        pieces.push(piece);
        Ok::<(), ()>(())
    });
    let mut next = 0;
    for piece in &pieces {
        assert_eq!(piece.span.start, next, "{name}");
        assert!(!piece.span.is_empty(), "{name}");
        next = piece.span.end;
    }
    assert_eq!(next, data.len(), "{name}");
    (pieces, fault.expect("the closure accepts all pieces"))
}

fn is_text(data: &[u8]) -> bool {
    EnvelopeView::parse(data).is_ok_and(|envelope| envelope.encoding() == Encoding::Json)
}

#[test]
fn of_a_good_file_every_byte_is_known() {
    for vector in vectors("good") {
        let (pieces, fault) = dissected(&vector.name, &vector.bytes);
        assert_eq!(fault, None, "{}", vector.name);
        for piece in pieces {
            assert_eq!(piece.fault, None, "{}: {piece:?}", vector.name);
            assert_ne!(piece.meaning, "not accounted for", "{}: {piece:?}", vector.name);
        }
    }
}

#[test]
fn of_a_bad_file_the_fault_is_named_that_decoding_it_has() {
    for vector in vectors("bad").into_iter().filter(|vector| !is_text(&vector.bytes)) {
        let (_, fault) = dissected(&vector.name, &vector.bytes);
        let found = fault.map(|fault| format!("{} @ {}", fault.kind().code(), fault.offset()));
        let expected = vector.all("decode").next().map(|(_, said)| said.to_owned());
        let is_judged = expected.is_some() || !vector.all("verify").any(|_| true);
        assert!(!is_judged || found == expected, "{}: {found:?}, not {expected:?}", vector.name);
    }
}

#[test]
fn of_a_file_with_any_byte_changed_every_byte_is_shown() {
    for vector in vectors("good").into_iter().filter(|vector| vector.bytes.len() < 700) {
        for at in 0..vector.bytes.len() {
            let mut bytes = vector.bytes.clone();
            // Another value at every place, and over all vectors any value at any place.
            bytes[at] = bytes[at].wrapping_add(1 + (at * 37 % 255) as u8);
            checksums::repair(&mut bytes);
            dissected(&vector.name, &bytes);
        }
    }
}
