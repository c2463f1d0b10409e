//! Signatures of minisign: artifacts that refer to the manifest of a document.
//!
//! The signed message is the digest of the layer, `sha256:` and 64 digits without a line end. So a
//! signature stays valid when a document is copied, and is checked before the document is fetched.

use crate::digest::Digest;
use crate::error::{HubError, HubErrorKind};
use crate::hub::{Found, Hub};
use crate::limits;
use crate::manifest::{Annotations, Content, Descriptor, EMPTY_BYTES, Manifest, Received, to_bytes};
use crate::network::Progress;
use crate::reference::Wanted;
use minisign_verify::{PublicKey, Signature};

/// The artifact type of a signature, and the media type of its layer.
pub const SIGNATURE: &str = "application/vnd.coconut.signature.minisign.v1";

/// A key of minisign that verifies signatures.
#[derive(Clone, Debug)]
pub struct VerifyKey(PublicKey);

impl VerifyKey {
    /// Reads the text of a `.pub` file, or its second line.
    ///
    /// # Errors
    /// Fails if it is not a key.
    pub fn parse(name: &str, text: &str) -> Result<VerifyKey, HubError> {
        let line = text.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
        let invalid = |error: minisign_verify::Error| {
            HubError::new(
                name,
                HubErrorKind::Signature { what: format!("the key is not one of minisign: {error}") },
            )
        };
        PublicKey::from_base64(line).map(VerifyKey).map_err(invalid)
    }
}

impl Hub {
    /// Publishes a signature of a document, as an artifact that refers to its manifest. Returns the
    /// digest of that artifact.
    ///
    /// # Errors
    /// Fails if the text is not a signature, or cannot be published.
    pub fn attach(&self, found: &Found, signature: &str) -> Result<Digest, HubError> {
        let fail = |kind| HubError::new(&found.reference, kind);
        Signature::decode(signature).map_err(|error| {
            fail(HubErrorKind::Signature {
                what: format!("the file is not a signature of minisign: {error}"),
            })
        })?;
        self.check_online(&found.reference.place, "the registry")?;
        let store = self.store(&found.reference.place)?;
        let subject = self.resolve(&found.reference)?.descriptor();
        let layer = Descriptor::of(SIGNATURE, signature.as_bytes());
        let quiet = Progress::default();
        store.put_blob(Digest::of(EMPTY_BYTES), EMPTY_BYTES.into(), &quiet)?;
        store.put_blob(layer.digest, signature.as_bytes().to_vec().into(), &quiet)?;
        let mut manifest = Manifest::of(SIGNATURE.to_owned(), vec![layer], Annotations::new());
        manifest.subject = Some(Box::new(subject));
        let received = Received::read(&found.reference.to_string(), to_bytes(&manifest))?;
        store.put_manifest(None, &received)?;
        Ok(received.digest)
    }

    /// Requires a signature of the key for a document, which need not be fetched yet.
    ///
    /// # Errors
    /// Fails if there is no such signature, or none that verifies.
    pub fn verify(&self, found: &Found, key: &VerifyKey) -> Result<(), HubError> {
        let fail = |what: String| HubError::new(&found.reference, HubErrorKind::Signature { what });
        self.check_online(&found.reference.place, "the signatures")?;
        let store = self.store(&found.reference.place)?;
        let subject = found.reference.digest.unwrap_or(found.layer.digest);
        let message = found.layer.digest.to_string();
        let mut faults = Vec::new();
        let referrers = store.referrers(subject)?;
        // A registry may list any artifact type, so each manifest is read.
        for referrer in referrers.iter().take(limits::REFERRERS) {
            let received = store.manifest(Wanted::Digest(referrer.digest))?;
            let Content::Manifest(manifest) = &received.content else { continue };
            let is_about = manifest.subject.as_ref().is_some_and(|known| known.digest == subject);
            let layer = manifest.layers.iter().find(|layer| layer.media_type == SIGNATURE);
            let Some(layer) = layer.filter(|layer| is_about && layer.size <= limits::SIGNATURE_BYTES) else {
                continue;
            };
            let mut text = Vec::new();
            store.blob(layer, &mut text, &Progress::default())?;
            let verified = String::from_utf8(text).ok().and_then(|text| Signature::decode(&text).ok());
            match verified.map(|signature| key.0.verify(message.as_bytes(), &signature, false)) {
                Some(Ok(())) => return Ok(()),
                Some(Err(error)) => faults.push(error.to_string()),
                None => faults.push("it is not a signature of minisign".to_owned()),
            }
        }
        Err(fail(match faults.is_empty() {
            true => "the document has none".to_owned(),
            false => faults.join("; "),
        }))
    }
}
