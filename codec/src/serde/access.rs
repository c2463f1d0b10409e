//! The `Deserializer` of values in files, and access to their lists and objects.

use super::error::DeserializeError;
use super::key::KeyText;
use super::limits::Limits;
use super::short::ShortScalar;
use super::source::{Slots, Source};
use super::variant::{read_enum, unexpected_integer};
use super::walker::{Next, Walker};
use crate::read::short::Head;
use crate::read::tables::SlotForm;
use crate::read::view::ValueView;
use crate::wire::ids::{ShapeId, SharedId};
use crate::wire::value::Form;
use coconut_format::Integer;
use coconut_format::error::DecodeError;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use std::mem::{self, ManuallyDrop};

/// Reads the value with the default limits, as [`from_view`](super::from_view) does.
impl<'de> Deserializer<'de> for ValueView<'de> {
    type Error = DeserializeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        begin(self, |next| next.deserialize_any(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        begin(self, |next| next.deserialize_option(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        begin(self, |next| next.deserialize_newtype_struct(name, visitor))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        begin(self, |next| next.deserialize_enum(name, variants, visitor))
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        begin(self, |next| next.deserialize_bytes(visitor))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        begin(self, |next| next.deserialize_identifier(visitor))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        visitor.visit_unit()
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        begin(self, |next| next.deserialize_struct(name, fields, visitor))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        unit unit_struct seq tuple tuple_struct map
    }
}

fn begin<'a, T>(
    view: ValueView<'a>,
    read: impl FnOnce(Next<'_, '_, 'a>) -> Result<T, DeserializeError>,
) -> Result<T, DeserializeError> {
    let source = Source::new(view.document());
    let (mut walker, form) = Walker::new(&source, view, Limits::of(view.document()));
    let at = walker.position();
    let result = read(Next { walker: &mut walker, form: &form });
    walker.finish(result).map_err(|error| error.at(at))
}

impl<'de> Deserializer<'de> for Next<'_, '_, 'de> {
    type Error = DeserializeError;

    #[inline]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        let mut next = ManuallyDrop::new(self);
        let form = next.form;
        match next.walker.read_short(form) {
            Some(ShortScalar::Text(text)) => visitor.visit_borrowed_str(text),
            Some(ShortScalar::Unsigned(number)) => visitor.visit_u64(number.into()),
            Some(ShortScalar::Bool(value)) => visitor.visit_bool(value),
            Some(ShortScalar::Null) => visitor.visit_unit(),
            None => deserialize_container::<V, false>(next.walker, form, visitor),
        }
    }

    #[inline]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.walker.take_null(self.form) {
            Ok(false) => visitor.visit_some(self),
            Ok(true) => {
                mem::forget(self);
                visitor.visit_none()
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        let mut next = ManuallyDrop::new(self);
        let form = next.form;
        read_enum(next.walker, form, visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.walker.take_string(self.form) {
            Ok(None) => self.deserialize_any(visitor),
            Ok(Some(text)) => {
                mem::forget(self);
                visitor.visit_borrowed_bytes(text.as_bytes())
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        self.deserialize_bytes(visitor)
    }

    /// Reads the name of a variant or field. Identifiers derived by serde also accept a number,
    /// which is not supported here.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.walker.take_integer(self.form) {
            Ok(None) => self.deserialize_any(visitor),
            Ok(Some(number)) => {
                mem::forget(self);
                Err(Error::invalid_type(unexpected_integer(number), &visitor))
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        match self.walker.skip(self.form) {
            Ok(()) => {
                mem::forget(self);
                visitor.visit_unit()
            }
            Err(error) => Err(self.fail(error)),
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        self.read_container::<V, false>(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DeserializeError> {
        self.read_container::<V, false>(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.read_container::<V, false>(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        self.read_container::<V, false>(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.read_container::<V, true>(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string
        unit unit_struct
    }
}

impl<'de> Next<'_, '_, 'de> {
    /// Reads a container. For a struct (`IS_STRUCT`), its keys are names of fields, and the type
    /// does not keep those that it requests as identifiers. A map may keep all its keys.
    #[inline]
    pub(super) fn read_container<V: Visitor<'de>, const IS_STRUCT: bool>(
        self,
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        let mut next = ManuallyDrop::new(self);
        let form = next.form;
        deserialize_container::<V, IS_STRUCT>(next.walker, form, visitor)
    }

    /// Ends the walk here with this error.
    #[cold]
    fn fail(self, error: DecodeError) -> DeserializeError {
        let next = ManuallyDrop::new(self);
        let at = next.walker.position();
        ManuallyDrop::into_inner(next).walker.end(error, at)
    }
}

/// Reads a value that should be a container or is not a [short scalar](Walker::read_short).
///
/// Not inlined, so that short scalars need no stack frame for containers.
#[inline(never)]
fn deserialize_container<'de, V: Visitor<'de>, const IS_STRUCT: bool>(
    walker: &mut Walker<'_, 'de>,
    form: &SlotForm<'de>,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    let at = walker.position();
    let opened = match walker.open_short(form) {
        Some(opened) => opened,
        None => match walker.read(form) {
            Err(error) => return Err(walker.end(error, at)),
            Ok(Form::String(text)) => {
                return match walker.counted(text, at) {
                    Ok(text) => visitor.visit_borrowed_str(text),
                    Err(error) => Err(walker.end(error, at)),
                };
            }
            Ok(Form::Integer(number)) => return visit_integer(number, visitor),
            Ok(Form::Null) => return visitor.visit_unit(),
            Ok(Form::Bool(value)) => return visitor.visit_bool(value),
            Ok(Form::Float(value)) => return visitor.visit_f64(value),
            Ok(Form::List(count)) => Head::List(count),
            Ok(Form::Object(count)) => Head::Object(count),
            Ok(Form::Record(shape)) => Head::Record(shape),
            Ok(Form::Shared(id)) => Head::Shared(id),
            Ok(Form::StringId(_)) => unreachable!("the walker resolves strings"),
        },
    };
    match opened {
        Head::List(count) => visit_list(walker, at, count, visitor),
        Head::Object(count) => visit_object::<V, IS_STRUCT>(walker, at, Entries::InPlace(count), visitor),
        Head::Record(shape) => visit_record::<V, IS_STRUCT>(walker, at, shape, visitor),
        Head::Shared(id) => visit_shared::<V, IS_STRUCT>(walker, at, id, visitor),
    }
}

/// Separate from lists, which then need no stack space for slots.
#[cfg_attr(not(debug_assertions), inline(always))]
fn visit_record<'de, V: Visitor<'de>, const IS_STRUCT: bool>(
    walker: &mut Walker<'_, 'de>,
    at: usize,
    shape: ShapeId,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    match walker.slots(shape) {
        Ok(slots) => visit_object::<V, IS_STRUCT>(walker, at, Entries::Record(slots), visitor),
        Err(error) => Err(walker.end(error, at)),
    }
}

/// Separate from its callers, which then need no stack space for the place to return to.
#[cfg_attr(not(debug_assertions), inline(always))]
fn visit_shared<'de, V: Visitor<'de>, const IS_STRUCT: bool>(
    walker: &mut Walker<'_, 'de>,
    at: usize,
    id: SharedId,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    let back = match walker.follow(id) {
        Ok(back) => back,
        Err(error) => return Err(walker.end(error, at)),
    };
    let result = deserialize_container::<V, IS_STRUCT>(walker, &SlotForm::Plain, visitor);
    walker.come_back(back);
    if result.is_err() {
        walker.failed_in(id, at);
    }
    result
}

fn visit_integer<'de, V: Visitor<'de>>(number: Integer, visitor: V) -> Result<V::Value, DeserializeError> {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => visitor.visit_u64(number),
        (None, Some(number)) => visitor.visit_i64(number),
        (None, None) => unreachable!("an integer is one of the two"),
    }
}

/// Passes results on unchanged: moving a large struct out and back in would cost more than reading
/// it.
fn visit_list<'de, V: Visitor<'de>>(
    walker: &mut Walker<'_, 'de>,
    at: usize,
    count: u32,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    if let Err(error) = walker.descend() {
        return Err(walker.end(error, at));
    }
    let mut items = Items { walker, index: 0, left: count };
    let result = visitor.visit_seq(&mut items);
    if items.left > 0 {
        let error = result.err();
        return Err(walker.end_early(error, at, count as usize, &"fewer items in the list"));
    }
    walker.ascend();
    result
}

fn visit_object<'t, 'de, V: Visitor<'de>, const IS_STRUCT: bool>(
    walker: &mut Walker<'t, 'de>,
    at: usize,
    entries: Entries<'t, 'de>,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    if let Err(error) = walker.descend() {
        return Err(walker.end(error, at));
    }
    let count = entries.len();
    let mut object = Object::<IS_STRUCT> { walker, entries, key: None };
    let result = visitor.visit_map(&mut object);
    if object.entries.len() > 0 || object.key.is_some() {
        let error = result.err();
        return Err(walker.end_early(error, at, count, &"fewer entries in the object"));
    }
    walker.ascend();
    result
}

impl Walker<'_, '_> {
    /// The error of a container at `at` of `count` items that were not all read. It is the error
    /// that ended the walk, that of the visitor, or the one for remaining items.
    #[cold]
    #[inline(never)]
    pub(super) fn end_early(
        &mut self,
        error: Option<DeserializeError>,
        at: usize,
        count: usize,
        expected: &&str,
    ) -> DeserializeError {
        let error = match (self.first_error(), error) {
            (Some(ended), Some(error)) => return error.unless_ended_by(ended),
            (Some(ended), None) => return ended,
            (None, error) => error.unwrap_or_else(|| Error::invalid_length(count, expected)),
        };
        self.end_with(&error, at);
        error
    }
}

struct Items<'w, 't, 'a> {
    walker: &'w mut Walker<'t, 'a>,
    index: usize,
    left: u32,
}

impl Items<'_, '_, '_> {
    /// Returns the error that ended the walk, in place of all remaining items. Returns it once, so
    /// that a type that continues after errors also terminates.
    #[cold]
    fn end<T>(&mut self) -> Result<Option<T>, DeserializeError> {
        self.left = 0;
        self.walker.first_error().map_or(Ok(None), Err)
    }
}

impl<'de> SeqAccess<'de> for Items<'_, '_, 'de> {
    type Error = DeserializeError;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DeserializeError> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        if self.walker.has_ended() {
            return self.end();
        }
        self.left = left;
        self.walker.next_is_held(true);
        let at = self.walker.position();
        match seed.deserialize(Next { walker: &mut *self.walker, form: &SlotForm::Plain }) {
            Ok(item) => {
                self.index += 1;
                Ok(Some(item))
            }
            Err(error) => Err(error.at(at).below_index(self.index)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(if self.walker.has_ended() { 0 } else { self.left as usize })
    }
}

/// The remaining entries of an object, wherever its keys are stored.
pub(super) enum Entries<'t, 'a> {
    /// This number of alternating keys and values.
    InPlace(u32),
    /// Values, with their keys in a shape.
    Record(Slots<'t, 'a>),
}

impl<'t, 'a> Entries<'t, 'a> {
    pub(super) fn len(&self) -> usize {
        match self {
            Entries::InPlace(left) => *left as usize,
            Entries::Record(slots) => slots.len(),
        }
    }

    /// Reads the next key. The walk is then at its value.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn next_key(&mut self, walker: &mut Walker<'t, 'a>) -> Result<Option<&'a str>, DecodeError> {
        match self {
            Entries::Record(slots) => walker.slot_key(slots),
            Entries::InPlace(0) => Ok(None),
            Entries::InPlace(left) => {
                *left -= 1;
                walker.key().map(Some)
            }
        }
    }

    /// The form of the value whose key was read last.
    #[inline]
    pub(super) fn form(&self) -> &SlotForm<'a> {
        match self {
            Entries::Record(slots) => slots.form(),
            Entries::InPlace(_) => &SlotForm::Plain,
        }
    }
}

struct Object<'w, 't, 'a, const IS_STRUCT: bool> {
    walker: &'w mut Walker<'t, 'a>,
    entries: Entries<'t, 'a>,
    /// The key that was read, if its value was not read yet.
    key: Option<&'a str>,
}

impl<const IS_STRUCT: bool> Object<'_, '_, '_, IS_STRUCT> {
    /// Skips a value that was not requested.
    #[cold]
    fn skip_value(&mut self) {
        self.key = None;
        drop(Next { walker: &mut *self.walker, form: self.entries.form() });
    }

    /// Returns the error that ended the walk, in place of all remaining entries, as in lists.
    #[cold]
    fn end<T>(&mut self) -> Result<Option<T>, DeserializeError> {
        match mem::replace(&mut self.entries, Entries::InPlace(0)).len() {
            0 => Ok(None),
            _ => self.walker.first_error().map_or(Ok(None), Err),
        }
    }

    /// The error for a value that is requested before its key, or the error that ended the walk.
    #[cold]
    fn no_key(&self) -> DeserializeError {
        self.walker.first_error().unwrap_or_else(|| Error::custom("a value was asked for before its key"))
    }
}

impl<'de, const IS_STRUCT: bool> MapAccess<'de> for Object<'_, '_, 'de, IS_STRUCT> {
    type Error = DeserializeError;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, DeserializeError> {
        if self.key.is_some() {
            self.skip_value();
        }
        if self.walker.has_ended() {
            return self.end();
        }
        let at = self.walker.position();
        match self.entries.next_key(self.walker) {
            Ok(Some(key)) => {
                self.key = Some(key);
                let mut is_held = false;
                let result = seed.deserialize(KeyText::<IS_STRUCT> { text: key, is_held: &mut is_held });
                self.walker.next_is_held(is_held);
                match result {
                    Ok(key) => Ok(Some(key)),
                    Err(error) => Err(error.at(at).below_key(key)),
                }
            }
            Ok(None) => Ok(None),
            Err(error) => Err(self.walker.end(error, at)),
        }
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, DeserializeError> {
        let Some(key) = self.key.take() else { return Err(self.no_key()) };
        if !IS_STRUCT {
            self.walker.next_is_held(true);
        }
        let at = self.walker.position();
        match seed.deserialize(Next { walker: &mut *self.walker, form: self.entries.form() }) {
            Ok(value) => Ok(value),
            Err(error) => Err(error.at(at).below_key(key)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(if self.walker.has_ended() { 0 } else { self.entries.len() })
    }
}
