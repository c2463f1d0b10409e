//! Enums of words: one list for the variants and their texts.

/// Declares an enum with the texts of its variants. Each function after the enum returns the text
/// in its column. `, ALL` after the name of the enum adds the list of all variants.
///
/// ```
/// coconut_format::named! {
///     /// A side of a box.
///     #[derive(Clone, Copy, Debug, PartialEq)]
///     pub enum Side, ALL {
///         /// The upper one.
///         Top = "top", "^";
///         /// The lower one.
///         Bottom = "bottom", "v";
///     }
///     /// The word for it.
///     pub fn name;
///     /// The sign for it.
///     pub fn sign;
/// }
/// assert_eq!(Side::ALL.map(Side::name), ["top", "bottom"]);
/// assert_eq!(Side::Bottom.sign(), "v");
/// ```
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])* $vis:vis enum $Enum:ident $(, $ALL:ident)? {
            $( $(#[$of_one:meta])* $Variant:ident = $($text:literal),+; )+
        }
        $($functions:tt)+
    ) => {
        $(#[$meta])*
        $vis enum $Enum { $( $(#[$of_one])* $Variant, )+ }

        $crate::named! { @all $vis $Enum [$($ALL)?] $($Variant)+ }
        $crate::named! { @texts $Enum [$($functions)+] $( $Variant [$($text),+] )+ }
    };
    (@all $vis:vis $Enum:ident [] $($Variant:ident)+) => {};
    (@all $vis:vis $Enum:ident [ALL] $($Variant:ident)+) => {
        impl $Enum {
            /// All of them.
            $vis const ALL: [$Enum; [$(stringify!($Variant)),+].len()] = [$($Enum::$Variant),+];
        }
    };
    (
        @texts $Enum:ident [$(#[$meta:meta])* $vis:vis fn $name:ident; $($others:tt)*]
        $( $Variant:ident [$text:literal $(, $rest:literal)*] )+
    ) => {
        impl $Enum {
            $(#[$meta])*
            $vis fn $name(self) -> &'static str {
                match self { $( $Enum::$Variant => $text, )+ }
            }
        }

        $crate::named! { @texts $Enum [$($others)*] $( $Variant [$($rest),*] )+ }
    };
    (@texts $Enum:ident [] $( $Variant:ident [] )+) => {};
}
