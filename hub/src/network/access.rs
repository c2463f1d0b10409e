//! Credentials and tokens.
//!
//! The first request of a repository is sent without credentials. If the registry asks for some,
//! they come from the places of Docker and Podman: a file, or a credential helper. A token is kept
//! in memory for as long as the process lives, or until the registry refuses it.

use super::{Request, Sent, denied};
use crate::error::{HubError, HubErrorKind};
use crate::network::Progress;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use docker_credential::{CredentialRetrievalError, DockerCredential};
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use serde::Deserialize;
use std::collections::HashMap;
use std::env;
use std::fmt;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use url::form_urlencoded::Serializer;
use url::{Origin, Url};

/// The thing that a request needs access to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Scope {
    /// The host of the registry as it is written in references, by which credentials are stored.
    pub(crate) host: String,
    /// The only place that gets them: scheme, host and port.
    pub(crate) home: Origin,
    pub(crate) repository: String,
    pub(crate) is_writing: bool,
}

/// The values of `Authorization` that were accepted, or are to be tried.
#[derive(Default)]
pub(super) struct Access {
    known: Mutex<HashMap<Scope, HeaderValue>>,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Access")
    }
}

/// A request for a token.
pub(super) struct TokenRequest {
    pub(super) request: Request,
    pub(super) authorization: Option<HeaderValue>,
}

/// The access that a registry asks for.
struct Challenge {
    is_bearer: bool,
    realm: String,
    service: Option<String>,
    scope: Option<String>,
}

#[derive(Deserialize)]
struct TokenAnswer {
    token: Option<String>,
    access_token: Option<String>,
}

/// The credentials of a user.
enum Credentials {
    None,
    Basic(String, String),
    Identity(String),
}

impl Access {
    pub(super) fn known(&self, scope: &Scope) -> Option<HeaderValue> {
        self.lock().get(scope).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Scope, HeaderValue>> {
        // An entry is replaced as a whole, so a panic elsewhere leaves the map complete.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads an answer without access. Returns the request for a token if one is needed. Otherwise
    /// the next request has the credentials themselves.
    pub(super) fn answer(
        &self,
        request: &Request,
        scope: &Scope,
        headers: &HeaderMap,
    ) -> Result<Option<TokenRequest>, HubError> {
        let was_known = self.lock().remove(scope).is_some();
        let challenge = Challenge::of(headers)
            .ok_or_else(|| denied(request, "401, without a usable `WWW-Authenticate`"))?;
        let credentials = Credentials::of(&scope.host).map_err(|kind| HubError::new(&scope.host, kind))?;
        if challenge.is_bearer {
            return challenge.request(request, scope, credentials).map(Some);
        }
        let Credentials::Basic(user, password) = credentials else {
            return Err(denied(request, "it asks for a user and a password, and none are stored"));
        };
        if was_known {
            return Err(denied(request, "the stored user or password is not valid"));
        }
        self.lock().insert(scope.clone(), basic(&user, &password));
        Ok(None)
    }

    /// Keeps the token of an answer.
    pub(super) fn keep(&self, scope: &Scope, answer: &[u8]) -> Result<(), &'static str> {
        let answer: TokenAnswer =
            serde_json::from_slice(answer).map_err(|_| "the answer to a request for a token is not valid")?;
        let token = answer.token.or(answer.access_token).filter(|token| !token.is_empty());
        let token = token.ok_or("the answer to a request for a token has none")?;
        let value = sensitive(format!("Bearer {token}")).ok_or("the token is not valid")?;
        self.lock().insert(scope.clone(), value);
        Ok(())
    }
}

impl Challenge {
    /// A challenge that can be answered; `Bearer` goes first.
    fn of(headers: &HeaderMap) -> Option<Challenge> {
        let mut found: Option<Challenge> = None;
        for header in headers.get_all(WWW_AUTHENTICATE) {
            let Ok(challenges) = http_auth::parse_challenges(header.to_str().unwrap_or_default()) else {
                continue;
            };
            for challenge in challenges {
                let is_bearer = challenge.scheme.eq_ignore_ascii_case("bearer");
                if !is_bearer && !challenge.scheme.eq_ignore_ascii_case("basic") {
                    continue;
                }
                let parameter = |name: &str| {
                    let mut named = challenge.params.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
                    named.next().map(|(_, value)| value.to_unescaped())
                };
                let realm = parameter("realm").unwrap_or_default();
                let (service, scope) = (parameter("service"), parameter("scope"));
                if found.as_ref().is_none_or(|found| !found.is_bearer) {
                    found = Some(Challenge { is_bearer, realm, service, scope });
                }
            }
        }
        found
    }

    fn request(
        self,
        request: &Request,
        scope: &Scope,
        credentials: Credentials,
    ) -> Result<TokenRequest, HubError> {
        let mut realm =
            Url::parse(&self.realm).map_err(|_| denied(request, "the address of its tokens is not valid"))?;
        // The registry may ask for less than it needs afterwards.
        let scope = self.scope.unwrap_or_else(|| {
            let actions = if scope.is_writing { "pull,push" } else { "pull" };
            format!("repository:{}:{actions}", scope.repository)
        });
        if let Credentials::Identity(token) = credentials {
            let mut form = Serializer::new(String::new());
            form.append_pair("grant_type", "refresh_token").append_pair("refresh_token", &token);
            form.append_pair("scope", &scope).append_pair("client_id", "coco-hub");
            if let Some(service) = &self.service {
                form.append_pair("service", service);
            }
            let body = Sent::new(form.finish().into_bytes().into(), Progress::default());
            let request =
                Request::new(Method::POST, realm).with_body("application/x-www-form-urlencoded", body);
            return Ok(TokenRequest { request, authorization: None });
        }
        if let Some(service) = &self.service {
            realm.query_pairs_mut().append_pair("service", service);
        }
        realm.query_pairs_mut().append_pair("scope", &scope);
        let authorization = match credentials {
            Credentials::Basic(user, password) => Some(basic(&user, &password)),
            Credentials::None | Credentials::Identity(_) => None,
        };
        Ok(TokenRequest { request: Request::new(Method::GET, realm), authorization })
    }
}

impl Credentials {
    /// The credentials for a host, from the places of Docker, then those of Podman.
    fn of(host: &str) -> Result<Credentials, HubErrorKind> {
        // Docker stores those of its own registry under the address of its first version.
        let server = if host == "docker.io" { "https://index.docker.io/v1/" } else { host };
        let found = match docker_config().is_some_and(|file| file.is_file()) {
            true => read(docker_credential::get_credential(server), true)?,
            false => Credentials::None,
        };
        match found {
            Credentials::None => read(docker_credential::get_podman_credential(server), false),
            found => Ok(found),
        }
    }
}

fn docker_config() -> Option<PathBuf> {
    let folder = env::var_os("DOCKER_CONFIG").map(PathBuf::from);
    let folder = folder.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".docker")));
    Some(folder?.join("config.json"))
}

/// The output of a helper may contain secrets, so it is never shown.
fn read(
    found: Result<DockerCredential, CredentialRetrievalError>,
    is_there: bool,
) -> Result<Credentials, HubErrorKind> {
    use CredentialRetrievalError as Fault;
    let what = match found {
        Ok(DockerCredential::IdentityToken(token)) => return Ok(Credentials::Identity(token)),
        Ok(DockerCredential::UsernamePassword(user, password)) => {
            return Ok(Credentials::Basic(user, password));
        }
        Err(Fault::ConfigReadError) if is_there => "the file with the credentials cannot be read".to_owned(),
        Err(Fault::NoCredentialConfigured | Fault::ConfigNotFound | Fault::ConfigReadError) => {
            return Ok(Credentials::None);
        }
        Err(Fault::HelperFailure { helper, stdout, .. }) => {
            // The helpers of Docker answer so for a host that they do not know.
            if stdout.contains("credentials not found") {
                return Ok(Credentials::None);
            }
            format!("`{helper}` failed")
        }
        Err(Fault::HelperCommunicationError) => "the credential helper cannot be run".to_owned(),
        Err(Fault::MalformedHelperResponse) => "the credential helper gave no valid answer".to_owned(),
        Err(Fault::CredentialDecodingError | Fault::CredentialMismatchError) => {
            "they are not encoded as Docker encodes them".to_owned()
        }
    };
    Err(HubErrorKind::Credentials { what })
}

fn basic(user: &str, password: &str) -> HeaderValue {
    let encoded = BASE64_STANDARD.encode(format!("{user}:{password}"));
    sensitive(format!("Basic {encoded}")).expect("Base64 is valid in a header")
}

/// A header that no log shows.
fn sensitive(text: String) -> Option<HeaderValue> {
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some(value)
}
