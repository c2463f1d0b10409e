//! The state of the cache for a source.

use super::fallback::FallbackReason;
use crate::cache::CacheFault;
use std::path::PathBuf;

/// The state of the cache for a source.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum CacheState {
    /// The entry for this load.
    Hit {
        /// Its file.
        entry: PathBuf,
    },
    /// An entry was made from this source before, with other inputs.
    Stale {
        /// The inputs that differ.
        differs: Vec<Input>,
    },
    /// Nothing was ever made from this source.
    Miss,
    /// The cache has a stamp of the source for exactly these inputs, but no entry. The entry was
    /// removed, or could not be made or kept.
    Removed,
    /// An entry that cannot be used.
    Refused(FallbackReason),
    /// There is no cache, or it is switched off.
    Off,
    /// The cache cannot be used.
    Unavailable(CacheFault),
}

coconut_format::named! {
    /// An input of an entry.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
    pub enum Input {
        /// The content of the source.
        Source = "source";
        /// The options of compiling it.
        Options = "options";
        /// The version of this library, and with it that of the format.
        Producer = "producer";
    }
    /// The word for it: `source`, `options` or `producer`.
    pub fn name;
}

impl CacheState {
    /// The word for this state: `hit`, `stale`, `miss`, `removed`, `refused`, `off` or
    /// `unavailable`.
    pub fn name(&self) -> &'static str {
        match self {
            CacheState::Hit { .. } => "hit",
            CacheState::Stale { .. } => "stale",
            CacheState::Miss => "miss",
            CacheState::Removed => "removed",
            CacheState::Refused(_) => "refused",
            CacheState::Off => "off",
            CacheState::Unavailable(_) => "unavailable",
        }
    }
}

impl From<&FallbackReason> for CacheState {
    /// The state of a cache whose entry is not used for this reason.
    fn from(reason: &FallbackReason) -> CacheState {
        match reason {
            FallbackReason::Cache(fault) if !fault.is_about_entry() => CacheState::Unavailable(fault.clone()),
            reason => CacheState::Refused(reason.clone()),
        }
    }
}
