//! Transfers of objects, each within its deadline.
//!
//! The store talks to its server on a separate thread, and the caller waits on a channel. At the
//! deadline the wait ends, whatever that thread is doing. An unresolvable name, a server that sends
//! a byte a second, and a library that blocks all cost the same.

use coconut_codec::cache::EntryKey;
use coconut_codec::loader::FleetFault;
use futures_util::StreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt};
use std::future::Future;
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// The version of the layout. Versions are stored separately, so different versions of this library
/// use different objects.
const LAYOUT: &str = "v1";

/// The name of the thread.
const THREAD: &str = "coconut-fleet";

/// A store, and the thread that talks to it.
#[derive(Debug)]
pub(crate) struct Transfers {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// Present until the drop.
    runtime: Option<Runtime>,
}

/// The name of an object below the location, for an entry with a name of 64 digits.
pub(crate) fn path_below(name: &str) -> String {
    format!("{LAYOUT}/{}/{name}", &name[..2])
}

impl Transfers {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, prefix: Path) -> Result<Transfers, FleetFault> {
        let unavailable = |error: io::Error| FleetFault::Unavailable { what: error.to_string() };
        check_threads().map_err(unavailable)?;
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(1).thread_name(THREAD).enable_all();
        // The last thread may have ended since.
        let built = panic::catch_unwind(AssertUnwindSafe(|| builder.build()));
        let built = built.unwrap_or_else(|_| Err(io::ErrorKind::WouldBlock.into()));
        let runtime = built.map_err(unavailable)?;
        Ok(Transfers { store, prefix, runtime: Some(runtime) })
    }

    /// The bytes of an object, at most `limit`; `None` if there is no object.
    pub(crate) fn fetch(
        &self,
        key: EntryKey,
        limit: u64,
        deadline: Duration,
    ) -> Result<Option<Vec<u8>>, FleetFault> {
        let (store, path) = (self.store.clone(), self.path(key));
        self.within(deadline, async move {
            let object = match store.get(&path).await {
                Ok(object) => object,
                Err(Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(fault(&error)),
            };
            let expected = object.meta.size;
            check_size(expected, limit)?;
            let mut bytes = Vec::new();
            let mut stream = object.into_stream();
            while let Some(piece) = stream.next().await {
                let piece = piece.map_err(|error| fault(&error))?;
                // The server may send more than announced.
                check_size(bytes.len() as u64 + piece.len() as u64, limit)?;
                bytes.extend_from_slice(&piece);
            }
            match bytes.len() as u64 == expected {
                true => Ok(Some(bytes)),
                false => {
                    let what = format!("it sent {} bytes of {expected}", bytes.len());
                    Err(FleetFault::Unavailable { what })
                }
            }
        })
    }

    /// Whether the object exists.
    pub(crate) fn has(&self, key: EntryKey, deadline: Duration) -> Result<bool, FleetFault> {
        let (store, path) = (self.store.clone(), self.path(key));
        self.within(deadline, async move {
            match store.head(&path).await {
                Ok(_) => Ok(true),
                Err(Error::NotFound { .. }) => Ok(false),
                Err(error) => Err(fault(&error)),
            }
        })
    }

    /// Writes an object, replacing an existing one.
    pub(crate) fn put(&self, key: EntryKey, entry: Vec<u8>, deadline: Duration) -> Result<(), FleetFault> {
        let (store, path) = (self.store.clone(), self.path(key));
        self.within(deadline, async move {
            store.put(&path, entry.into()).await.map(drop).map_err(|error| fault(&error))
        })
    }

    fn path(&self, key: EntryKey) -> Path {
        let below = path_below(&key.to_string());
        below.split('/').fold(self.prefix.clone(), Path::join)
    }

    /// Returns the result of `work` on the store if it arrives within the deadline.
    pub(crate) fn with<T, F>(
        &self,
        deadline: Duration,
        work: impl FnOnce(Arc<dyn ObjectStore>) -> F,
    ) -> Result<T, FleetFault>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, FleetFault>> + Send + 'static,
    {
        self.within(deadline, work(self.store.clone()))
    }

    /// Returns the result of `work` if it arrives within the deadline.
    fn within<T: Send + 'static>(
        &self,
        deadline: Duration,
        work: impl Future<Output = Result<T, FleetFault>> + Send + 'static,
    ) -> Result<T, FleetFault> {
        let (sender, receiver) = sync_channel(1);
        let runtime = self.runtime.as_ref().expect("it is there until the drop");
        let task = runtime.spawn(async move {
            // The caller may no longer be waiting, which is harmless.
            let _ = sender.send(work.await);
        });
        receiver.recv_timeout(deadline).unwrap_or_else(|error| {
            task.abort();
            Err(match error {
                RecvTimeoutError::Timeout => FleetFault::Deadline { waited: deadline },
                RecvTimeoutError::Disconnected => {
                    FleetFault::Unavailable { what: "its client failed".to_owned() }
                }
            })
        })
    }
}

/// Whether the system grants this process another thread. The runtime panics if it gets none for
/// its worker. With one, it can do everything else.
fn check_threads() -> io::Result<()> {
    let thread = thread::Builder::new().name(THREAD.to_owned()).spawn(|| ())?;
    thread.join().map_err(|_| io::Error::other("a thread failed"))
}

impl Drop for Transfers {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting for a blocked thread would exceed the deadline.
            runtime.shutdown_background();
        }
    }
}

fn check_size(found: u64, limit: u64) -> Result<(), FleetFault> {
    match found > limit {
        true => Err(FleetFault::TooLarge { found, limit }),
        false => Ok(()),
    }
}

pub(crate) fn fault(error: &Error) -> FleetFault {
    match error {
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => FleetFault::Denied,
        error => FleetFault::Unavailable { what: innermost(error) },
    }
}

/// The cause of an error, without the URLs and whole server responses that wrap it.
pub(crate) fn innermost(error: &Error) -> String {
    /// A server may send anything, and a longer text is not helpful.
    const LONGEST: usize = 200;
    let mut innermost: &dyn std::error::Error = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    let text = innermost.to_string();
    let mut line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_readers_and_those_without_rights_are_denied() {
        let source = || "why".into();
        let denied = [
            Error::PermissionDenied { path: "a".to_owned(), source: source() },
            Error::Unauthenticated { path: "a".to_owned(), source: source() },
        ];
        for error in denied {
            let fault = fault(&error);
            assert_eq!(
                (fault.code(), fault.to_string()),
                ("FLEET-DENIED", "the fleet refuses access".to_owned())
            );
        }
        let other = Error::Generic { store: "fleet", source: source() };
        assert_eq!(fault(&other), FleetFault::Unavailable { what: "why".to_owned() });
    }
}
