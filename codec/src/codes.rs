//! Stable codes of errors that are values of several kinds: one list, from which a kind that is added cannot be left out.

/// The codes of an enum as `CODES`, and the one of a value as `code()`. Behind `;` stand kinds whose code is that of something
/// inside, or is listed elsewhere.
macro_rules! codes {
    (
        $(#[$of_all:meta])* CODES;
        $(#[$of_one:meta])* code;
        $($kind:pat $(if $guard:expr)? => $code:literal),+;
        $($other:pat => $inner:expr),*
    ) => {
        $(#[$of_all])*
        pub const CODES: &'static [&'static str] = &[$($code),+];

        $(#[$of_one])*
        pub fn code(&self) -> &'static str {
            match self {
                $($kind $(if $guard)? => $code,)+
                $($other => $inner,)*
            }
        }
    };
}

pub(crate) use codes;
