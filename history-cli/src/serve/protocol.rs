//! The backend `http` of Terraform and OpenTofu: read, write, lock and unlock a state.

use super::BlindUnlock;
use super::access::Account;
use super::answer::Answer;
use super::states::{StateError, States};
use crate::commands::add::digest;
use crate::named::now;
use axum::http::StatusCode;
use axum::http::header::{ALLOW, ETAG, HeaderName};
use coconut_format::numerals::hex;
use coconut_history::{Entry, LockFacts, Unlock};

/// A request about one state.
pub(super) struct Request<'r> {
    pub(super) states: &'r States,
    pub(super) name: &'r str,
    pub(super) account: &'r Account,
    pub(super) address: &'r str,
}

/// The steps of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Read,
    Write,
    Lock,
    Unlock,
}

impl Step {
    /// The step of a method. GitLab and Gitea have locks at `…/lock`, with other methods.
    pub(super) fn of(method: &str, is_lock_address: bool) -> Option<Step> {
        Some(match (method, is_lock_address) {
            ("GET", false) => Step::Read,
            ("POST" | "PUT", false) => Step::Write,
            ("LOCK", _) | ("POST" | "PUT", true) => Step::Lock,
            ("UNLOCK", _) | ("DELETE", true) => Step::Unlock,
            _ => return None,
        })
    }
}

impl Request<'_> {
    fn entry(&self) -> Entry<'_> {
        Entry {
            time: now(),
            source: "http",
            account: self.account.name.as_deref(),
            address: Some(self.address),
            ..Entry::default()
        }
    }

    /// The newest text. A state that exists and cannot be read is never missing.
    pub(super) fn read(&self) -> Answer {
        let found = self.states.with(self.name, false, |pack| {
            pack.newest()?.map(|newest| Ok((hex(&newest.sha_256), pack.text(newest.n)?))).transpose()
        });
        match found {
            Ok(Some((sha_256, text))) => {
                Answer::with(StatusCode::OK, "application/json", text).header(ETAG, format!("\"{sha_256}\""))
            }
            Ok(None) => Answer::of_state(&StateError::Missing, false),
            Err(error) => Answer::of_state(&error, false),
        }
    }

    /// Stores a text. The answer comes when it is on the disk.
    pub(super) fn write(
        &self,
        text: &[u8],
        query: &Query,
        if_match: Option<&str>,
        needs_lock: bool,
    ) -> Answer {
        let if_newest = match if_match.map(|tag| digest(tag.trim().trim_matches('"'))) {
            Some(Err(_)) => {
                let reason = "`If-Match` has no `ETag` of a state";
                return Answer::refused(StatusCode::PRECONDITION_FAILED, "HIST-CHANGED", reason);
            }
            Some(Ok(digest)) => Some(digest),
            None => None,
        };
        let entry = Entry {
            lock_id: query.id.as_deref(),
            force: query.force,
            is_state: true,
            if_newest,
            needs_lock,
            ..self.entry()
        };
        match self.states.with(self.name, true, |pack| pack.add(text, &entry)) {
            Ok(added) => {
                let version = added.version();
                Answer::new(StatusCode::OK)
                    .header(ETAG, format!("\"{}\"", hex(&version.sha_256)))
                    .header(HeaderName::from_static("x-coco-version"), version.n.to_string())
            }
            Err(error) => Answer::of_state(&error, false),
        }
    }

    /// Takes the lock.
    pub(super) fn lock(&self, info: &[u8]) -> Answer {
        let wrong = || {
            Answer::refused(
                StatusCode::BAD_REQUEST,
                "SRV-BODY",
                "the body is no lock information with an `ID`",
            )
        };
        let Ok(info) = std::str::from_utf8(info) else { return wrong() };
        let Some(id) = LockFacts::parse(info).and_then(|facts| facts.id) else { return wrong() };
        match self.states.with(self.name, true, |pack| pack.lock(&id, info, &self.entry())) {
            Ok(()) => Answer::new(StatusCode::OK),
            Err(error) => Answer::of_state(&error, false),
        }
    }

    /// Frees the lock. `terraform force-unlock` sends an empty body.
    pub(super) fn unlock(&self, info: &[u8], blind: BlindUnlock) -> Answer {
        let id = match info.trim_ascii().is_empty() {
            true => None,
            false => {
                match std::str::from_utf8(info).ok().and_then(LockFacts::parse).and_then(|facts| facts.id) {
                    Some(id) => Some(id),
                    None => {
                        let reason = "the body is no lock information with an `ID`";
                        return Answer::refused(StatusCode::BAD_REQUEST, "SRV-BODY", reason);
                    }
                }
            }
        };
        let unlock = match (&id, blind) {
            (Some(id), _) => Unlock::Id(id),
            (None, BlindUnlock::Allow) => Unlock::Blind,
            (None, BlindUnlock::Deny) => Unlock::BlindRefused,
        };
        match self.states.with(self.name, false, |pack| pack.unlock(unlock, &self.entry())) {
            // The first answer may have been lost.
            Ok(_) | Err(StateError::Missing) => Answer::new(StatusCode::OK),
            Err(error) => Answer::of_state(&error, true),
        }
    }

    /// The answer to any other method.
    pub(super) fn not_allowed(&self) -> Answer {
        let reason = "a state is not deleted by the protocol; `coco serve rm --root DIR NAME` removes it";
        Answer::refused(StatusCode::METHOD_NOT_ALLOWED, "SRV-METHOD", reason)
            .header(ALLOW, "GET, POST, PUT, LOCK, UNLOCK")
    }
}

/// The parts of a query that have a meaning.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Query {
    /// The ID of the lock.
    pub(super) id: Option<String>,
    /// Whether the rules of serial numbers and lineages are set aside.
    pub(super) force: bool,
    /// A key, for its history.
    pub(super) key: Option<String>,
    /// A label.
    pub(super) label: Option<String>,
}

impl Query {
    pub(super) fn parse(text: &str) -> Query {
        let mut query = Query::default();
        for pair in text.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "ID" => query.id = Some(decoded(value)),
                "key" => query.key = Some(decoded(value)),
                "label" => query.label = Some(decoded(value)),
                "force" => query.force = value == "true",
                _ => {}
            }
        }
        query
    }
}

/// A text without the escapes of a query.
pub(super) fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        rest = match (byte, escaped) {
            (b'%', Some(escaped)) => {
                bytes.push(escaped);
                after.get(2..).unwrap_or_default()
            }
            (b'+', _) => {
                bytes.push(b' ');
                after
            }
            _ => {
                bytes.push(byte);
                after
            }
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_has_an_id_and_other_parts() {
        let parsed = Query::parse("x=1&ID=a%2Db+c%zz&force=true&key=t.x%5B0%5D");
        let expected = Query {
            id: Some("a-b c%zz".to_owned()),
            force: true,
            key: Some("t.x[0]".to_owned()),
            label: None,
        };
        assert_eq!(parsed, expected);
        assert_eq!(Query::parse(""), Query::default());
        assert!(!Query::parse("force=1").force);
    }
}
