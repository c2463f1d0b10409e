//! The recorded requests of a real Terraform, sent to the server again.
//!
//! Statuses must be those recorded, except where the recording server deliberately failed, and
//! where this server deliberately differs.

use crate::client::{Running, info};
use coconut_testing::golden;
use serde_json::Value;
use std::fs;

/// Steps in which the recording server answered with a prepared fault, which no server has.
const PREPARED: [&str; 8] =
    ["31-post-", "44", "50-get-", "51-get-", "52-get-", "53-get-", "54-post-", "55-post-"];

/// Steps that only repeat what others have: other accounts, a larger state, and one that was
/// recorded before the step that it follows.
const REPEATED: [&str; 5] = ["56-", "57-", "59-403", "80z", "83-big"];

/// The requests of other clients, which were not recorded, before these steps.
const OTHERS: [(&str, &str, &str, &str); 5] = [
    ("21-conflict-423", "LOCK", "/state/slow", "11086421-d3e7-f3ea-56b4-fe23b5579fe1"),
    ("24-after-kill9", "LOCK", "/state/slow", "ad4c1c8e-676b-03cf-6b2d-2bb8c9053a6e"),
    ("28-lock-false-while-locked", "LOCK", "/state/demo", "manual-1"),
    ("30-push-errored", "UNLOCK", "/state/demo", "manual-1"),
    // The client of step 42 gave up. Here, it gets the lock, and goes on.
    ("43-unlock-answer-lost", "UNLOCK", "/state/demo", "862754f2-dba7-bd87-c556-4fb76cb8d4d3"),
];

/// The deliberate differences: step, method, status as recorded, and status here.
const DIFFERENCES: [(&str, &str, u16, u16); 5] = [
    // The recording server was told to answer so.
    ("22-conflict-409", "LOCK", 409, 423),
    // A write without the lock that is held is refused as a lock is, with the holder.
    ("28-lock-false-while-locked", "POST", 409, 423),
    // The same client asks again, because the first answer was lost.
    ("42-lock-answer-lost-naive-server", "LOCK", 423, 200),
    // A forced push must say so in the address: `?force=true`.
    ("65-push-older-force", "POST", 200, 409),
    ("66-push-lineage-force", "POST", 200, 409),
];

fn is_one_of(step: &str, beginnings: &[&str]) -> bool {
    beginnings.iter().any(|beginning| step.starts_with(beginning))
}

#[test]
fn a_recorded_client_gets_the_recorded_answers() {
    let Some(folder) = golden() else { return };
    let folder = folder.join("http-backend");
    let Ok(index) = fs::read_to_string(folder.join("INDEX.tsv")) else { return };
    let server = Running::start(&[]);
    let (mut sent, mut found) = (0, Vec::new());
    for step in index.lines().skip(1).filter_map(|row| row.split('\t').next()) {
        if is_one_of(step, &PREPARED) || is_one_of(step, &REPEATED) {
            continue;
        }
        for (_, method, path, id) in OTHERS.iter().filter(|(before, ..)| *before == step) {
            assert_eq!(server.send(method, path, &info(id)).status, 200, "{step}");
        }
        let text = fs::read_to_string(folder.join(format!("{step}.json"))).unwrap();
        let recorded: Value = serde_json::from_str(&text).unwrap();
        for exchange in recorded["exchanges"].as_array().into_iter().flatten() {
            let request = &exchange["request"];
            let mut words = request["line"].as_str().unwrap().split(' ');
            let (method, path) = (words.next().unwrap(), words.next().unwrap());
            let body = match &request["body"] {
                Value::Null => String::new(),
                // Terraform indents states, and not the information of locks.
                body if method == "POST" && !path.ends_with("/lock") || method == "PUT" => {
                    serde_json::to_string_pretty(body).unwrap()
                }
                body => body.to_string(),
            };
            let status = server.send(method, path, &body).status;
            sent += 1;
            if status == 409 && method == "POST" && step.ends_with("-force") {
                assert_eq!(server.send(method, &format!("{path}&force=true"), &body).status, 200, "{step}");
            }
            // 0 is a lost connection: the client sends the same again.
            let expected = exchange["response"]["status"].as_u64().unwrap_or(0);
            if expected != 0 && expected != u64::from(status) {
                found.push((step.to_owned(), method.to_owned(), u16::try_from(expected).unwrap(), status));
            }
        }
    }
    let deliberate = DIFFERENCES
        .map(|(step, method, recorded, here)| (step.to_owned(), method.to_owned(), recorded, here));
    assert_eq!(found, deliberate);
    assert!(sent >= 100, "{sent} requests");
}
