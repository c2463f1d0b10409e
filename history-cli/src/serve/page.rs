//! The pages of a server: states, versions, differences, one resource through time.
//!
//! They have no script, so a text from a document can at most be shown. The one exception is the
//! graph, which is the page of `coco graph` with its own policy.

mod html;

use super::access::Account;
use super::answer::Answer;
use super::protocol::Query;
use super::states::{StateError, States, is_name};
use super::tokens::Right;
use crate::failure::failure_of;
use crate::named::now;
use crate::shown::{Opened, write_diff};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, HeaderName, LOCATION, REFERRER_POLICY, X_FRAME_OPTIONS};
use coconut_format::numerals::grouped;
use coconut_history::{Entry, HistoryError, KeyAction, Pack, Unlock, Version, time};
use coconut_picture::Direction;
use coconut_picture::graph::{Graphs, Wanted};
use coconut_report::diff::Shape;
use coconut_report::source::Source;
use html::{Page, escaped, link, sparkline};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The most versions of a page. All are in `coco history ls`.
const ROWS: usize = 500;

/// The most events of a page.
const EVENTS: u32 = 20;

/// A request for a page.
pub(super) struct PageRequest<'r> {
    pub(super) states: &'r States,
    pub(super) account: &'r Account,
    pub(super) address: &'r str,
    pub(super) query: &'r Query,
}

/// The page of an address below `/`, for GET.
pub(super) fn shown(request: &PageRequest<'_>, path: &str) -> Answer {
    if path == "/" {
        return request.list();
    }
    let Some((name, rest)) = parts(path) else { return missing() };
    if !request.account.may(Right::View, name) {
        return Answer::refused(
            StatusCode::FORBIDDEN,
            "SRV-AUTH",
            "the token has no right to view this state",
        );
    }
    let words: Vec<&str> = rest.split('/').collect();
    match words[..] {
        [""] => request.state(name),
        ["diff", range] => match range.split_once("..").map(|(a, b)| (a.parse(), b.parse())) {
            Some((Ok(old), Ok(new))) => request.diff(name, old, new),
            _ => missing(),
        },
        ["log"] => request.log(name),
        ["graph", n] => n.parse().map_or_else(|_| missing(), |n| request.graph(name, n)),
        ["restore", n] => n.parse().map_or_else(|_| missing(), |n| request.ask_to_restore(name, n)),
        _ => missing(),
    }
}

/// The result of a form, for POST. The caller has checked its origin.
pub(super) fn changed(request: &PageRequest<'_>, path: &str, form: &Query) -> Answer {
    let Some((name, rest)) = parts(path) else { return missing() };
    if !request.account.may(Right::Admin, name) {
        return Answer::refused(
            StatusCode::FORBIDDEN,
            "SRV-AUTH",
            "the token has no right to change this state",
        );
    }
    let entry = Entry {
        time: now(),
        source: "restore",
        who: request.account.name.as_deref(),
        operation: Some("page"),
        account: request.account.name.as_deref(),
        address: Some(request.address),
        ..Entry::default()
    };
    let words: Vec<&str> = rest.split('/').collect();
    let result = request.states.with(name, false, |pack| match words[..] {
        ["unlock"] => pack.unlock(Unlock::Id(form.id.as_deref().unwrap_or_default()), &entry).map(|_| true),
        ["label", n] => {
            let n = n.parse().unwrap_or(0);
            pack.label(n, form.label.as_deref().unwrap_or_default(), &entry).map(|()| true)
        }
        ["restore", n] => pack.restore(n.parse().unwrap_or(0), &entry).map(|_| true),
        _ => Ok(false),
    });
    match result {
        Ok(true) => Answer::new(StatusCode::SEE_OTHER).header(LOCATION, format!("/page/{name}")),
        Ok(false) => missing(),
        Err(error) => Answer::of_state(&error, true),
    }
}

/// The name of a state, and the rest of the address.
fn parts(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix("/page/")?;
    let (name, rest) = path.split_once("/-/").unwrap_or((path, ""));
    is_name(name).then_some((name, rest))
}

fn missing() -> Answer {
    Answer::refused(StatusCode::NOT_FOUND, "SRV-ADDR", "there is no such page; states are at `/state/NAME`")
}

/// A page as an answer. Nothing may be loaded, and forms lead to this server only.
fn page(page: Page) -> Answer {
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
        html::style_digest()
    );
    guarded(Answer::with(StatusCode::OK, "text/html; charset=utf-8", page.finish()))
        .header(CONTENT_SECURITY_POLICY, policy)
}

fn guarded(answer: Answer) -> Answer {
    answer
        .header(X_FRAME_OPTIONS, "DENY")
        .header(REFERRER_POLICY, "same-origin")
        .header(HeaderName::from_static("x-content-type-options"), "nosniff")
}

/// The facts of a state for its page.
struct Facts {
    versions: Vec<Version>,
    counts: HashMap<u64, [u64; 3]>,
    labels: Vec<(String, u64)>,
    lock: Option<coconut_history::Lock>,
    events: Vec<coconut_history::Event>,
}

impl Facts {
    fn of(pack: &Pack) -> Result<Facts, HistoryError> {
        Ok(Facts {
            versions: pack.versions()?,
            counts: pack.change_counts()?,
            labels: pack.labels()?,
            lock: pack.holder()?,
            events: pack.events(EVENTS)?,
        })
    }
}

impl PageRequest<'_> {
    /// All states that the account may view.
    fn list(&self) -> Answer {
        let names = match self.states.names() {
            Ok(names) => names,
            Err(error) => return Answer::of_state(&StateError::Folder(error), false),
        };
        let mut page_of = Page::new("States");
        page_of.push("<table><thead><tr><th>State<th>Last write<th class=n>Resources<th class=n>Serial<th class=n>Bytes<th>Over time<th>Lock</thead><tbody>");
        for name in names.iter().filter(|name| self.account.may(Right::View, name)) {
            let row = match self.states.with(name, false, |pack| Facts::of(pack)) {
                Ok(facts) => row_of_state(name, &facts),
                Err(_) => format!(
                    "<tr class=bad><td>{}<td colspan=6>cannot be read",
                    link(&format!("/page/{name}"), name)
                ),
            };
            page_of.push(&row);
        }
        page_of.push("</tbody></table>");
        page(page_of)
    }

    /// The versions of a state.
    fn state(&self, name: &str) -> Answer {
        let facts = match self.states.with(name, false, |pack| Facts::of(pack)) {
            Ok(facts) => facts,
            Err(error) => return Answer::of_state(&error, false),
        };
        let is_admin = self.account.may(Right::Admin, name);
        let mut page_of = Page::new(name);
        if let Some(lock) = &facts.lock {
            let known = lock.facts();
            let who = known.who.unwrap_or_else(|| "?".to_owned());
            let operation = known.operation.unwrap_or_default();
            page_of.push(&format!(
                "<p class=lock>Locked for {} by {} {}<br><code>{}</code>",
                age(lock.time),
                escaped(&who),
                escaped(&operation),
                escaped(&lock.id)
            ));
            if is_admin {
                page_of.push(&format!(
                    "<form method=post action=\"/page/{name}/-/unlock\"><label>ID of the lock <input name=ID required autocomplete=off size=40></label> <button>Unlock</button></form>"
                ));
            }
            page_of.push("</p>");
        }
        page_of.push(&format!(
            "<form action=\"/page/{name}/-/log\"><label>One resource through time <input name=key required size=40></label> <button>Show</button></form>"
        ));
        page_of.push(&versions_table(name, &facts, is_admin));
        page_of.push("<h2>Events</h2><table><tbody>");
        for event in &facts.events {
            page_of.push(&format!(
                "<tr><td>{}<td>{}<td>{}<td>{}<td>{}",
                time::to_text(event.time),
                escaped(&event.kind),
                event.n.map_or(String::new(), |n| n.to_string()),
                escaped(event.account.as_deref().unwrap_or_default()),
                escaped(event.note.as_deref().or(event.lock_id.as_deref()).unwrap_or_default())
            ));
        }
        page_of.push("</tbody></table>");
        page(page_of)
    }

    /// The differences between two versions, without secrets.
    fn diff(&self, name: &str, old: u64, new: u64) -> Answer {
        let changes = self.states.with(name, false, |pack| Ok(diff_text(pack, old, new, &[])));
        match changes {
            Ok(Ok(text)) => {
                let mut page_of = Page::new(&format!("{name}: version {old} to {new}"));
                page_of.push(&back(name));
                page_of.push(&html::diff(&text));
                page(page_of)
            }
            Ok(Err(failure)) => failed(&failure),
            Err(error) => Answer::of_state(&error, false),
        }
    }

    /// One resource through all versions.
    fn log(&self, name: &str) -> Answer {
        let key = self.query.key.clone().unwrap_or_default();
        let found = self.states.with(name, false, |pack| {
            let log = pack.log(&key)?;
            let versions: HashMap<u64, Version> =
                pack.versions()?.into_iter().map(|version| (version.n, version)).collect();
            let mut rows = Vec::new();
            for (n, action) in log.iter().rev().take(ROWS) {
                let Some(version) = versions.get(n) else { continue };
                let before =
                    (1..*n).rev().find(|n| versions.get(n).is_some_and(|before| before.slot.is_some()));
                let text = match rows.len() < 20 {
                    true => diff_text(pack, before.unwrap_or(0), *n, std::slice::from_ref(&key))
                        .unwrap_or_default(),
                    false => String::new(),
                };
                rows.push((version.clone(), *action, text));
            }
            Ok(rows)
        });
        let rows = match found {
            Ok(rows) => rows,
            Err(error) => return Answer::of_state(&error, false),
        };
        let mut page_of = Page::new(&format!("{name}: {key}"));
        page_of.push(&back(name));
        if rows.is_empty() {
            page_of.push("<p>No version has this key.</p>");
        }
        for (version, action, text) in rows {
            let (sign, class) = match action {
                KeyAction::Created => ("+", "add"),
                KeyAction::Changed => ("~", "change"),
                KeyAction::Deleted => ("-", "remove"),
            };
            page_of.push(&format!(
                "<h3><span class={class}>{sign}</span> version {} <small>{} {}</small></h3>",
                version.n,
                time::to_text(version.time),
                escaped(version.who.as_deref().unwrap_or_default())
            ));
            page_of.push(&html::diff(&text));
        }
        page(page_of)
    }

    /// The graph of a version, with its changes.
    fn graph(&self, name: &str, n: u64) -> Answer {
        let drawn = self.states.with(name, false, |pack| {
            let (version, before) =
                (pack.resolve(&n.to_string())?, n.checked_sub(1).filter(|before| *before > 0));
            let before = before.map(|before| pack.resolve(&before.to_string())).transpose()?;
            Ok((|| {
                let new = Opened::version(pack, &version)?;
                let old = before.filter(|before| before.slot.is_some());
                let old = old.map(|before| Opened::version(pack, &before)).transpose()?;
                let source = Source::new(&new.name, new.view());
                let older = old.as_ref().map(|old| Source::new(&old.name, old.view()));
                Graphs::of(source, older, &[], false)?.draw(&Wanted::default())?.page(Direction::Tb)
            })())
        });
        match drawn {
            // The page has its own policy, which permits its script and its style alone.
            Ok(Ok(page)) => guarded(Answer::with(StatusCode::OK, "text/html; charset=utf-8", page))
                .header(CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"),
            Ok(Err(failure)) => failed(&failure),
            Err(error) => Answer::of_state(&error, false),
        }
    }

    /// The first of two steps: shows what would change.
    fn ask_to_restore(&self, name: &str, n: u64) -> Answer {
        let changes = self.states.with(name, false, |pack| {
            let newest = pack.resolve("~0")?;
            Ok(diff_text(pack, newest.n, n, &[]))
        });
        match changes {
            Ok(Ok(text)) => {
                let mut page_of = Page::new(&format!("{name}: restore version {n}"));
                page_of.push(&back(name));
                page_of.push("<p>This stores the old state as a new version. It changes no resource: the next plan shows what differs.</p>");
                page_of.push(&html::diff(&text));
                if self.account.may(Right::Admin, name) {
                    page_of.push(&format!(
                        "<form method=post action=\"/page/{name}/-/restore/{n}\"><button>Restore version {n}</button></form>"
                    ));
                }
                page(page_of)
            }
            Ok(Err(failure)) => failed(&failure),
            Err(error) => Answer::of_state(&error, false),
        }
    }
}

/// The changes between two versions, as `coco history diff` prints it. 0 is the one before the
/// first.
fn diff_text(pack: &Pack, old: u64, new: u64, keys: &[String]) -> Result<String, coconut_report::Failure> {
    let open = |n: u64| match n {
        0 => Opened::nothing(),
        n => Opened::version(pack, &pack.resolve(&n.to_string()).map_err(|error| failure_of(&error))?),
    };
    let mut text = Vec::new();
    write_diff(&open(old)?, &open(new)?, keys, &Shape::default(), &mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn failed(failure: &coconut_report::Failure) -> Answer {
    let status = match failure.code() {
        "HIST-REV" => StatusCode::NOT_FOUND,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    Answer::refused(status, failure.code(), failure.to_line())
}

fn back(name: &str) -> String {
    format!("<p>{}</p>", link(&format!("/page/{name}"), "All versions"))
}

fn row_of_state(name: &str, facts: &Facts) -> String {
    let newest = facts.versions.last();
    let lock = facts.lock.as_ref().map_or(String::new(), |lock| {
        let who = lock.facts().who.unwrap_or_else(|| "?".to_owned());
        format!("{} by {}", age(lock.time), escaped(&who))
    });
    let number = |value: Option<u64>| value.map_or(String::new(), |value| grouped(value).to_string());
    format!(
        "<tr><td>{}<td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td>{}<td>{lock}",
        link(&format!("/page/{name}"), name),
        newest.map_or(String::new(), |newest| time::to_text(newest.time)),
        number(newest.and_then(|newest| newest.resources)),
        newest.and_then(|newest| newest.serial).map_or(String::new(), |serial| serial.to_string()),
        number(newest.map(|newest| newest.length)),
        sparkline(&facts.versions)
    )
}

/// The versions, the newest first. A rule separates runs.
fn versions_table(name: &str, facts: &Facts, is_admin: bool) -> String {
    let mut out = String::from(
        "<table><thead><tr><th class=n>Version<th>Time<th>Changes<th class=n>Resources<th class=n>Serial<th>Who<th>Operation<th>Labels<th>Show</thead><tbody>",
    );
    let mut run = None;
    for version in facts.versions.iter().rev().take(ROWS) {
        let is_new_run = version.lock_id.is_none() || run != Some(version.lock_id.clone());
        run = Some(version.lock_id.clone());
        let [created, changed, deleted] = facts.counts.get(&version.n).copied().unwrap_or_default();
        let labels: Vec<String> = facts
            .labels
            .iter()
            .filter(|(_, n)| *n == version.n)
            .map(|(label, _)| format!("<span class=label>{}</span>", escaped(label)))
            .collect();
        let forced = if version.forced { " <span class=label>forced</span>" } else { "" };
        let _ = write!(
            out,
            "<tr{}><td class=n>{}<td>{}<td><span class=add>+{created}</span> <span class=change>~{changed}</span> <span class=remove>-{deleted}</span><td class=n>{}<td class=n>{}<td>{}<td>{}<td>{}{forced}<td>",
            if is_new_run { " class=run" } else { "" },
            version.n,
            time::to_text(version.time),
            version.resources.map_or(String::new(), |resources| grouped(resources).to_string()),
            version.serial.map_or(String::new(), |serial| serial.to_string()),
            escaped(version.who.as_deref().unwrap_or_default()),
            escaped(version.operation.as_deref().unwrap_or_default()),
            labels.join(" "),
        );
        if version.slot.is_none() {
            out.push_str("removed");
            continue;
        }
        let n = version.n;
        out.push_str(&link(&format!("/page/{name}/-/diff/{}..{n}", n - 1), "changes"));
        out.push(' ');
        out.push_str(&link(&format!("/page/{name}/-/graph/{n}"), "graph"));
        if is_admin {
            out.push(' ');
            out.push_str(&link(&format!("/page/{name}/-/restore/{n}"), "restore"));
            let _ = write!(
                out,
                " <form method=post action=\"/page/{name}/-/label/{n}\"><input name=label size=10 required aria-label=\"Label of version {n}\"> <button>Label</button></form>"
            );
        }
    }
    out.push_str("</tbody></table>");
    let left = facts.versions.len().saturating_sub(ROWS);
    if left > 0 {
        let _ = write!(out, "<p>{} older versions: <code>coco history ls</code></p>", grouped(left as u64));
    }
    if let Some(key) = facts.versions.last().and_then(|newest| newest.lineage.as_deref()) {
        let _ = write!(out, "<p><small>Lineage {}</small></p>", escaped(key));
    }
    out
}

/// The age of a time, in its two largest units.
fn age(time: i64) -> String {
    let seconds = (now() - time).max(0) / 1000;
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        7200..=172_799 => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} days", seconds / 86_400),
    }
}
