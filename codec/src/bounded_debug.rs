//! `Debug` of views and files: a few facts in a line of bounded length, and no content.
//!
//! A derived `Debug` would print the bytes of a view. Logs would then contain whole documents and
//! their secrets.

/// Implements `Debug` with only the named facts.
macro_rules! bounded_debug {
    ($type:ident $(<$($lifetime:lifetime),+>)?, |$this:ident| $($fact:ident: $value:expr),+ $(,)?) => {
        impl std::fmt::Debug for $type $(<$($lifetime),+>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                f.debug_struct(stringify!($type))$(.field(stringify!($fact), &$value))+.finish()
            }
        }
    };
}

pub(crate) use bounded_debug;
