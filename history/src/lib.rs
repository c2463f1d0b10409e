//! §23 History packs: every version of a document in one file, and an index of what changed.
//!
//! A pack is a SQLite file. It has the exact text of each version as a patch of an earlier one, a
//! chain of digests over all versions, and a table of the keys that each version changed. So a
//! version costs what it changes, and the history of one key is found without reading any text.
//!
//! ```
//! use coconut_history::{Entry, KeyAction, Pack};
//!
//! let folder = tempfile::tempdir()?;
//! let mut pack = Pack::create(folder.path().join("shop.cocohist"))?;
//! let entry = Entry { source: "file", who: Some("ada"), ..Entry::default() };
//! pack.add(br#"{"package": "p", "vertices": {"web": {"type": "t", "size": 1}}}"#, &entry)?;
//! pack.add(br#"{"package": "p", "vertices": {"web": {"type": "t", "size": 2}}}"#, &entry)?;
//!
//! assert_eq!(pack.log("web")?, [(1, KeyAction::Created), (2, KeyAction::Changed)]);
//! let first = pack.resolve("~1")?;
//! assert!(pack.text(first.n)?.ends_with(br#""size": 1}}}"#));
//! assert_eq!(pack.verify(None, &mut |_| {})?.versions, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`Pack`] has everything: [`Pack::add`], [`Pack::text`], [`Pack::log`], [`Pack::verify`],
//!   [`Pack::prune`], [`Pack::restore`], [`Pack::backup`].
//! * A lock, and the rules of serial numbers and lineages, make it the store of a state server:
//!   [`Pack::lock`], [`Unlock`], [`Entry`].
//! * [`Revision`] has the names of versions, and [`time`] the form of times.

#![forbid(unsafe_code)]

mod adding;
mod changes;
mod copying;
mod delta;
mod entry;
mod error;
mod facts;
mod integrity;
mod labels;
pub mod limits;
mod lock;
mod pack;
mod records;
mod resolving;
mod restoring;
mod retention;
mod revision;
mod schema;
mod slots;
mod texts;
pub mod time;
mod version;

pub use changes::KeyAction;
pub use entry::{Added, Entry};
pub use error::{HistoryError, HistoryErrorKind};
pub use integrity::Verified;
pub use lock::{Event, Lock, LockFacts, Unlock, same_text};
pub use pack::Pack;
pub use retention::{Pruned, Retention};
pub use revision::{Revision, is_label};
pub use version::Version;
