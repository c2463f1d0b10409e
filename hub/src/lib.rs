//! Documents in any OCI registry, and in image layouts.
//!
//! ```
//! use coconut_codec::compile::{CompileOptions, compile};
//! use coconut_hub::{Annotations, Hub, HubOptions, LayerCache, Publication, Reference};
//!
//! # let folder = tempfile::tempdir()?;
//! # let folder = folder.path();
//! let document = compile(br#"{"name": "aws", "modules": {}}"#, &CompileOptions::default())?.bytes;
//! let cache = Some(LayerCache::new(folder));
//! let hub = Hub::new(HubOptions { cache, ..HubOptions::default() });
//! // A registry has references such as `oci://hub.example/acme/aws:1.0.0`.
//! let reference = Reference::parse(&format!("oci-layout:{}/hub:1.0.0", folder.display()))?;
//!
//! let title = "aws.coco".to_owned();
//! let publication = Publication { title, document: document.clone(), source: None };
//! let pushed = hub.push(vec![publication], &reference, &Annotations::new())?;
//!
//! let found = hub.find_one(&reference, None)?;
//! assert_eq!(found.reference.digest, pushed.reference.digest);
//! assert_eq!(hub.pull(&found)?.bytes, document);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * [`Reference`] names a manifest; nothing in it is completed.
//! * [`Hub`] resolves, pulls, pushes, lists and copies. Everything that it returns was compared
//!   with its digest, and documents are verified whole.
//! * [`Remote`] is a document that is read in place, with a few requests.
//! * [`VerifyKey`] verifies signatures of minisign, which [`Hub::attach`] publishes.
//! * [`LockFile`] is `coco.lock`: the documents that names of packages stand for.
//! * [`manifest`] has the form of an artifact, and [`LayerCache`] what was pulled before.
//!
//! Calls block the thread. Each request has a time limit ([`HubOptions::patience`]), and a
//! transfer one more second for each 64 KiB. Credentials come from the places of Docker and
//! Podman, and appear in no error.

#![forbid(unsafe_code)]

mod cache;
mod digest;
mod error;
mod hub;
mod layout;
pub mod limits;
mod lock_file;
pub mod manifest;
mod network;
mod reference;
mod registry;
mod remote;
mod signature;
mod store;

pub use cache::LayerCache;
pub use digest::Digest;
pub use error::{HubError, HubErrorKind};
pub use hub::{Found, Hub, HubOptions, Publication, PublishedSource, Pulled, Pushed};
pub use lock_file::{LockFile, LockState, LockedArtifact, package_name};
pub use manifest::Annotations;
pub use network::Progress;
pub use reference::{Place, Reference};
pub use remote::{Reading, Remote};
pub use signature::{SIGNATURE, VerifyKey};
