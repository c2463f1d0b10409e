//! Stable codes of composite errors. Exhaustive: a kind without a code does not compile.

/// The codes of an enum as `CODES`, and the code of a value as `code()`. Kinds after `;` use the
/// code of an inner error, or are listed elsewhere.
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
