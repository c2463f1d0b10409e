//! §11 Names. Package names, tokens, type tokens and package references, parsed strictly.
//!
//! Every type here is a checked text: if it exists, it is valid, and it prints exactly as it was
//! read. An invalid text gives a [`NameError`] with the byte of the fault.
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
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub mod special;
#[cfg(not(feature = "tooling"))]
pub(crate) mod special;
mod token;
mod type_token;
mod version;

pub use error::{NameError, NameErrorKind};
pub use grammar::{ModuleName, Name, PackageName};
pub use package_url::{PackageReference, PackageUrl};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use short::short_tokens;
#[cfg(feature = "verify")]
pub(crate) use token::has_member_keys;
pub use token::{ModuleToken, Token, TokenParts, literal_key, member_name};
pub use type_token::{FunctionType, Primitive, TypeToken};
#[cfg(feature = "tooling")]
#[doc(hidden)]
pub use version::{Comparator, Comparison};
pub use version::{SemanticVersion, VersionRange, VersionSpec};
