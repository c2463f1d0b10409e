//! Enums of kinds: one list for the variants, their codes and their texts.

/// Declares an enum of kinds with their codes, messages, and advice on how to fix the fault.
///
/// ```
/// coconut_format::kinds! {
///     /// What is wrong with a box.
///     #[derive(Debug)]
///     pub enum Fault(code, message, hint), shown by std::convert::identity;
///     /// Too few items.
///     Short { needed: u64 } => "BOX-SHORT", "needs {needed} items", "add some";
///     /// No lid.
///     Open => "BOX-OPEN", "the box is open", "";
/// }
/// assert_eq!(Fault::CODES, ["BOX-SHORT", "BOX-OPEN"]);
/// assert_eq!(Fault::MESSAGES, ["needs {needed} items", "the box is open"]);
/// let short = Fault::Short { needed: 3 };
/// assert_eq!((short.code(), short.hint()), ("BOX-SHORT", "add some"));
/// assert_eq!(short.to_string(), "needs 3 items");
/// ```
///
/// The columns are `(code, message)`, `(message, hint)`, or all three. With all three, each field
/// passes through the function after `shown by` before it enters the message.
#[doc(hidden)]
#[macro_export]
macro_rules! kinds {
    (
        $(#[$meta:meta])* pub enum $Kinds:ident(code, message);
        $( $(#[doc = $doc:literal])+ $name:ident $({ $($field:ident : $ty:ty),+ })? => $code:literal, $message:literal; )+
    ) => {
        $crate::kinds! {
            @enum $(#[$meta])* $Kinds std::convert::identity;
            $( $(#[doc = $doc])+ $name $({ $($field : $ty),+ })? $message; )+
        }
        $crate::kinds! { @codes $Kinds $($name $code)+ }
    };
    (
        $(#[$meta:meta])* pub enum $Kinds:ident(message, hint);
        $( $(#[doc = $doc:literal])+ $name:ident $({ $($field:ident : $ty:ty),+ })? => $message:literal, $hint:literal; )+
    ) => {
        $crate::kinds! {
            @enum $(#[$meta])* $Kinds std::convert::identity;
            $( $(#[doc = $doc])+ $name $({ $($field : $ty),+ })? $message; )+
        }
        $crate::kinds! { @hints $Kinds $($name $hint)+ }
    };
    (
        $(#[$meta:meta])* pub enum $Kinds:ident(code, message, hint), shown by $show:path;
        $(
            $(#[doc = $doc:literal])+
            $name:ident $({ $($field:ident : $ty:ty),+ })? => $code:literal, $message:literal, $hint:literal;
        )+
    ) => {
        $crate::kinds! {
            @enum $(#[$meta])* $Kinds $show;
            $( $(#[doc = $doc])+ $name $({ $($field : $ty),+ })? $message; )+
        }
        $crate::kinds! { @codes $Kinds $($name $code)+ }
        $crate::kinds! { @hints $Kinds $($name $hint)+ }
    };
    (
        @enum $(#[$meta:meta])* $Kinds:ident $show:path;
        $( $(#[doc = $doc:literal])+ $name:ident $({ $($field:ident : $ty:ty),+ })? $message:literal; )+
    ) => {
        $(#[$meta])*
        #[non_exhaustive]
        pub enum $Kinds {
            $( $(#[doc = $doc])+ $name $({
                $( #[expect(missing_docs, reason = "the message of the kind explains its fields")] $field: $ty ),+
            })?, )+
        }

        impl $Kinds {
            /// The messages of all kinds in the order of the list, with the names of their fields
            /// in braces.
            pub const MESSAGES: &'static [&'static str] = &[$($message),+];
        }

        impl std::fmt::Display for $Kinds {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self { $( $Kinds::$name $({ $($field),+ })? => {
                    $( $( let $field = $show($field); )+ )?
                    write!(f, $message)
                } )+ }
            }
        }
    };
    (@codes $Kinds:ident $($name:ident $code:literal)+) => {
        impl $Kinds {
            /// The codes of all kinds, in the order of the registry.
            pub const CODES: &'static [&'static str] = &[$($code),+];

            /// The stable code, for machines and for `coco explain`.
            pub fn code(&self) -> &'static str {
                match self { $( $Kinds::$name { .. } => $code, )+ }
            }
        }
    };
    (@hints $Kinds:ident $($name:ident $hint:literal)+) => {
        impl $Kinds {
            /// The remedy, as an imperative without a full stop. Empty if there is no general
            /// advice.
            pub fn hint(&self) -> &'static str {
                match self { $( $Kinds::$name { .. } => $hint, )+ }
            }
        }
    };
}
