//! §2 The first lines.

use coconut_format::envelope::EnvelopeView;

/// An envelope is written in one form, which reads back the same.
pub fn envelope(data: &[u8]) {
    let view = match EnvelopeView::parse(data) {
        Ok(view) => view,
        Err(error) => return assert!(error.offset() <= data.len() as u64, "{error} is after the end"),
    };
    assert!(view.length() <= data.len());
    for parameter in view.parameters() {
        assert!(parameter.offset() < view.length() as u64);
        assert!(parameter.is(parameter.name()));
        assert_eq!(view.parameter(parameter.name()), Some(parameter.value()));
    }
    let Ok(owned) = view.to_envelope() else { return };
    let mut written = Vec::new();
    owned.write(&mut written);
    let again = EnvelopeView::parse(&written).expect("an envelope just written");
    assert_eq!(again.length(), written.len());
    assert_eq!(again.encoding(), view.encoding());
    assert_eq!(again.version(), view.version());
    assert!(view.is_document_type(again.document_type()));
    assert_eq!(again.parameters().count(), view.parameters().count());
    assert!(again.parameters().all(|parameter| view.parameter(parameter.name()) == Some(parameter.value())));
}
