//! §15.7 Values that JSON cannot express by itself: secrets, assets, archives, references,
//! unknowns.
//!
//! Pulumi marks an object by an entry with a signature, and an unknown value by a text that never
//! occurs by chance. Such values stay ordinary JSON; [`Special::of`] recognises them.

use crate::node::{Kind, Node};

/// The key of the entry that marks a special object.
pub const SIGNATURE_KEY: &str = "4dabf18193072939515e22adb298388d";

/// The signature of a secret.
pub const SECRET_SIGNATURE: &str = "1b47061264138c4ac30d75fd1eb44270";
/// The signature of an asset.
pub const ASSET_SIGNATURE: &str = "c44067f5952c0a294b673a41bacd8c17";
/// The signature of an archive.
pub const ARCHIVE_SIGNATURE: &str = "0def7320c3a5731c473e5ecbe6d01bc7";
const RESOURCE_REFERENCE: &str = "5cf8f73096256a8f31e491e813e4eb8e";
const FLOAT: &str = "8ad145fe-0d11-4827-bfd7-1abcbf086f5c";
const BYTES: &str = "803fd3297a5875dc03ca845dda5d2a98";

/// A value with a meaning beyond its JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum Special<'a, N> {
    /// A value that must not be shown.
    Secret(Secret<'a>),
    /// A file, or the content of one.
    Asset {
        /// The place of the content, or `None` if only its hash is known.
        content: Option<AssetContent<'a>>,
        /// SHA-256 of the content, in hex. Written since October 2017.
        hash: Option<&'a str>,
    },
    /// A collection of files.
    Archive {
        /// The place of the content, or `None` if only its hash is known.
        content: Option<ArchiveContent<'a, N>>,
        /// SHA-256 of the content, in hex. Written since October 2017.
        hash: Option<&'a str>,
    },
    /// Another resource.
    ResourceReference {
        /// Its URN.
        urn: &'a str,
        /// Its provider's id, if it has one.
        id: Option<N>,
    },
    /// A non-finite float, as 16 hex digits of its bits.
    Float(&'a str),
    /// A string that is not UTF-8, in Base64.
    Bytes(&'a str),
    /// A value that is not known yet, of this type.
    Unknown(UnknownType),
    /// An unknown signature.
    Unrecognised(&'a str),
}

/// The storage of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secret<'a> {
    /// Encrypted JSON.
    Ciphertext(&'a str),
    /// Unencrypted JSON text.
    Plaintext(&'a str),
}

/// The place of an asset's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum AssetContent<'a> {
    /// In the document.
    Text(&'a str),
    /// In a file.
    Path(&'a str),
    /// At an address.
    Uri(&'a str),
}

/// The place of an archive's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum ArchiveContent<'a, N> {
    /// In the document: an object from names to assets and archives.
    Assets(N),
    /// In a file or directory.
    Path(&'a str),
    /// At an address.
    Uri(&'a str),
}

/// The type of an unknown value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants are types")]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub enum UnknownType {
    Bool,
    Number,
    String,
    Array,
    Asset,
    Archive,
    Object,
}

/// The text of an unknown value of each type. Since 2018 only the text for strings is written, for
/// all types.
const SENTINELS: [(&str, UnknownType); 7] = [
    ("1c4a061d-8072-4f0a-a4cb-0ff528b18fe7", UnknownType::Bool),
    ("3eeb2bf0-c639-47a8-9e75-3b44932eb421", UnknownType::Number),
    ("04da6b54-80e4-46f7-96ec-b56ff0331ba9", UnknownType::String),
    ("6a19a0b0-7e62-4c92-b797-7f8e31da9cc2", UnknownType::Array),
    ("030794c1-ac77-496b-92df-f27374a8bd58", UnknownType::Asset),
    ("e48ece36-62e2-4504-bad9-02848725956a", UnknownType::Archive),
    ("dd056dcd-154b-4c76-9bd3-c8f88648b5ff", UnknownType::Object),
];

impl UnknownType {
    /// The type of the unknown value that `text` represents, if any.
    pub fn of_sentinel(text: &str) -> Option<UnknownType> {
        // Every string of a state is checked here, and hardly any has this length.
        if text.len() != SENTINELS[0].0.len() {
            return None;
        }
        SENTINELS.iter().find(|(sentinel, _)| *sentinel == text).map(|&(_, unknown)| unknown)
    }

    /// The text that represents an unknown value of this type.
    pub fn sentinel(self) -> &'static str {
        let found = SENTINELS.iter().find(|(_, unknown)| *unknown == self);
        found.map(|(sentinel, _)| *sentinel).expect("each type has one")
    }
}

impl<'a, N: Node<'a>> Special<'a, N> {
    /// The meaning of `value`, or `None` for ordinary JSON.
    ///
    /// An object with a known signature but without its entries is [`Unrecognised`].
    ///
    /// [`Unrecognised`]: Special::Unrecognised
    pub fn of(value: N) -> Option<Special<'a, N>> {
        match value.kind() {
            Kind::String => UnknownType::of_sentinel(value.as_str()?).map(Special::Unknown),
            Kind::Object => {
                let signature = value.get(SIGNATURE_KEY)?.as_str()?;
                Some(Special::signed(signature, value).unwrap_or(Special::Unrecognised(signature)))
            }
            _ => None,
        }
    }

    fn signed(signature: &str, value: N) -> Option<Special<'a, N>> {
        // The writer of summer 2017 wrote all members, leaving the unused ones empty.
        let member = |key: &str| value.get(key)?.as_str().filter(|text| !text.is_empty());
        let hash = member("hash");
        match signature {
            SECRET_SIGNATURE => {
                let sealed = || value.get("ciphertext").and_then(Node::as_str).map(Secret::Ciphertext);
                let open = || value.get("plaintext").and_then(Node::as_str).map(Secret::Plaintext);
                let ciphertext = member("ciphertext").map(Secret::Ciphertext);
                ciphertext.or_else(open).or_else(sealed).map(Special::Secret)
            }
            ASSET_SIGNATURE => {
                let outside = member("path").map(AssetContent::Path);
                let outside = outside.or_else(|| member("uri").map(AssetContent::Uri));
                // An empty text is the content if there is no other content.
                let text = || value.get("text").and_then(Node::as_str).map(AssetContent::Text);
                let content = outside.or_else(text);
                (content.is_some() || hash.is_some()).then_some(Special::Asset { content, hash })
            }
            ARCHIVE_SIGNATURE => {
                let outside = member("path").map(ArchiveContent::Path);
                let outside = outside.or_else(|| member("uri").map(ArchiveContent::Uri));
                let assets = || value.get("assets").filter(|assets| assets.kind() == Kind::Object);
                let content = outside.or_else(|| assets().map(ArchiveContent::Assets));
                (content.is_some() || hash.is_some()).then_some(Special::Archive { content, hash })
            }
            RESOURCE_REFERENCE => {
                Some(Special::ResourceReference { urn: value.get("urn")?.as_str()?, id: value.get("id") })
            }
            FLOAT => Some(Special::Float(value.get("value")?.as_str()?)),
            BYTES => Some(Special::Bytes(value.get("value")?.as_str()?)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn signed(signature: &str, members: &[(&str, Value)]) -> Value {
        let mark = (SIGNATURE_KEY.to_owned(), text(signature));
        let members = members.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        Value::Object([mark].into_iter().chain(members).collect())
    }

    fn text(text: &str) -> Value {
        Value::String(text.to_owned())
    }

    #[test]
    fn recognises_secrets_in_both_forms() {
        let sealed = signed(SECRET_SIGNATURE, &[("ciphertext", text("v1:x"))]);
        assert_eq!(Special::of(&sealed), Some(Special::Secret(Secret::Ciphertext("v1:x"))));
        let open = signed(SECRET_SIGNATURE, &[("plaintext", text("\"x\""))]);
        assert_eq!(Special::of(&open), Some(Special::Secret(Secret::Plaintext("\"x\""))));
        let beside = signed(SECRET_SIGNATURE, &[("ciphertext", text("")), ("plaintext", text("\"x\""))]);
        assert_eq!(Special::of(&beside), Special::of(&open), "what is empty is as good as missing");
        let empty = signed(SECRET_SIGNATURE, &[("ciphertext", text(""))]);
        assert_eq!(Special::of(&empty), Some(Special::Secret(Secret::Ciphertext(""))));
    }

    #[test]
    fn an_asset_of_2017_has_empty_members_beside_the_used_one() {
        let asset = signed(ASSET_SIGNATURE, &[("text", text("")), ("path", text("./a")), ("uri", text(""))]);
        assert_eq!(
            Special::of(&asset),
            Some(Special::Asset { content: Some(AssetContent::Path("./a")), hash: None })
        );
        let empty = signed(ASSET_SIGNATURE, &[("text", text("")), ("hash", text("e3b0"))]);
        assert_eq!(
            Special::of(&empty),
            Some(Special::Asset { content: Some(AssetContent::Text("")), hash: Some("e3b0") })
        );
    }

    #[test]
    fn an_archive_holds_assets_or_says_where_it_is() {
        let archive =
            signed(ARCHIVE_SIGNATURE, &[("assets", Value::Null), ("path", text("./b")), ("uri", text(""))]);
        assert_eq!(
            Special::of(&archive),
            Some(Special::Archive { content: Some(ArchiveContent::Path("./b")), hash: None })
        );
        let assets = Value::Object(Vec::new());
        let nested = signed(ARCHIVE_SIGNATURE, &[("assets", assets.clone()), ("hash", text("00"))]);
        assert_eq!(
            Special::of(&nested),
            Some(Special::Archive { content: Some(ArchiveContent::Assets(&assets)), hash: Some("00") })
        );
    }

    #[test]
    fn recognises_the_sentinel_of_every_type() {
        for (sentinel, unknown) in SENTINELS {
            assert_eq!(Special::of(&text(sentinel)), Some(Special::Unknown(unknown)));
        }
        assert_eq!(Special::of(&text("04da6b54-80e4-46f7-96ec-b56ff0331ba8")), None);
    }

    #[test]
    fn a_signature_without_its_members_is_not_recognised() {
        assert_eq!(
            Special::of(&signed(SECRET_SIGNATURE, &[])),
            Some(Special::Unrecognised(SECRET_SIGNATURE))
        );
        assert_eq!(Special::of(&signed("0", &[])), Some(Special::Unrecognised("0")));
        assert_eq!(Special::of(&Value::Object(Vec::new())), None);
    }
}
