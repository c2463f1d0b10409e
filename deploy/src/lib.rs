//! Carries out a graph of resources with providers, so that no crash leaves a resource that no file
//! names (§25).
//!
//! [`Environment`] has the files: a snapshot, a journal beside it, and a lock. [`deploy()`]
//! compares the wanted resources with the state, calls a [`Provider`] for each step, and writes
//! each intention before its call. After a crash, an operation without a result is in
//! [`State::unresolved`], until [`resolve`] or the next deployment finds its outcome.
//!
//! ```
//! use coconut_deploy::{
//!     CallError, CheckRequest, Checked, Created, Diff, DiffRequest, Environment, Existing, Live,
//!     Options, Provider, Providers, Updated, Wanted, deploy,
//! };
//! use coconut_format::Value;
//! use std::sync::Arc;
//!
//! /// Everything exists as soon as it is named.
//! struct Names;
//!
//! impl Provider for Names {
//!     fn configure(&self, _: &[(String, Value)]) -> Result<(), CallError> {
//!         Ok(())
//!     }
//!     fn check(&self, request: &CheckRequest<'_>) -> Result<Checked, CallError> {
//!         Ok(Checked { inputs: request.new_inputs.to_vec(), failures: Vec::new() })
//!     }
//!     fn diff(&self, _: &DiffRequest<'_>) -> Result<Diff, CallError> {
//!         Ok(Diff::default())
//!     }
//!     fn create(
//!         &self,
//!         urn: &str,
//!         _: &str,
//!         inputs: &[(String, Value)],
//!     ) -> Result<Created, CallError> {
//!         let outputs = inputs.to_vec();
//!         Ok(Created { id: urn.len().to_string(), outputs, init_errors: Vec::new() })
//!     }
//!     fn read(&self, _: &Existing<'_>) -> Result<Option<Live>, CallError> {
//!         Ok(None)
//!     }
//!     fn update(
//!         &self,
//!         _: &Existing<'_>,
//!         inputs: &[(String, Value)],
//!     ) -> Result<Updated, CallError> {
//!         Ok(Updated { outputs: inputs.to_vec(), init_errors: Vec::new() })
//!     }
//!     fn delete(&self, _: &Existing<'_>) -> Result<(), CallError> {
//!         Ok(())
//!     }
//!     fn cancel(&self) {}
//! }
//!
//! let folder = tempfile::tempdir()?;
//! let mut environment = Environment::open(&folder.path().join("dev.coco"))?;
//! let providers = Providers::new().with("names", Arc::new(Names), Vec::new());
//! let mut program = vec![Wanted {
//!     urn: "urn:pulumi:dev::shop::names:index:Name::a".to_owned(),
//!     type_token: "names:index:Name".to_owned(),
//!     inputs: vec![("size".to_owned(), 1u64.into())],
//!     ..Wanted::default()
//! }];
//! let options = Options::default();
//! let outcome = deploy(&mut environment, &mut program, &providers, &options, &mut |_| {})?;
//! assert!(outcome.is_complete());
//! let created = environment.state().live(&program[0].urn).expect("it was created");
//! assert_eq!(created.id(), Some("41"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod cipher;
mod environment;
mod error;
mod fault;
mod intent;
mod interrupt;
mod journal;
mod pool;
mod preview;
mod program;
mod provider;
mod refresh;
mod resolve;
mod run;
mod state;
mod step;

pub use cipher::Cipher;
pub use environment::Environment;
pub use error::DeployError;
pub use fault::{Fault, FaultKind};
pub use intent::{Entry, Intent, Operation};
pub use interrupt::Interrupt;
pub use journal::Record;
pub use preview::{Action, Preview, Step, preview};
pub use program::{Known, Program, Wanted};
pub use provider::{
    CallError, CheckRequest, Checked, Created, Diff, DiffRequest, Effect, Existing, Live, Properties,
    Provider, Providers, Updated,
};
pub use refresh::{Accept, Drift, Refreshed, import_live, refresh};
pub use resolve::resolve;
pub use run::{Failed, Options, Outcome, SkipReason, deploy};
pub use state::{ResourceState, State, StateError, Unresolved};

#[cfg(test)]
mod tests;
