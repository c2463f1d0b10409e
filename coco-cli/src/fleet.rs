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

use coco_inspect::json::{number, object, text};
use coconut_codec::loader::Fallback;
use coconut_format::Value;

/// What a fleet said about one document.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) location: String,
    /// `present` where it was not asked, `found`, `absent`, or `passed`, with the reason among the fallbacks.
    pub(crate) answer: &'static str,
    /// Bytes that were fetched.
    pub(crate) bytes: Option<u64>,
    pub(crate) fallback: Option<Fallback>,
}

impl Answer {
    pub(crate) fn to_json(&self) -> Value {
        object([
            ("location", text(&self.location)),
            ("answer", text(self.answer)),
            ("bytes", self.bytes.map_or(Value::Null, number)),
        ])
    }
}
