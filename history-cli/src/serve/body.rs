//! Bodies of requests, within limits of size, time and memory.

use super::answer::Answer;
use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_LENGTH, HeaderName};
use axum::http::{HeaderMap, StatusCode};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::BodyExt as _;
use md5::{Digest as _, Md5};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

/// The time for the first bytes, and afterwards for each so many bytes.
const PATIENCE: Duration = Duration::from_secs(30);

/// The slowest accepted client, in bytes a second.
const SLOWEST: u64 = 10_000;

/// The most bytes of a refused body that are read before the answer.
const DRAINED: u64 = 64 << 20;

/// The longest body without an announced length.
const UNANNOUNCED: u64 = 1 << 20;

/// The unit of memory for bodies.
const UNIT: u64 = 64 << 10;

/// The memory for the bodies of all requests.
pub(super) struct Memory {
    permits: Semaphore,
    units: u32,
}

impl Memory {
    pub(super) fn new(bytes: u64) -> Memory {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX >> 4).max(1);
        Memory { permits: Semaphore::new(units as usize), units }
    }

    async fn take(&self, bytes: u64) -> Option<SemaphorePermit<'_>> {
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.units);
        self.permits.acquire_many(units).await.ok()
    }
}

/// A body, and its part of the memory.
pub(super) struct Received<'m> {
    pub(super) bytes: Vec<u8>,
    _memory: Option<SemaphorePermit<'m>>,
}

/// Reads a body of at most `most` bytes.
///
/// A longer one is read and dropped before it is refused: a client that still sends when the
/// connection ends does not see the answer, and sends everything again.
pub(super) async fn read<'m>(
    headers: &HeaderMap,
    body: Body,
    most: u64,
    memory: &'m Memory,
) -> Result<Received<'m>, Answer> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > most) {
        drain(body).await;
        return Err(too_large(most));
    }
    let held = memory.take(announced.unwrap_or(UNANNOUNCED.min(most))).await;
    let most_here = announced.unwrap_or(UNANNOUNCED.min(most));
    let mut bytes = Vec::new();
    let mut body = body;
    let started = Instant::now();
    loop {
        let allowed = PATIENCE + Duration::from_millis(bytes.len() as u64 * 1000 / SLOWEST);
        let frame = match timeout_at(started + allowed, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => break,
            Ok(Some(Err(_))) => return Err(unfinished(StatusCode::BAD_REQUEST, "the body ended early")),
            Err(_) => return Err(unfinished(StatusCode::REQUEST_TIMEOUT, "the body came too slowly")),
        };
        let Some(data) = frame.data_ref() else { continue };
        if bytes.len() as u64 + data.len() as u64 > most_here {
            drain(body).await;
            return Err(match most_here < most {
                true => unfinished(StatusCode::LENGTH_REQUIRED, "a long body needs `Content-Length`"),
                false => too_large(most),
            });
        }
        bytes.extend_from_slice(data);
    }
    if announced.is_some_and(|length| length != bytes.len() as u64) {
        return Err(unfinished(StatusCode::BAD_REQUEST, "the body has another length than announced"));
    }
    check_digest(headers, &bytes)?;
    Ok(Received { bytes, _memory: held })
}

fn check_digest(headers: &HeaderMap, bytes: &[u8]) -> Result<(), Answer> {
    let Some(sent) = headers.get(HeaderName::from_static("content-md5")) else { return Ok(()) };
    let computed = STANDARD.encode(Md5::digest(bytes));
    match sent.as_bytes() == computed.as_bytes() {
        true => Ok(()),
        false => {
            let reason = "the body has another MD5 than `Content-MD5`";
            Err(Answer::refused(StatusCode::BAD_REQUEST, "SRV-BODY", reason))
        }
    }
}

/// Reads and drops a body, up to a limit.
async fn drain(mut body: Body) {
    let (end, mut dropped) = (Instant::now() + PATIENCE, 0u64);
    while dropped <= DRAINED {
        match timeout_at(end, body.frame()).await {
            Ok(Some(Ok(frame))) => dropped += frame.data_ref().map_or(0, |data| data.len() as u64),
            _ => return,
        }
    }
}

fn too_large(most: u64) -> Answer {
    let reason = format!("the body is longer than {most} bytes (--max-state)");
    Answer::refused(StatusCode::PAYLOAD_TOO_LARGE, "HIST-TEXT", reason).header(CONNECTION, "close")
}

fn unfinished(status: StatusCode, reason: &str) -> Answer {
    Answer::refused(status, "SRV-BODY", reason).header(CONNECTION, "close")
}
