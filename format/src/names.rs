//! §11 Names. Package names, tokens, type tokens and package references, parsed strictly.
//!
//! Every type here is a checked text: if it exists, it is valid, and it prints exactly as it was
//! read. An invalid text gives a [`NameError`] with the byte where it goes wrong.
//!
//! ```
//! use coconut_format::names::{Token, TokenParts};
//!
//! let token = Token::parse("aws:ec2/instance:Instance")?;
//! assert_eq!(
//!     token.parts(),
//!     TokenParts::ModuleMember { package: "aws", module: "ec2/instance", member: "Instance" }
//! );
//!
//! let error = Token::parse("aws:ec2/9lives:Cat").unwrap_err();
//! assert_eq!(error.excerpt(), "aws:ec2/9lives:Cat\n        ^ expected a letter, `_` or `.`");
//! # Ok::<(), coconut_format::names::NameError>(())
//! ```

mod error;
mod grammar;
mod package_url;
mod short;
mod token;
mod type_token;
mod version;

pub use error::{NameError, NameErrorKind};
pub use grammar::{ModuleName, Name, PackageName};
pub use package_url::{PackageReference, PackageUrl};
pub use short::short_tokens;
pub use token::{ModuleToken, Token, TokenParts};
pub use type_token::{FunctionType, MAX_TYPE_DEPTH, Primitive, TypeToken};
pub use version::{Comparator, Comparison, SemanticVersion, VersionRange, VersionSpec};

/// Names with a meaning for the toolchain (§11.1). All begin with a dot, which no source language
/// allows.
pub mod special {
    /// The alias of a package's default module.
    pub const DEFAULT_MODULE: &str = ".default";
    /// The object that an instance member belongs to.
    pub const THIS: &str = ".this";
    /// The same object, seen as its base class.
    pub const SUPER: &str = ".super";
    /// The entry point of a module.
    pub const MAIN: &str = ".main";
    /// The initializer of a module or a class.
    pub const INIT: &str = ".init";
    /// The constructor of a class.
    pub const CONSTRUCTOR: &str = ".ctor";
}
