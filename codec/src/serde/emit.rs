//! `Serialize` for values in files: into JSON text, YAML, other msgpack, or any serde format.

use super::access::Entries;
use super::limits::Limits;
use super::short::ShortScalar;
use super::source::Source;
use super::walker::Walker;
use crate::limits;
use crate::read::short::Head;
use crate::read::tables::SlotForm;
use crate::read::view::ValueView;
use crate::wire::ids::{ShapeId, SharedId};
use crate::wire::value::Form;
use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};
use std::cell::Cell;

/// Sends the value to any serializer, with the [`Limits`] for reading, except that up to 16 GiB of
/// text may be printed.
///
/// Allows at most 128 levels, since serializers recurse. [`ValueView::stream`] has no such limit.
///
/// Costs one pass over the value. Damage becomes the serializer's `Error::custom` with the text of
/// the error.
impl Serialize for ValueView<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let source = Source::new(self.document());
        let limits = Limits { bytes: limits::STREAM_BYTES, ..Limits::of(self.document()) };
        let (mut walker, form) = Walker::new(&source, *self, limits);
        Once::new(&mut walker, &form).serialize(serializer)
    }
}

/// The current value of a walk, for the one call of `serialize` that consumes it.
struct Once<'w, 't, 'a>(Cell<Option<(&'w mut Walker<'t, 'a>, &'w SlotForm<'a>)>>);

impl<'w, 't, 'a> Once<'w, 't, 'a> {
    fn new(walker: &'w mut Walker<'t, 'a>, form: &'w SlotForm<'a>) -> Self {
        Once(Cell::new(Some((walker, form))))
    }

    /// Skips the value if the serializer did not consume it.
    fn finish<E: Error>(self) -> Result<(), E> {
        match self.0.into_inner() {
            Some((walker, form)) => walker.skip(form).map_err(E::custom),
            None => Ok(()),
        }
    }
}

impl Serialize for Once<'_, '_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.take() {
            Some((walker, form)) => emit(walker, form, serializer),
            None => Err(S::Error::custom("a value of a file was serialized twice in one pass")),
        }
    }
}

fn emit<'a, S: Serializer>(
    walker: &mut Walker<'_, 'a>,
    form: &SlotForm<'a>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match walker.read_short(form) {
        Some(ShortScalar::Text(text)) => return serializer.serialize_str(text),
        Some(ShortScalar::Unsigned(number)) => return serializer.serialize_u64(number.into()),
        Some(ShortScalar::Bool(value)) => return serializer.serialize_bool(value),
        Some(ShortScalar::Null) => return serializer.serialize_unit(),
        None => {}
    }
    let at = walker.position();
    let opened = match walker.open_short(form) {
        Some(opened) => opened,
        None => match walker.read(form) {
            Err(error) => return Err(S::Error::custom(error)),
            Ok(Form::Null) => return serializer.serialize_unit(),
            Ok(Form::Bool(value)) => return serializer.serialize_bool(value),
            Ok(Form::Integer(number)) => {
                return match (number.as_u64(), number.as_i64()) {
                    (Some(number), _) => serializer.serialize_u64(number),
                    (None, number) => serializer.serialize_i64(number.expect("an integer is one of the two")),
                };
            }
            Ok(Form::Float(value)) => return serializer.serialize_f64(value),
            Ok(Form::String(text)) => {
                return serializer.serialize_str(walker.counted(text, at).map_err(S::Error::custom)?);
            }
            Ok(Form::List(count)) => Head::List(count),
            Ok(Form::Object(count)) => Head::Object(count),
            Ok(Form::Record(shape)) => Head::Record(shape),
            Ok(Form::Shared(id)) => Head::Shared(id),
            Ok(Form::StringId(_)) => unreachable!("the walker resolves strings"),
        },
    };
    match opened {
        Head::List(count) => emit_list(walker, count, serializer),
        Head::Object(count) => emit_object(walker, Entries::InPlace(count), serializer),
        Head::Record(shape) => emit_record(walker, shape, serializer),
        Head::Shared(id) => emit_shared(walker, id, serializer),
    }
}

/// Separate from lists, which then need no stack space for slots.
#[cfg_attr(not(debug_assertions), inline(always))]
fn emit_record<S: Serializer>(
    walker: &mut Walker<'_, '_>,
    shape: ShapeId,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let slots = walker.slots(shape).map_err(S::Error::custom)?;
    emit_object(walker, Entries::Record(slots), serializer)
}

/// Separate from its callers, which then need no stack space for the place to return to.
#[cfg_attr(not(debug_assertions), inline(always))]
fn emit_shared<S: Serializer>(
    walker: &mut Walker<'_, '_>,
    id: SharedId,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let back = walker.follow(id).map_err(S::Error::custom)?;
    let done = emit(walker, &SlotForm::Plain, serializer)?;
    walker.come_back(back);
    Ok(done)
}

fn emit_list<S: Serializer>(
    walker: &mut Walker<'_, '_>,
    count: u32,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    walker.descend().map_err(S::Error::custom)?;
    let mut list = serializer.serialize_seq(Some(count as usize))?;
    for _ in 0..count {
        let item = Once::new(walker, &SlotForm::Plain);
        list.serialize_element(&item)?;
        item.finish()?;
    }
    walker.ascend();
    list.end()
}

fn emit_object<'t, 'a, S: Serializer>(
    walker: &mut Walker<'t, 'a>,
    mut entries: Entries<'t, 'a>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    walker.descend().map_err(S::Error::custom)?;
    let mut object = serializer.serialize_map(Some(entries.len()))?;
    while let Some(key) = entries.next_key(walker).map_err(S::Error::custom)? {
        let value = Once::new(walker, entries.form());
        object.serialize_entry(key, &value)?;
        value.finish()?;
    }
    walker.ascend();
    object.end()
}
