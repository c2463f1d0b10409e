//! The log and the counters of a server.

use super::states::locked;
use coconut_format::Value;
use coconut_history::time;
use coconut_report::json::{self, number, optional, text};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// One request, as the log has it. It never has a body or a token.
#[derive(Default)]
pub(super) struct Line {
    pub(super) time: i64,
    pub(super) id: String,
    pub(super) account: Option<String>,
    pub(super) address: String,
    pub(super) method: String,
    pub(super) path: String,
    pub(super) status: u16,
    pub(super) reason: Option<(&'static str, String)>,
    pub(super) lock_id: Option<String>,
    pub(super) received: u64,
    pub(super) sent: u64,
    pub(super) milliseconds: u64,
}

/// Counters since the start.
#[derive(Default)]
pub(super) struct Journal {
    next: AtomicU64,
    requests: Mutex<BTreeMap<(String, u16), u64>>,
    refusals: Mutex<BTreeMap<&'static str, u64>>,
    received: AtomicU64,
    sent: AtomicU64,
}

/// The methods that are counted by name.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "LOCK", "UNLOCK"];

impl Journal {
    /// A new number for a request.
    pub(super) fn number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Writes the line of a request, and counts it.
    pub(super) fn record(&self, line: &Line) {
        let method = METHODS.iter().find(|known| **known == line.method).map_or("other", |known| known);
        *locked(&self.requests).entry((method.to_owned(), line.status)).or_default() += 1;
        if let Some((code, _)) = line.reason {
            *locked(&self.refusals).entry(code).or_default() += 1;
        }
        self.received.fetch_add(line.received, Ordering::Relaxed);
        self.sent.fetch_add(line.sent, Ordering::Relaxed);
        let (code, reason) = line.reason.clone().unzip();
        let members = [
            ("time", text(time::to_text(line.time))),
            ("id", text(line.id.as_str())),
            ("address", text(line.address.as_str())),
            ("account", optional(line.account.as_deref())),
            ("method", text(line.method.as_str())),
            ("path", text(line.path.as_str())),
            ("status", number(u64::from(line.status))),
            ("code", optional(code)),
            ("reason", optional(reason)),
            ("lock_id", optional(line.lock_id.as_deref())),
            ("received", number(line.received)),
            ("sent", number(line.sent)),
            ("ms", number(line.milliseconds)),
        ];
        let members = members.into_iter().filter(|(_, value)| *value != Value::Null);
        let line =
            json::to_line(&Value::Object(members.map(|(key, value)| (key.to_owned(), value)).collect()));
        // Nothing can be said about an error on standard error.
        let _ = std::io::stderr().lock().write_all(&line);
    }

    /// The counters in the text format of Prometheus.
    pub(super) fn metrics(&self, states: u64, locks: u64, oldest_lock: u64) -> String {
        let mut out = String::new();
        let head =
            |name: &str, kind: &str, help: &str| format!("# HELP {name} {help}\n# TYPE {name} {kind}\n");
        out.push_str(&head("coco_requests_total", "counter", "Requests, by method and status."));
        for ((method, status), count) in &*locked(&self.requests) {
            let _ = writeln!(out, "coco_requests_total{{method=\"{method}\",status=\"{status}\"}} {count}");
        }
        out.push_str(&head("coco_refused_total", "counter", "Refused requests, by reason."));
        for (code, count) in &*locked(&self.refusals) {
            let _ = writeln!(out, "coco_refused_total{{code=\"{code}\"}} {count}");
        }
        let loaded = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let rest = [
            ("coco_received_bytes_total", "counter", "Bytes of bodies of requests.", loaded(&self.received)),
            ("coco_sent_bytes_total", "counter", "Bytes of bodies of answers.", loaded(&self.sent)),
            ("coco_states", "gauge", "States.", states),
            ("coco_locks_held", "gauge", "Locks that are held.", locks),
            ("coco_oldest_lock_seconds", "gauge", "Age of the oldest lock that is held.", oldest_lock),
        ];
        for (name, kind, help, value) in rest {
            out.push_str(&head(name, kind, help));
            let _ = writeln!(out, "{name} {value}");
        }
        out
    }
}
