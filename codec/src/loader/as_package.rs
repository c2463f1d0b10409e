//! Types that name a package.

use super::{LoadError, LoadErrorKind};
use coconut_format::names::PackageReference;
use std::borrow::Cow;

/// A name of a package: a text, or a [`PackageReference`]. Sealed.
pub trait AsPackage: sealed::Sealed {
    /// Returns the reference. A text must be a valid reference other than `*`.
    #[doc(hidden)]
    fn reference(&self) -> Result<Cow<'_, PackageReference>, LoadError>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for &str {}
    impl Sealed for &String {}
    impl Sealed for &super::PackageReference {}
}

impl AsPackage for &str {
    fn reference(&self) -> Result<Cow<'_, PackageReference>, LoadError> {
        match self.parse() {
            Ok(reference) => Ok(Cow::Owned(reference)),
            Err(error) => Err(LoadErrorKind::Name(error).after(Vec::new())),
        }
    }
}

impl AsPackage for &String {
    fn reference(&self) -> Result<Cow<'_, PackageReference>, LoadError> {
        match self.parse() {
            Ok(reference) => Ok(Cow::Owned(reference)),
            Err(error) => Err(LoadErrorKind::Name(error).after(Vec::new())),
        }
    }
}

impl AsPackage for &PackageReference {
    fn reference(&self) -> Result<Cow<'_, PackageReference>, LoadError> {
        Ok(Cow::Borrowed(*self))
    }
}
