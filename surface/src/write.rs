//! Schemas of other systems as Coconut 2017 packages, and packages as Pulumi schemas.
//!
//! [`read`](crate::read()) builds the model of a schema. The writers for packages (§12) and for
//! Pulumi schemas share names, type texts and the outline of a large schema. The same schema gives
//! the same document, compiled or not.

pub(crate) mod finding;
pub(crate) mod legal;
pub(crate) mod named;
pub(crate) mod names;
pub(crate) mod numbers;
pub(crate) mod outline;
pub(crate) mod taken;
pub(crate) mod type_text;
pub(crate) mod writer;

pub use crate::cocopack::write::streamed::{StreamError, push_package_by_parts};
pub use crate::cocopack::write::{PackageOptions, push_package, source_places};
pub use crate::pulumi::write::push_pulumi_schema;
pub use crate::typescript::write::declarations;
pub use finding::{CODES, ConvertError, LOST, NAME, TranslationFinding, TranslationFindingKind};
pub use outline::{Outline, Outliner};
