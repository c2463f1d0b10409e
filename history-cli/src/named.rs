//! Arguments that name a version: `PACK@REV`.

use crate::failure::OrFail;
use coconut_history::{Entry, Pack, Version};
use coconut_report::Failure;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A pack, and the name of a version in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) pack: PathBuf,
    /// `None` for the newest.
    pub(crate) revision: Option<String>,
}

impl Named {
    /// Reads `PACK@REV`. A file whose whole name is the argument has no revision. Before a date,
    /// the sign may be doubled.
    pub(crate) fn parse(argument: &str) -> Named {
        let whole = || Named { pack: argument.into(), revision: None };
        if Path::new(argument).is_file() {
            return whole();
        }
        match argument.rsplit_once('@') {
            Some((pack, revision)) if !pack.is_empty() => {
                let pack = pack.strip_suffix('@').filter(|pack| !pack.is_empty()).unwrap_or(pack);
                Named { pack: pack.into(), revision: Some(revision.to_owned()) }
            }
            _ => whole(),
        }
    }

    /// Opens the pack for reading, and finds the version.
    pub(crate) fn open(&self) -> Result<(Pack, Version), Failure> {
        let pack = Pack::open_read_only(&self.pack).or_fail()?;
        let version = version_in(&pack, self.revision.as_deref())?;
        Ok((pack, version))
    }
}

/// The version with this name; the newest without one.
pub(crate) fn version_in(pack: &Pack, revision: Option<&str>) -> Result<Version, Failure> {
    pack.resolve(revision.unwrap_or("~0")).or_fail()
}

/// An entry of this process, made now.
pub(crate) fn entry_now(source: &str) -> Entry<'_> {
    Entry { source, time: now(), ..Entry::default() }
}

/// The time, in milliseconds since 1970 UTC.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The user of this process, in the form in which Terraform names itself.
pub(crate) fn user() -> Option<String> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    variable("USER").or_else(|| variable("USERNAME"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_follows_the_last_sign() {
        let parsed = |argument: &str| {
            let named = Named::parse(argument);
            (named.pack.display().to_string(), named.revision)
        };
        let named = |pack: &str, revision: &str| (pack.to_owned(), Some(revision.to_owned()));
        assert_eq!(parsed("a.cocohist"), ("a.cocohist".to_owned(), None));
        assert_eq!(parsed("a.cocohist@~2"), named("a.cocohist", "~2"));
        assert_eq!(parsed("a@b/c@serial:4"), named("a@b/c", "serial:4"));
        assert_eq!(parsed("a.cocohist@@2026-11-01"), named("a.cocohist", "2026-11-01"));
        assert_eq!(parsed("@2"), ("@2".to_owned(), None));
    }
}
