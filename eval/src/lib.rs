//! Runs packages (§19): a package is a program, and its result is a graph of resources.
//!
//! [`Evaluator::evaluate`] builds the graph, with unknowns for values that only a deployment can
//! supply. [`Evaluator::plan`] compares it with a snapshot while the program runs, as a deployment
//! would.
//!
//! ```
//! use coconut_eval::{Evaluator, Options, PackageList};
//! use coconut_format::{Package, Value};
//!
//! # fn package() -> Value {
//! #     let object = |entries: Vec<(&str, Value)>| {
//! #         Value::Object(entries.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())
//! #     };
//! #     let text = |text: &str| Value::String(text.to_owned());
//! #     let main = object(vec![
//! #         ("kind", text("ModuleMethod")),
//! #         ("name", object(vec![("kind", text("Identifier")), ("ident", text(".main"))])),
//! #         ("body", object(vec![
//! #             ("kind", text("Block")),
//! #             ("statements", Value::List(vec![object(vec![
//! #                 ("kind", text("ReturnStatement")),
//! #                 ("expression", object(vec![
//! #                     ("kind", text("NumberLiteral")),
//! #                     ("value", Value::Integer(42i64.into())),
//! #                 ])),
//! #             ])])),
//! #         ])),
//! #     ]);
//! #     let module = object(vec![
//! #         ("kind", text("Module")),
//! #         ("name", object(vec![("kind", text("Identifier")), ("ident", text("index"))])),
//! #         ("members", object(vec![(".main", main)])),
//! #     ]);
//! #     object(vec![
//! #         ("name", text("my/answer")),
//! #         ("modules", object(vec![("index", module)])),
//! #         ("aliases", object(vec![(".default", text("index"))])),
//! #     ])
//! # }
//! // The package has a function `.main` that returns 42.
//! let package = Package::from_value(package()).expect("it is an object");
//! let mut packages = PackageList::new();
//! packages.add(package);
//! let outcome = Evaluator::new(&packages).evaluate("my/answer", &Options::default())?;
//! assert_eq!(outcome.result(), &Value::Integer(42i64.into()));
//! assert_eq!(outcome.resources().count(), 0);
//! # Ok::<(), coconut_eval::EvalError>(())
//! ```
//!
//! A program can only use the language: there are no functions or providers of the host. The host
//! supplies packages ([`Packages`]), configuration and arguments ([`Options`]), and the behaviour
//! of providers as data ([`ProviderRules`]).
//!
//! The feature `loader` adds `LoaderPackages`: packages by name, through the private cache.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod code;
mod error;
mod evaluator;
mod heap;
mod intrinsics;
mod limits;
#[cfg(feature = "loader")]
mod loading;
mod lower;
mod machine;
mod names;
mod naming;
mod note;
mod options;
mod origin;
mod outcome;
mod packages;
mod placement;
mod plan;
mod program;
mod property;
mod raise;
mod round;
mod rules;
mod script;
mod snapshot;
mod text;

pub use error::{EvalError, EvalErrorKind, Frame};
pub use evaluator::Evaluator;
pub use limits::{Limit, Limits};
#[cfg(feature = "loader")]
pub use loading::LoaderPackages;
pub use note::Note;
pub use options::Options;
pub use origin::origin;
pub use outcome::{Outcome, Resource};
pub use packages::{LoadedPackage, PackageList, PackageSource, Packages, SourceError, ViewedPackage};
pub use plan::{Operation, Plan, PlanStep, StepReason};
pub use raise::{ProgramText, RaiseError, RaiseFinding, RaiseFindingKind, Raised};
pub use round::{KnownResources, Round, Suspension};
pub use rules::{ProviderRules, RulesError};
pub use snapshot::{PendingOperation, Snapshot, SnapshotError};
