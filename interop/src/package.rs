//! Schemas of other systems as packages of 2017, and packages as Pulumi schemas.
//!
//! The readers of `coconut_format::api` make the model of a schema. What is here writes it: one
//! file names the definitions of each dialect, one writes packages (§12), and one writes Pulumi
//! schemas. The same schema gives the same document, whether it was compiled or not.

mod cloudformation;
mod cocopack;
mod facets;
mod finding;
mod kubernetes;
mod legal;
mod named;
mod outline;
mod plan;
mod pulumi;
mod pulumi_schema;
mod streamed;
mod terraform;
mod tokens;
mod type_text;
mod writer;

pub use cocopack::{PackageOptions, push_package, source_places};
pub use finding::{CODES, ConvertError, LOST, NAME, TranslationFinding, TranslationFindingKind};
pub use outline::{Outline, Outliner};
pub use pulumi_schema::push_pulumi_schema;
pub use streamed::{StreamError, push_package_by_parts};
