//! Imports documents of other systems as graphs.
//!
//! A Kubernetes manifest, a Terraform plan, a Compose file and a Puppet catalog have resources, but
//! record few of their dependencies. The edges are implied by names, labels and expressions.
//! [`import()`] finds them.
//!
//! ```
//! use coconut_format::Value;
//! use coconut_interop::infer;
//!
//! # fn object(entries: &[(&str, Value)]) -> Value {
//! #     let entries = entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
//! #     Value::Object(entries.collect())
//! # }
//! # let text = |text: &str| Value::String(text.to_owned());
//! # let web = object(&[("image", text("web")), ("depends_on", Value::List(vec![text("db")]))]);
//! # let db = object(&[("image", text("postgres"))]);
//! # let compose = object(&[("services", object(&[("web", web), ("db", db)]))]);
//! // {"services": {"web": {"image": "web", "depends_on": ["db"]}, "db": {"image": "postgres"}}}
//! let import = infer(&compose).expect("it is a Compose file")?;
//! let [edge] = import.edges() else { panic!("there is one edge") };
//! let key = |resource: u32| &*import.resources()[resource as usize].key;
//! assert_eq!((key(edge.from), edge.kind.name(), key(edge.to)), ("web", "depends-on", "db"));
//! # Ok::<(), coconut_interop::ImportError>(())
//! ```
//!
//! The crate does no I/O. It reads any tree that implements [`Node`](coconut_format::Node), so a
//! compiled document is imported without a copy.

#![forbid(unsafe_code)]

pub mod graph;
pub mod import;
mod output;

pub use import::{
    Edge, EdgeKind, Import, ImportError, ImportFinding, ImportFindingKind, Missing, Options, Resource,
    Source, SourceRecord, System, import, infer, system_of,
};
