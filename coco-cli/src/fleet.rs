//! The second cache level, where this build has one (feature `fleet`).
//!
//! Commands say the same in both cases: [`Level`] without the feature has no arguments and does nothing.

#[cfg(not(feature = "fleet"))]
mod absent;
#[cfg(feature = "fleet")]
mod present;

#[cfg(not(feature = "fleet"))]
pub(crate) use absent::{FleetArguments, Level, PublishArguments};
#[cfg(feature = "fleet")]
pub(crate) use present::{FleetArguments, Level, PublishArguments};

use coconut_codec::loader::Fallback;
use serde::Serialize;

/// What a fleet said about one document.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Answer {
    pub(crate) location: String,
    /// `present` where it was not asked, `found`, `absent`, or `passed`, with the reason among the fallbacks.
    pub(crate) answer: &'static str,
    /// Bytes that were fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bytes: Option<u64>,
    #[serde(skip)]
    pub(crate) fallback: Option<Fallback>,
}
