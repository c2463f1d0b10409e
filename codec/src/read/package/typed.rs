//! Typed views of the nodes of a package (§13.4), made from the list of kinds.
//!
//! A view has one method for each field that its kind has, so a mistyped field does not compile.
//! Each call reads the keys of the node again, as [`IlView`] does. A field that is absent, null or
//! of another type is `None`, `false` or empty.
//!
//! ```
//! use coconut_codec::read::package::typed::ClassView;
//! use coconut_codec::{CompileOptions, Document, PackView, compile};
//!
//! let source = br#"{"name": "shop", "modules": {"index": {"kind": "Module", "members": {"Cart": {
//!     "kind": "Class", "sealed": true, "members": {
//!         "size": {"kind": "ClassProperty", "type": {"tok": "number"}, "optional": true}}}}}}}"#;
//! let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
//! let package = PackView::of(file.view()).expect("it is a package");
//!
//! let cart = package.member("shop:index:Cart")?.expect("it is there");
//! let cart = ClassView::of(cart).expect("it is a class");
//! assert!(cart.is_sealed()?);
//! for property in cart.properties()? {
//!     let (name, property) = property?;
//!     assert_eq!((name, property.type_token()?), ("size", Some("number")));
//!     assert!(property.is_optional()?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::IlView;
use crate::read::view::ValueView;
use coconut_format::error::DecodeError;
use coconut_format::il::SyntaxKind;

/// Makes the method of one field, by the shape of its value.
macro_rules! method {
    (node $name:ident $key:literal) => {
        #[doc = concat!("Returns the node under `", $key, "`.")]
        pub fn $name(self) -> Result<Option<IlView<'a>>, DecodeError> {
            self.0.node($key)
        }
    };
    (nodes $name:ident $key:literal) => {
        #[doc = concat!("Iterates over the nodes in the list `", $key, "`.")]
        pub fn $name(
            self,
        ) -> Result<impl Iterator<Item = Result<IlView<'a>, DecodeError>> + use<'a>, DecodeError> {
            self.0.nodes($key)
        }
    };
    (entries $name:ident $key:literal) => {
        #[doc = concat!("Iterates over the nodes in the map `", $key, "`, with their names.")]
        pub fn $name(
            self,
        ) -> Result<impl Iterator<Item = Result<(&'a str, IlView<'a>), DecodeError>> + use<'a>, DecodeError> {
            self.0.entries($key)
        }
    };
    (token $name:ident $key:literal) => {
        #[doc = concat!("Returns the text of the token or identifier under `", $key, "`.")]
        pub fn $name(self) -> Result<Option<&'a str>, DecodeError> {
            self.0.token($key)
        }
    };
    (text $name:ident $key:literal) => {
        #[doc = concat!("Returns the string under `", $key, "`.")]
        pub fn $name(self) -> Result<Option<&'a str>, DecodeError> {
            self.0.text($key)
        }
    };
    (flag $name:ident $key:literal) => {
        #[doc = concat!("Returns whether `", $key, "` is `true`.")]
        pub fn $name(self) -> Result<bool, DecodeError> {
            self.0.flag($key)
        }
    };
    (value $name:ident $key:literal) => {
        #[doc = concat!("Returns the value under `", $key, "`.")]
        pub fn $name(self) -> Result<Option<ValueView<'a>>, DecodeError> {
            self.0.value($key)
        }
    };
}

/// Makes a macro for each group of fields, which makes the methods of the group.
macro_rules! groups {
    ($(
        $(#[doc = $doc:literal])+
        $group:ident {
            $( $method:ident $key:literal $shape:ident: $needed:expr, [$( $form:expr, $era:expr );+]; )+
        }
    )+) => {
        $( macro_rules! $group { () => { $( method!($shape $method $key); )+ }; } )+
    };
}

/// Makes the typed view of each kind.
macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])+
        $kind:ident $view:ident: $union:ident, $kind_era:expr, [$( $group:ident ),*] {
            $( $method:ident $key:literal $shape:ident: $needed:expr, [$( $form:expr, $era:expr );+]; )*
        }
    )+) => {
        /// A node as the typed view of its kind.
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        pub enum TypedView<'a> { $( $(#[doc = $doc])+ $kind($view<'a>), )+ }

        impl<'a> IlView<'a> {
            /// Returns the typed view of the node. Costs nothing.
            pub fn typed(self) -> TypedView<'a> {
                match self.kind() { $( SyntaxKind::$kind => TypedView::$kind($view(self)), )+ }
            }
        }

        $(
            $(#[doc = $doc])+
            #[derive(Clone, Copy, Debug)]
            pub struct $view<'a>(IlView<'a>);

            impl<'a> $view<'a> {
                /// Returns the node as one of this kind, if it is one. Costs nothing.
                pub fn of(node: IlView<'a>) -> Option<$view<'a>> {
                    (node.kind() == SyntaxKind::$kind).then_some($view(node))
                }

                /// Returns the node without its type.
                pub fn node(self) -> IlView<'a> {
                    self.0
                }

                $( $group!(); )*
                $( method!($shape $method $key); )*
            }
        )+
    };
}

coconut_format::list_of_kinds!(groups, kinds);

/// Makes methods that iterate over the members of one kind.
macro_rules! members_of {
    ($( $(#[doc = $doc:literal])+ $around:ident: $method:ident -> $view:ident; )+) => {
        $(
            impl<'a> $around<'a> {
                $(#[doc = $doc])+
                pub fn $method(
                    self,
                ) -> Result<impl Iterator<Item = Result<(&'a str, $view<'a>), DecodeError>> + use<'a>, DecodeError>
                {
                    let members = self.members()?;
                    let of_kind = |(name, node)| Some((name, $view::of(node)?));
                    Ok(members.filter_map(move |member| member.map(of_kind).transpose()))
                }
            }
        )+
    };
}

members_of! {
    /// Iterates over the variables of the class and of its instances, with their names.
    ClassView: properties -> ClassPropertyView;
    /// Iterates over the functions of the class and of its instances, with their names.
    ClassView: methods -> ClassMethodView;
    /// Iterates over the classes of the module, with their names.
    ModuleView: classes -> ClassView;
    /// Iterates over the functions of the module, with their names.
    ModuleView: functions -> ModuleMethodView;
    /// Iterates over the variables of the module, with their names.
    ModuleView: properties -> ModulePropertyView;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{CompileOptions, compile};
    use crate::read::file::DocumentFile;
    use crate::read::package::PackView;

    #[test]
    fn each_kind_has_a_view_of_its_own() {
        for &kind in SyntaxKind::ALL {
            let text = format!(r#"{{"name": "p", "modules": {{}}, "node": {{"kind": "{kind:?}"}}}}"#);
            let bytes = compile(text.as_bytes(), &CompileOptions::default()).unwrap().bytes;
            let file = DocumentFile::from_data(bytes).unwrap();
            let root = PackView::of(file.view()).unwrap().root();
            assert!(matches!(root.typed(), TypedView::Package(_)));
            let node = root.node("node").unwrap();
            assert_eq!(node.is_some(), SyntaxKind::from_tag(kind.name()).is_some(), "{kind:?}");
            let Some(node) = node else { continue };
            let name = format!("{:?}", node.typed());
            assert!(name.starts_with(&format!("{kind:?}({kind:?}View(")), "{name}");
        }
    }

    #[test]
    fn members_are_told_apart_by_their_kind() {
        let text = br#"{"name": "p", "modules": {"m": {"kind": "Module", "members": {
            "C": {"kind": "Class", "extends": {"kind": "TypeToken", "tok": "p:m:B"}, "members": {
                "a": {"kind": "ClassProperty", "type": {"kind": "TypeToken", "tok": "string"}, "readonly": true},
                "b": {"kind": "ClassMethod", "returnType": "number"}}},
            "f": {"kind": "ModuleMethod"}, "v": {"kind": "ModuleProperty"}}}}}"#;
        let file = DocumentFile::from_data(compile(text, &CompileOptions::default()).unwrap().bytes).unwrap();
        let package = PackView::of(file.view()).unwrap();
        let module = ModuleView::of(package.module("m").unwrap().unwrap()).unwrap();
        let names = |found: Vec<&str>| found.join(" ");
        assert_eq!(names(module.classes().unwrap().map(|found| found.unwrap().0).collect()), "C");
        assert_eq!(names(module.functions().unwrap().map(|found| found.unwrap().0).collect()), "f");
        assert_eq!(names(module.properties().unwrap().map(|found| found.unwrap().0).collect()), "v");
        let (_, class) = module.classes().unwrap().next().unwrap().unwrap();
        assert_eq!(class.extends().unwrap(), Some("p:m:B"));
        let (name, property) = class.properties().unwrap().next().unwrap().unwrap();
        assert_eq!((name, property.type_token().unwrap()), ("a", Some("string")));
        assert!(property.is_readonly().unwrap() && !property.is_optional().unwrap());
        let (name, method) = class.methods().unwrap().next().unwrap().unwrap();
        assert_eq!((name, method.return_type().unwrap()), ("b", Some("number")));
        assert!(ClassView::of(property.node()).is_none());
    }
}
