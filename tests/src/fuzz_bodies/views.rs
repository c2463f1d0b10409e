//! §4 Lazy views: every accessor, on any path.

use super::file_of;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::read::view::{Content, ValueView};
use coconut_format::DecodeError;
use coconut_format::pointer::Escaped;

/// The number of values visited in one run.
const STEPS: usize = 2_000;

/// Walks until the steps are used up, in an order given by the first byte, and calls every accessor
/// of each value.
pub fn views(data: &[u8]) {
    let Some(Ok(file)) = file_of(data).map(DocumentFile::from_data) else { return };
    let order = usize::from(data[0] / 2);
    let length = file.data().len() as u64;
    let mut pending = vec![file.view().root()];
    for step in 0..STEPS {
        if pending.is_empty() {
            return;
        }
        let next = if order == 0 { pending.len() - 1 } else { step.wrapping_mul(order) % pending.len() };
        let value = pending.swap_remove(next);
        match look(value, &mut pending) {
            Ok(()) => assert!(value.offset() < length, "a value after the end"),
            Err(error) => assert!(error.offset() <= length, "{error} is after the end"),
        }
        pending.truncate(STEPS);
    }
}

/// Calls every accessor of one value, and keeps its children.
fn look<'a>(value: ValueView<'a>, inside: &mut Vec<ValueView<'a>>) -> Result<(), DecodeError> {
    const SOME: usize = 40;
    if let Ok(span) = value.span() {
        assert!(span.start == value.offset() && span.start <= span.end, "{span:?}");
    }
    match value.content()? {
        Content::Null | Content::Bool(_) | Content::Integer(_) => {}
        Content::Float(number) => assert!(number.is_finite()),
        Content::String(text) => assert!(std::str::from_utf8(text.as_bytes()).is_ok()),
        Content::List(list) => {
            assert_eq!(list.is_empty(), list.items().next().is_none());
            assert!(list.get(list.len())?.is_none(), "an item after the last");
            for (index, item) in list.items().enumerate().take(SOME) {
                let item = item?;
                let same = list.get(index)?.expect("an item of the iteration");
                assert_eq!(same.offset(), item.offset(), "item {index} by index");
                inside.push(item);
            }
        }
        Content::Object(object) => {
            assert_eq!(object.is_empty(), object.iter().next().is_none());
            let mut seen: Vec<&str> = Vec::new();
            for entry in object.iter().take(SOME) {
                let (key, item) = entry?;
                if !seen.contains(&key) {
                    let same = object.get(key)?.expect("a key of the iteration");
                    assert_eq!(same.offset(), item.offset(), "the first entry of `{key}`");
                    let pointer = format!("/{}", Escaped(key));
                    let same = value.pointer(&pointer)?.expect("a key of the iteration");
                    assert_eq!(same.offset(), item.offset(), "pointer {pointer}");
                }
                seen.push(key);
                inside.push(item);
            }
        }
    }
    Ok(())
}
