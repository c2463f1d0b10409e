//! §11.3 Package references. The text that accompanies the name of a dependency.
//!
//! ```text
//! PackageUrl = "*" | [ Protocol "://" ] [ Base ] PackageName [ "#" VersionSpec ]
//! Base       = everything up to and including the first "/",
//!              if a "." is anywhere in Base PackageName
//! ```
//!
//! Only the dot decides: `a/b.c` has the base `a/`, while `1.0` is a base without a package.

use std::fmt;
use std::str::FromStr;

use super::{NameError, NameErrorKind, PackageName, VersionSpec};

/// The source and the version of a dependency.
///
/// Absent parts stay absent, so that it prints as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum PackageUrl {
    /// `*`: the name of the dependency, and the defaults for everything else.
    Any,
    /// A package, with at least a name.
    Package(PackageReference),
}

/// The parts of a package reference.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackageReference {
    /// `git` of `git://…`; by default `https`.
    pub protocol: Option<Box<str>>,
    /// The host with its slash: `github.com/`; by default the hub of the toolchain.
    pub base: Option<Box<str>>,
    /// The package.
    pub name: PackageName,
    /// The version; by default the latest.
    pub version: Option<VersionSpec>,
}

impl PackageUrl {
    /// Checks the whole text.
    ///
    /// # Errors
    /// The first place where the text is not a reference.
    pub fn parse(text: &str) -> Result<PackageUrl, NameError> {
        if text == "*" {
            return Ok(PackageUrl::Any);
        }
        let (protocol, name_start) = match text.find("://") {
            Some(end) => (Some(text[..end].into()), end + "://".len()),
            None => (None, 0),
        };
        let (name_end, version) = match text[name_start..].find('#') {
            Some(offset) => {
                let hash = name_start + offset;
                let version = VersionSpec::parse(&text[hash + 1..]);
                (hash, Some(version.map_err(|e| NameError::new(e.kind, hash + 1 + e.at, text))?))
            }
            None => (text.len(), None),
        };
        let located = &text[name_start..name_end];
        let (base, name) = if located.contains('.') {
            let slash = located.find('/').filter(|slash| slash + 1 < located.len());
            let slash =
                slash.ok_or_else(|| NameError::new(NameErrorKind::BaseWithoutName, name_end, text))?;
            (Some(located[..=slash].into()), &located[slash + 1..])
        } else {
            (None, located)
        };
        let shift = name_end - name.len();
        let name = PackageName::parse(name).map_err(|e| NameError::new(e.kind, shift + e.at, text))?;
        Ok(PackageUrl::Package(PackageReference { protocol, base, name, version }))
    }
}

/// A reference to a package. `*` does not name one.
///
/// ```
/// use coconut_format::names::PackageReference;
///
/// let aws: PackageReference = "aws#1.2.3".parse()?;
/// assert_eq!(aws.name.as_str(), "aws");
/// assert!("*".parse::<PackageReference>().is_err());
/// # Ok::<(), coconut_format::names::NameError>(())
/// ```
impl FromStr for PackageReference {
    type Err = NameError;

    fn from_str(text: &str) -> Result<PackageReference, NameError> {
        match PackageUrl::parse(text)? {
            PackageUrl::Package(reference) => Ok(reference),
            PackageUrl::Any => Err(NameError::new(NameErrorKind::Missing, 0, text)),
        }
    }
}

impl FromStr for PackageUrl {
    type Err = NameError;

    fn from_str(text: &str) -> Result<PackageUrl, NameError> {
        PackageUrl::parse(text)
    }
}

impl fmt::Display for PackageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackageUrl::Any => f.write_str("*"),
            PackageUrl::Package(reference) => reference.fmt(f),
        }
    }
}

impl fmt::Display for PackageReference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(protocol) = &self.protocol {
            write!(f, "{protocol}://")?;
        }
        if let Some(base) = &self.base {
            f.write_str(base)?;
        }
        self.name.fmt(f)?;
        match &self.version {
            Some(version) => write!(f, "#{version}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference(text: &str) -> PackageReference {
        match PackageUrl::parse(text).expect(text) {
            PackageUrl::Package(reference) => reference,
            PackageUrl::Any => panic!("{text} is not `*`"),
        }
    }

    fn fault(text: &str) -> (NameErrorKind, usize) {
        let error = PackageUrl::parse(text).expect_err("should be refused");
        (error.kind, error.at)
    }

    #[test]
    fn prints_every_reference_of_the_original_tests_as_it_was_read() {
        let sha = "83030685c3b8a3dbe96bd10ab055f029667a96b0";
        for name in
            ["simple", "namespace/complex", "github.com/ns1/ns2/ns3/ns4/complex", "git://github.com/a/b"]
        {
            for version in ["", "#latest", "#1.0.6", "#>=1.0.6", "#6f99088", &format!("#{sha}")] {
                let text = format!("{name}{version}");
                assert_eq!(PackageUrl::parse(&text).expect(&text).to_string(), text);
            }
        }
        for text in ["*", "ns1/ns2/ns3/ns4/complex", "_/_/_/_a-b/a0/c0Mpl3x_"] {
            assert_eq!(PackageUrl::parse(text).expect(text).to_string(), text);
        }
    }

    #[test]
    fn takes_a_full_reference_apart() {
        let reference = reference("git://github.com/ns1/complex#1.0.6");
        assert_eq!(reference.protocol.as_deref(), Some("git"));
        assert_eq!(reference.base.as_deref(), Some("github.com/"));
        assert_eq!(reference.name.as_str(), "ns1/complex");
        assert_eq!(reference.version, Some(VersionSpec::parse("1.0.6").expect("a version")));
    }

    #[test]
    fn a_dot_anywhere_makes_the_first_part_a_base() {
        let reference = reference("a/b.c");
        assert_eq!((reference.base.as_deref(), reference.name.as_str()), (Some("a/"), "b.c"));
    }

    #[test]
    fn rejects_a_bare_version_as_a_base_without_a_name() {
        assert_eq!(fault("1.0"), (NameErrorKind::BaseWithoutName, 3));
        assert_eq!(fault("^1.0.7"), (NameErrorKind::BaseWithoutName, 6));
        assert_eq!(fault("github.com/"), (NameErrorKind::BaseWithoutName, 11));
    }

    #[test]
    fn offsets_count_from_the_start_of_the_reference() {
        assert_eq!(fault("git://github.com/9/x"), (NameErrorKind::Start, 17));
        assert_eq!(fault("simple#^1.0.6"), (NameErrorKind::Version, 7));
        assert_eq!(fault("simple#1.02.6"), (NameErrorKind::VersionNumber, 9));
        assert_eq!(fault("simple#"), (NameErrorKind::Version, 7));
        assert_eq!(fault("https://#latest"), (NameErrorKind::Missing, 8));
        assert_eq!(fault(""), (NameErrorKind::Missing, 0));
    }
}
