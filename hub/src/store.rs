//! A repository of a registry, or an image layout: the same questions to both.

use crate::digest::Digest;
use crate::error::HubError;
use crate::layout::Layout;
use crate::manifest::{Content, Descriptor, Received};
use crate::network::{Network, Progress};
use crate::reference::{Place, Wanted};
use crate::registry::Repository;
use bytes::Bytes;
use std::io::Write;

/// A place of manifests and blobs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Store<'n> {
    Layout(Layout<'n>),
    Registry(Repository<'n>),
}

impl<'n> Store<'n> {
    /// The store at a place. Connects to nothing yet.
    pub(crate) fn of(
        place: &'n Place,
        network: impl FnOnce() -> Result<&'n Network, HubError>,
    ) -> Result<Store<'n>, HubError> {
        Ok(match place {
            Place::Layout(directory) => Store::Layout(Layout { directory }),
            Place::Registry { host, repository } => {
                Store::Registry(Repository { network: network()?, host, name: repository })
            }
        })
    }

    pub(crate) fn manifest(&self, wanted: Wanted<'_>) -> Result<Received, HubError> {
        match self {
            Store::Layout(layout) => layout.manifest(wanted),
            Store::Registry(repository) => repository.manifest(wanted),
        }
    }

    /// Writes a blob to `sink`, and compares its digest at the end.
    pub(crate) fn blob(
        &self,
        blob: &Descriptor,
        sink: &mut dyn Write,
        progress: &Progress,
    ) -> Result<(), HubError> {
        match self {
            Store::Layout(layout) => layout.blob(blob, sink, progress),
            Store::Registry(repository) => repository.blob(blob, sink, progress),
        }
    }

    pub(crate) fn has_blob(&self, blob: &Descriptor) -> Result<bool, HubError> {
        match self {
            Store::Layout(layout) => Ok(layout.has_blob(blob)),
            Store::Registry(repository) => repository.has_blob(blob.digest),
        }
    }

    pub(crate) fn put_blob(&self, digest: Digest, bytes: Bytes, progress: &Progress) -> Result<(), HubError> {
        match self {
            Store::Layout(layout) => {
                layout.put_blob(digest, &bytes)?;
                progress.moved(bytes.len());
                Ok(())
            }
            Store::Registry(repository) => repository.put_blob(digest, bytes, progress),
        }
    }

    /// Copies a blob from another store, in pieces. A blob with another digest never gets here.
    pub(crate) fn put_blob_from(
        &self,
        from: &Store<'_>,
        blob: &Descriptor,
        progress: &Progress,
    ) -> Result<(), HubError> {
        let fill = |sink: &mut dyn Write| from.blob(blob, sink, progress);
        match self {
            Store::Layout(layout) => layout.put_blob_from(blob, fill),
            Store::Registry(repository) => repository.put_blob_from(blob, fill),
        }
    }

    /// Writes a manifest under a tag, or only under its digest.
    pub(crate) fn put_manifest(&self, tag: Option<&str>, received: &Received) -> Result<(), HubError> {
        let name = tag.map_or(Wanted::Digest(received.digest), Wanted::Tag);
        match self {
            Store::Layout(layout) => layout.put_manifest(name, received),
            Store::Registry(repository) => {
                let bytes = received.bytes.clone();
                let lists_referrers =
                    repository.put_manifest(name, received.digest, received.media_type(), bytes)?;
                match &received.content {
                    Content::Manifest(manifest) if !lists_referrers => match &manifest.subject {
                        Some(subject) => {
                            let annotations = manifest.annotations.clone();
                            let referrer = Descriptor { annotations, ..received.descriptor() };
                            repository.add_referrer(subject.digest, referrer)
                        }
                        None => Ok(()),
                    },
                    _ => Ok(()),
                }
            }
        }
    }

    pub(crate) fn tags(&self) -> Result<Vec<String>, HubError> {
        match self {
            Store::Layout(layout) => layout.tags(),
            Store::Registry(repository) => repository.tags(),
        }
    }

    pub(crate) fn referrers(&self, subject: Digest) -> Result<Vec<Descriptor>, HubError> {
        match self {
            Store::Layout(layout) => layout.referrers(subject),
            Store::Registry(repository) => repository.referrers(subject),
        }
    }
}
