//! References: `oci://HOST[:PORT]/REPOSITORY:TAG` and `oci-layout:DIRECTORY:TAG`, each with an
//! optional `@sha256:…`.

use crate::digest::Digest;
use crate::error::{HubError, HubErrorKind};
use std::fmt;
use std::path::PathBuf;

/// The scheme of references to registries.
pub(crate) const SCHEME: &str = "oci://";

/// The prefix of references to image layouts.
pub(crate) const LAYOUT_SCHEME: &str = "oci-layout:";

/// A manifest in a registry or an image layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The repository.
    pub place: Place,
    /// The tag.
    pub tag: Option<String>,
    /// The digest of the manifest. With it, the tag is only a remark.
    pub digest: Option<Digest>,
}

/// A repository in a registry, or an image layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A repository of a registry.
    Registry {
        /// The host, and the port if there is one.
        host: String,
        /// The name of the repository.
        repository: String,
    },
    /// A directory with an image layout.
    Layout(PathBuf),
}

impl Reference {
    /// Whether a command would read the text as a reference, valid or not.
    pub fn is_one(text: &str) -> bool {
        text.starts_with(SCHEME) || text.starts_with(LAYOUT_SCHEME)
    }

    /// Reads a reference.
    ///
    /// # Errors
    /// Fails if a host, a tag or the scheme is missing: nothing is completed.
    pub fn parse(text: &str) -> Result<Reference, HubError> {
        let found = Reference::parse_place(text)?;
        if found.tag.is_none() && found.digest.is_none() {
            return Err(invalid(text, "it has neither a tag nor a digest", "append `:TAG` or `@sha256:…`"));
        }
        Ok(found)
    }

    /// Reads a reference to a repository, which may have no tag.
    ///
    /// # Errors
    /// Fails as [`Reference::parse`] does otherwise.
    pub fn parse_place(text: &str) -> Result<Reference, HubError> {
        let scheme = || {
            let hint = "a reference begins with `oci://` or `oci-layout:`";
            invalid(text, "it has no scheme", hint)
        };
        let (is_layout, rest) = match (text.strip_prefix(SCHEME), text.strip_prefix(LAYOUT_SCHEME)) {
            (Some(rest), _) => (false, rest),
            (None, Some(rest)) => (true, rest),
            (None, None) => return Err(scheme()),
        };
        let (rest, digest) = match rest.rsplit_once("@sha256:") {
            None => (rest, None),
            Some((rest, digits)) => {
                let wrong =
                    || invalid(text, "the digest is not valid", "a digest is `sha256:` and 64 digits");
                (rest, Some(Digest::parse(&format!("sha256:{digits}")).ok_or_else(wrong)?))
            }
        };
        if rest.rsplit_once('@').is_some_and(|(_, digest)| is_digest(digest)) {
            let hint = "registries here have `sha256:` and 64 digits";
            return Err(invalid(text, "the digest is of another algorithm", hint));
        }
        // The last colon, unless it belongs to a port or a directory.
        let (name, tag) = match rest.rsplit_once(':') {
            Some((name, tag)) if !tag.contains(['/', '\\']) && (is_layout || name.contains('/')) => {
                (name, Some(tag))
            }
            _ => (rest, None),
        };
        if let Some(tag) = tag
            && !is_tag(tag)
        {
            let hint = "a tag has letters, digits, `_`, `.` and `-`, at most 128";
            return Err(invalid(text, "the tag is not valid", hint));
        }
        let place = if is_layout { layout(text, name)? } else { repository(text, name)? };
        Ok(Reference { place, tag: tag.map(str::to_owned), digest })
    }

    /// The same reference with the digest of its manifest.
    #[must_use]
    pub fn at(&self, digest: Digest) -> Reference {
        Reference { digest: Some(digest), ..self.clone() }
    }

    /// The same reference without a digest.
    #[must_use]
    pub fn without_digest(&self) -> Reference {
        Reference { digest: None, ..self.clone() }
    }

    /// The tag or digest to request; the digest goes first.
    pub(crate) fn wanted(&self) -> Wanted<'_> {
        match (self.digest, self.tag.as_deref()) {
            (Some(digest), _) => Wanted::Digest(digest),
            (None, Some(tag)) => Wanted::Tag(tag),
            // `parse` requires one of them; a place alone has the tag of other tools.
            (None, None) => Wanted::Tag("latest"),
        }
    }
}

/// The name under which a manifest is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted<'r> {
    Tag(&'r str),
    Digest(Digest),
}

impl fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wanted::Tag(tag) => f.write_str(tag),
            Wanted::Digest(digest) => digest.fmt(f),
        }
    }
}

fn layout(text: &str, directory: &str) -> Result<Place, HubError> {
    match directory.is_empty() {
        true => Err(invalid(text, "it has no directory", "write `oci-layout:DIRECTORY:TAG`")),
        false => Ok(Place::Layout(directory.into())),
    }
}

fn repository(text: &str, name: &str) -> Result<Place, HubError> {
    if name.contains('@') {
        let hint = "use `docker login`, or a credential helper";
        return Err(invalid(text, "it contains credentials", hint));
    }
    let short = || {
        let hint = "write the host: `oci://HOST/REPOSITORY:TAG`; short names are not completed";
        invalid(text, "it has no host", hint)
    };
    let (host, repository) = name.split_once('/').ok_or_else(short)?;
    if !(host.contains(['.', ':']) || host == "localhost") {
        return Err(short());
    }
    let port = host.rsplit_once(':').filter(|_| !host.ends_with(']'));
    let is_port = port.is_none_or(|(_, port)| port.parse::<u16>().is_ok_and(|port| port != 0));
    let bare = port.map_or(host, |(bare, _)| bare);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let is_address = |bare: &str| bare.starts_with('[') && bare.ends_with(']');
    let is_host = !bare.is_empty() && (bare.chars().all(is_name) || is_address(bare));
    if !is_port || !is_host {
        return Err(invalid(text, "the host is not valid", "a host is a name or an address, and a port"));
    }
    if !is_repository(repository) {
        let hint = "a repository has lower-case letters and digits, separated by `/`, `.`, `_` or `-`";
        return Err(invalid(text, "the repository is not valid", hint));
    }
    if host == "docker.io" && !repository.contains('/') {
        let hint = "write the namespace, as in `docker.io/library/NAME`";
        return Err(invalid(text, "it is a short name", hint));
    }
    Ok(Place::Registry { host: host.to_ascii_lowercase(), repository: repository.to_owned() })
}

/// Whether a text is a digest of any algorithm, such as `sha512:…`.
fn is_digest(text: &str) -> bool {
    text.split_once(':').is_some_and(|(algorithm, digits)| {
        !algorithm.is_empty()
            && algorithm.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+._-".contains(&byte))
            && digits.len() >= 32
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn is_tag(tag: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    tag.len() <= 128 && !tag.is_empty() && tag.chars().all(is_inner) && !tag.starts_with(['.', '-'])
}

fn is_repository(name: &str) -> bool {
    let is_part = |part: &str| {
        let mut words = part.split(['.', '_', '-']).peekable();
        let is_word = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let edges = part.starts_with(['.', '_', '-']) || part.ends_with(['.', '_', '-']);
        let doubled = ["..", "._", "_.", "-.", ".-", "_-", "-_", "___"];
        words.peek().is_some()
            && words.all(is_word)
            && !part.is_empty()
            && !edges
            && !doubled.iter().any(|pair| part.contains(pair))
    };
    name.len() <= 255 && name.split('/').all(is_part)
}

fn invalid(text: &str, what: &'static str, hint: &'static str) -> HubError {
    HubError::new(without_credentials(text), HubErrorKind::Reference { what, hint })
}

/// A text that may be a reference with credentials, without them.
fn without_credentials(text: &str) -> String {
    let (rest, digest) = match text.rfind("@sha") {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let begin = rest.find("://").map_or(0, |at| at + "://".len());
    match rest.rfind('@').filter(|at| *at >= begin && !rest.starts_with(LAYOUT_SCHEME)) {
        Some(at) => format!("{}…{}{digest}", &rest[..begin], &rest[at..]),
        None => text.to_owned(),
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Registry { host, repository } => write!(f, "{SCHEME}{host}/{repository}"),
            Place::Layout(directory) => write!(f, "{LAYOUT_SCHEME}{}", directory.display()),
        }
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.place.fmt(f)?;
        if let Some(tag) = &self.tag {
            write!(f, ":{tag}")?;
        }
        match self.digest {
            Some(digest) => write!(f, "@{digest}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn a_reference_is_written_as_it_was_read() {
        let valid = [
            "oci://hub.example/acme/aws:1.2.3",
            "oci://localhost/a:1",
            "oci://127.0.0.1:5000/a/b__c/d-e:v1",
            "oci://[::1]:5000/a:1",
            "oci-layout:some/dir:1",
            "oci-layout:C:\\dir:1",
        ];
        for text in valid.map(str::to_owned).into_iter().chain([
            format!("oci://hub.example/acme/aws@{DIGEST}"),
            format!("oci://hub.example/acme/aws:1@{DIGEST}"),
            format!("oci-layout:/a@{DIGEST}"),
        ]) {
            assert_eq!(Reference::parse(&text).unwrap().to_string(), text);
        }
    }

    const SHA_512: &str = "oci://hub.example/a@sha512:cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce\
        47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e";

    #[test]
    fn nothing_is_completed() {
        let what = |text: &str| match Reference::parse(text).unwrap_err().kind() {
            HubErrorKind::Reference { what, .. } => *what,
            other => panic!("{other}"),
        };
        let cases = [
            ("aws:1", "it has no scheme"),
            ("https://hub.example/a:1", "it has no scheme"),
            ("oci://aws:1", "it has no host"),
            ("oci://library/alpine:3", "it has no host"),
            ("oci://docker.io/alpine:3", "it is a short name"),
            ("oci://hub.example/acme/aws", "it has neither a tag nor a digest"),
            ("oci://hub.example:5000/aws", "it has neither a tag nor a digest"),
            ("oci://hub.example/Acme/aws:1", "the repository is not valid"),
            ("oci://hub.example/a//b:1", "the repository is not valid"),
            ("oci://hub.example/a/..:1", "the repository is not valid"),
            ("oci://hub.example/a:", "the tag is not valid"),
            ("oci://hub.example/a:-x", "the tag is not valid"),
            ("oci://hub.example/a@sha256:12", "the digest is not valid"),
            ("oci://gh_cr.io/a:1", "the host is not valid"),
            ("oci://hub.example:0/a:1", "the host is not valid"),
            ("oci-layout::1", "it has no directory"),
            (SHA_512, "the digest is of another algorithm"),
            ("oci-layout:dir@md5:d41d8cd98f00b204e9800998ecf8427e", "the digest is of another algorithm"),
        ];
        for (text, expected) in cases {
            assert_eq!(what(text), expected, "{text}");
        }
    }

    #[test]
    fn credentials_in_a_reference_are_refused_and_not_repeated() {
        for text in [
            "oci://me:hunter2@hub.example/a:1",
            "oci://me:hunter2@hub.example",
            "oci://hub.example/me:hunter2@a:1",
            "https://me:hunter2@hub.example/a:1",
            "me:hunter2@hub.example/a:1",
            "oci://me:hunter2@hub.example/a@sha256:12",
            "oci://me:hunter2@hub.example/a@sha512:cf83e1357eefb8bdf1542850d66d8007",
            "oci://me:hunter2@x@hub.example/a:-",
        ] {
            let error = Reference::parse(text).unwrap_err();
            assert_eq!(error.kind().code(), "HUB-REFERENCE");
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
        }
    }
}
