//! Methods that set the fields of options. Fields may be added later, so programs cannot write
//! options as a literal.

/// Generates a method for each field of an options type. It returns the options with that field
/// set. Fields of the second list are `Option`s; their methods take the inner value.
macro_rules! setters {
    ($options:ident: $($field:ident: $type:ty),* $(; $($optional:ident: $inner:ty),+)?) => {
        impl $options {
            $(
                #[doc = concat!("Returns the options with `", stringify!($field), "` set.")]
                #[must_use]
                pub fn $field(mut self, $field: $type) -> Self {
                    self.$field = $field;
                    self
                }
            )*
            $($(
                #[doc = concat!("Returns the options with `", stringify!($optional), "` set.")]
                #[must_use]
                pub fn $optional(mut self, $optional: impl Into<$inner>) -> Self {
                    self.$optional = Some($optional.into());
                    self
                }
            )+)?
        }
    };
}
pub(crate) use setters;
