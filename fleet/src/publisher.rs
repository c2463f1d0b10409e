//! Publishes documents to a fleet.

use crate::{Fleet, Outcome};
use coconut_codec::loader::{Fallback, Loader, RemoteRequest};

/// Writes to a fleet.
#[derive(Clone, Copy, Debug)]
pub struct Publisher<'f> {
    fleet: &'f Fleet,
}

/// The result of publishing a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// The fleet has it now.
    Written {
        /// The number of bytes sent.
        bytes: u64,
    },
    /// The fleet had it before, or the document came from the fleet.
    Present,
    /// The cache does not have it, as its loader has already reported.
    Absent,
}

impl<'f> Publisher<'f> {
    pub(crate) fn new(fleet: &'f Fleet) -> Self {
        Publisher { fleet }
    }

    /// Publishes a document from the cache of `loader`, unless the fleet already has it. `before`
    /// is the outcome of pulling it: an object that was refused then is replaced.
    ///
    /// The document is checked completely first, since a damaged object would affect all machines.
    /// Objects appear as a whole or not at all, if the store guarantees it. Readers verify them in
    /// any case.
    pub fn publish(
        &self,
        loader: &Loader,
        request: &RemoteRequest,
        before: &Outcome,
    ) -> Result<Published, Fallback> {
        let object = self.fleet.object(request);
        let (transfers, deadline) = (&self.fleet.transfers, self.fleet.options.publish_deadline);
        let failed = |fault| self.fleet.fallback(fault, object.clone());
        let is_there = match before {
            Outcome::Found { .. } => true,
            Outcome::Absent => false,
            _ if before.is_refusal() => false,
            _ => self.fleet.unless_lost(|| transfers.has(request.key(), deadline)).map_err(failed)?,
        };
        if is_there {
            return Ok(Published::Present);
        }
        let exported = loader.export(request);
        let exported = exported.map_err(|reason| Fallback::new(object.clone(), reason))?;
        let Some(entry) = exported else { return Ok(Published::Absent) };
        let bytes = entry.len() as u64;
        self.fleet.unless_lost(|| transfers.put(request.key(), entry, deadline)).map_err(failed)?;
        Ok(Published::Written { bytes })
    }
}

impl Published {
    /// The name of the result: `written`, `present` or `absent`.
    pub fn name(self) -> &'static str {
        match self {
            Published::Written { .. } => "written",
            Published::Present => "present",
            Published::Absent => "absent",
        }
    }
}
