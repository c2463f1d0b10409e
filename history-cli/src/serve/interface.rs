//! The interface for programs below `/v1/`: facts about states as JSON, without secrets.
//!
//! The answers are the reports of `coco history … --json`.

use super::access::Account;
use super::answer::Answer;
use super::protocol::{Query, decoded};
use super::states::{StateError, States, is_name};
use super::tokens::Right;
use crate::commands::get::{found, value_in};
use crate::commands::log::history_of;
use crate::commands::ls::{in_json, labels, listing, lock_in_json};
use crate::failure::OrFail;
use crate::shown::{Opened, value_of, write_diff, write_value};
use axum::http::StatusCode;
use axum::http::header::ETAG;
use coconut_format::Value;
use coconut_format::numerals::hex;
use coconut_history::{Pack, Version};
use coconut_picture::graph::{Graphs, Wanted};
use coconut_report::diff::{Form, Shape};
use coconut_report::json::{list, number, object, report, text};
use coconut_report::source::Source;
use coconut_report::{Failure, code};

const JSON: &str = "application/json";

/// A request for facts.
pub(super) struct FactsRequest<'r> {
    pub(super) states: &'r States,
    pub(super) account: &'r Account,
    pub(super) query: &'r Query,
}

/// The answer to GET. Errors are JSON, too.
pub(super) fn answer(request: &FactsRequest<'_>, path: &str) -> Answer {
    let answer = request.answer(path);
    let Some((code, reason)) = answer.reason.clone() else { return answer };
    let error = object([("code", text(code)), ("message", text(reason.as_str()))]);
    let body = printed(&object([("error", error)])).unwrap_or_default();
    Answer { reason: Some((code, reason)), ..Answer::with(answer.status, JSON, body) }
}

impl FactsRequest<'_> {
    fn answer(&self, path: &str) -> Answer {
        if path == "/v1/states" {
            return self.list();
        }
        let Some((name, rest)) = parts(path) else { return missing() };
        let words: Vec<&str> = rest.split('/').collect();
        let is_text = matches!(words[..], ["versions", _, "text"]);
        let right = if is_text { Right::Read } else { Right::View };
        if !self.account.may(right, name) {
            let reason = format!("the token has no right to {} here", right.name());
            return Answer::refused(StatusCode::FORBIDDEN, "SRV-AUTH", reason);
        }
        let answer = self.states.with(name, false, |pack| Ok(self.facts(pack, name, &words)));
        match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(failure)) => failed(&failure),
            Err(error) => Answer::of_state(&error, false),
        }
    }

    /// All states that the account may view.
    fn list(&self) -> Answer {
        let names = match self.states.names() {
            Ok(names) => names,
            Err(error) => return Answer::of_state(&StateError::Folder(error), false),
        };
        let names = names.iter().filter(|name| self.account.may(Right::View, name));
        let states = list(names, |name| {
            let state = self.states.with(name, false, |pack| Ok(summary(pack, name)));
            match state {
                Ok(Ok(state)) => state,
                // One that cannot be read does not hide the others.
                Ok(Err(failure)) => unreadable(name, failure.code(), &failure.to_line()),
                Err(error) => {
                    let (code, reason) = Answer::of_state(&error, false).reason.unwrap_or_default();
                    unreadable(name, code, &reason)
                }
            }
        });
        json(&report("serve states", [("states", states)]))
    }

    fn facts(&self, pack: &Pack, name: &str, words: &[&str]) -> Result<Answer, Failure> {
        let version = |revision: &str| pack.resolve(&decoded(revision)).or_fail();
        let keys: Vec<String> = self.query.key.iter().cloned().collect();
        Ok(match *words {
            [""] => json(&report("serve state", [("state", summary(pack, name)?)])),
            ["versions"] => json(&listing(pack)?),
            ["versions", revision] => {
                let version = in_json(&version(revision)?, &pack.change_counts().or_fail()?, &labels(pack)?);
                json(&report("serve version", [("version", version)]))
            }
            ["versions", revision, "text"] => {
                let version = version(revision)?;
                Answer::with(StatusCode::OK, JSON, pack.text(version.n).or_fail()?)
                    .header(ETAG, format!("\"{}\"", hex(&version.sha_256)))
            }
            ["versions", revision, "document"] => {
                let version = version(revision)?;
                let opened = Opened::version(pack, &version)?;
                match &self.query.key {
                    Some(key) => json(&found(&version, key, value_in(&opened, key, false)?)),
                    None => json(&value_of(opened.view(), false)?),
                }
            }
            ["versions", revision, "graph"] => {
                let opened = Opened::version(pack, &version(revision)?)?;
                let mut out = Vec::new();
                let source = Source::new(&opened.name, opened.view());
                Graphs::of(source, None, &[], false)?.draw(&Wanted::default())?.write_json(&mut out)?;
                Answer::with(StatusCode::OK, JSON, out)
            }
            ["diff", range] => {
                let (old, new) = range.split_once("..").ok_or_else(no_address)?;
                let (old, new) = (opened(pack, &version(old)?)?, opened(pack, &version(new)?)?);
                let mut out = Vec::new();
                write_diff(&old, &new, &keys, &Shape { form: Form::Json, ..Shape::default() }, &mut out)?;
                Answer::with(StatusCode::OK, JSON, out)
            }
            ["log"] => json(&history_of(pack, self.query.key.as_deref().unwrap_or_default())?),
            ["lock"] => {
                let lock = lock_in_json(pack.holder().or_fail()?.as_ref());
                json(&report("serve lock", [("lock", lock)]))
            }
            _ => missing(),
        })
    }
}

fn opened(pack: &Pack, version: &Version) -> Result<Opened, Failure> {
    Opened::version(pack, version)
}

/// A state in a list.
fn summary(pack: &Pack, name: &str) -> Result<Value, Failure> {
    let versions = pack.versions().or_fail()?;
    let newest = match versions.last() {
        Some(newest) => in_json(newest, &pack.change_counts().or_fail()?, &labels(pack)?),
        None => Value::Null,
    };
    Ok(object([
        ("name", text(name)),
        ("versions", number(versions.len() as u64)),
        ("newest", newest),
        ("lock", lock_in_json(pack.holder().or_fail()?.as_ref())),
    ]))
}

fn unreadable(name: &str, code: &str, message: &str) -> Value {
    let error = object([("code", text(code)), ("message", text(message))]);
    object([("name", text(name)), ("error", error)])
}

/// The name of a state, and the rest of the address.
fn parts(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix("/v1/states/")?;
    let (name, rest) = path.split_once("/-/").unwrap_or((path, ""));
    is_name(name).then_some((name, rest))
}

fn no_address() -> Failure {
    Failure::negative(code::KEY_MISSING, "there is no such address".to_owned())
}

fn missing() -> Answer {
    Answer::refused(StatusCode::NOT_FOUND, "SRV-ADDR", "there is no such address; states are at `/v1/states`")
}

fn failed(failure: &Failure) -> Answer {
    let status = match failure.code() {
        "HIST-REV" | code::KEY_MISSING => StatusCode::NOT_FOUND,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Answer::refused(status, failure.code(), failure.to_line())
}

fn printed(value: &Value) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    write_value(value, &mut out)?;
    Ok(out)
}

fn json(value: &Value) -> Answer {
    match printed(value) {
        Ok(body) => Answer::with(StatusCode::OK, JSON, body),
        Err(failure) => failed(&failure),
    }
}
