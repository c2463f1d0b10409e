//! A repository of a registry, by the distribution specification 1.1.

use crate::digest::Digest;
use crate::error::{HubError, HubErrorKind};
use crate::limits;
use crate::manifest::{Content, Descriptor, INDEX, Index, MANIFEST, Received};
use crate::network::{
    Network, Progress, Request, Scope, Sent, broken, check_way, is_loopback, time_for, unexpected,
};
use crate::reference::{Place, Wanted};
use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_RANGE, LINK, LOCATION, RANGE};
use reqwest::{Method, Response, StatusCode};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use std::io::Write;
use std::ops::Range;
use std::time::Instant;
use url::Url;

/// The header with the digest of a manifest.
const CONTENT_DIGEST: &str = "docker-content-digest";

/// A repository, and the client that reaches it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repository<'n> {
    pub(crate) network: &'n Network,
    pub(crate) host: &'n str,
    pub(crate) name: &'n str,
}

/// The answer to a request for a part of a blob.
#[derive(Debug)]
pub(crate) enum Part {
    /// The requested bytes.
    Bytes(Vec<u8>),
    /// The registry would send the whole blob.
    Whole,
}

impl Repository<'_> {
    fn place(&self) -> Place {
        Place::Registry { host: self.host.to_owned(), repository: self.name.to_owned() }
    }

    fn url(&self, path: &str) -> Result<Url, HubError> {
        let host = if self.host == "docker.io" { "registry-1.docker.io" } else { self.host };
        let invalid = |_| {
            let (what, hint) = ("the host is not valid", "a host is a name or an address, and a port");
            HubError::new(self.place(), HubErrorKind::Reference { what, hint })
        };
        let url = Url::parse(&format!("https://{host}/v2/{}/{path}", self.name)).map_err(invalid)?;
        // This machine needs no encryption, and its registries have no certificates.
        match is_loopback(&url) {
            true => Url::parse(&format!("http://{host}/v2/{}/{path}", self.name)).map_err(invalid),
            false => Ok(url),
        }
    }

    fn send(&self, request: &Request, is_writing: bool) -> Result<Response, HubError> {
        let (host, repository) = (self.host.to_owned(), self.name.to_owned());
        let scope = Scope { host, home: self.url("")?.origin(), repository, is_writing };
        self.network.run(self.network.send(request, &scope))
    }

    /// An address that the registry names in an answer, as the place of the next request.
    fn named(&self, asked: &Request, response: &Response, address: Option<&str>) -> Result<Url, HubError> {
        let place = asked.place();
        // Relative to the place of the answer, which may be that of a redirect.
        let Some(url) = address.and_then(|address| response.url().join(address).ok()) else {
            let what = "no valid address for the next request".to_owned();
            return Err(HubError::new(place, HubErrorKind::Answer { what }));
        };
        check_way(response.url(), &url, &place)?;
        Ok(url)
    }

    fn absent(&self, what: String) -> HubError {
        HubError::new(self.place(), HubErrorKind::Absent { what })
    }

    /// A manifest or an index.
    pub(crate) fn manifest(&self, wanted: Wanted<'_>) -> Result<Received, HubError> {
        let accept = format!(
            "{MANIFEST}, {INDEX}, application/vnd.docker.distribution.manifest.v2+json, \
             application/vnd.docker.distribution.manifest.list.v2+json"
        );
        let url = self.url(&format!("manifests/{wanted}"))?;
        let request = Request::new(Method::GET, url).with_header(ACCEPT, accept);
        let response = self.send(&request, false)?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND => return Err(self.absent(format!("manifest `{wanted}`"))),
            status => return Err(unexpected(&request, status, "for a manifest")),
        }
        let header = response.headers().get(CONTENT_DIGEST).and_then(|digest| digest.to_str().ok());
        let claimed = header.map(str::to_owned);
        let reading = self.network.read(response, &request, limits::MANIFEST_BYTES);
        let bytes = self.network.run(reading)?;
        let digest = Digest::of(&bytes);
        let differs =
            |expected, found| Err(HubError::new(request.place(), HubErrorKind::Digest { expected, found }));
        match (wanted, claimed) {
            (Wanted::Digest(expected), _) if expected != digest => differs(expected, digest.to_string()),
            (_, Some(claimed)) if claimed.starts_with("sha256:") && claimed != digest.to_string() => {
                differs(digest, claimed)
            }
            _ => Received::read(&request.place(), bytes),
        }
    }

    /// Writes a blob to `sink`. A broken transfer is continued; at the end, the digest is compared.
    ///
    /// After an error, `sink` has received a part of the blob, or other bytes.
    pub(crate) fn blob(
        &self,
        blob: &Descriptor,
        sink: &mut dyn Write,
        progress: &Progress,
    ) -> Result<(), HubError> {
        let mut received = Incoming { hasher: Sha256::new(), count: 0, size: blob.size, sink, progress };
        let mut continuations = 0;
        loop {
            let (before, request) = (received.count, self.blob_request(blob)?);
            match self.continue_blob(request, &mut received) {
                Ok(()) => break,
                Err(error) => {
                    let is_broken = matches!(error.kind(), HubErrorKind::Unreachable { .. });
                    if !is_broken || received.count == before || continuations == limits::CONTINUATIONS {
                        return Err(error);
                    }
                }
            }
            continuations += 1;
        }
        let found = Digest::from(<[u8; 32]>::from(received.hasher.finalize()));
        match found == blob.digest {
            true => Ok(()),
            false => {
                let kind = HubErrorKind::Digest { expected: blob.digest, found: found.to_string() };
                Err(HubError::new(self.place(), kind))
            }
        }
    }

    fn blob_request(&self, blob: &Descriptor) -> Result<Request, HubError> {
        Ok(Request::new(Method::GET, self.url(&format!("blobs/{}", blob.digest))?))
    }

    fn continue_blob(&self, mut request: Request, received: &mut Incoming<'_>) -> Result<(), HubError> {
        let from = received.count;
        if from > 0 {
            request = request.with_header(RANGE, format!("bytes={from}-"));
        }
        let mut response = self.send(&request, false)?;
        let fail = |kind| HubError::new(request.place(), kind);
        let mut skipped = 0;
        match response.status() {
            StatusCode::PARTIAL_CONTENT if from > 0 && begins_at(&response, from) => {}
            // The server sends everything again.
            StatusCode::OK => skipped = from,
            StatusCode::NOT_FOUND => return Err(self.absent("layer with this digest".to_owned())),
            status => return Err(unexpected(&request, status, "for a layer")),
        }
        let announced = response.content_length().map(|length| length.saturating_add(from - skipped));
        if let Some(found) = announced.filter(|found| *found != received.size) {
            return Err(fail(HubErrorKind::Size { expected: received.size, found }));
        }
        let patience = self.network.patience() + time_for(received.size);
        let begun = Instant::now();
        let late = || fail(HubErrorKind::Time { seconds: patience.as_secs() });
        loop {
            let left = patience.saturating_sub(begun.elapsed());
            // The timer needs the runtime. The sink must not have it: it may wait for another
            // transfer.
            let next = self.network.run(async { tokio::time::timeout(left, response.chunk()).await });
            let next = next.map_err(|_| late())?;
            let Some(piece) = next.map_err(|error| fail(broken(&error, self.network)))? else { break };
            let again = usize::try_from(skipped).unwrap_or(usize::MAX).min(piece.len());
            skipped -= again as u64;
            received.take(&piece[again..]).map_err(fail)?;
        }
        match received.count == received.size {
            true => Ok(()),
            false => {
                let what = format!("it sent {} bytes of {}", received.count, received.size);
                Err(fail(HubErrorKind::Unreachable { what }))
            }
        }
    }

    /// A part of a blob.
    pub(crate) fn part(&self, blob: &Descriptor, range: Range<u64>) -> Result<Part, HubError> {
        let length = range.end - range.start;
        let request = self.blob_request(blob)?;
        let request = request.with_header(RANGE, format!("bytes={}-{}", range.start, range.end - 1));
        let response = self.send(&request, false)?;
        match response.status() {
            StatusCode::PARTIAL_CONTENT => {}
            StatusCode::OK => return Ok(Part::Whole),
            StatusCode::NOT_FOUND => return Err(self.absent("layer with this digest".to_owned())),
            status => return Err(unexpected(&request, status, "for a part of a layer")),
        }
        let fail = |kind| HubError::new(request.place(), kind);
        let announced = format!("bytes {}-{}/", range.start, range.end - 1);
        let header = response.headers().get(CONTENT_RANGE).and_then(|header| header.to_str().ok());
        let header = header.unwrap_or_default().to_owned();
        let Some(size) = header.strip_prefix(&announced) else {
            let what = format!("the range `{header}` instead of `{announced}{}`", blob.size);
            return Err(fail(HubErrorKind::Answer { what }));
        };
        if let Some(found) = size.parse::<u64>().ok().filter(|size| *size != blob.size) {
            return Err(fail(HubErrorKind::Size { expected: blob.size, found }));
        }
        let bytes = self.network.run(self.network.read(response, &request, length))?;
        match bytes.len() as u64 == length {
            true => Ok(Part::Bytes(bytes)),
            false => {
                let what = format!("it sent {} bytes of {length}", bytes.len());
                Err(fail(HubErrorKind::Unreachable { what }))
            }
        }
    }

    /// Whether the repository has the blob.
    pub(crate) fn has_blob(&self, digest: Digest) -> Result<bool, HubError> {
        let request = Request::new(Method::HEAD, self.url(&format!("blobs/{digest}"))?);
        match self.send(&request, true)?.status() {
            StatusCode::OK => Ok(true),
            StatusCode::NOT_FOUND => Ok(false),
            status => Err(unexpected(&request, status, "for a layer")),
        }
    }

    /// Uploads a blob, unless it is there.
    pub(crate) fn put_blob(&self, digest: Digest, bytes: Bytes, progress: &Progress) -> Result<(), HubError> {
        match self.has_blob(digest)? {
            true => {
                progress.moved(bytes.len());
                Ok(())
            }
            false => self.upload(digest, Sent::new(bytes, progress.clone())),
        }
    }

    /// Uploads a blob that `fill` writes.
    pub(crate) fn put_blob_from(
        &self,
        blob: &Descriptor,
        fill: impl Fn(&mut dyn Write) -> Result<(), HubError> + Send,
    ) -> Result<(), HubError> {
        let piped = |beginnings| self.upload(blob.digest, Sent::piped(blob.size, beginnings));
        self.network.pipe(blob.size, fill, piped)
    }

    fn upload(&self, digest: Digest, body: Sent) -> Result<(), HubError> {
        let begin = Request::new(Method::POST, self.url("blobs/uploads/")?);
        let response = self.send(&begin, true)?;
        if response.status() != StatusCode::ACCEPTED {
            return Err(unexpected(&begin, response.status(), "at the begin of an upload"));
        }
        let header = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
        let mut location = self.named(&begin, &response, header)?;
        location.query_pairs_mut().append_pair("digest", &digest.to_string());
        let put = Request::new(Method::PUT, location).with_body("application/octet-stream", body);
        match self.send(&put, true)?.status() {
            StatusCode::CREATED | StatusCode::NO_CONTENT => Ok(()),
            status => Err(unexpected(&put, status, "at the end of an upload")),
        }
    }

    /// Uploads a manifest under a tag or its digest. Returns whether the registry knows referrers.
    pub(crate) fn put_manifest(
        &self,
        name: Wanted<'_>,
        digest: Digest,
        media_type: &str,
        bytes: Vec<u8>,
    ) -> Result<bool, HubError> {
        let body = Sent::new(bytes.into(), Progress::default());
        let put = Request::new(Method::PUT, self.url(&format!("manifests/{name}"))?);
        let put = put.with_body(media_type, body);
        let response = self.send(&put, true)?;
        match response.status() {
            StatusCode::CREATED | StatusCode::OK | StatusCode::ACCEPTED => {}
            status => return Err(unexpected(&put, status, "for a new manifest")),
        }
        let header = response.headers().get(CONTENT_DIGEST).and_then(|digest| digest.to_str().ok());
        match header {
            Some(found) if found.starts_with("sha256:") && found != digest.to_string() => {
                let kind = HubErrorKind::Digest { expected: digest, found: found.to_owned() };
                Err(HubError::new(put.place(), kind))
            }
            _ => Ok(response.headers().contains_key("oci-subject")),
        }
    }

    /// All tags, in the order of the registry.
    pub(crate) fn tags(&self) -> Result<Vec<String>, HubError> {
        #[derive(Deserialize)]
        struct Page {
            tags: Option<Vec<String>>,
        }
        let mut url = self.url("tags/list")?;
        let mut tags = Vec::new();
        loop {
            let request = Request::new(Method::GET, url.clone());
            let response = self.send(&request, false)?;
            match response.status() {
                StatusCode::OK => {}
                StatusCode::NOT_FOUND => return Err(self.absent("repository of this name".to_owned())),
                status => return Err(unexpected(&request, status, "for tags")),
            }
            let next = next_page(&response);
            let next = next.map(|next| self.named(&request, &response, Some(&next))).transpose()?;
            let bytes = self.network.run(self.network.read(response, &request, limits::ANSWER_BYTES))?;
            let fail = |what: String| HubError::new(request.place(), HubErrorKind::Answer { what });
            let page: Page =
                serde_json::from_slice(&bytes).map_err(|error| fail(format!("the tags: {error}")))?;
            let before = tags.len();
            tags.extend(page.tags.unwrap_or_default());
            if tags.len() > limits::TAGS {
                let (found, limit) = (tags.len() as u64, limits::TAGS as u64);
                return Err(HubError::new(request.place(), HubErrorKind::Limit { found, limit }));
            }
            match next {
                None => return Ok(tags),
                // A page without tags could lead to itself.
                Some(_) if tags.len() == before => return Ok(tags),
                Some(next) => url = next,
            }
        }
    }

    /// The manifests about this one: by the request for them, or by the tag that replaces it.
    pub(crate) fn referrers(&self, subject: Digest) -> Result<Vec<Descriptor>, HubError> {
        let request = Request::new(Method::GET, self.url(&format!("referrers/{subject}"))?);
        let response = self.send(&request.clone().with_header(ACCEPT, INDEX), false)?;
        let is_known = response.status() == StatusCode::OK;
        if is_known {
            let reading = self.network.read(response, &request, limits::MANIFEST_BYTES);
            let bytes = self.network.run(reading)?;
            let received = Received::read(&request.place(), bytes)?;
            if let Content::Index(index) = received.content {
                return Ok(index.manifests);
            }
        } else if response.status() != StatusCode::NOT_FOUND {
            return Err(unexpected(&request, response.status(), "for referrers"));
        }
        Ok(self.referrers_by_tag(subject)?.manifests)
    }

    /// The index under the tag that replaces the request for referrers.
    fn referrers_by_tag(&self, subject: Digest) -> Result<Index, HubError> {
        let tag = referrers_tag(subject);
        let empty = || Index { artifact_type: None, ..Index::of(Vec::new(), Default::default()) };
        match self.manifest(Wanted::Tag(&tag)) {
            Ok(Received { content: Content::Index(index), .. }) => Ok(index),
            Ok(_) => Ok(empty()),
            Err(error) if matches!(error.kind(), HubErrorKind::Absent { .. }) => Ok(empty()),
            Err(error) => Err(error),
        }
    }

    /// Adds a manifest to those about another one, for a registry that does not do so itself.
    pub(crate) fn add_referrer(&self, subject: Digest, referrer: Descriptor) -> Result<(), HubError> {
        let mut index = self.referrers_by_tag(subject)?;
        if index.manifests.iter().any(|known| known.digest == referrer.digest) {
            return Ok(());
        }
        index.manifests.push(referrer);
        let bytes = crate::manifest::to_bytes(&index);
        let tag = referrers_tag(subject);
        self.put_manifest(Wanted::Tag(&tag), Digest::of(&bytes), INDEX, bytes).map(drop)
    }
}

/// A blob on its way.
struct Incoming<'s> {
    hasher: Sha256,
    count: u64,
    size: u64,
    sink: &'s mut dyn Write,
    progress: &'s Progress,
}

impl Incoming<'_> {
    fn take(&mut self, piece: &[u8]) -> Result<(), HubErrorKind> {
        let found = self.count + piece.len() as u64;
        if found > self.size {
            return Err(HubErrorKind::Size { expected: self.size, found });
        }
        self.hasher.update(piece);
        let written = self.sink.write_all(piece);
        written.map_err(|error| HubErrorKind::Io { operation: "write", error })?;
        self.count = found;
        self.progress.moved(piece.len());
        Ok(())
    }
}

/// Whether the answer begins at this byte.
fn begins_at(response: &Response, from: u64) -> bool {
    let header = response.headers().get(CONTENT_RANGE).and_then(|header| header.to_str().ok());
    header.is_some_and(|header| header.starts_with(&format!("bytes {from}-")))
}

/// The address of the next page, which may be relative.
fn next_page(response: &Response) -> Option<String> {
    let header = response.headers().get(LINK)?.to_str().ok()?;
    let (address, relation) = header.split_once('>')?;
    let is_next = relation.replace('"', "").contains("rel=next");
    is_next.then(|| address.trim_start().trim_start_matches('<').to_owned())
}

/// The tag of the index with the referrers of a manifest.
pub(crate) fn referrers_tag(subject: Digest) -> String {
    format!("sha256-{}", subject.digits())
}
