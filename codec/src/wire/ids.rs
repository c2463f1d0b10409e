//! §5.4–§5.6 Ids of strings, shapes and shared values, and ordinals of landmarks (§8).
//!
//! A reference is read as a `u64` and checked here when it becomes an id.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            /// Its position among the items of its element.
            #[inline]
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$name> for u64 {
            #[inline]
            fn from(id: $name) -> u64 {
                id.0.into()
            }
        }
    )*};
}

ids! {
    /// The id of a string in the string table (§5.4).
    StringId
    /// The id of a shape (§5.5).
    ShapeId
    /// The id of a shared value (§5.6).
    ///
    /// As a *bound*: the first id that a value must not reference (§4.4).
    SharedId
    /// The number of a landmark in document order (§8).
    ///
    /// As an *end*: the first landmark after those inside another (§8.4), or the number of
    /// landmarks.
    Ordinal
}

macro_rules! references {
    ($($name:ident)*) => {$(
        impl $name {
            /// The id that a reference names, if it fits in 32 bits: elements have at most that
            /// many items.
            #[inline]
            pub(crate) fn of(reference: u64) -> Option<Self> {
                u32::try_from(reference).ok().map($name)
            }
        }
    )*};
}

references! { StringId ShapeId SharedId }

impl Ordinal {
    /// The ordinal after this one.
    #[inline]
    pub(crate) const fn next(self) -> Ordinal {
        Ordinal(self.0.saturating_add(1))
    }
}

impl SharedId {
    /// The bound that allows references to all shared values of a file.
    pub(crate) const NO_BOUND: SharedId = SharedId(u32::MAX);

    /// §4.4 The id that the negative integer −1 − *i* denotes: its bitwise complement.
    #[inline]
    pub(crate) const fn named_by(reference: i64) -> u64 {
        (!reference).cast_unsigned()
    }

    /// §4.4 The negative integer that denotes the shared value.
    #[inline]
    pub(crate) fn reference(self) -> i64 {
        !i64::from(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_to_a_shared_value_is_the_complement_of_its_id() {
        for (id, reference) in [(0, -1), (1, -2), (31, -32), (u32::MAX, -4_294_967_296)] {
            assert_eq!(SharedId(id).reference(), reference);
            assert_eq!(SharedId::named_by(reference), u64::from(id));
        }
        assert_eq!(SharedId::named_by(i64::MIN), i64::MAX.cast_unsigned());
    }

    #[test]
    fn an_id_has_32_bits() {
        assert_eq!(StringId::of(u32::MAX.into()), Some(StringId(u32::MAX)));
        assert_eq!(StringId::of(1 << 32), None);
    }
}
