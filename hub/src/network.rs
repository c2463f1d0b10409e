//! Requests over HTTP, each within a time limit: redirects, credentials, waiting.
//!
//! The client of HTTP decides nothing on its own: it follows no redirect, and sends no request
//! again.

mod access;
mod pipe;
mod transfer;

pub(crate) use access::Scope;
pub use transfer::Progress;
pub(crate) use transfer::Sent;

use crate::error::{HubError, HubErrorKind};
use crate::limits;
use access::Access;
use reqwest::header::{
    AUTHORIZATION, CONTENT_LENGTH, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
};
use reqwest::{Client, Method, Response, StatusCode, redirect};
use std::future::Future;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};
use url::{Host, Url};

/// The client, and the thread of the caller as its runtime.
#[derive(Debug)]
pub(crate) struct Network {
    runtime: Runtime,
    /// For hosts of the network, and the proxies in the environment.
    remote: Client,
    /// For this machine, without proxies.
    local: Client,
    access: Access,
    patience: Duration,
}

/// A request. Unlike that of the client, it can be sent again.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: Vec<(HeaderName, String)>,
    pub(crate) body: Option<Sent>,
}

impl Request {
    pub(crate) fn new(method: Method, url: Url) -> Request {
        Request { method, url, headers: Vec::new(), body: None }
    }

    pub(crate) fn with_header(mut self, name: HeaderName, value: impl Into<String>) -> Request {
        self.headers.push((name, value.into()));
        self
    }

    pub(crate) fn with_body(mut self, media_type: &str, body: Sent) -> Request {
        self.body = Some(body);
        self.with_header(reqwest::header::CONTENT_TYPE, media_type)
    }

    /// The URL without its query, which may be signed.
    pub(crate) fn place(&self) -> String {
        place_of(&self.url)
    }

    /// The time limit for the answer.
    fn patience(&self, patience: Duration) -> Duration {
        patience + time_for(self.body.as_ref().map_or(0, Sent::len))
    }
}

/// The additional time for a transfer of this size.
pub(crate) fn time_for(bytes: u64) -> Duration {
    Duration::from_secs(bytes / limits::BYTES_A_SECOND)
}

fn place_of(url: &Url) -> String {
    url[..url::Position::AfterPath].to_owned()
}

impl Network {
    /// A client that waits so long for an answer. Connects to nothing yet.
    ///
    /// # Errors
    /// Fails if the system has no certificates or no resources for it.
    pub(crate) fn new(patience: Duration) -> Result<Network, HubError> {
        // A program that has already chosen its cryptography keeps it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let unreachable = |what: String| HubError::new("network", HubErrorKind::Unreachable { what });
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| unreachable(error.to_string()))?;
        let client = || {
            let agent = concat!("coco-hub/", env!("CARGO_PKG_VERSION"));
            let builder = Client::builder().user_agent(agent).redirect(redirect::Policy::none());
            builder.connect_timeout(limits::CONNECT.min(patience)).read_timeout(patience)
        };
        let built =
            |client: reqwest::ClientBuilder| client.build().map_err(|error| unreachable(innermost(&error)));
        let (remote, local) = (built(client())?, built(client().no_proxy())?);
        Ok(Network { runtime, remote, local, access: Access::default(), patience })
    }

    /// Runs a future on the thread of the caller.
    pub(crate) fn run<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    /// Sends a request, and returns the answer, whatever its status, except for those that lead
    /// elsewhere: redirects, requests for credentials, requests to wait.
    pub(crate) async fn send(&self, request: &Request, scope: &Scope) -> Result<Response, HubError> {
        let mut request = request.clone();
        let (mut redirects, mut has_waited, mut has_asked) = (0, false, false);
        loop {
            check_scheme(&request.url, &request.place())?;
            // Another host gets no credentials of this one.
            let is_at_home = request.url.origin() == scope.home;
            let authorization = if is_at_home { self.access.known(scope) } else { None };
            let response = self.send_once(&request, authorization.as_ref()).await?;
            let status = response.status();
            if status == StatusCode::UNAUTHORIZED && is_at_home {
                // A token that has expired is replaced once.
                if has_asked && authorization.is_some() {
                    return Err(denied(&request, "the credentials are not valid here"));
                }
                has_asked = true;
                self.authorize(&request, scope, response.headers()).await?;
            } else if let Some(wait) = requested_wait(&response) {
                let limit = self.patience;
                if has_waited || wait > limit {
                    let kind = HubErrorKind::Busy { seconds: wait.as_secs() };
                    return Err(HubError::new(request.place(), kind));
                }
                has_waited = true;
                tokio::time::sleep(wait).await;
            } else if status.is_redirection() && status != StatusCode::NOT_MODIFIED {
                redirects += 1;
                request = redirected(request, &response, redirects)?;
            } else {
                return Ok(response);
            }
        }
    }

    async fn send_once(
        &self,
        request: &Request,
        authorization: Option<&HeaderValue>,
    ) -> Result<Response, HubError> {
        let client = if is_loopback(&request.url) { &self.local } else { &self.remote };
        let mut sent = client.request(request.method.clone(), request.url.clone());
        for (name, value) in &request.headers {
            sent = sent.header(name, value);
        }
        if let Some(authorization) = authorization {
            sent = sent.header(AUTHORIZATION, authorization.clone());
        }
        sent = match &request.body {
            Some(body) => sent.body(reqwest::Body::wrap(body.begin())),
            None if request.method == Method::POST || request.method == Method::PUT => {
                sent.header(CONTENT_LENGTH, "0")
            }
            None => sent,
        };
        let patience = request.patience(self.patience);
        let late = || HubError::new(request.place(), HubErrorKind::Time { seconds: patience.as_secs() });
        match tokio::time::timeout(patience, sent.send()).await {
            Err(_) => Err(late()),
            Ok(Err(error)) if error.is_timeout() => Err(late()),
            Ok(Err(error)) => {
                Err(HubError::new(request.place(), HubErrorKind::Unreachable { what: innermost(&error) }))
            }
            Ok(Ok(response)) => Ok(response),
        }
    }

    /// Obtains what the answer with these headers asks for.
    async fn authorize(&self, request: &Request, scope: &Scope, headers: &HeaderMap) -> Result<(), HubError> {
        let answer = self.access.answer(request, scope, headers)?;
        let Some(token) = answer else { return Ok(()) };
        check_way(&request.url, &token.request.url, &request.place())?;
        let response = self.send_once(&token.request, token.authorization.as_ref()).await?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                return Err(denied(request, "no token for these credentials"));
            }
            status => return Err(unexpected(&token.request, status, "for a token")),
        }
        let bytes = self.read(response, &token.request, limits::ANSWER_BYTES).await?;
        self.access.keep(scope, &bytes).map_err(|what| denied(request, what))
    }

    /// The body of an answer, at most `limit` bytes.
    pub(crate) async fn read(
        &self,
        mut response: Response,
        request: &Request,
        limit: u64,
    ) -> Result<Vec<u8>, HubError> {
        let fail = |kind| HubError::new(request.place(), kind);
        let check = |found: u64| match found > limit {
            true => Err(fail(HubErrorKind::Limit { found, limit })),
            false => Ok(()),
        };
        check(response.content_length().unwrap_or_default())?;
        let mut bytes = Vec::new();
        let reading = async {
            while let Some(piece) = response.chunk().await.map_err(|error| fail(broken(&error, self)))? {
                check(bytes.len() as u64 + piece.len() as u64)?;
                bytes.extend_from_slice(&piece);
            }
            Ok(bytes)
        };
        let patience = self.patience + time_for(limit);
        let late = |_| fail(HubErrorKind::Time { seconds: patience.as_secs() });
        tokio::time::timeout(patience, reading).await.map_err(late)?
    }
}

/// The failure of a transfer that has begun.
pub(crate) fn broken(error: &reqwest::Error, network: &Network) -> HubErrorKind {
    match error.is_timeout() {
        true => HubErrorKind::Time { seconds: network.patience.as_secs() },
        false => HubErrorKind::Unreachable { what: innermost(error) },
    }
}

pub(crate) fn denied(request: &Request, what: impl Into<String>) -> HubError {
    HubError::new(request.place(), HubErrorKind::Denied { what: what.into() })
}

/// The failure for a status that the specification does not allow here.
pub(crate) fn unexpected(request: &Request, status: StatusCode, purpose: &str) -> HubError {
    let what = match status {
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => {
            return denied(request, format!("{status} {purpose}"));
        }
        status => format!("{status} {purpose}"),
    };
    HubError::new(request.place(), HubErrorKind::Answer { what })
}

/// The request to the target of a redirect.
fn redirected(mut request: Request, response: &Response, count: u32) -> Result<Request, HubError> {
    let header = response.headers().get(LOCATION).and_then(|location| location.to_str().ok());
    let target = header.and_then(|location| request.url.join(location).ok());
    let Some(target) = target else {
        let what = format!("{} without a valid location", response.status());
        return Err(HubError::new(request.place(), HubErrorKind::Answer { what }));
    };
    if count > limits::REDIRECTS {
        return refused(&target, "there were too many", &request.place());
    }
    check_way(&request.url, &target, &request.place())?;
    if response.status() == StatusCode::SEE_OTHER && request.method != Method::HEAD {
        (request.method, request.body) = (Method::GET, None);
    }
    request.url = target;
    Ok(request)
}

/// The time that a server asks to wait, at least a second.
fn requested_wait(response: &Response) -> Option<Duration> {
    let is_busy =
        matches!(response.status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
    let header = response.headers().get(RETRY_AFTER).and_then(|wait| wait.to_str().ok());
    let seconds = header.and_then(|wait| wait.trim().parse::<u64>().ok());
    match (is_busy, seconds) {
        (false, _) => None,
        (true, Some(seconds)) => Some(Duration::from_secs(seconds)),
        // A date, or nothing.
        (true, None) => Some(Duration::from_secs(1)),
    }
}

/// Refuses an address that an answer names, if requests to it would be less safe than that for the
/// answer.
pub(crate) fn check_way(from: &Url, to: &Url, place: &str) -> Result<(), HubError> {
    let what = match (from.scheme(), to.scheme()) {
        (_, scheme) if !matches!(scheme, "http" | "https") => "it is not a web address",
        ("https", "http") => "it would continue without encryption",
        (_, "http") if !is_loopback(to) => "it is not encrypted",
        _ if is_loopback(to) && !is_loopback(from) => "it leads from the network to this machine",
        _ if !to.username().is_empty() || to.password().is_some() => "it contains credentials",
        _ => return Ok(()),
    };
    refused(to, what, place)
}

fn refused<T>(to: &Url, what: &'static str, place: &str) -> Result<T, HubError> {
    // Credentials and a query, which may be signed, are not repeated.
    let to = match to.host_str() {
        Some(host) => format!("{}://{host}", to.scheme()),
        None => format!("{}:", to.scheme()),
    };
    Err(HubError::new(place, HubErrorKind::Redirect { what, to }))
}

/// Plain HTTP is for this machine alone.
fn check_scheme(url: &Url, place: &str) -> Result<(), HubError> {
    match url.scheme() == "https" || (url.scheme() == "http" && is_loopback(url)) {
        true => Ok(()),
        false => {
            let (what, to) = ("plain HTTP is for this machine alone", place.to_owned());
            Err(HubError::new(place, HubErrorKind::Redirect { what, to }))
        }
    }
}

/// Whether the URL is of this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The cause of an error, without the URLs that wrap it.
pub(crate) fn innermost(error: &(dyn std::error::Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
