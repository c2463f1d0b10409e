//! §10.1 Readers of single values and of the whole document agree on a file.

use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::stream::{Budget, StreamError};
use coconut_codec::serde::{DeserializeErrorKind, from_view};
use coconut_format::error::FormRule;
use coconut_format::{DecodeError, ErrorKind, Value};
use coconut_tests::crafted::{Crafted, integer, string};

fn open(crafted: &Crafted) -> DocumentFile<Vec<u8>> {
    DocumentFile::from_data(crafted.to_bytes()).expect("the frame of a crafted file is right")
}

fn by_serde(file: &DocumentFile<Vec<u8>>) -> Result<(), DecodeError> {
    match from_view::<serde_json::Value>(file.view().root()) {
        Ok(_) => Ok(()),
        Err(error) => match error.kind() {
            DeserializeErrorKind::Decode(decode) => Err(decode.clone()),
            other => panic!("not the file's fault: {other:?}"),
        },
    }
}

fn by_views(file: &DocumentFile<Vec<u8>>) -> Result<(), DecodeError> {
    let mut sink = coconut_codec::event::ValueSink::new();
    file.view().root().stream(&mut sink, Budget::default()).map_err(|error| match error {
        StreamError::Decode(error) => error,
        StreamError::Sink(error) => panic!("a sink that refuses nothing: {error}"),
    })
}

/// §4.4 Shared values.
#[test]
fn a_shared_item_that_is_not_a_container_is_judged_by_its_token() {
    let form: fn(usize) -> DecodeError = |at| ErrorKind::ValueForm { rule: FormRule::Shared }.at(at as u64);
    let short = |needed, available, by: usize| {
        move |at: usize| ErrorKind::Short { needed, available }.at((at + by) as u64)
    };
    let count = |declared, available| move |at: usize| ErrorKind::Count { declared, available }.at(at as u64);
    type Expected = Box<dyn Fn(usize) -> DecodeError>;
    let cases: Vec<(&[u8], Expected)> = vec![
        (b"\xc0", Box::new(form)),
        (b"\xa1x", Box::new(form)),
        (b"\xa5xx", Box::new(short(5, 2, 1))),
        (b"\xd9", Box::new(short(1, 0, 1))),
        (b"\xd9\x02x", Box::new(short(2, 1, 2))),
        (b"\xcd\x01", Box::new(short(2, 1, 1))),
        (b"\xcb\0\0", Box::new(short(8, 2, 1))),
        (b"\x80", Box::new(form)),
        (b"\x82\xc0", Box::new(count(2, 1))),
        (b"\xc4\x03\0", Box::new(short(3, 1, 2))),
        (b"\xdc\0", Box::new(short(2, 1, 1))),
        (b"\xdc\0\x03\xc0", Box::new(count(3, 1))),
        (b"\x93\xc0", Box::new(count(3, 1))),
        (b"\xff", Box::new(form)),
    ];
    for (item, expected) in cases {
        let mut crafted = Crafted::full(&[&[0x93, 0xc2][..], &string("a"), &integer(-1)].concat());
        crafted.shared = [&[0x91][..], item].concat();
        let expected = Err(expected(crafted.root_start() - item.len()));
        let file = open(&crafted);
        assert_eq!(file.view().check_values(), expected, "decode of {item:x?}");
        assert_eq!(file.view().tree().map(drop), expected, "tree of {item:x?}");
        assert_eq!(by_views(&file), expected, "views of {item:x?}");
        assert_eq!(by_serde(&file), expected, "serde of {item:x?}");
    }
}

#[test]
fn a_key_in_a_signed_form_is_a_key_to_a_lookup_too() {
    for key in
        [&[0xd0, 0][..], &[0xd1, 0, 0], &[0xd2, 0, 0, 0, 0], &[0xd3, 0, 0, 0, 0, 0, 0, 0, 0], &[0xcc, 0]]
    {
        let mut crafted = Crafted::full(&[&[0x93, 0xc2][..], key, &[0xc3]].concat());
        crafted.strings = [&[0x91][..], &string("a")].concat();
        crafted.set_rule(&["/*"], None, &[]);
        for with_table in [false, true] {
            let offset = u32::try_from(crafted.root_start() + 2).expect("a small file");
            crafted.tables =
                if with_table { vec![(32, 0, offset.to_le_bytes().to_vec())] } else { Vec::new() };
            let file = open(&crafted);
            let tree = file.view().tree().expect("it is read as what it means");
            let whole = Value::Object(vec![("a".to_owned(), Value::Bool(true))]);
            assert_eq!(tree.to_value(), whole, "{key:x?}");
            let found = file.view().get_all("a").expect("a good file");
            let values: Vec<_> = found.iter().map(|landmark| from_view(landmark.value().unwrap())).collect();
            assert_eq!(
                values.iter().map(|value| value.as_ref().ok()).collect::<Vec<_>>(),
                [Some(&true)],
                "{key:x?}"
            );
        }
    }
}
