//! §13.3 Dialects. The stages of the Coconut 2017 package format, all under one name.
//!
//! A package does not record its dialect. Each form of a field belongs to an [`Era`]; the eras of
//! all forms in a package determine its possible dialects.

use std::fmt;

/// A stage of the package format, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum PackageDialect {
    /// To 2017-01-20: tokens are plain strings, exports are members.
    P1,
    /// To 2017-02-12: tokens are nodes.
    P2,
    /// To 2017-04-07: modules have an `exports` map.
    P3,
    /// To 2017-04-30: imports are statements, arguments are nodes.
    P4,
    /// To 2017-05-24: object literals distinguish named from computed properties; sequences have a
    /// prelude.
    P5,
    /// From 2017-05-25: lambdas carry their source text.
    P6,
}

impl fmt::Display for PackageDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A run of dialects, both ends included. It is empty if `since` is later than `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Era {
    /// The oldest dialect of the run.
    pub since: PackageDialect,
    /// The newest dialect of the run.
    pub until: PackageDialect,
}

impl Era {
    /// Every dialect.
    pub const ALL: Era = Era { since: PackageDialect::P1, until: PackageDialect::P6 };
    /// No dialect.
    pub const NEVER: Era = Era { since: PackageDialect::P6, until: PackageDialect::P1 };

    /// From `since` to the end of the format.
    pub const fn since(since: PackageDialect) -> Era {
        Era { since, until: PackageDialect::P6 }
    }

    /// From the beginning of the format to `until`.
    pub const fn until(until: PackageDialect) -> Era {
        Era { since: PackageDialect::P1, until }
    }

    /// From `since` to `until`.
    pub const fn within(since: PackageDialect, until: PackageDialect) -> Era {
        Era { since, until }
    }

    /// Whether `dialect` belongs to the run.
    pub fn contains(self, dialect: PackageDialect) -> bool {
        self.since <= dialect && dialect <= self.until
    }

    /// Whether no dialect belongs to the run.
    pub fn is_empty(self) -> bool {
        self.since > self.until
    }

    /// The dialects that belong to both.
    #[must_use]
    pub fn intersection(self, other: Era) -> Era {
        Era { since: self.since.max(other.since), until: self.until.min(other.until) }
    }

    /// The shortest run that contains the dialects of both.
    #[must_use]
    pub fn hull(self, other: Era) -> Era {
        Era { since: self.since.min(other.since), until: self.until.max(other.until) }
    }
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.since == self.until {
            return self.since.fmt(f);
        }
        write!(f, "{} to {}", self.since, self.until)
    }
}

#[cfg(test)]
mod tests {
    use super::PackageDialect::{P2, P3, P4, P5};
    use super::*;

    #[test]
    fn eras_that_do_not_meet_have_an_empty_intersection() {
        assert!(Era::until(P2).intersection(Era::since(P3)).is_empty());
        assert_eq!(Era::until(P4).intersection(Era::since(P3)), Era::within(P3, P4));
    }

    #[test]
    fn never_is_the_identity_of_hull() {
        assert_eq!(Era::NEVER.hull(Era::within(P2, P5)), Era::within(P2, P5));
        assert!(Era::NEVER.is_empty() && !Era::NEVER.contains(P3));
    }
}
