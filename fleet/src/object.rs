//! One object of a store, read in ranges.

use crate::FleetOptions;
use crate::store;
use crate::transfer::{Transfers, innermost};
use coconut_codec::loader::FleetFault;
use object_store::path::Path;
use object_store::{Error, GetOptions, GetRange, ObjectStore, ObjectStoreExt};
use std::ops::Range;
use std::sync::Arc;

/// An object, for reading. It is always the same content: once it is replaced, reading fails.
#[derive(Debug)]
pub struct RemoteObject {
    transfers: Transfers,
    options: FleetOptions,
    path: Path,
    length: u64,
    /// The version of the content, if the store has versions.
    tag: Option<String>,
}

impl RemoteObject {
    /// Opens the object at a URL of [`Fleet::open`](crate::Fleet::open). Costs a request.
    ///
    /// # Errors
    /// Fails if there is no such object, or if it cannot be asked for.
    pub fn open(url: &str, options: FleetOptions) -> Result<Option<RemoteObject>, FleetFault> {
        let (_, store, path) = store::open_object(url, &options)?;
        let transfers = Transfers::new(Arc::<dyn ObjectStore>::from(store), Path::default())?;
        let wanted = path.clone();
        let head = transfers.with(options.deadline, async move |store| match store.head(&wanted).await {
            Ok(head) => Ok(Some(head)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(crate::transfer::fault(&error)),
        })?;
        Ok(head.map(|head| RemoteObject { transfers, options, path, length: head.size, tag: head.e_tag }))
    }

    /// The number of bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes in a range. Costs a request.
    ///
    /// # Errors
    /// Fails if the object was replaced, or if it cannot be read in time.
    pub fn read(&self, range: Range<u64>) -> Result<Vec<u8>, FleetFault> {
        let (path, length) = (self.path.clone(), range.end - range.start);
        let range = Some(GetRange::Bounded(range));
        let options = GetOptions { range, if_match: self.tag.clone(), ..GetOptions::default() };
        // One more second for each 64 KiB.
        let deadline = self.options.deadline + std::time::Duration::from_secs(length >> 16);
        let bytes = self.transfers.with(deadline, async move |store| {
            let answer = store.get_opts(&path, options).await;
            let bytes = match answer {
                Ok(answer) => answer.bytes().await,
                Err(error) => Err(error),
            };
            bytes.map_err(|error| match error {
                Error::Precondition { .. } => {
                    FleetFault::Unavailable { what: "the object was replaced meanwhile".to_owned() }
                }
                error @ Error::NotSupported { .. } => FleetFault::Unavailable { what: innermost(&error) },
                error => crate::transfer::fault(&error),
            })
        })?;
        match bytes.len() as u64 == length {
            true => Ok(bytes.into()),
            false => {
                let what = format!("it sent {} bytes of {length}", bytes.len());
                Err(FleetFault::Unavailable { what })
            }
        }
    }
}
