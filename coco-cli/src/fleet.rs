//! The second cache level, if the feature `fleet` is on.
//!
//! The callers are the same in both cases: [`Level`] without the feature has no arguments and does
//! nothing.

#[cfg(not(feature = "fleet"))]
mod absent;
#[cfg(feature = "fleet")]
mod present;

#[cfg(not(feature = "fleet"))]
pub(crate) use absent::{FleetArguments, Level, PublishArguments};
#[cfg(feature = "fleet")]
pub(crate) use present::{FleetArguments, Level, PublishArguments};

use coconut_codec::loader::Fallback;
use coconut_format::Value;
use coconut_report::json::{number, object, text};

/// The result of a fleet for one document.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) location: String,
    /// `present` if the fleet was not contacted, `found`, `absent`, or `passed` with the reason
    /// among the fallbacks.
    pub(crate) answer: &'static str,
    /// Bytes fetched.
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
