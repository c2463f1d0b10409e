//! Faults of a fleet.

use crate::codes::codes;
use std::fmt;
use std::time::Duration;

/// The reason why a fleet was not used. This is never an error of the program: the source is used
/// instead.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FleetFault {
    /// Its location is invalid, or this program was built without support for its kind.
    Location {
        /// The fault.
        what: String,
    },
    /// It has not answered in time.
    Deadline {
        /// The time that the caller has waited.
        waited: Duration,
    },
    /// It cannot be reached, failed, or stopped in the middle of an answer.
    Unavailable {
        /// The error text.
        what: String,
    },
    /// Reading or writing is not permitted.
    Denied,
    /// An object is larger than any document should be, and was not fetched.
    TooLarge {
        /// Bytes of the object, or bytes received before the transfer was stopped.
        found: u64,
        /// Maximum number of bytes.
        limit: u64,
    },
}

impl FleetFault {
    codes! {
        /// The codes of all faults.
        CODES;
        /// The stable code of the reason.
        code;
        FleetFault::Location { .. } => "FLEET-LOCATION",
        FleetFault::Deadline { .. } => "FLEET-DEADLINE",
        FleetFault::Unavailable { .. } => "FLEET-UNAVAILABLE",
        FleetFault::Denied => "FLEET-DENIED",
        FleetFault::TooLarge { .. } => "FLEET-SIZE";
    }

    /// Whether it is about one object, so that others may be requested.
    pub fn is_about_object(&self) -> bool {
        matches!(self, FleetFault::TooLarge { .. })
    }
}

impl fmt::Display for FleetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FleetFault::Location { what } => write!(f, "invalid location of the fleet: {what}"),
            FleetFault::Deadline { waited } => {
                write!(f, "the fleet did not answer within {} ms", waited.as_millis())
            }
            FleetFault::Unavailable { what } => write!(f, "the fleet is not available: {what}"),
            FleetFault::Denied => write!(f, "the fleet refuses access"),
            FleetFault::TooLarge { found, limit } => {
                write!(f, "the object has {found} bytes, at most {limit} are accepted")
            }
        }
    }
}

impl std::error::Error for FleetFault {}

coconut_format::explained!(FleetFault);
