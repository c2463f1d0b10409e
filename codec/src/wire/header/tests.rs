use super::*;
use coconut_format::landmark::DIALECTS;

fn header() -> Header {
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
        source: Some(SourceRecord { format: "json".into(), bytes: 5, sha_256: [7; 32] }),
        digest: [9; 32],
        dialect: Some("pulumi".into()),
        rule: LandmarkRule::parse(&["/a/*[urn]"], Some("/"), &["parent=0/parent"]).unwrap(),
    }
}

fn bytes(header: &Header) -> Vec<u8> {
    let mut out = Vec::new();
    header.write(&mut out);
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
        let package = Header { document_type: document_type.into(), rule: package_rule(), ..header() };
        let bare = Header { rule: LandmarkRule::default(), ..package.clone() };
        let named = |bytes: &[u8]| bytes.windows(8).any(|window| window == b"patterns");
        assert_eq!([named(&bytes(&package)), named(&bytes(&bare))], [false, true], "{document_type}");
        for header in [package, bare] {
            assert_eq!(Header::read(&mut Cursor::unchecked(&bytes(&header))).unwrap().0, header);
        }
    }
}

#[test]
fn another_type_writes_its_rule_even_if_it_is_that_of_packages() {
    let graph = Header { rule: package_rule(), ..header() };
    let bytes = bytes(&graph);
    assert!(bytes.windows(8).any(|window| window == b"patterns"));
    let mut cursor = Cursor::unchecked(&bytes);
    assert_eq!(Header::read(&mut cursor).unwrap().0, graph, "with its join");
    assert!(cursor.is_at_end());
}

#[test]
fn a_package_with_a_part_of_a_rule_does_not_have_that_of_packages() {
    let package = || Fields { document_type: Some("cocopack"), ..Fields::default() };
    assert_eq!(package().rule(), Ok(package_rule()));
    let with_join = Fields { join: Some("/"), ..package() };
    let with_edges = Fields { edges: Some(Vec::new()), ..package() };
    for fields in [with_join, with_edges, Fields::default()] {
        assert_ne!(fields.rule(), Ok(package_rule()));
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
            let rule = LandmarkRule::parse(patterns, join, edges).unwrap();
            let header = Header { dialect: Some(dialect.name.into()), rule, ..header() };
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
        let rule = LandmarkRule::parse(&["/a", &pattern], None, &[]).unwrap();
        let header = Header { rule, ..header() };
        let bytes = bytes(&header);
        // Two bytes before the text encode its length.
        let at = bytes.windows(pattern.len()).position(|text| text == pattern.as_bytes()).unwrap() - 2;
        let (what, count, limit) = ("pieces of a template", pieces as u64, limits::TEMPLATE_PIECES as u64);
        let expected = match count > limit {
            true => Err(ErrorKind::TooMany { what, count, limit }.at(at as u64)),
            false => Ok(header),
        };
        let read = Header::read(&mut Cursor::unchecked(&bytes)).map(|(header, _)| header);
        assert_eq!(read, expected, "{pieces} pieces");
    }
}

#[test]
fn refuses_a_required_feature() {
    let bytes = b"\x81\xa8requires\x91\xa1f";
    let error = Header::read(&mut Cursor::unchecked(bytes)).unwrap_err();
    assert_eq!(error, ErrorKind::RequiredFeature.at(11));
}

#[test]
fn a_missing_field_is_reported_at_the_map() {
    let error = Header::read(&mut Cursor::unchecked(&[0x80])).unwrap_err();
    assert_eq!(error, ErrorKind::HeaderField { key: "document-type" }.at(0));
}

#[test]
fn a_bad_pattern_is_reported_at_its_offset() {
    let mut bytes = bytes(&header());
    let at = bytes.windows(9).position(|window| window == b"/a/*[urn]").unwrap();
    bytes[at..at + 9].copy_from_slice(b"/a/*[urn(");
    let error = Header::read(&mut Cursor::unchecked(&bytes)).unwrap_err();
    assert_eq!(error, ErrorKind::LandmarkRule.at(at as u64 - 1));
}

#[test]
fn a_missing_field_is_reported_before_a_bad_pattern() {
    let bytes = b"\x81\xa8patterns\x91\xa2/(";
    let error = Header::read(&mut Cursor::unchecked(bytes)).unwrap_err();
    assert_eq!(error, ErrorKind::HeaderField { key: "document-type" }.at(0));
}
