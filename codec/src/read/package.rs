//! A package in a file (§12): modules, members and their trees, read in place.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_codec::read::file::DocumentFile;
//! use coconut_codec::read::package::PackView;
//! use coconut_format::il::SyntaxKind;
//!
//! let source = br#"{"name": "my/cluster", "modules": {"index": {
//!     "kind": "Module", "name": {"kind": "Identifier", "ident": "index"}, "members": {
//!         "isLarge": {
//!             "kind": "ModuleMethod", "name": {"kind": "Identifier", "ident": "isLarge"},
//!             "body": {"kind": "Block", "statements": [
//!                 {"kind": "ReturnStatement",
//!                  "expression": {"kind": "BoolLiteral", "value": true}}
//!             ]}
//!         }
//!     }
//! }}}"#;
//! let compiled = compile(source, &CompileOptions::default())?;
//! let file = DocumentFile::from_data(&compiled.bytes[..])?;
//! let pack = PackView::of(file.view()).expect("it is a package");
//! assert_eq!(pack.name()?, Some("my/cluster"));
//!
//! let function = pack.member("my/cluster:index:isLarge")?.expect("it is a member of the module");
//! assert_eq!(function.kind(), SyntaxKind::ModuleMethod);
//! let body = function.node("body")?.expect("it has a body");
//! let statement = body.children().next().expect("the body has a statement")?;
//! assert_eq!(statement.field, "statements");
//! assert_eq!(statement.node.kind(), SyntaxKind::ReturnStatement);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod children;
mod node;

pub use children::{Child, Children};
pub use node::{IlView, LocationView};

use crate::bounded_debug::bounded_debug;
use crate::read::file::DocumentView;
use crate::read::view::ValueView;
use coconut_format::error::DecodeError;
use coconut_format::il::SyntaxKind;

/// A package in a file: `Copy`, two words.
///
/// Unlike a [`Package`](coconut_format::Package), it has decoded nothing and owns nothing. The
/// paths in its errors start at the document.
#[derive(Clone, Copy, Debug)]
pub struct PackView<'a> {
    document: DocumentView<'a>,
}

impl<'a> PackView<'a> {
    /// Returns the package in `document`, or `None` if the document type is not `cocopack`.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, PackView, compile};
    ///
    /// let source = br#"{"name": "my/net", "modules": {"index": {"kind": "Module"}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let package = PackView::of(file.view()).expect("it is a package");
    /// assert_eq!(package.name()?, Some("my/net"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(document: DocumentView<'a>) -> Option<PackView<'a>> {
        (document.header().document_type == "cocopack").then_some(PackView { document })
    }

    /// Returns the document.
    pub fn document(self) -> DocumentView<'a> {
        self.document
    }

    /// Returns the root as a node of kind [`SyntaxKind::Package`].
    pub fn root(self) -> IlView<'a> {
        IlView::record(self.document.root(), SyntaxKind::Package)
    }

    /// Returns the text under `name`.
    pub fn name(self) -> Result<Option<&'a str>, DecodeError> {
        self.root().text("name")
    }

    /// Iterates over the modules with their names, in document order. Skips values that are not
    /// nodes, like the methods below.
    pub fn modules(
        self,
    ) -> Result<impl Iterator<Item = Result<(&'a str, IlView<'a>), DecodeError>>, DecodeError> {
        self.root().entries("modules")
    }

    /// Returns the module with this name or alias. Reads the names in order until one matches,
    /// without an index.
    ///
    /// ```
    /// use coconut_codec::{CompileOptions, Document, PackView, compile};
    ///
    /// let source = br#"{"name": "my/net", "modules": {"index": {"kind": "Module"}}}"#;
    /// let file = Document::from_data(compile(source, &CompileOptions::default())?.bytes)?;
    /// let package = PackView::of(file.view()).expect("it is a package");
    /// assert!(package.module("index")?.is_some());
    /// assert!(package.module("other")?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn module(self, name: &str) -> Result<Option<IlView<'a>>, DecodeError> {
        if let Some(module) = self.module_named(name)? {
            return Ok(Some(module));
        }
        let target = match self.root().value("aliases")? {
            Some(aliases) => aliases.field(name).map_err(|error| error.below("/aliases"))?,
            None => None,
        };
        match target.map(|target| target.text()).transpose()?.flatten() {
            Some(target) => self.module_named(target),
            None => Ok(None),
        }
    }

    fn module_named(self, name: &str) -> Result<Option<IlView<'a>>, DecodeError> {
        match self.root().value("modules")? {
            Some(modules) => match modules.field(name).map_err(|error| error.below("/modules"))? {
                Some(module) => IlView::of(module),
                None => Ok(None),
            },
            None => Ok(None),
        }
    }

    /// Returns the module, module member or class member with this full token, such as
    /// `aws:ec2/instance:Instance:image`.
    ///
    /// Costs as much as a lookup. If several have the token, returns the first.
    pub fn member(self, token: &str) -> Result<Option<IlView<'a>>, DecodeError> {
        match self.document.get_all(token)?.first() {
            Some(landmark) => IlView::of(landmark.value()?),
            None => Ok(None),
        }
    }

    /// Iterates over the members of all modules, in document order.
    pub fn members(self) -> Result<impl Iterator<Item = Result<Member<'a>, DecodeError>>, DecodeError> {
        let of_module = |(module, node): (&'a str, IlView<'a>)| {
            let members = node.entries("members")?;
            Ok(members.map(move |member| member.map(|(name, node)| Member { module, name, node })))
        };
        Ok(self.modules()?.flat_map(move |module| match module.and_then(of_module) {
            Ok(members) => Either::Members(members),
            Err(error) => Either::Failure(std::iter::once(Err(error))),
        }))
    }

    /// Iterates over the classes of all modules.
    pub fn classes(self) -> Result<impl Iterator<Item = Result<Member<'a>, DecodeError>>, DecodeError> {
        self.members_of(SyntaxKind::Class)
    }

    /// Iterates over the functions of all modules. Methods are members of their classes.
    pub fn functions(self) -> Result<impl Iterator<Item = Result<Member<'a>, DecodeError>>, DecodeError> {
        self.members_of(SyntaxKind::ModuleMethod)
    }

    /// Iterates over the variables of all modules. Variables of a class are members of the class.
    pub fn properties(self) -> Result<impl Iterator<Item = Result<Member<'a>, DecodeError>>, DecodeError> {
        self.members_of(SyntaxKind::ModuleProperty)
    }

    fn members_of(
        self,
        kind: SyntaxKind,
    ) -> Result<impl Iterator<Item = Result<Member<'a>, DecodeError>>, DecodeError> {
        let is_wanted = move |member: &Result<Member<'a>, DecodeError>| match member {
            Ok(member) => member.node.kind() == kind,
            Err(_) => true,
        };
        Ok(self.members()?.filter(is_wanted))
    }

    /// Returns the document, for content without an accessor.
    pub fn value(self) -> ValueView<'a> {
        self.document.root()
    }
}

/// A member of a module.
#[derive(Clone, Copy)]
pub struct Member<'a> {
    /// The name of the module.
    pub module: &'a str,
    /// The name in the module.
    pub name: &'a str,
    /// The member itself.
    pub node: IlView<'a>,
}

bounded_debug!(Member<'_>, |member| node: member.node);

/// The members of a module, or the error of reading them.
enum Either<M, F> {
    Members(M),
    Failure(F),
}

impl<T, M: Iterator<Item = T>, F: Iterator<Item = T>> Iterator for Either<M, F> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self {
            Either::Members(members) => members.next(),
            Either::Failure(failure) => failure.next(),
        }
    }
}
