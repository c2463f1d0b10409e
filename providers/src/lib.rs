//! Finds, launches and calls the providers of other engines, for [`coconut_deploy`].
//!
//! * [`pulumi`]: plug-ins that speak Pulumi's protocol, over gRPC.
//!
//! A provider is a program of its own. It is started with [`pulumi::launch`], and stopped when the
//! value is dropped. One that ends by itself is started again with the next call. Calls block; they
//! must not be made on a thread of an asynchronous runtime.
//!
//! ```no_run
//! use coconut_deploy::Provider;
//! use coconut_providers::pulumi::{self, Launch};
//!
//! let source = pulumi::find("random", None)?;
//! let random = pulumi::launch(Launch::new("random", source))?;
//! random.configure(&[])?;
//! println!("version {}", random.version());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod error;
mod grpc;
mod log;
mod process;
pub mod pulumi;
mod redaction;

pub use error::LaunchError;
pub use log::{Log, Severity};
