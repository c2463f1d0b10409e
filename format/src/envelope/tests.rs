use proptest::prelude::*;

use super::*;

const CANONICAL: &str = "application/vnd.coconut+msgpack; document-type=cocopack; version=1\n\n";

fn error(bytes: &[u8]) -> (ErrorKind, u64) {
    let error = EnvelopeView::parse(bytes).expect_err("the envelope must be refused");
    (error.kind(), error.offset())
}

fn parsed(text: &str) -> EnvelopeView<'_> {
    EnvelopeView::parse(text.as_bytes()).expect("the envelope must be read")
}

/// The envelope with these parameters after the media type, and its blank line.
fn with_parameters(parameters: &str) -> String {
    format!("application/vnd.coconut+msgpack{parameters}\n\n")
}

fn required(view: &EnvelopeView<'_>) -> (Encoding, String, u16) {
    (view.encoding(), view.document_type().to_owned(), view.version())
}

fn others(view: &EnvelopeView<'_>) -> Vec<(String, String)> {
    view.parameters().map(|parameter| (parameter.name().to_owned(), parameter.value().into_owned())).collect()
}

fn offset_of(text: &str, part: &str) -> u64 {
    text.find(part).expect("the part is in the text") as u64
}

mod accepts {
    use super::*;

    #[test]
    fn the_canonical_form() {
        let view = parsed(CANONICAL);
        assert_eq!(required(&view), (Encoding::Msgpack, "cocopack".into(), 1));
        assert_eq!(view.length(), CANONICAL.len());
        assert_eq!(others(&view), []);
    }

    #[test]
    fn a_payload_of_any_bytes() {
        let bytes = [CANONICAL.as_bytes(), b"\x95\xc4\x08\x89CC\r\n\x1a\n\0"].concat();
        let view = EnvelopeView::parse(&bytes).expect("the envelope must be read");
        assert_eq!(view.length(), CANONICAL.len());
    }

    #[test]
    fn the_json_suffix() {
        let view = parsed("application/vnd.coconut+json; document-type=cocogl; version=1\n\n{}");
        assert_eq!(required(&view), (Encoding::Json, "cocogl".into(), 1));
    }

    #[test]
    fn every_form_of_the_blank_line() {
        for blank_line in ["\n\n", "\r\n\r\n", "\n\r\n", "\r\n\n"] {
            let text = CANONICAL.replace("\n\n", blank_line);
            assert_eq!(parsed(&(text.clone() + "\n\n")).length(), text.len(), "{blank_line:?}");
        }
    }

    #[test]
    fn lines_folded_before_a_semicolon() {
        let view = parsed("application/vnd.coconut+msgpack\n; document-type=cocopack\r\n; version=1\n\n");
        assert_eq!(required(&view), (Encoding::Msgpack, "cocopack".into(), 1));
    }

    #[test]
    fn lines_folded_before_a_blank() {
        let view = parsed("application/vnd.coconut+msgpack;\n document-type=cocopack;\n\tversion=1\n \n\n");
        assert_eq!(required(&view), (Encoding::Msgpack, "cocopack".into(), 1));
    }

    #[test]
    fn names_in_any_case_and_keeps_the_case_of_values() {
        let view = parsed("APPLICATION/VND.Coconut+MsgPack; Document-Type=CocoPack; VERSION=1\n\n");
        assert_eq!(required(&view), (Encoding::Msgpack, "CocoPack".into(), 1));
        assert!(view.is_document_type("cocopack"));
        assert!(!view.is_document_type("cocogl"));
    }

    #[test]
    fn parameters_in_any_order_and_without_blanks() {
        let text = with_parameters(";version=1;x=1;document-type=cocopack");
        let view = parsed(&text);
        assert_eq!(required(&view), (Encoding::Msgpack, "cocopack".into(), 1));
        assert_eq!(others(&view), [("x".into(), "1".into())]);
    }

    #[test]
    fn required_parameters_in_quotes() {
        let text = with_parameters("; document-type=\"a.b-1\"; version=\"1\"");
        let view = parsed(&text);
        assert_eq!(required(&view), (Encoding::Msgpack, "a.b-1".into(), 1));
    }

    #[test]
    fn a_quoted_value_with_semicolon_blank_and_escapes() {
        let text = with_parameters(r#"; document-type=cocopack; version=1; note="a; \"b\" \\ \c" ; x="""#);
        let view = parsed(&text);
        assert_eq!(others(&view), [("note".into(), r#"a; "b" \ c"#.into()), ("x".into(), String::new())]);
        assert_eq!(view.parameter("NOTE").as_deref(), Some(r#"a; "b" \ c"#));
    }

    #[test]
    fn a_digest_without_quotes() {
        let view = parsed("application/vnd.coconut+json; document-type=a; version=1; digest=sha-256:0f/\n\n");
        assert_eq!(view.parameter("digest").as_deref(), Some("sha-256:0f/"));
    }

    #[test]
    fn unknown_parameters_and_tells_their_offsets() {
        let text = with_parameters("; document-type=cocopack; colour=blue; version=1; Other=\"x\"");
        let view = parsed(&text);
        let places: Vec<_> = view.parameters().map(|p| (p.name(), p.offset())).collect();
        assert_eq!(places, [("colour", offset_of(&text, "colour")), ("Other", offset_of(&text, "Other"))]);
        assert_eq!(view.parameter("missing"), None);
        assert_eq!(view.parameter("version"), None);
    }

    #[test]
    fn an_unknown_document_type() {
        assert_eq!(parsed(&with_parameters("; document-type=later; version=1")).document_type(), "later");
    }

    #[test]
    fn exactly_the_limit_of_parameters() {
        let more: String = (3..=PARAMETER_LIMIT).map(|n| format!("; p{n}=1")).collect();
        let text = with_parameters(&format!("; document-type=cocopack; version=1{more}"));
        assert_eq!(others(&parsed(&text)).len(), PARAMETER_LIMIT - 2);
    }

    #[test]
    fn exactly_the_limit_of_bytes() {
        let start = "; document-type=cocopack; version=1; x=";
        let filler = ENVELOPE_LIMIT - with_parameters(start).len();
        let text = with_parameters(&format!("{start}{}", "a".repeat(filler)));
        assert_eq!(parsed(&text).length(), ENVELOPE_LIMIT);

        let longer = with_parameters(&format!("{start}{}", "a".repeat(filler + 1)));
        assert_eq!(
            error(longer.as_bytes()),
            (ErrorKind::EnvelopeLimit { what: "bytes of its envelope", limit: 4096 }, 4096)
        );
    }
}

mod recognises_what_is_no_text {
    use super::*;

    /// The codes found under a neutral name, and under the name of a source.
    fn found(bytes: &[u8]) -> [Option<&'static str>; 2] {
        [false, true].map(|is_named| {
            let error = EnvelopeView::recognise_no_text(bytes, is_named)?;
            assert_eq!(
                Some(&error),
                EnvelopeView::parse(bytes).err().as_ref(),
                "a reader of documents says the same"
            );
            Some(error.kind().code())
        })
    }

    fn assert_no_text(code: &'static str, bytes: &[u8]) {
        assert_eq!(found(bytes), [Some(code); 2], "{bytes:02x?}");
    }

    #[test]
    fn by_its_first_bytes() {
        assert_no_text("ENV-ZERO", &[0; 9]);
        assert_no_text("ENV-ZERO", &[0]);
        for bytes in [b"\x1f\x8b\x08\0".as_slice(), b"\x28\xb5\x2f\xfd\x04", b"PK\x03\x04", b"\xfd7zXZ\0\0"] {
            assert_no_text("ENV-COMPRESSED", bytes);
        }
        assert_no_text("ENV-COMPRESSED", b"BZh91AY&SY\x12\x34");
        assert_no_text("ENV-COMPRESSED", b"BZh91AY");
        assert_no_text("ENV-COMPRESSED", b"BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0");
        assert_no_text("ENV-RAW", b"\x82\xa1a\x01");
        assert_no_text("ENV-RAW", b"\xc4\x08\x89CC\r\n\x1a\n\0");
        assert_no_text("ENV-FOREIGN", b"application/vnd.puppet.pcore+msgpack; version=1\n\n\x93");
        assert_no_text("ENV-FOREIGN", b"bpplication/vnd.coconut+msgpack; version=1\n\n\x95\xc4");
        assert_no_text("ENV-FOREIGN", b"image/x; a\n\n\0");
        let envelope = CANONICAL.as_bytes();
        assert_no_text("ENV-BOM", &[b"\xef\xbb\xbf", envelope].concat());
        assert_no_text("ENV-BOM", &[b"\xef\xbb\xbf\r\n", envelope].concat());
        let wide: Vec<u8> = envelope.iter().flat_map(|&byte| [byte, 0]).collect();
        assert_no_text("ENV-BOM", &[b"\xff\xfe", &wide[..]].concat());
        assert_no_text("ENV-START", &[b"\n ", envelope].concat());
    }

    #[test]
    fn by_its_name_where_the_bytes_may_be_text() {
        assert_eq!(found(b""), [Some("ENV-EMPTY"), None]);
        // {"a": "b"}, or half a letter of Japanese.
        assert_eq!(found(b"\x81\xa1a\xa1b"), [Some("ENV-RAW"), None]);
        for envelope in ["application/vnd.example+json\n\n{}", "Application/VND.x; a=\"b:c\"\r\n\r\n{}"] {
            assert_eq!(found(envelope.as_bytes()), [Some("ENV-FOREIGN"), None], "{envelope:?}");
        }
    }

    #[test]
    fn but_no_text_even_if_it_is_broken() {
        let texts: [&[u8]; 20] = [
            b"{}",
            b"{\"a\": \xff}",
            b"a: \0\0\0",
            b"\0\0\0\0a: 1",
            b"\xef\xbb\xbf{}",
            b"\xff\xfe{\0}\0",
            b"BZh91AY: 1",
            b"BZh: 1",
            b"BZh91A",
            b"text/html",
            b"application/json; charset=utf-8",
            b"application/vnd.oci.image.index.v1+json: index\nb: 2\n",
            b"application/vnd.oci.image.index.v1+json : index\n\nb: 2\n",
            b"application/vnd.oci.image.index.v1+json:\n\n  b: 2\n",
            b"application/vnd.example+json",
            b"application/vnd.example+json\n",
            b"application",
            b"hello",
            "\u{700}\u{700}: 1".as_bytes(),
            CANONICAL.as_bytes(),
        ];
        for text in texts {
            assert_eq!(found(text), [None; 2], "{text:02x?}");
        }
        // A character that the end of the window cuts is not a wrong one.
        let long = ["\u{700}".repeat(2047), "a\u{20ac}".to_owned()].concat();
        assert_eq!(found(long.as_bytes()), [None; 2]);
    }
}

mod refuses_another_kind_of_file {
    use super::*;

    #[test]
    fn an_empty_file() {
        assert_eq!(error(b""), (ErrorKind::Empty, 0));
    }

    #[test]
    fn zeros() {
        assert_eq!(error(&[0; 5000]), (ErrorKind::Zeroed, 0));
        assert_eq!(error(&[0]), (ErrorKind::Zeroed, 0));
    }

    #[test]
    fn one_zero_before_other_bytes_is_not_called_a_torn_write() {
        assert_eq!(error(b"\0\0\0\0asm\x01"), (ErrorKind::NotAnEnvelope, 0));
    }

    #[test]
    fn json_text() {
        for text in ["{\"a\": 1}", "  \n[1, 2]", "\"text\""] {
            assert_eq!(error(text.as_bytes()), (ErrorKind::SourceText, 0), "{text:?}");
        }
    }

    #[test]
    fn yaml_text() {
        for text in ["---\na: 1\n", "%YAML 1.2\n", "# note\nname: aws\n", "modules:\n", "- a\n- b\n"] {
            assert_eq!(error(text.as_bytes()), (ErrorKind::SourceText, 0), "{text:?}");
        }
    }

    #[test]
    fn compressed_data() {
        let cases: [(&[u8], &str); 5] = [
            (b"\x1f\x8b\x08\0\0\0", "gzip"),
            (b"\x28\xb5\x2f\xfd\x04", "zstd"),
            (b"PK\x03\x04\x14", "zip"),
            (b"\xfd7zXZ\0\0", "xz"),
            (b"BZh91AY", "bzip2"),
        ];
        for (bytes, format) in cases {
            assert_eq!(error(bytes), (ErrorKind::Compressed { format }, 0));
        }
    }

    #[test]
    fn a_byte_order_mark() {
        for mark in [b"\xef\xbb\xbf".as_slice(), b"\xff\xfe", b"\xfe\xff"] {
            assert_eq!(error(&[mark, CANONICAL.as_bytes()].concat()), (ErrorKind::ByteOrderMark, 0));
        }
    }

    #[test]
    fn bare_msgpack() {
        for bytes in [b"\x82\xa1a\x01".as_slice(), b"\x95\xc4\x08", b"\xdc\0\x20", b"\xc4\x08\x89CC"] {
            assert_eq!(error(bytes), (ErrorKind::BareMsgpack, 0));
        }
    }

    #[test]
    fn an_xpp_file() {
        let text = b"application/vnd.puppet.pcore+msgpack; document-type=xpp; version=1\n\n\x93";
        let known = "an XPP file (Puppet Pcore)";
        assert_eq!(error(text), (ErrorKind::ForeignMediaType { known }, 0));
    }

    #[test]
    fn another_media_type() {
        let known = "a file of another media type";
        for text in ["text/html; charset=utf-8\n\n", "application/vnd.coconuts+json\n\n"] {
            assert_eq!(error(text.as_bytes()), (ErrorKind::ForeignMediaType { known }, 0), "{text:?}");
        }
    }

    #[test]
    fn any_other_text_at_the_byte_that_differs() {
        assert_eq!(error(b"hello\n\n"), (ErrorKind::NotAnEnvelope, 0));
        assert_eq!(error(b"apple\n\n"), (ErrorKind::NotAnEnvelope, 4));
    }

    #[test]
    fn a_media_type_that_continues_after_it() {
        assert_eq!(error(b"application/vnd.coconut/x\n\n"), (ErrorKind::NotAnEnvelope, 23));
    }

    #[test]
    fn ten_megabytes_of_one_letter_after_looking_at_the_limit() {
        let bytes = vec![b'a'; 10 << 20];
        assert_eq!(
            error(&bytes),
            (ErrorKind::EnvelopeLimit { what: "bytes of its envelope", limit: 4096 }, 4096)
        );
    }

    #[test]
    fn a_first_line_below_the_limit_at_the_byte_that_differs() {
        let mut bytes = vec![b'b'; 4095];
        assert_eq!(error(&bytes), (ErrorKind::NotAnEnvelope, 0));
        bytes.extend_from_slice(b"\nmore");
        assert_eq!(error(&bytes), (ErrorKind::NotAnEnvelope, 0));
    }
}

mod refuses {
    use super::*;

    #[test]
    fn every_truncation_where_the_file_ends() {
        for (length, _) in CANONICAL.char_indices().skip(1) {
            let expected = (ErrorKind::NoBlankLine, length as u64);
            assert_eq!(error(&CANONICAL.as_bytes()[..length]), expected, "cut at {length}");
        }
    }

    #[test]
    fn a_missing_blank_line_at_the_line_that_should_be_blank() {
        let text = CANONICAL.replace("\n\n", "\npayload");
        assert_eq!(error(text.as_bytes()), (ErrorKind::NoBlankLine, offset_of(&text, "payload")));
    }

    #[test]
    fn carriage_returns_alone_as_a_blank_line() {
        let text = CANONICAL.replace("\n\n", "\r\r");
        assert_eq!(error(text.as_bytes()), (ErrorKind::NoBlankLine, offset_of(&text, "\r")));
    }

    #[test]
    fn a_carriage_return_within_a_line() {
        let text = CANONICAL.replace("; version", "\r; version");
        let expected = (ErrorKind::BadCharacter { byte: b'\r' }, offset_of(&text, "\r"));
        assert_eq!(error(text.as_bytes()), expected);
    }

    #[test]
    fn control_characters_and_bytes_above_ascii() {
        for byte in [0x00, 0x1b, 0x7f, 0x80, 0xc3] {
            let mut bytes = CANONICAL.as_bytes().to_vec();
            bytes[40] = byte;
            assert_eq!(error(&bytes), (ErrorKind::BadCharacter { byte }, 40));
        }
    }

    #[test]
    fn an_unknown_base_encoding_at_its_place() {
        for start in ["+cbor; ", "+; ", "+msgpack2; ", "; ", "\n; "] {
            let text = format!("application/vnd.coconut{start}document-type=cocopack; version=1\n\n");
            assert_eq!(error(text.as_bytes()), (ErrorKind::UnknownEncoding, 23), "{text:?}");
        }
        // No encoding, and then no parameter.
        let text = "application/vnd.coconut +msgpack; document-type=cocopack; version=1\n\n";
        assert_eq!(error(text.as_bytes()), (ErrorKind::ParameterSyntax, 24));
    }

    #[test]
    fn a_wrong_value_before_an_unknown_base_encoding() {
        let text = "application/vnd.coconut+cbor; document-type=a_b; version=1\n\n";
        assert_eq!(error(text.as_bytes()), (ErrorKind::NoDocumentType, offset_of(text, "a_b")));
        // A missing value comes after it.
        let text = "application/vnd.coconut+cbor; version=1\n\n";
        assert_eq!(error(text.as_bytes()), (ErrorKind::UnknownEncoding, 23));
    }

    #[test]
    fn a_missing_document_type_where_the_text_ends() {
        let text = with_parameters("; version=1");
        assert_eq!(error(text.as_bytes()), (ErrorKind::NoDocumentType, text.len() as u64 - 2));
    }

    #[test]
    fn a_document_type_that_is_not_a_name_at_its_value() {
        for value in ["\"\"", "coco_pack", "\"coco pack\"", r#""coco\pack""#] {
            let text = with_parameters(&format!("; document-type={value}; version=1"));
            let expected = (ErrorKind::NoDocumentType, offset_of(&text, "=") + 1);
            assert_eq!(error(text.as_bytes()), expected, "{value:?}");
        }
    }

    #[test]
    fn a_parameter_given_twice_in_any_case() {
        for (first, second) in
            [("document-type=a", "document-type=b"), ("x=1", "X=1"), ("version=1", "VERSION=1")]
        {
            let text = with_parameters(&format!("; {first}; y=1; {second}"));
            let first = offset_of(&text, first);
            let expected = (ErrorKind::DuplicateParameter { first }, offset_of(&text, second));
            assert_eq!(error(text.as_bytes()), expected, "{second}");
        }
    }

    #[test]
    fn a_missing_version_where_the_text_ends() {
        let text = with_parameters("; document-type=cocopack");
        assert_eq!(error(text.as_bytes()), (ErrorKind::BadVersion, text.len() as u64 - 2));
    }

    #[test]
    fn a_version_that_is_not_a_small_number_at_its_value() {
        for value in ["\"\"", "abc", "99999999999", "65536", "+0", "-1", "0.1", "0x0"] {
            let text = with_parameters(&format!("; document-type=cocopack; version={value}"));
            let offset = offset_of(&text, "version=") + 8;
            assert_eq!(error(text.as_bytes()), (ErrorKind::BadVersion, offset), "{value:?}");
        }
    }

    #[test]
    fn a_value_without_characters_and_quotes_before_its_meaning() {
        for (parameters, name) in [
            ("; document-type=; version=1", "type="),
            ("; document-type=x; version=", "version="),
            ("; x=; document-type=x", "x="),
        ] {
            let text = with_parameters(parameters);
            let expected = (ErrorKind::ParameterSyntax, offset_of(&text, name) + name.len() as u64);
            assert_eq!(error(text.as_bytes()), expected, "{parameters}");
        }
    }

    #[test]
    fn a_newer_version_at_its_value() {
        for found in [2, 65535] {
            let text = with_parameters(&format!("; document-type=cocopack; version={found}"));
            let kind = ErrorKind::NewerVersion { found, supported: 1 };
            assert_eq!(error(text.as_bytes()), (kind, offset_of(&text, "version=") + 8));
        }
    }

    #[test]
    fn a_version_from_before_the_freeze_at_its_value() {
        for value in ["0", "00000", "\"0\""] {
            let text = with_parameters(&format!("; document-type=cocopack; version={value}"));
            let older = ErrorKind::OlderVersion { found: 0 };
            assert_eq!(error(text.as_bytes()), (older, offset_of(&text, "version=") + 8), "{value}");
        }
    }

    #[test]
    fn malformed_parameters_where_they_go_wrong() {
        // The place is marked with `^`, which is removed.
        for marked in [
            "; document-type^",
            "; ^=cocopack",
            "; ^; version=1",
            ";^",
            "; version=1;^",
            "; version =0".replace(" =", "^ =").as_str(),
            "; x=^\"cocopack; version=1",
            "; x=^\"a\\\"",
            "; x=^\"a\n b\"",
            "; x=\"a\"^b",
            "; x=a^\"b\"",
            "; x=^; y=1",
            "; x=a^=b",
            "; x=a ^b",
            " ^document-type=cocopack",
            "; ^(note) x=1",
            "^, x=1",
        ] {
            let text = with_parameters(&marked.replace('^', ""));
            let offset = with_parameters(marked).find('^').expect("the place is marked");
            assert_eq!(error(text.as_bytes()), (ErrorKind::ParameterSyntax, offset as u64), "{marked:?}");
        }
    }

    #[test]
    fn one_parameter_more_than_the_limit() {
        let more: String = (3..=PARAMETER_LIMIT + 1).map(|n| format!("; p{n}=1")).collect();
        let text = with_parameters(&format!("; document-type=cocopack; version=1{more}"));
        let kind = ErrorKind::EnvelopeLimit { what: "parameters of its envelope", limit: 32 };
        assert_eq!(error(text.as_bytes()), (kind, offset_of(&text, "p33")));
    }
}

mod writes {
    use super::*;

    fn envelope() -> Envelope {
        Envelope::new("cocopack", Encoding::Msgpack).expect("a valid document type")
    }

    #[test]
    fn one_canonical_form() {
        assert_eq!(envelope().to_bytes(), CANONICAL.as_bytes());
    }

    #[test]
    fn the_canonical_form_of_whatever_it_read() {
        let text =
            "APPLICATION/vnd.coconut+JSON\r\n; X=\"a\"\r\n;version=\"1\" ; DOCUMENT-TYPE=CocoGL\r\n\r\n";
        let envelope = parsed(text).to_envelope().expect("short enough");
        let canonical = "application/vnd.coconut+json; document-type=CocoGL; version=1; X=a\n\n";
        assert_eq!(String::from_utf8(envelope.to_bytes()).as_deref(), Ok(canonical));
    }

    #[test]
    fn quotes_only_around_values_that_are_not_tokens() {
        let envelope = envelope()
            .with_parameter("a", "b-1_c")
            .and_then(|envelope| envelope.with_parameter("digest", "sha-256:0f"))
            .and_then(|envelope| envelope.with_parameter("note", r#"a "b" \ c"#))
            .and_then(|envelope| envelope.with_parameter("empty", ""))
            .expect("valid parameters");
        let expected = CANONICAL
            .replace("\n\n", r#"; a=b-1_c; digest=sha-256:0f; note="a \"b\" \\ c"; empty="""#)
            + "\n\n";
        assert_eq!(String::from_utf8(envelope.to_bytes()), Ok(expected));
    }

    #[test]
    fn no_document_type_that_is_not_a_name() {
        for document_type in ["", "coco pack", "coco_pack", "a;b", "é"] {
            assert_eq!(Envelope::new(document_type, Encoding::Json), Err(InvalidEnvelope::DocumentType));
        }
    }

    #[test]
    fn no_parameter_that_could_not_be_read_back() {
        for (name, value, expected) in [
            ("", "1", InvalidEnvelope::ParameterName),
            ("a b", "1", InvalidEnvelope::ParameterName),
            ("a=", "1", InvalidEnvelope::ParameterName),
            ("{a}", "1", InvalidEnvelope::ParameterName),
            ("a", "line\nline", InvalidEnvelope::ParameterValue),
            ("a", "é", InvalidEnvelope::ParameterValue),
            ("Version", "1", InvalidEnvelope::DuplicateParameter),
            ("document-type", "a", InvalidEnvelope::DuplicateParameter),
        ] {
            assert_eq!(envelope().with_parameter(name, value), Err(expected), "{name}={value}");
        }
        let again =
            envelope().with_parameter("a", "1").and_then(|envelope| envelope.with_parameter("A", "2"));
        assert_eq!(again, Err(InvalidEnvelope::DuplicateParameter));
    }

    #[test]
    fn no_more_parameters_than_the_limit() {
        let mut envelope = envelope();
        for n in 2..PARAMETER_LIMIT {
            envelope = envelope.with_parameter(&format!("p{n}"), "1").expect("below the limit");
        }
        assert_eq!(parsed(str::from_utf8(&envelope.to_bytes()).expect("ASCII")).parameters().count(), 30);
        assert_eq!(envelope.with_parameter("last", "1"), Err(InvalidEnvelope::TooManyParameters));
    }

    #[test]
    fn no_more_bytes_than_the_limit() {
        let filler = ENVELOPE_LIMIT - CANONICAL.len() - "; x=".len();
        let longest = envelope().with_parameter("x", &"a".repeat(filler)).expect("at the limit");
        assert_eq!(longest.to_bytes().len(), ENVELOPE_LIMIT);
        let longer = envelope().with_parameter("x", &"a".repeat(filler + 1));
        assert_eq!(longer, Err(InvalidEnvelope::TooLong));
    }

    #[test]
    fn no_envelope_beyond_the_limit_even_if_it_was_read() {
        // Without the blank the length is at the limit, with it one byte beyond.
        let filler = ENVELOPE_LIMIT - CANONICAL.len() - ";x=".len();
        let text = CANONICAL.replace("\n\n", &format!(";x={}\n\n", "a".repeat(filler)));
        assert_eq!(parsed(&text).to_envelope(), Err(InvalidEnvelope::TooLong));
    }
}

fn any_envelope() -> impl Strategy<Value = Envelope> {
    envelope_with_values("[ -~\t]{0,12}")
}

fn envelope_with_values(values: &'static str) -> impl Strategy<Value = Envelope> {
    let encoding = prop_oneof![Just(Encoding::Msgpack), Just(Encoding::Json)];
    let parameters = prop::collection::vec(("[a-zA-Z0-9_.+!-]{1,8}", values), 0..8);
    ("[a-zA-Z0-9.-]{1,20}", encoding, parameters).prop_map(|(document_type, encoding, parameters)| {
        let mut envelope = Envelope::new(&document_type, encoding).expect("a valid document type");
        for (name, value) in parameters {
            match envelope.clone().with_parameter(&name, &value) {
                Ok(longer) => envelope = longer,
                Err(problem) => assert_eq!(problem, InvalidEnvelope::DuplicateParameter),
            }
        }
        envelope
    })
}

proptest! {
    #[test]
    fn reads_back_what_it_wrote(envelope in any_envelope(), payload in prop::collection::vec(any::<u8>(), 0..9)) {
        let mut bytes = envelope.to_bytes();
        let length = bytes.len();
        bytes.extend(payload);
        let view = EnvelopeView::parse(&bytes)?;
        prop_assert_eq!(view.length(), length);
        prop_assert_eq!(view.to_envelope()?, envelope);
    }

    #[test]
    fn refuses_every_truncation(envelope in any_envelope()) {
        let bytes = envelope.to_bytes();
        for length in 0..bytes.len() {
            prop_assert!(EnvelopeView::parse(&bytes[..length]).is_err(), "cut at {}", length);
        }
    }

    #[test]
    fn places_every_error_within_the_file(start in 0..CANONICAL.len(), rest in prop::collection::vec(any::<u8>(), 0..99)) {
        let bytes = [&CANONICAL.as_bytes()[..start], &rest].concat();
        match EnvelopeView::parse(&bytes) {
            Ok(view) => prop_assert!(view.length() <= bytes.len()),
            Err(error) => prop_assert!(error.offset() <= bytes.len() as u64),
        }
    }

    #[test]
    fn survives_any_parameters(parameters in "[;=\"\\\\a-c \t\r\n]{0,40}") {
        let text = with_parameters(&format!("; version=1; document-type=x{parameters}"));
        if let Ok(view) = EnvelopeView::parse(text.as_bytes()) {
            let envelope = view.to_envelope()?;
            prop_assert_eq!(EnvelopeView::parse(&envelope.to_bytes())?.to_envelope()?, envelope);
        }
    }

    #[test]
    fn agrees_with_the_mime_crate_on_canonical_forms(
        // The other parser refuses tabs and empty quotes, keeps escapes unchanged, and requires
        // quotes around `:` and `/`.
        envelope in envelope_with_values("[ !#-.0-9;-\\[\\]-~]{1,12}"),
    ) {
        let bytes = envelope.to_bytes();
        let line = str::from_utf8(&bytes)?.trim_end_matches('\n');
        let peer: mime::Mime = line.parse()?;
        prop_assert_eq!(peer.suffix().map(|name| name.as_str()), Some(envelope.encoding().suffix()));
        prop_assert_eq!(peer.essence_str().split('+').next(), Some(MEDIA_TYPE));
        let expected: Vec<(String, String)> = [("document-type", envelope.document_type()), ("version", "1")]
            .into_iter()
            .chain(envelope.parameters())
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let found: Vec<(String, String)> =
            peer.params().map(|(name, value)| (name.as_str().to_lowercase(), value.as_str().to_owned())).collect();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_token_has_the_characters_that_the_grammar_names() {
    let named = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(byte);
    let found: Vec<u8> = (0..=u8::MAX).filter(|&byte| is_token_byte(byte)).collect();
    assert_eq!(found, (0..=u8::MAX).filter(named).collect::<Vec<u8>>());
}
