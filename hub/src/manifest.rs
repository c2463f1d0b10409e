//! Manifests and indexes of artifacts, as the image specification 1.1 defines them.
//!
//! ```text
//! index          application/vnd.coconut.release.v1, one entry for each document
//! └─ manifest    application/vnd.coconut.pack.v1, …graph.v1 or …document.v1
//!    ├─ config   the empty object
//!    └─ layers   the document; its source, if it was published with it
//! ```
//!
//! The members are written in a fixed order, and annotations sorted by name. No member depends on
//! the time of writing. So equal documents have equal manifests, with equal digests.

use crate::digest::Digest;
use crate::error::{HubError, HubErrorKind};
use crate::limits;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The media type of a manifest.
pub const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";

/// The media type of an index.
pub const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// The media type of a config without content.
pub const EMPTY: &str = "application/vnd.oci.empty.v1+json";

/// The bytes of a config without content.
pub const EMPTY_BYTES: &[u8] = b"{}";

/// The media type of a compiled document.
pub const DOCUMENT: &str = "application/vnd.coconut+msgpack";

/// The artifact type of an index with several documents.
pub const RELEASE: &str = "application/vnd.coconut.release.v1";

/// The artifact types of documents begin with this.
const ARTIFACT: &str = "application/vnd.coconut.";

/// The annotation with the name of a file.
pub const TITLE: &str = "org.opencontainers.image.title";

/// The annotation with the name of a tag in an image layout.
pub(crate) const REF_NAME: &str = "org.opencontainers.image.ref.name";

/// The annotation with the document digest: the header has it, too (§4.7).
pub const DOCUMENT_DIGEST: &str = "dev.coconut.document-digest";

/// Named texts.
pub type Annotations = BTreeMap<String, String>;

/// A reference to bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Descriptor {
    /// The media type of the bytes.
    pub media_type: String,
    /// Their digest.
    pub digest: Digest,
    /// Their number.
    pub size: u64,
    /// The artifact type of a manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// Further facts.
    #[serde(default, skip_serializing_if = "Annotations::is_empty")]
    pub annotations: Annotations,
}

/// One artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Always 2.
    pub schema_version: u32,
    /// [`MANIFEST`].
    #[serde(default)]
    pub media_type: String,
    /// The kind of the artifact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The config, which is empty here.
    pub config: Descriptor,
    /// The contents.
    pub layers: Vec<Descriptor>,
    /// The manifest that this one is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<Box<Descriptor>>,
    /// Further facts.
    #[serde(default, skip_serializing_if = "Annotations::is_empty")]
    pub annotations: Annotations,
}

/// A list of manifests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Index {
    /// Always 2.
    pub schema_version: u32,
    /// [`INDEX`].
    #[serde(default)]
    pub media_type: String,
    /// The kind of the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact_type: Option<String>,
    /// The manifests.
    pub manifests: Vec<Descriptor>,
    /// Further facts.
    #[serde(default, skip_serializing_if = "Annotations::is_empty")]
    pub annotations: Annotations,
}

/// A manifest or an index, as it was received.
#[derive(Clone, Debug)]
pub struct Received {
    /// The exact bytes.
    pub bytes: Vec<u8>,
    /// Their digest.
    pub digest: Digest,
    /// Their content.
    pub content: Content,
}

/// The content of a manifest or an index.
#[derive(Clone, Debug)]
pub enum Content {
    /// One artifact.
    Manifest(Manifest),
    /// Several.
    Index(Index),
}

impl Descriptor {
    /// The descriptor of these bytes.
    pub fn of(media_type: &str, bytes: &[u8]) -> Descriptor {
        Descriptor {
            media_type: media_type.to_owned(),
            digest: Digest::of(bytes),
            size: bytes.len() as u64,
            artifact_type: None,
            annotations: Annotations::new(),
        }
    }

    /// The name of the file, if one is given.
    pub fn title(&self) -> Option<&str> {
        self.annotations.get(TITLE).map(String::as_str)
    }

    /// Whether this is the descriptor of an artifact with a document.
    pub fn is_of_document(&self) -> bool {
        self.artifact_type.as_deref().is_some_and(is_of_document)
    }
}

impl Manifest {
    /// An artifact with an empty config.
    pub fn of(artifact_type: String, layers: Vec<Descriptor>, annotations: Annotations) -> Manifest {
        Manifest {
            schema_version: 2,
            media_type: MANIFEST.to_owned(),
            artifact_type: Some(artifact_type),
            config: Descriptor::of(EMPTY, EMPTY_BYTES),
            layers,
            subject: None,
            annotations,
        }
    }

    /// The layer with the document.
    ///
    /// # Errors
    /// Fails if there is none, or more than one.
    pub fn document(&self, place: &str) -> Result<&Descriptor, HubError> {
        let mut layers = self.layers.iter().filter(|layer| layer.media_type == DOCUMENT);
        let artifact =
            |what: String| HubError::new(place, HubErrorKind::Artifact { what, hint: String::new() });
        match (layers.next(), layers.count()) {
            (Some(layer), 0) => Ok(layer),
            (Some(_), more) => Err(artifact(format!("it has {} layers with documents", more + 1))),
            (None, _) => {
                let found = self.artifact_type.as_deref().unwrap_or(&self.config.media_type);
                Err(artifact(format!("it has no layer of the type {DOCUMENT}; the artifact type is {found}")))
            }
        }
    }
}

impl Index {
    /// An index with several documents.
    pub fn of(manifests: Vec<Descriptor>, annotations: Annotations) -> Index {
        Index {
            schema_version: 2,
            media_type: INDEX.to_owned(),
            artifact_type: Some(RELEASE.to_owned()),
            manifests,
            annotations,
        }
    }

    /// The entries with documents.
    pub fn documents(&self) -> impl Iterator<Item = &Descriptor> {
        self.manifests.iter().filter(|entry| entry.is_of_document())
    }
}

impl Received {
    /// Reads the bytes of a manifest or an index.
    ///
    /// # Errors
    /// Fails if they are neither.
    pub fn read(place: &str, bytes: Vec<u8>) -> Result<Received, HubError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Kind {
            schema_version: u32,
            media_type: Option<String>,
            manifests: Option<serde::de::IgnoredAny>,
            layers: Option<serde::de::IgnoredAny>,
        }
        let wrong = |what: String| HubError::new(place, HubErrorKind::Answer { what });
        if bytes.len() as u64 > limits::MANIFEST_BYTES {
            let (found, limit) = (bytes.len() as u64, limits::MANIFEST_BYTES);
            return Err(HubError::new(place, HubErrorKind::Limit { found, limit }));
        }
        let invalid = |error: serde_json::Error| wrong(format!("the manifest is not valid: {error}"));
        let kind: Kind = serde_json::from_slice(&bytes).map_err(invalid)?;
        if kind.schema_version != 2 {
            return Err(wrong(format!("the manifest has the schema version {}", kind.schema_version)));
        }
        // Tools that decide by the media type, and those that do not, would read different things.
        if kind.manifests.is_some() && kind.layers.is_some() {
            return Err(wrong("the manifest has both `manifests` and `layers`".to_owned()));
        }
        let is_index = match kind.media_type.as_deref() {
            Some(media_type) => media_type.contains(".index.") || media_type.contains("manifest.list"),
            None => kind.manifests.is_some(),
        };
        let content = match is_index {
            true => Content::Index(serde_json::from_slice(&bytes).map_err(invalid)?),
            false => Content::Manifest(serde_json::from_slice(&bytes).map_err(invalid)?),
        };
        Ok(Received { digest: Digest::of(&bytes), bytes, content })
    }

    /// Its media type, by which it is stored.
    pub fn media_type(&self) -> &str {
        let (found, usual) = match &self.content {
            Content::Manifest(manifest) => (&manifest.media_type, MANIFEST),
            Content::Index(index) => (&index.media_type, INDEX),
        };
        if found.is_empty() { usual } else { found }
    }

    /// Its descriptor.
    pub fn descriptor(&self) -> Descriptor {
        let artifact_type = match &self.content {
            Content::Manifest(manifest) => manifest.artifact_type.clone(),
            Content::Index(index) => index.artifact_type.clone(),
        };
        Descriptor { artifact_type, ..Descriptor::of(self.media_type(), &self.bytes) }
    }
}

/// The exact bytes of a manifest or an index.
pub fn to_bytes(content: &impl Serialize) -> Vec<u8> {
    // Texts and numbers alone: nothing in them can fail.
    serde_json::to_vec(content).expect("texts and numbers can be written")
}

/// The artifact type of a document of this type.
pub fn artifact_type(document_type: &str) -> String {
    let kind = match document_type {
        "cocopack" => "pack",
        "cocogl" => "graph",
        _ => "document",
    };
    format!("{ARTIFACT}{kind}.v1")
}

fn is_of_document(artifact_type: &str) -> bool {
    let kind = artifact_type.strip_prefix(ARTIFACT).and_then(|rest| rest.split('.').next());
    matches!(kind, Some("pack" | "graph" | "document"))
}
