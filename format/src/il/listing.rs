//! §13.4 The macros that generate the list of kinds.

/// Generates the accessor of one field, by the shape of its value.
///
/// `accessor!(pub node condition "condition");` generates `pub fn condition(self) -> Option<&'a
/// SyntaxNode>`.
macro_rules! accessor {
    ($vis:vis node $accessor:ident $key:literal) => {
        #[doc = concat!("The node under `", $key, "`.")]
        $vis fn $accessor(self) -> Option<&'a SyntaxNode> {
            self.node().node($key)
        }
    };
    ($vis:vis nodes $accessor:ident $key:literal) => {
        #[doc = concat!("The nodes in the list `", $key, "`.")]
        $vis fn $accessor(self) -> impl Iterator<Item = &'a SyntaxNode> {
            self.node().nodes($key)
        }
    };
    ($vis:vis entries $accessor:ident $key:literal) => {
        #[doc = concat!("The nodes in the map `", $key, "`, with their names.")]
        $vis fn $accessor(self) -> impl Iterator<Item = (&'a str, &'a SyntaxNode)> {
            self.node().entries($key)
        }
    };
    ($vis:vis token $accessor:ident $key:literal) => {
        #[doc = concat!("The text of the token or identifier under `", $key, "`, in whichever form it is written.")]
        $vis fn $accessor(self) -> Option<&'a str> {
            self.node().token($key)
        }
    };
    ($vis:vis text $accessor:ident $key:literal) => {
        #[doc = concat!("The string under `", $key, "`.")]
        $vis fn $accessor(self) -> Option<&'a str> {
            self.node().text($key)
        }
    };
    ($vis:vis flag $accessor:ident $key:literal) => {
        #[doc = concat!("Whether `", $key, "` is `true`.")]
        $vis fn $accessor(self) -> bool {
            self.node().flag($key)
        }
    };
    ($vis:vis value $accessor:ident $key:literal) => {
        #[doc = concat!("The value under `", $key, "`.")]
        $vis fn $accessor(self) -> Option<&'a Value> {
            self.node().value($key)
        }
    };
}

/// Declares the fields that several kinds share: a trait to read them, and their part of the list.
///
/// A row reads: function, key, shape, the dialects that require it, its types with their dialects.
macro_rules! groups {
    ($(
        $(#[doc = $doc:literal])+
        $group:ident {
            $( $accessor:ident $key:literal $shape:ident: $needed:expr, [$( $form:expr, $era:expr );+]; )+
        }
    )+) => {
        $(
            $(#[doc = $doc])+
            pub trait $group<'a>: NodeView<'a> {
                $( accessor!($shape $accessor $key); )+
            }
        )+

        /// A set of fields that several kinds share.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Group { $( $(#[doc = $doc])+ $group, )+ }

        impl Group {
            /// The fields of the group.
            pub const fn fields(self) -> &'static [FieldSpec] {
                match self {
                    $( Group::$group => const { &[$(
                        FieldSpec { key: $key, needed: $needed, forms: &[$( Form { of: $form, era: $era } ),+] }
                    ),+] }, )+
                }
            }
        }
    };
}

/// Declares the kinds: the enum with the names, a typed view of each, and the list of fields.
///
/// The head of an entry reads: name, union, dialects, groups; the rows are those of `groups!`.
macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident $lazy:ident: $union:ident, $kind_era:expr, [$( $group:ident ),*] {
            $( $accessor:ident $key:literal $shape:ident: $needed:expr, [$( $form:expr, $era:expr );+]; )*
        }
    )+) => {
        /// The kind of a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
        pub enum SyntaxKind { $( $(#[doc = $doc])+ $kind, )+ }

        impl SyntaxKind {
            /// All kinds, in the order of the list.
            pub const ALL: &'static [SyntaxKind] = &[$( SyntaxKind::$kind ),+];

            /// The name. For a tagged kind, this is the text of the `kind` field.
            pub fn name(self) -> &'static str {
                match self { $( SyntaxKind::$kind => stringify!($kind), )+ }
            }

            /// The kind that a `kind` field with this text denotes.
            pub fn from_tag(tag: &str) -> Option<SyntaxKind> {
                let kind = match tag { $( stringify!($kind) => SyntaxKind::$kind, )+ _ => return None };
                kind.is_tagged().then_some(kind)
            }

            /// The places where nodes of the kind are allowed.
            #[doc(hidden)]
            pub fn union(self) -> Union {
                match self { $( SyntaxKind::$kind => Union::$union, )+ }
            }

            /// The dialects that have the kind.
            pub fn era(self) -> Era {
                match self { $( SyntaxKind::$kind => $kind_era, )+ }
            }

            /// The groups of fields that the kind shares with others.
            #[doc(hidden)]
            pub fn groups(self) -> &'static [Group] {
                match self { $( SyntaxKind::$kind => &[$( Group::$group ),*], )+ }
            }

            pub(super) fn field_lists(self) -> &'static [&'static [FieldSpec]] {
                match self {
                    $( SyntaxKind::$kind => const { &[
                        match Union::$union { Union::Record => &[], _ => NODE_FIELDS },
                        $( Group::$group.fields(), )*
                        &[$(
                            FieldSpec { key: $key, needed: $needed, forms: &[$( Form { of: $form, era: $era } ),+] }
                        ),*],
                    ] }, )+
                }
            }
        }

        /// A typed view of a node.
        #[derive(Clone, Copy, Debug)]
        pub enum View<'a> { $( $(#[doc = $doc])+ $kind($kind<'a>), )+ }

        impl SyntaxNode {
            /// The typed view of the node. Costs nothing.
            #[doc(hidden)]
            pub fn view(&self) -> View<'_> {
                match self.kind() { $( SyntaxKind::$kind => View::$kind($kind(self)), )+ }
            }
        }

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug)]
            pub struct $kind<'a>(&'a SyntaxNode);

            impl<'a> $kind<'a> {
                /// The node as this view, if it has this kind.
                pub fn of(node: &'a SyntaxNode) -> Option<$kind<'a>> {
                    (node.kind() == SyntaxKind::$kind).then_some($kind(node))
                }

                $( accessor!(pub $shape $accessor $key); )*
            }

            impl<'a> NodeView<'a> for $kind<'a> {
                fn node(self) -> &'a SyntaxNode {
                    self.0
                }
            }

            $( impl<'a> $group<'a> for $kind<'a> {} )*
        )+
    };
}

pub(super) use {accessor, groups, kinds};
