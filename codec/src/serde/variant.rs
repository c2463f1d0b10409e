//! Enums in files: a string, or an object of one entry.

use super::access::Entries;
use super::error::DeserializeError;
use super::key::KeyText;
use super::walker::{Next, Walker};
use crate::read::tables::SlotForm;
use crate::wire::ids::SharedId;
use crate::wire::value::Form;
use coconut_format::Integer;
use serde::de::value::BorrowedStrDeserializer;
use serde::de::{DeserializeSeed, EnumAccess, Error, Unexpected, VariantAccess, Visitor};

const EXPECTED: &str = "a string, or an object with one entry";

/// Reads the next value as a variant.
pub(super) fn read_enum<'de, V: Visitor<'de>>(
    walker: &mut Walker<'_, 'de>,
    form: &SlotForm<'de>,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    let at = walker.position();
    let form = match walker.read(form) {
        Ok(form) => form,
        Err(error) => return Err(walker.end(error, at)),
    };
    let entries = match form {
        Form::String(text) => {
            return match walker.counted(text, at) {
                Ok(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
                Err(error) => Err(walker.end(error, at)),
            };
        }
        Form::Shared(id) => return read_shared(walker, at, id, visitor),
        Form::Object(count) => Entries::InPlace(count),
        Form::Record(shape) => match walker.slots(shape) {
            Ok(slots) => Entries::Record(slots),
            Err(error) => return Err(walker.end(error, at)),
        },
        Form::List(count) => {
            let error: DeserializeError = Error::invalid_type(Unexpected::Seq, &EXPECTED);
            return Err(if count > 0 { walker.end_early(Some(error), at, 0, &"") } else { error });
        }
        Form::Integer(number) => return Err(Error::invalid_type(unexpected_integer(number), &EXPECTED)),
        Form::Null => return Err(Error::invalid_type(Unexpected::Unit, &EXPECTED)),
        Form::Bool(value) => return Err(Error::invalid_type(Unexpected::Bool(value), &EXPECTED)),
        Form::Float(value) => return Err(Error::invalid_type(Unexpected::Float(value), &EXPECTED)),
        Form::StringId(_) => unreachable!("the walker resolves strings"),
    };
    read_entry(walker, at, entries, visitor)
}

/// Separate from its callers, which then need no stack space for the place to return to.
#[cfg_attr(not(debug_assertions), inline(always))]
fn read_shared<'de, V: Visitor<'de>>(
    walker: &mut Walker<'_, 'de>,
    at: usize,
    id: SharedId,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    let back = match walker.follow(id) {
        Ok(back) => back,
        Err(error) => return Err(walker.end(error, at)),
    };
    let result = read_enum(walker, &SlotForm::Plain, visitor);
    walker.come_back(back);
    if result.is_err() {
        walker.failed_in(id, at);
    }
    result
}

fn read_entry<'t, 'de, V: Visitor<'de>>(
    walker: &mut Walker<'t, 'de>,
    at: usize,
    mut entries: Entries<'t, 'de>,
    visitor: V,
) -> Result<V::Value, DeserializeError> {
    let count = entries.len();
    if count != 1 {
        let error: DeserializeError = Error::invalid_length(count, &"an object with one entry");
        return Err(if count > 0 { walker.end_early(Some(error), at, count, &"") } else { error });
    }
    if let Err(error) = walker.descend() {
        return Err(walker.end(error, at));
    }
    let result = visitor.visit_enum(VariantEntry { walker: &mut *walker, entries: &mut entries });
    if entries.len() > 0 {
        let error = result.err();
        return Err(walker.end_early(error, at, count, &"a request for the variant"));
    }
    walker.ascend();
    result
}

pub(super) fn unexpected_integer(number: Integer) -> Unexpected<'static> {
    match (number.as_u64(), number.as_i64()) {
        (Some(number), _) => Unexpected::Unsigned(number),
        (None, number) => Unexpected::Signed(number.unwrap_or(i64::MIN)),
    }
}

/// The one entry of an object that denotes a variant with content.
struct VariantEntry<'w, 't, 'a> {
    walker: &'w mut Walker<'t, 'a>,
    entries: &'w mut Entries<'t, 'a>,
}

impl<'w, 't, 'de> EnumAccess<'de> for VariantEntry<'w, 't, 'de> {
    type Error = DeserializeError;
    type Variant = VariantContent<'w, 't, 'de>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, VariantContent<'w, 't, 'de>), DeserializeError> {
        let VariantEntry { walker, entries } = self;
        let at = walker.position();
        let key = match entries.next_key(walker) {
            Ok(key) => key.expect("the object has one entry"),
            Err(error) => return Err(walker.end(error, at)),
        };
        // Created before the seed runs, because the content of an unknown variant is skipped.
        let next = Next { walker, form: entries.form() };
        match seed.deserialize(KeyText::<true> { text: key, is_held: &mut false }) {
            Ok(variant) => Ok((variant, VariantContent { key, next })),
            Err(error) => Err(error.at(at)),
        }
    }
}

struct VariantContent<'w, 't, 'a> {
    key: &'a str,
    next: Next<'w, 't, 'a>,
}

impl<'de> VariantContent<'_, '_, 'de> {
    fn read<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, DeserializeError> {
        let at = self.next.walker.position();
        seed.deserialize(self.next).map_err(|error| error.at(at).below_key(self.key))
    }

    fn visit<V: Visitor<'de>, const IS_STRUCT: bool>(self, visitor: V) -> Result<V::Value, DeserializeError> {
        let at = self.next.walker.position();
        let result = self.next.read_container::<V, IS_STRUCT>(visitor);
        result.map_err(|error| error.at(at).below_key(self.key))
    }
}

impl<'de> VariantAccess<'de> for VariantContent<'_, '_, 'de> {
    type Error = DeserializeError;

    fn unit_variant(self) -> Result<(), DeserializeError> {
        self.read(std::marker::PhantomData)
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, DeserializeError> {
        self.read(seed)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, DeserializeError> {
        self.visit::<V, false>(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DeserializeError> {
        self.visit::<V, true>(visitor)
    }
}
