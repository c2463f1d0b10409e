//! The operations: resolve, pull, push, list, copy.

use crate::cache::LayerCache;
use crate::digest::Digest;
use crate::error::{HubError, HubErrorKind};
use crate::limits;
use crate::manifest::{
    Annotations, Content, DOCUMENT, DOCUMENT_DIGEST, Descriptor, EMPTY_BYTES, Index, Manifest, Received,
    TITLE, artifact_type, to_bytes,
};
use crate::network::{Network, Progress};
use crate::reference::{Place, Reference, Wanted};
use crate::store::Store;
use coconut_codec::read::file::DocumentFile;
use coconut_codec::{Header, Profile};
use coconut_format::numerals::hex;
use std::collections::HashSet;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Registries, image layouts, and the cache of what came from them.
#[derive(Debug)]
pub struct Hub {
    network: OnceLock<Arc<Network>>,
    options: HubOptions,
}

/// Limits and places.
#[derive(Clone, Debug)]
pub struct HubOptions {
    /// The cache. Without one, everything is fetched again.
    pub cache: Option<LayerCache>,
    /// The maximum size of a layer in bytes.
    pub max_bytes: u64,
    /// The time limit for an answer, and for the next bytes of a layer.
    pub patience: Duration,
    /// Use only the cache and image layouts.
    pub is_offline: bool,
    /// Is called with the bytes of layers that moved.
    pub progress: Progress,
}

impl Default for HubOptions {
    fn default() -> HubOptions {
        HubOptions {
            cache: LayerCache::for_user(),
            max_bytes: limits::LAYER_BYTES,
            patience: limits::ANSWER,
            is_offline: false,
            progress: Progress::default(),
        }
    }
}

/// A document to publish.
#[derive(Clone, Debug)]
pub struct Publication {
    /// The name of its file.
    pub title: String,
    /// The compiled document, of the profile `full`.
    pub document: Vec<u8>,
    /// Its source, to be published beside it.
    pub source: Option<PublishedSource>,
}

/// The source of a document to publish.
#[derive(Clone, Debug)]
pub struct PublishedSource {
    /// The name of its file.
    pub title: String,
    /// `application/json` or `application/yaml`.
    pub media_type: &'static str,
    /// Its text.
    pub bytes: Vec<u8>,
}

/// A published artifact.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// Its reference, with the digest.
    pub reference: Reference,
    /// The documents: their names, and the digests of their manifests and layers.
    pub documents: Vec<(String, Digest, Descriptor)>,
}

/// A document of a registry or an image layout, which is not fetched yet.
#[derive(Clone, Debug)]
pub struct Found {
    /// The reference, with the digest of its manifest.
    pub reference: Reference,
    /// The name of its file.
    pub title: Option<String>,
    /// Its artifact type.
    pub artifact_type: Option<String>,
    /// The layer with the document.
    pub layer: Descriptor,
    /// The annotations of its manifest.
    pub annotations: Annotations,
}

/// A fetched and verified document.
#[derive(Clone, Debug)]
pub struct Pulled {
    /// The place and facts of the document.
    pub found: Found,
    /// The document.
    pub bytes: Vec<u8>,
    /// The document digest (§4.7).
    pub document_digest: Digest,
    /// Whether it came from the cache.
    pub was_cached: bool,
}

impl Hub {
    /// Connects to nothing yet.
    pub fn new(options: HubOptions) -> Hub {
        Hub { network: OnceLock::new(), options }
    }

    /// The options.
    pub fn options(&self) -> &HubOptions {
        &self.options
    }

    pub(crate) fn network(&self) -> Result<&Arc<Network>, HubError> {
        if let Some(network) = self.network.get() {
            return Ok(network);
        }
        let network = Arc::new(Network::new(self.options.patience)?);
        Ok(self.network.get_or_init(|| network))
    }

    pub(crate) fn store<'h>(&'h self, place: &'h Place) -> Result<Store<'h>, HubError> {
        Store::of(place, || self.network().map(|network| &**network))
    }

    /// The manifest of a reference. Costs one request, and none for a digest in the cache.
    ///
    /// # Errors
    /// Fails if there is none, or if it does not have the digest of the reference.
    pub fn resolve(&self, reference: &Reference) -> Result<Received, HubError> {
        let cache = self.options.cache.as_ref();
        if let (Some(cache), Some(digest)) = (cache, reference.digest)
            && let Some(bytes) = cache.manifest(digest)?
        {
            return Received::read(&reference.to_string(), bytes);
        }
        self.check_online(&reference.place, &reference.to_string())?;
        let received = self.store(&reference.place)?.manifest(reference.wanted())?;
        if let Some(cache) = cache {
            cache.put_manifest(received.digest, &received.bytes)?;
        }
        Ok(received)
    }

    pub(crate) fn check_online(&self, place: &Place, what: &str) -> Result<(), HubError> {
        match (self.options.is_offline, place) {
            (true, Place::Registry { .. }) => {
                Err(HubError::new(place, HubErrorKind::Offline { what: what.to_owned() }))
            }
            _ => Ok(()),
        }
    }

    /// The documents of a reference: one, or all of an index. Fetches manifests alone.
    ///
    /// # Errors
    /// Fails if a manifest cannot be read, or is not that of a document.
    pub fn find(&self, reference: &Reference) -> Result<Vec<Found>, HubError> {
        let received = self.resolve(reference)?;
        match &received.content {
            Content::Manifest(manifest) => Ok(vec![found(reference.at(received.digest), None, manifest)?]),
            Content::Index(index) => {
                let (count, limit) = (index.documents().count() as u64, limits::MANIFESTS as u64);
                if count > limit {
                    return Err(HubError::new(reference, HubErrorKind::Limit { found: count, limit }));
                }
                let found = index.documents().map(|entry| self.find_entry(reference, entry));
                let found = found.collect::<Result<Vec<_>, _>>()?;
                match found.is_empty() {
                    true => {
                        let what = "the index has no manifest of a document".to_owned();
                        let kind = HubErrorKind::Artifact { what, hint: String::new() };
                        Err(HubError::new(reference, kind))
                    }
                    false => Ok(found),
                }
            }
        }
    }

    fn find_entry(&self, reference: &Reference, entry: &Descriptor) -> Result<Found, HubError> {
        let reference = Reference { tag: None, ..reference.at(entry.digest) };
        match self.resolve(&reference)?.content {
            Content::Manifest(manifest) => found(reference, entry.title().map(str::to_owned), &manifest),
            Content::Index(_) => {
                let what = "an index in an index".to_owned();
                let kind = HubErrorKind::Artifact { what, hint: String::new() };
                Err(HubError::new(reference, kind))
            }
        }
    }

    /// The one document of a reference, or that with this name in an index.
    ///
    /// # Errors
    /// Fails if there is none, or if there are several and no name chooses one.
    pub fn find_one(&self, reference: &Reference, name: Option<&str>) -> Result<Found, HubError> {
        let mut all = self.find(reference)?;
        let names: Vec<String> = all.iter().filter_map(|found| found.title.clone()).collect();
        if let Some(name) = name {
            all.retain(|found| found.title.as_deref().is_some_and(|title| is_called(title, name)));
        }
        match (all.len(), all.pop()) {
            (1, Some(found)) => Ok(found),
            (count, _) => {
                let what = match (count, name) {
                    (0, Some(name)) => format!("there is no document `{name}`"),
                    (count, _) => format!("the index has {count} documents"),
                };
                let hint = format!("choose one with `--name`: {}", names.join(", "));
                Err(HubError::new(reference, HubErrorKind::Artifact { what, hint }))
            }
        }
    }

    /// Fetches a document, verifies all of it, and puts it into the cache. Processes that fetch the
    /// same document at once wait for the first. Costs the document in memory.
    ///
    /// # Errors
    /// Fails if it cannot be fetched, or is not exactly what its manifest announces.
    pub fn pull(&self, found: &Found) -> Result<Pulled, HubError> {
        let layer = &found.layer;
        let Some(cache) = &self.options.cache else { return self.fetch(found) };
        if let Some(bytes) = cache.layer(layer.digest)? {
            return self.cached(found, bytes);
        }
        self.check_online(&found.reference.place, &layer.digest.to_string())?;
        let _held = cache.lock(layer.digest)?;
        // Another process may have fetched it meanwhile.
        if let Some(bytes) = cache.layer(layer.digest)? {
            return self.cached(found, bytes);
        }
        let pulled = self.fetch(found)?;
        cache.put_layer(layer.digest, &pulled.bytes)?;
        Ok(pulled)
    }

    fn cached(&self, found: &Found, bytes: Vec<u8>) -> Result<Pulled, HubError> {
        self.options.progress.moved(bytes.len());
        // It was verified before, and its digest is right.
        let document_digest = header_of(found, &bytes)?.digest.into();
        Ok(Pulled { found: found.clone(), bytes, document_digest, was_cached: true })
    }

    fn fetch(&self, found: &Found) -> Result<Pulled, HubError> {
        let (layer, limit) = (&found.layer, self.options.max_bytes);
        let fail = |kind| HubError::new(&found.reference, kind);
        if layer.size > limit {
            return Err(fail(HubErrorKind::Limit { found: layer.size, limit }));
        }
        let mut bytes = room_for(layer).map_err(fail)?;
        self.store(&found.reference.place)?.blob(layer, &mut bytes, &self.options.progress)?;
        let document = |error| fail(HubErrorKind::Document(error));
        let file = DocumentFile::from_data(&bytes[..]).map_err(document)?;
        file.view().check_integrity().map_err(document)?;
        let document_digest = Digest::from(file.header().digest);
        let annotated = found.annotations.get(DOCUMENT_DIGEST);
        if let Some(annotated) = annotated.filter(|annotated| **annotated != document_digest.to_string()) {
            let what = format!(
                "it announces the document digest {annotated}, and the document has {document_digest}"
            );
            return Err(fail(HubErrorKind::Artifact { what, hint: String::new() }));
        }
        drop(file);
        Ok(Pulled { found: found.clone(), bytes, document_digest, was_cached: false })
    }

    /// Publishes documents under a tag: one as a manifest, several as an index.
    ///
    /// Manifests depend on nothing but the arguments, so the digest is the same each time. The tag
    /// is written last.
    ///
    /// # Errors
    /// Fails before the first request if a document is damaged or not of the profile `full`.
    pub fn push(
        &self,
        publications: Vec<Publication>,
        reference: &Reference,
        annotations: &Annotations,
    ) -> Result<Pushed, HubError> {
        let Some(tag) = reference.tag.as_deref() else {
            let (what, hint) = ("it has no tag", "append `:TAG`");
            return Err(HubError::new(reference, HubErrorKind::Reference { what, hint }));
        };
        let headers = publications.iter().map(check_publication).collect::<Result<Vec<_>, _>>()?;
        self.check_online(&reference.place, "the registry")?;
        let store = self.store(&reference.place)?;
        let (is_one, quiet) = (publications.len() == 1, Progress::default());
        let (mut documents, mut entries) = (Vec::new(), Vec::new());
        store.put_blob(Digest::of(EMPTY_BYTES), EMPTY_BYTES.into(), &quiet)?;
        for (publication, header) in publications.into_iter().zip(&headers) {
            let Publication { title, document, source } = publication;
            let layer = titled(DOCUMENT, &document, &title);
            store.put_blob(layer.digest, document.into(), &self.options.progress)?;
            let mut layers = vec![layer.clone()];
            if let Some(source) = source {
                let layer = titled(source.media_type, &source.bytes, &source.title);
                store.put_blob(layer.digest, source.bytes.into(), &self.options.progress)?;
                layers.push(layer);
            }
            let manifest = Manifest::of(
                artifact_type(&header.document_type),
                layers,
                annotations
                    .iter()
                    .map(|(name, text)| (name.clone(), text.clone()))
                    .chain(facts(header))
                    .collect(),
            );
            let received = Received::read(&reference.to_string(), to_bytes(&manifest))?;
            store.put_manifest(is_one.then_some(tag), &received)?;
            let mut entry = received.descriptor();
            entry.annotations.insert(TITLE.to_owned(), title.clone());
            entries.push(entry);
            documents.push((title, received.digest, layer));
        }
        let digest = match &documents[..] {
            [(_, digest, _)] => *digest,
            _ => {
                let index = to_bytes(&Index::of(entries, annotations.clone()));
                let received = Received::read(&reference.to_string(), index)?;
                store.put_manifest(Some(tag), &received)?;
                received.digest
            }
        };
        Ok(Pushed { reference: reference.without_digest().at(digest), documents })
    }

    /// The tags of a repository or an image layout, sorted.
    ///
    /// # Errors
    /// Fails if it does not exist, or cannot be read.
    pub fn tags(&self, reference: &Reference) -> Result<Vec<String>, HubError> {
        self.check_online(&reference.place, "the registry")?;
        let mut tags = self.store(&reference.place)?.tags()?;
        tags.sort();
        tags.dedup();
        Ok(tags)
    }

    /// Copies an artifact with all of its parts, and the signatures that refer to it, byte by byte.
    /// Works for artifacts of every kind, in a memory that does not grow with them. Returns the
    /// digest, and the number of copied blobs.
    ///
    /// # Errors
    /// Fails if a part is missing or is not what its descriptor announces.
    pub fn copy(&self, from: &Reference, to: &Reference) -> Result<(Digest, usize), HubError> {
        self.check_online(&from.place, "the registry")?;
        self.check_online(&to.place, "the registry")?;
        let received = self.resolve(from)?;
        let (from_store, to_store) = (self.store(&from.place)?, self.store(&to.place)?);
        let mut copy = Copy { hub: self, from, from_store, to_store, seen: HashSet::new() };
        let tag = to.tag.as_deref();
        let copied = copy.artifact(&received, tag, 0)?;
        Ok((received.digest, copied))
    }
}

/// Two stores.
struct Copy<'h> {
    hub: &'h Hub,
    from: &'h Reference,
    from_store: Store<'h>,
    to_store: Store<'h>,
    /// The manifests so far: an index may name one twice, and one about another may lead back.
    seen: HashSet<Digest>,
}

impl Copy<'_> {
    /// Indexes in indexes are copied so deep.
    const DEPTH: u32 = 4;

    fn artifact(&mut self, received: &Received, tag: Option<&str>, depth: u32) -> Result<usize, HubError> {
        if depth > Self::DEPTH {
            let (what, hint) = ("indexes are nested too deeply".to_owned(), String::new());
            return Err(HubError::new(self.from, HubErrorKind::Artifact { what, hint }));
        }
        if !self.seen.insert(received.digest) {
            return Ok(0);
        }
        if self.seen.len() > limits::MANIFESTS {
            let (found, limit) = (self.seen.len() as u64, limits::MANIFESTS as u64);
            return Err(HubError::new(self.from, HubErrorKind::Limit { found, limit }));
        }
        let mut copied = 0;
        match &received.content {
            Content::Manifest(manifest) => {
                for blob in std::iter::once(&manifest.config).chain(&manifest.layers) {
                    copied += usize::from(self.blob(blob)?);
                }
            }
            Content::Index(index) => {
                for entry in &index.manifests {
                    if self.seen.contains(&entry.digest) {
                        continue;
                    }
                    let part = self.from_store.manifest(Wanted::Digest(entry.digest))?;
                    copied += self.artifact(&part, None, depth + 1)?;
                }
            }
        }
        self.to_store.put_manifest(tag, received)?;
        for referrer in self.from_store.referrers(received.digest)? {
            if self.seen.contains(&referrer.digest) {
                continue;
            }
            let referrer = self.from_store.manifest(Wanted::Digest(referrer.digest))?;
            copied += self.artifact(&referrer, None, depth + 1)?;
        }
        Ok(copied)
    }

    /// Returns whether the blob was not there before.
    fn blob(&self, blob: &Descriptor) -> Result<bool, HubError> {
        let (limit, progress) = (self.hub.options.max_bytes, &self.hub.options.progress);
        if blob.size > limit {
            return Err(HubError::new(self.from, HubErrorKind::Limit { found: blob.size, limit }));
        }
        if self.to_store.has_blob(blob)? {
            return Ok(false);
        }
        self.to_store.put_blob_from(&self.from_store, blob, progress)?;
        Ok(true)
    }
}

/// The document of a manifest.
fn found(reference: Reference, title: Option<String>, manifest: &Manifest) -> Result<Found, HubError> {
    let layer = manifest.document(&reference.to_string())?.clone();
    let title = title.or_else(|| layer.title().map(str::to_owned));
    let (artifact_type, annotations) = (manifest.artifact_type.clone(), manifest.annotations.clone());
    Ok(Found { reference, title, artifact_type, layer, annotations })
}

/// Whether a file has this name, with or without its ending.
fn is_called(title: &str, name: &str) -> bool {
    title == name || title.strip_suffix(".coco").is_some_and(|title| title == name)
}

/// Memory for a layer. The manifest is not trusted: the memory is only used as bytes arrive.
fn room_for(layer: &Descriptor) -> Result<Vec<u8>, HubErrorKind> {
    let mut bytes = Vec::new();
    let size = usize::try_from(layer.size).unwrap_or(usize::MAX);
    let reserved = bytes.try_reserve_exact(size);
    reserved.map_err(|_| HubErrorKind::Limit { found: layer.size, limit: 0 })?;
    Ok(bytes)
}

fn header_of(found: &Found, bytes: &[u8]) -> Result<Header, HubError> {
    let file = DocumentFile::from_data(bytes);
    let file = file.map_err(|error| HubError::new(&found.reference, HubErrorKind::Document(error)))?;
    Ok(file.header().clone())
}

/// Checks a document before it is published: a damaged one would reach everybody.
fn check_publication(publication: &Publication) -> Result<Header, HubError> {
    let fail = |kind| HubError::new(&publication.title, kind);
    let document = |error| fail(HubErrorKind::Document(error));
    let file = DocumentFile::from_data(&publication.document[..]).map_err(document)?;
    file.view().check_integrity().map_err(document)?;
    match file.header().profile {
        Profile::Full => Ok(file.header().clone()),
        other => Err(fail(HubErrorKind::Profile { found: other.name() })),
    }
}

fn titled(media_type: &str, bytes: &[u8], title: &str) -> Descriptor {
    let mut descriptor = Descriptor::of(media_type, bytes);
    descriptor.annotations.insert(TITLE.to_owned(), title.to_owned());
    descriptor
}

/// The annotations that a document has by itself.
fn facts(header: &Header) -> Annotations {
    let mut facts = Annotations::from([
        (DOCUMENT_DIGEST.to_owned(), format!("sha256:{}", hex(&header.digest))),
        ("dev.coconut.producer".to_owned(), header.producer.clone()),
        ("dev.coconut.landmarks".to_owned(), header.landmarks.to_string()),
    ]);
    if let Some(dialect) = &header.dialect {
        facts.insert("dev.coconut.dialect".to_owned(), dialect.clone());
    }
    facts
}
