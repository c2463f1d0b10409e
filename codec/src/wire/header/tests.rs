use super::*;
use crate::limits;
use coconut_format::landmark::{DIALECTS, Dialect};

fn header() -> Header {
    let found = SourceFinding { code: "W-X".into(), count: 3, line: 70_000, column: 5 };
    Header {
        document_type: "cocogl".into(),
        version: 1,
        profile: Profile::Plain,
        requires_write: vec!["w".into()],
        optional: vec!["x".into()],
        producer: "test 1".into(),
        values: 300,
        depth: 4,
        landmarks: 2,
        source: Some(SourceRecord {
            format: "json".into(),
            bytes: 5,
            sha_256: [7; 32],
            findings: vec![found],
        }),
        digest: [9; 32],
        dialect: Some("pulumi".into()),
        rule_text: rule(&["/a/*[urn]"], Some("/"), &["parent=0/parent"]),
    }
}

fn rule(patterns: &[&str], join: Option<&str>, edges: &[&str]) -> HeaderRule {
    LandmarkRule::parse(patterns, join, edges).unwrap().into()
}

fn bytes(header: &Header) -> Vec<u8> {
    let mut out = Vec::new();
    header.write((0, &[]), &mut out);
    out
}

#[test]
fn a_header_reads_back() {
    let bytes = bytes(&header());
    let mut cursor = Cursor::unchecked(&bytes);
    assert_eq!(Header::read(&mut cursor).unwrap().0, header());
    assert!(cursor.is_at_end());
}

#[test]
fn a_package_may_leave_out_its_rule() {
    for document_type in ["cocopack", "Cocopack"] {
        let package =
            Header { document_type: document_type.into(), rule_text: HeaderRule::of_package(), ..header() };
        let bare = Header { rule_text: LandmarkRule::default().into(), ..package.clone() };
        let named = |bytes: &[u8]| bytes.windows(8).any(|window| window == b"patterns");
        assert_eq!([named(&bytes(&package)), named(&bytes(&bare))], [false, true], "{document_type}");
        for header in [package, bare] {
            assert_eq!(Header::read(&mut Cursor::unchecked(&bytes(&header))).unwrap().0, header);
        }
    }
}

#[test]
fn another_type_writes_its_rule_even_if_it_is_that_of_packages() {
    let graph = Header { rule_text: HeaderRule::of_package(), ..header() };
    let bytes = bytes(&graph);
    assert!(bytes.windows(8).any(|window| window == b"patterns"));
    let mut cursor = Cursor::unchecked(&bytes);
    assert_eq!(Header::read(&mut cursor).unwrap().0, graph, "with its join");
    assert!(cursor.is_at_end());
}

#[test]
fn a_package_with_a_part_of_a_rule_does_not_have_that_of_packages() {
    let package = || Fields { document_type: Some("cocopack"), ..Fields::default() };
    assert_eq!(package().rule(), HeaderRule::of_package());
    let with_join = Fields { join: Some("/"), ..package() };
    let with_edges = Fields { edges: Some(Vec::new()), ..package() };
    for fields in [with_join, with_edges, Fields::default()] {
        assert_ne!(fields.rule(), HeaderRule::of_package());
    }
}

#[test]
fn the_rule_in_the_header_overrides_that_of_the_dialect() {
    for dialect in DIALECTS {
        let (patterns, edges) = (dialect.patterns, dialect.edges);
        let more = [edges, &["other=0/other"]].concat();
        let rules = [
            (patterns, dialect.join, edges),
            (&patterns[..1], dialect.join, &[]),
            (patterns, Some("#"), edges),
            (patterns, dialect.join, &more),
        ];
        for (patterns, join, edges) in rules {
            let rule_text = rule(patterns, join, edges);
            let header = Header { dialect: Some(dialect.name.into()), rule_text, ..header() };
            let read = Header::read(&mut Cursor::unchecked(&bytes(&header))).unwrap().0;
            assert_eq!(read, header, "{}", dialect.name);
        }
    }
}

#[test]
fn templates_of_dialects_are_within_the_limit() {
    let rules = DIALECTS.iter().map(Dialect::table_rule);
    let pieces = rules
        .flat_map(|rule| rule.patterns().iter().map(|pattern| pattern.key().pieces()).collect::<Vec<_>>());
    assert!(pieces.max().is_some_and(|most| most <= limits::TEMPLATE_PIECES));
}

#[test]
fn a_template_with_too_many_pieces_is_refused_at_its_offset() {
    for pieces in [limits::TEMPLATE_PIECES, limits::TEMPLATE_PIECES + 1, limits::TEMPLATE_PIECES + 2] {
        let pattern = format!("/*[{}]", "{f}".repeat(pieces));
        let header = Header { rule_text: rule(&["/a", &pattern], None, &[]), ..header() };
        let bytes = bytes(&header);
        // Two bytes before the text encode its length.
        let at = bytes.windows(pattern.len()).position(|text| text == pattern.as_bytes()).unwrap() - 2;
        let (what, count, limit) = ("pieces of a template", pieces as u64, limits::TEMPLATE_PIECES as u64);
        let expected = match count > limit {
            true => Err(ErrorKind::TooMany { what, count, limit }.at(at as u64)),
            false => Ok(header.rule().unwrap().clone()),
        };
        let read = Header::read(&mut Cursor::unchecked(&bytes)).unwrap().0;
        assert_eq!(read.rule().cloned(), expected, "{pieces} pieces");
    }
}

#[test]
fn refuses_a_required_feature() {
    let bytes = b"\x81\xa8requires\x91\xa1f";
    let error = Header::read(&mut Cursor::unchecked(bytes)).unwrap_err();
    assert_eq!(error, ErrorKind::RequiredFeature.at(11));
}

/// A map of these fields, as msgpack.
fn map(fields: &[&[u8]]) -> Vec<u8> {
    [&[0x80 | u8::try_from(fields.len()).unwrap()][..], &fields.concat()].concat()
}

#[test]
fn a_required_feature_is_said_before_any_fault_of_a_field() {
    let requires: &[u8] = b"\xa8requires\x91\xa1f";
    let faults: [&[u8]; 4] = [
        b"\xa7profile\xa2x1",
        b"\xa7version\xc0",
        b"\xa8patterns\x91\xa2/(",
        b"\xa6source\x93\x80\x01\xc4\x00",
    ];
    for fault in faults {
        for (fields, at) in [(&[fault, requires], 1 + fault.len() as u64), (&[requires, fault], 1)] {
            let error = Header::read(&mut Cursor::unchecked(&map(fields))).unwrap_err();
            assert_eq!(error, ErrorKind::RequiredFeature.at(at + 10));
        }
    }
}

#[test]
fn faults_on_the_way_to_the_required_features_are_said() {
    let read = |fields: &[&[u8]]| Header::read(&mut Cursor::unchecked(&map(fields))).unwrap_err();
    let number = ErrorKind::Type { expected: "string", found: "integer" };
    assert_eq!(read(&[b"\x05\x06", b"\xa7profile\xa4full"]), number.at(1));
    // A later version may have other keys.
    assert_eq!(read(&[b"\x05\x06", b"\xa8requires\x91\xa1f"]), ErrorKind::RequiredFeature.at(13));
    assert_eq!(read(&[b"\xa1x\xc1", b"\xa8requires\x91\xa1f"]), ErrorKind::ReservedByte.at(3));
    // Features may have other forms in a later version.
    assert_eq!(read(&[b"\xa8requires\xa1f"]), ErrorKind::RequiredFeature.at(10));
    assert_eq!(read(&[b"\xa8requires\x91\x05"]), ErrorKind::RequiredFeature.at(11));
    assert_eq!(read(&[b"\xa8requires\x90"]), ErrorKind::HeaderField { key: "document-type" }.at(0));
}

#[test]
fn a_missing_field_is_reported_at_the_map() {
    let error = Header::read(&mut Cursor::unchecked(&[0x80])).unwrap_err();
    assert_eq!(error, ErrorKind::HeaderField { key: "document-type" }.at(0));
}

#[test]
fn a_bad_pattern_is_reported_at_its_offset_when_it_is_used() {
    let mut bytes = bytes(&header());
    let at = bytes.windows(9).position(|window| window == b"/a/*[urn]").unwrap();
    bytes[at..at + 9].copy_from_slice(b"/a/*[urn(");
    let read = Header::read(&mut Cursor::unchecked(&bytes)).unwrap().0;
    for _ in 0..2 {
        assert_eq!(read.rule(), Err(ErrorKind::NewerRule.at(at as u64 - 1)));
    }
    assert_eq!(read.rule_text.pattern_texts(), ["/a/*[urn("]);
}

#[test]
fn a_missing_field_is_reported_before_a_bad_pattern() {
    let bytes = b"\x81\xa8patterns\x91\xa2/(";
    let error = Header::read(&mut Cursor::unchecked(bytes)).unwrap_err();
    assert_eq!(error, ErrorKind::HeaderField { key: "document-type" }.at(0));
}
