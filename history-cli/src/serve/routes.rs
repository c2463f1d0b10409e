//! The addresses of a server.

use super::Server;
use super::access::{Access, Account, Refusal};
use super::answer::Answer;
use super::body::{self, Memory};
use super::interface::{self, FactsRequest};
use super::journal::{Journal, Line};
use super::page::{self, PageRequest};
use super::protocol::{Query, Request, Step, decoded};
use super::states::{States, is_name};
use super::tokens::Right;
use crate::named::now;
use axum::body::Body;
use axum::http::header::{ALLOW, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{Response, StatusCode};
use coconut_history::limits::LOCK_INFO;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

/// The most requests that work at the same time.
const WORKING: usize = 64;

/// Everything that requests share.
pub(super) struct Shared {
    pub(super) states: States,
    pub(super) access: Access,
    pub(super) journal: Journal,
    settings: Server,
    memory: Memory,
    working: Semaphore,
}

impl Shared {
    pub(super) fn new(settings: Server, states: States, access: Access) -> Shared {
        let memory = Memory::new(settings.max_state.saturating_mul(2));
        Shared {
            states,
            access,
            journal: Journal::default(),
            settings,
            memory,
            working: Semaphore::new(WORKING),
        }
    }
}

/// Answers one request, and records it.
pub(super) async fn answer(
    shared: Arc<Shared>,
    address: SocketAddr,
    request: axum::http::Request<Body>,
) -> Response<Body> {
    let started = Instant::now();
    let (parts, body) = request.into_parts();
    let id = format!("{:x}-{}", now(), shared.journal.number());
    let mut line = Line {
        time: now(),
        id: id.clone(),
        address: address.ip().to_string(),
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        ..Line::default()
    };
    let answer = answer_to(&shared, &parts, body, &mut line).await;
    line.status = answer.status.as_u16();
    line.reason.clone_from(&answer.reason);
    line.sent = answer.body.len() as u64;
    line.milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    shared.journal.record(&line);
    answer.into_response(&id)
}

async fn answer_to(shared: &Arc<Shared>, parts: &Parts, body: Body, line: &mut Line) -> Answer {
    let (method, path) = (parts.method.as_str(), parts.uri.path());
    if !shared.access.is_host(&parts.headers) {
        let reason = "the request names another host (--host)";
        return Answer::refused(StatusCode::MISDIRECTED_REQUEST, "SRV-ADDR", reason);
    }
    match (method, path) {
        ("GET" | "HEAD", "/healthz") => return Answer::with(StatusCode::OK, "text/plain", "ok\n"),
        ("GET" | "HEAD", "/readyz") => return blocking(shared, Shared::ready).await,
        _ => {}
    }
    let account = match shared.access.account(&parts.headers) {
        Ok(account) => account,
        Err(refusal) => return unauthorized(refusal),
    };
    line.account.clone_from(&account.name);
    if (method, path) == ("GET", "/metrics") {
        if !account.may(Right::View, "") {
            return forbidden(Right::View);
        }
        return blocking(shared, Shared::metrics).await;
    }
    if path == "/v1" || path.starts_with("/v1/") {
        return answer_of_facts(shared, parts, account).await;
    }
    match path.strip_prefix("/state/") {
        Some(name) => answer_of_state(shared, parts, name, account, body, line).await,
        None => answer_of_page(shared, parts, account, body, line).await,
    }
}

/// Facts as JSON.
async fn answer_of_facts(shared: &Arc<Shared>, parts: &Parts, account: Account) -> Answer {
    if !matches!(parts.method.as_str(), "GET" | "HEAD") {
        let reason = "states are changed at `/state/NAME`, and by `coco history`";
        return Answer::refused(StatusCode::METHOD_NOT_ALLOWED, "SRV-METHOD", reason).header(ALLOW, "GET");
    }
    let path = parts.uri.path().to_owned();
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    blocking(shared, move |shared| {
        let request = FactsRequest { states: &shared.states, account: &account, query: &query };
        interface::answer(&request, &path)
    })
    .await
}

/// A page, or the result of its form.
async fn answer_of_page(
    shared: &Arc<Shared>,
    parts: &Parts,
    account: Account,
    body: Body,
    line: &mut Line,
) -> Answer {
    let is_change = match parts.method.as_str() {
        "GET" => false,
        "POST" => true,
        _ => return Answer::refused(StatusCode::NOT_FOUND, "SRV-ADDR", "states are at `/state/NAME`"),
    };
    if is_change && !shared.access.is_own_page(&parts.headers) {
        return Answer::refused(StatusCode::FORBIDDEN, "SRV-AUTH", "the form is not of this server");
    }
    let received = match body::read(&parts.headers, body, LOCK_INFO as u64, &shared.memory).await {
        Ok(received) => received,
        Err(answer) => return answer,
    };
    line.received = received.bytes.len() as u64;
    let form = Query::parse(std::str::from_utf8(&received.bytes).unwrap_or_default());
    let (path, address) = (parts.uri.path().to_owned(), line.address.clone());
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    blocking(shared, move |shared| {
        let request =
            PageRequest { states: &shared.states, account: &account, address: &address, query: &query };
        match is_change {
            true => page::changed(&request, &path, &form),
            false => page::shown(&request, &path),
        }
    })
    .await
}

/// The protocol. Below `/state/`, no answer is ever a redirection: clients follow one of a write by
/// reading, and take the result for a success.
async fn answer_of_state(
    shared: &Arc<Shared>,
    parts: &Parts,
    path: &str,
    account: Account,
    body: Body,
    line: &mut Line,
) -> Answer {
    let (name, is_lock_address) = match path.strip_suffix("/lock") {
        Some(name) => (name.to_owned(), true),
        None => (path.to_owned(), false),
    };
    if !is_name(&name) {
        let trimmed = decoded(name.trim_end_matches('/'));
        let hint =
            if is_name(&trimmed) { format!(": did you mean `/state/{trimmed}`?") } else { String::new() };
        let reason = format!("this cannot be the name of a state{hint}");
        return Answer::refused(StatusCode::NOT_FOUND, "SRV-NAME", reason);
    }
    let step = Step::of(parts.method.as_str(), is_lock_address);
    let right = if step == Some(Step::Read) { Right::Read } else { Right::Write };
    if !account.may(right, &name) {
        return forbidden(right);
    }
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    line.lock_id.clone_from(&query.id);
    // Requests with the same number of bytes in memory wait here, and not in threads.
    let most = match step {
        Some(Step::Write) => shared.settings.max_state,
        _ => LOCK_INFO as u64,
    };
    let received = match body::read(&parts.headers, body, most, &shared.memory).await {
        Ok(received) => received,
        Err(answer) => return answer,
    };
    line.received = received.bytes.len() as u64;
    let if_match = parts.headers.get(axum::http::header::IF_MATCH);
    let if_match = if_match.and_then(|tag| tag.to_str().ok()).map(str::to_owned);
    let (bytes, address) = (received.bytes.clone(), line.address.clone());
    blocking(shared, move |shared| {
        let request = Request { states: &shared.states, name: &name, account: &account, address: &address };
        match step {
            Some(Step::Read) => request.read(),
            Some(Step::Write) => {
                request.write(&bytes, &query, if_match.as_deref(), shared.settings.require_lock)
            }
            Some(Step::Lock) => request.lock(&bytes),
            Some(Step::Unlock) => request.unlock(&bytes, shared.settings.blind_unlock),
            None => request.not_allowed(),
        }
    })
    .await
}

/// Runs work with files in a thread for such work.
async fn blocking(shared: &Arc<Shared>, work: impl FnOnce(&Shared) -> Answer + Send + 'static) -> Answer {
    let _working = shared.working.acquire().await;
    let shared = Arc::clone(shared);
    let answer = tokio::task::spawn_blocking(move || work(&shared)).await;
    answer.unwrap_or_else(|_| {
        Answer::refused(
            StatusCode::INTERNAL_SERVER_ERROR,
            "SRV-PANIC",
            "the request ended in a fault of the server",
        )
    })
}

impl Shared {
    /// Whether a file can be written.
    fn ready(&self) -> Answer {
        match tempfile::tempfile_in(self.settings.root.as_deref().unwrap_or(std::path::Path::new("."))) {
            Ok(_) => Answer::with(StatusCode::OK, "text/plain", "ready\n"),
            Err(error) => Answer::refused(StatusCode::SERVICE_UNAVAILABLE, "FILE-WRITE", error.to_string()),
        }
    }

    fn metrics(&self) -> Answer {
        let names = self.states.names().unwrap_or_default();
        let held = names
            .iter()
            .filter_map(|name| self.states.with(name, false, |pack| pack.holder()).ok().flatten());
        let times: Vec<i64> = held.map(|lock| lock.time).collect();
        let oldest = times.iter().min().map_or(0, |time| (now() - time).max(0).unsigned_abs() / 1000);
        let text = self.journal.metrics(names.len() as u64, times.len() as u64, oldest);
        Answer::with(StatusCode::OK, "text/plain; version=0.0.4", text)
    }
}

fn unauthorized(refusal: Refusal) -> Answer {
    let reason = match refusal {
        Refusal::NoToken => "the request has no token",
        Refusal::UnknownToken => "the token is unknown",
    };
    Answer::refused(StatusCode::UNAUTHORIZED, "SRV-AUTH", reason)
        .header(WWW_AUTHENTICATE, "Basic realm=\"coco\", charset=\"UTF-8\"")
}

fn forbidden(right: Right) -> Answer {
    let reason = format!("the token has no right to {} here", right.name());
    Answer::refused(StatusCode::FORBIDDEN, "SRV-AUTH", reason)
}
