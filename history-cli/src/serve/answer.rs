//! Answers, with the reason that the log records.

use super::states::StateError;
use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use axum::http::{Response, StatusCode};
use coconut_history::{HistoryError, HistoryErrorKind};

/// An answer, and the facts about it for the log.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: Vec<(HeaderName, String)>,
    pub(super) body: Vec<u8>,
    /// The code and the reason of a refusal.
    pub(super) reason: Option<(&'static str, String)>,
}

impl Answer {
    pub(super) fn new(status: StatusCode) -> Answer {
        Answer { status, headers: Vec::new(), body: Vec::new(), reason: None }
    }

    /// An answer with a body.
    pub(super) fn with(status: StatusCode, kind: &str, body: impl Into<Vec<u8>>) -> Answer {
        Answer { body: body.into(), ..Answer::new(status) }.header(CONTENT_TYPE, kind)
    }

    pub(super) fn header(mut self, name: HeaderName, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }

    /// A refusal. Clients show only the status, so the body is for people with other tools.
    pub(super) fn refused(status: StatusCode, code: &'static str, reason: impl Into<String>) -> Answer {
        let reason = reason.into();
        let body = format!("{code}: {reason}\n");
        let answer = Answer::with(status, "text/plain; charset=utf-8", body);
        Answer { reason: Some((code, reason)), ..answer }
    }

    /// The refusal for an error of a pack.
    pub(super) fn of_error(error: &HistoryError, is_unlock: bool) -> Answer {
        let kind = error.kind();
        let status = match kind {
            HistoryErrorKind::Locked { .. } if is_unlock => StatusCode::CONFLICT,
            HistoryErrorKind::Locked { .. } => StatusCode::LOCKED,
            HistoryErrorKind::LockLost
            | HistoryErrorKind::LockRequired
            | HistoryErrorKind::BlindUnlock { .. }
            | HistoryErrorKind::Stale { .. }
            | HistoryErrorKind::Lineage { .. } => StatusCode::CONFLICT,
            HistoryErrorKind::Changed { .. } => StatusCode::PRECONDITION_FAILED,
            HistoryErrorKind::Document(_) | HistoryErrorKind::NotAState(_) => StatusCode::BAD_REQUEST,
            HistoryErrorKind::TooLong { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            HistoryErrorKind::Revision { .. } | HistoryErrorKind::Pruned(_) => StatusCode::NOT_FOUND,
            HistoryErrorKind::Full => StatusCode::INSUFFICIENT_STORAGE,
            HistoryErrorKind::Busy => StatusCode::SERVICE_UNAVAILABLE,
            // Never 404: the client would create everything again.
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let mut answer = Answer::refused(status, kind.code(), kind.to_string());
        if let HistoryErrorKind::Locked { info, .. } | HistoryErrorKind::BlindUnlock { info } = kind {
            answer.body = info.clone().into_bytes();
            answer.headers = vec![(CONTENT_TYPE, "application/json".to_owned())];
        }
        match kind {
            HistoryErrorKind::Busy => answer.header(RETRY_AFTER, "1"),
            _ => answer,
        }
    }

    /// The refusal for an error of a state.
    pub(super) fn of_state(error: &StateError, is_unlock: bool) -> Answer {
        match error {
            StateError::Missing => {
                Answer::refused(StatusCode::NOT_FOUND, "KEY-MISSING", "there is no such state")
            }
            StateError::OtherCase(found) => {
                let reason = format!("`{found}` differs only in the case of letters");
                Answer::refused(StatusCode::CONFLICT, "SRV-NAME", reason)
            }
            StateError::Pack(error) => Answer::of_error(error, is_unlock),
            StateError::Folder(error) => {
                Answer::refused(StatusCode::INTERNAL_SERVER_ERROR, "FILE-WRITE", error.to_string())
            }
        }
    }

    pub(super) fn into_response(self, id: &str) -> Response<Body> {
        let mut response = Response::new(Body::from(self.body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let id = (HeaderName::from_static("x-request-id"), id.to_owned());
        for (name, value) in self.headers.into_iter().chain([id]) {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(name, value);
            }
        }
        response
    }
}
