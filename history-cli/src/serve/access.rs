//! Requests that may not be answered: other hosts, missing tokens, insufficient rights.

use super::tokens::{Right, Token, Tokens};
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The rules about who may do what.
pub(super) struct Access {
    /// `None` if there are no tokens.
    pub(super) tokens: Option<Tokens>,
    /// The names by which clients know the server. Empty for all.
    pub(super) hosts: Vec<String>,
}

/// The user of a request.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) name: Option<String>,
    right: Right,
    path: String,
}

/// The reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// There is no token.
    NoToken,
    /// The token is unknown.
    UnknownToken,
}

impl Access {
    /// Whether the request is for this server. A page of a stranger can resolve its own name to
    /// this address, but cannot choose another name in the request.
    pub(super) fn is_host(&self, headers: &HeaderMap) -> bool {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        self.hosts.is_empty() || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(without_port(host)))
    }

    /// Whether a change was requested by the page of this server. Browsers always send the origin
    /// of a form.
    pub(super) fn is_own_page(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let origin = text(ORIGIN);
        let origin = origin.strip_prefix("https://").or(origin.strip_prefix("http://")).unwrap_or_default();
        !origin.is_empty() && origin.eq_ignore_ascii_case(text(HOST))
    }

    /// The user with the token of the request.
    pub(super) fn account(&self, headers: &HeaderMap) -> Result<Account, Refusal> {
        let Some(tokens) = &self.tokens else {
            return Ok(Account { name: None, right: Right::Admin, path: String::new() });
        };
        let text = token_of(headers).ok_or(Refusal::NoToken)?;
        let Token { name, right, path, .. } = tokens.find(&text).ok_or(Refusal::UnknownToken)?;
        Ok(Account { name: Some(name), right, path })
    }
}

impl Account {
    /// Whether it has a right for a state.
    pub(super) fn may(&self, right: Right, state: &str) -> bool {
        self.right >= right && state.starts_with(&self.path)
    }
}

/// The token of a request: the password of Basic, or that of Bearer.
fn token_of(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = text.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().to_owned());
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(rest.trim()).ok()?).ok()?;
    decoded.split_once(':').map(|(_, password)| password.to_owned())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_not_part_of_a_name() {
        let hosts = ["localhost:1", "localhost", "[::1]:80", "[::1]", "a.b:x"].map(without_port);
        assert_eq!(hosts, ["localhost", "localhost", "[::1]", "[::1]", "a.b:x"]);
    }

    #[test]
    fn a_token_is_a_password_or_a_bearer() {
        let token = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, text.parse().unwrap());
            token_of(&headers)
        };
        assert_eq!(token("Basic YTpjb2NvXzE=").as_deref(), Some("coco_1"));
        assert_eq!(token("bearer coco_1").as_deref(), Some("coco_1"));
        for wrong in ["Basic", "Basic !!!", "Basic YQ==", "Digest x", "Basic /////w=="] {
            assert_eq!(token(wrong), None, "{wrong}");
        }
    }
}
