//! The server, as clients see it: the rules of locks and writes, access, limits, and its end.

use crate::client::{self, Running, encrypted, info, state};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

#[test]
fn a_lock_is_taken_and_freed_by_its_id() {
    let server = Running::start(&[]);
    let lock = |id: &str| server.send("LOCK", "/state/s", &info(id));
    let unlock = |id: &str| server.send("UNLOCK", "/state/s", &info(id));
    assert_eq!(lock("one").status, 200);
    // The first answer was lost.
    assert_eq!(lock("one").status, 200);
    let held = lock("two");
    assert_eq!((held.status, held.text()), (423, info("one")));
    assert_eq!(held.header("content-type"), Some("application/json"));
    let other = unlock("two");
    assert_eq!((other.status, other.text()), (409, info("one")));
    assert_eq!(unlock("one").status, 200);
    // The first answer was lost.
    assert_eq!(unlock("one").status, 200);
    assert_eq!(server.send("UNLOCK", "/state/none", &info("one")).status, 200);
    for wrong in ["", "{}", "[1]", "{\"ID\": \"\"}", "{\"ID\": 1}", "x"] {
        assert_eq!(server.send("LOCK", "/state/s", wrong).status, 400, "{wrong}");
    }
    assert_eq!(server.send("UNLOCK", "/state/s", "{}").status, 400);
}

#[test]
fn locks_have_an_address_of_their_own_for_other_servers() {
    let server = Running::start(&[]);
    assert_eq!(server.send("POST", "/state/s/lock", &info("one")).status, 200);
    assert_eq!(server.send("PUT", "/state/s/lock", &info("two")).status, 423);
    assert_eq!(server.send("LOCK", "/state/s", &info("two")).status, 423);
    assert_eq!(server.send("DELETE", "/state/s/lock", &info("one")).status, 200);
    assert_eq!(server.send("LOCK", "/state/s/lock", &info("two")).status, 200);
    assert_eq!(server.send("UNLOCK", "/state/s/lock", &info("two")).status, 200);
}

#[test]
fn an_unlock_without_an_id_is_a_matter_of_policy() {
    let server = Running::start(&[]);
    server.send("LOCK", "/state/s", &info("dead"));
    // As `terraform force-unlock` sends it: no length, and no bytes.
    let chunked = "UNLOCK /state/s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nContent-Md5: 1B2M2Y8AsgTpgAmY7PhCfg==\r\n\r\n0\r\n\r\n";
    assert_eq!(server.raw(chunked.as_bytes()).status, 200);
    // The client that was thought dead comes back.
    assert_eq!(server.send("POST", "/state/s?ID=dead", &state(1, "a", 1)).status, 409);
    server.send("LOCK", "/state/s", &info("next"));
    assert_eq!(server.send("POST", "/state/s?ID=next", &state(1, "a", 2)).status, 200);
    assert_eq!(server.send("POST", "/state/s?ID=dead", &state(2, "a", 3)).status, 423);
    assert_eq!(server.send("GET", "/state/s", "").text(), state(1, "a", 2));
    assert!(server.history(&["ls", "s.cocohist"]).contains("[after-blind-unlock-1]"));
    drop(server);
    let server = Running::start(&["--blind-unlock", "deny"]);
    server.send("LOCK", "/state/s", &info("one"));
    let refused = server.send("UNLOCK", "/state/s", "");
    assert_eq!((refused.status, refused.text()), (409, info("one")));
    assert!(!server.history(&["serve", "unlock", "--root", ".", "s", "other"]).contains("free"));
    assert_eq!(server.send("LOCK", "/state/s", &info("two")).status, 423);
    server.history(&["serve", "unlock", "--root", ".", "s", "one"]);
    assert_eq!(server.send("LOCK", "/state/s", &info("two")).status, 200);
}

#[test]
fn a_write_needs_the_lock_that_is_held() {
    let server = Running::start(&[]);
    let post = |path: &str, n| server.send("POST", path, &state(n, "a", n));
    assert_eq!(post("/state/s", 1).status, 200);
    server.send("LOCK", "/state/s", &info("one"));
    assert_eq!(post("/state/s?ID=one", 2).status, 200);
    for path in ["/state/s?ID=two", "/state/s"] {
        let refused = post(path, 3);
        assert_eq!((refused.status, refused.text()), (423, info("one")), "{path}");
    }
    server.send("UNLOCK", "/state/s", &info("one"));
    assert_eq!(post("/state/s?ID=one", 3).status, 409);
    assert_eq!(post("/state/s", 3).status, 200);
    drop(server);
    let server = Running::start(&["--require-lock"]);
    assert_eq!(server.send("POST", "/state/s", &state(1, "a", 1)).status, 409);
}

#[test]
fn a_lock_survives_the_server() {
    let mut server = Running::start(&[]);
    server.send("LOCK", "/state/s", &info("one"));
    server.send("POST", "/state/s?ID=one", &state(1, "a", 1));
    server.kill();
    server.restart();
    assert_eq!(server.send("LOCK", "/state/s", &info("two")).status, 423);
    assert_eq!(server.send("GET", "/state/s", "").text(), state(1, "a", 1));
    assert_eq!(server.send("POST", "/state/s?ID=one", &state(2, "a", 2)).status, 200);
}

#[test]
fn stale_and_foreign_states_are_refused() {
    let server = Running::start(&[]);
    let post = |path: &str, text: &str| server.send("POST", path, text).status;
    assert_eq!(server.send("GET", "/state/s", "").status, 404);
    assert_eq!(post("/state/s", &state(5, "a", 1)), 200);
    // The first answer was lost.
    let again = server.send("POST", "/state/s", &state(5, "a", 1));
    assert_eq!((again.status, again.header("x-coco-version")), (200, Some("1")));
    assert_eq!(post("/state/s", &state(5, "a", 2)), 409);
    assert_eq!(post("/state/s", &state(4, "a", 2)), 409);
    assert_eq!(post("/state/s", &state(6, "b", 2)), 409);
    assert_eq!(post("/state/s", &state(9, "a", 2)), 200);
    assert_eq!(post("/state/s?force=true", &state(2, "b", 3)), 200);
    assert_eq!(post("/state/s", &state(3, "b", 0)), 200);
    // Nothing is lost with an empty state.
    assert_eq!(post("/state/s", &state(1, "c", 1)), 200);
    assert!(server.history(&["ls", "s.cocohist"]).contains("forced"));
    for wrong in [
        "",
        "x",
        "[1]",
        "{}",
        "{\"version\": 4, \"serial\": 1}",
        "{\"version\": 4, \"serial\": 1, \"lineage\": 1}",
    ] {
        assert_eq!(post("/state/s", wrong), 400, "{wrong}");
    }
    let list: serde_json::Value =
        serde_json::from_str(&server.history(&["ls", "s.cocohist", "--json"])).unwrap();
    assert_eq!(list["versions"].as_array().unwrap().len(), 5);
    assert_eq!(post("/state/e", &encrypted(1)), 200);
    assert_eq!(post("/state/e", &encrypted(1).replace("AAAA", "BBBB")), 409);
    assert_eq!(post("/state/e", &encrypted(2)), 200);
}

#[test]
fn a_write_can_depend_on_what_was_read() {
    let server = Running::start(&[]);
    server.send("POST", "/state/s", &state(1, "a", 1));
    let tag = server.send("GET", "/state/s", "").header("etag").unwrap().to_owned();
    let put =
        |n, tag: &str| server.send_with("PUT", "/state/s", &[("If-Match", tag)], &state(n, "a", n)).status;
    assert_eq!(
        [put(2, "\"x\""), put(2, &format!("\"{}\"", "0".repeat(64))), put(2, &tag), put(3, &tag)],
        [412, 412, 200, 412]
    );
}

#[test]
fn a_damaged_state_is_never_missing() {
    let mut server = Running::start(&[]);
    for n in 1..=3 {
        server.send("POST", "/state/s", &state(n, "a", n));
    }
    server.end();
    let file = server.root().join("s.cocohist");
    let mut bytes = fs::read(&file).unwrap();
    for byte in &mut bytes[1024..] {
        *byte ^= 0x55;
    }
    fs::write(&file, bytes).unwrap();
    fs::write(server.root().join("t.cocohist"), "no pack").unwrap();
    server.restart();
    for name in ["s", "t"] {
        assert_eq!(server.send("GET", &format!("/state/{name}"), "").status, 500, "{name}");
        assert_eq!(server.send("LOCK", &format!("/state/{name}"), &info("x")).status, 500, "{name}");
        assert_eq!(server.send("POST", &format!("/state/{name}"), &state(4, "a", 4)).status, 500, "{name}");
    }
    assert_eq!(fs::read_to_string(server.root().join("t.cocohist")).unwrap(), "no pack");
}

#[test]
fn no_address_of_a_state_is_a_redirection_or_another_file() {
    let server = Running::start(&[]);
    server.send("POST", "/state/team/shop", &state(1, "a", 1));
    let near = server.send("GET", "/state/team/shop/", "");
    assert_eq!(near.status, 404);
    assert!(near.text().starts_with("SRV-NAME: "), "{}", near.text());
    assert!(near.text().contains("did you mean `/state/team/shop`?"), "{}", near.text());
    for path in [
        "/state/",
        "/state//",
        "/state/..",
        "/state/../tokens.tsv",
        "/state/a/../../x",
        "/state/%2e%2e/x",
        "/state/a%2fb",
        "/state/.git",
        "/state/team//shop",
        "/state/a%00",
        "/state/tokens.tsv%00",
        "/state/a\\b",
        "/State/s",
        "//state/s",
        "/state",
        "/state/x.cocohist",
    ] {
        for method in ["GET", "POST", "LOCK", "UNLOCK"] {
            let status = server.send(method, path, "").status;
            let is_refused = [400, 404].contains(&status) || status == 403 && !path.starts_with("/state/");
            assert!(is_refused, "{method} {path}: {status}");
        }
    }
    assert_eq!(server.send("POST", "/state/team/Shop", &state(1, "b", 1)).status, 409);
    let deleted = server.send("DELETE", "/state/team/shop", "");
    assert!(deleted.status == 405 && deleted.text().starts_with("SRV-METHOD: "), "{}", deleted.text());
    assert_eq!(server.send("PATCH", "/state/team/shop", "").status, 405);
    let names: Vec<_> =
        fs::read_dir(server.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["team"]);
}

#[test]
fn tokens_have_rights_and_paths() {
    let folder = tempfile::tempdir().unwrap();
    let token = |arguments: &[&str]| {
        let add = ["serve", "token", "add", "--root", "."];
        client::history(folder.path(), &[&add[..], arguments].concat()).trim().to_owned()
    };
    let all = token(&["ada"]);
    let team = token(&["ci", "--path", "team/"]);
    let reader = token(&["eve", "--right", "read"]);
    let server = Running::start_in(folder, &[]);
    let status = |method: &str, path: &str, token: &str, body: &str| {
        let header = client::basic(token);
        server.send_with(method, path, &[("Authorization", &header)], body).status
    };
    let unknown = server.send("GET", "/state/s", "");
    assert!(unknown.status == 401 && unknown.text().starts_with("SRV-AUTH: "), "{}", unknown.text());
    assert_eq!(
        server.send("GET", "/state/s", "").header("www-authenticate"),
        Some("Basic realm=\"coco\", charset=\"UTF-8\"")
    );
    for forged in ["", "coco_", &all[..all.len() - 1], &format!("{all}0"), &"0".repeat(10_000)] {
        assert_eq!(status("GET", "/state/s", forged, ""), 401);
    }
    assert_eq!(status("POST", "/state/s", &all, &state(1, "a", 1)), 200);
    assert_eq!(status("GET", "/state/s", &reader, ""), 200);
    assert_eq!(status("POST", "/state/s", &reader, &state(2, "a", 1)), 403);
    assert_eq!(status("LOCK", "/state/s", &reader, &info("x")), 403);
    assert_eq!(status("UNLOCK", "/state/s", &reader, ""), 403);
    assert_eq!(status("GET", "/state/s", &team, ""), 403);
    assert_eq!(status("POST", "/state/team/s", &team, &state(1, "a", 1)), 200);
    let bearer = format!("Bearer {all}");
    assert_eq!(server.send_with("GET", "/state/s", &[("Authorization", &bearer)], "").status, 200);
    server.history(&["serve", "token", "rm", "--root", ".", "ada"]);
    assert_eq!(status("GET", "/state/s", &all, ""), 401);
    let listed = server.history(&["serve", "token", "ls", "--root", "."]);
    assert_eq!(listed, "ci  write  team/\neve  read  all states\n");
    let log = server.log();
    assert!(log.contains("\"account\":\"ci\"") && !log.contains("coco_"), "{log}");
}

#[test]
fn a_request_for_another_host_is_refused() {
    let server = Running::start(&["--host", "states.example"]);
    let status =
        |host: &str| server.raw(format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n").as_bytes()).status;
    assert_eq!(
        [status("localhost:80"), status("127.0.0.1"), status("[::1]:9"), status("states.example")],
        [200; 4]
    );
    assert_eq!([status("evil.example"), status(""), status("localhost.evil.example")], [421; 3]);
    let other = server.raw(b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert!(other.text().starts_with("SRV-ADDR: "), "{}", other.text());
}

#[test]
fn addresses_of_networks_need_tls_and_tokens() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let all = [&["serve", "--root", "."], arguments].concat();
        let output =
            Command::new(env!("CARGO_BIN_EXE_coco-history")).args(all).current_dir(folder.path()).output();
        let output = output.unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (exit, text) = refused(&["--listen", "0.0.0.0:0", "--anonymous"]);
    assert!(exit == Some(2) && text.contains("there is no TLS"), "{text}");
    let (exit, text) = refused(&["--listen", "0.0.0.0:0", "--anonymous", "--behind-proxy"]);
    assert!(exit == Some(2) && text.contains("only for addresses of this machine"), "{text}");
    let (exit, text) = refused(&["--listen", "127.0.0.1:0"]);
    assert!(exit == Some(2) && text.contains("there are no tokens"), "{text}");
}

#[test]
fn a_body_is_complete_and_of_the_announced_kind() {
    let server = Running::start(&["--max-state", "100000"]);
    let text = state(1, "a", 1);
    let post = |headers: &[(&str, &str)]| server.send_with("POST", "/state/s", headers, &text).status;
    assert_eq!(post(&[("Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg==")]), 400);
    assert_eq!(post(&[("Content-MD5", "x")]), 400);
    let large = "x".repeat(3_000_000);
    let refused = server.send("POST", "/state/s", &large);
    assert!(refused.status == 413 && refused.text().starts_with("HIST-TEXT: "), "{}", refused.text());
    let broken = server.send_with("POST", "/state/s", &[("Content-MD5", "x")], &text);
    assert!(broken.text().starts_with("SRV-BODY: "), "{}", broken.text());
    // A body that ends early is no state, and another client is answered.
    let mut half = TcpStream::connect(server.address()).unwrap();
    write!(half, "POST /state/s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n{{").unwrap();
    drop(half);
    assert_eq!(server.send("GET", "/state/s", "").status, 404);
    let chunked = "POST /state/s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("{chunked}{:x}\r\n{text}\r\n0\r\n\r\n", text.len());
    assert_eq!(server.raw(chunk.as_bytes()).status, 200);
    assert_eq!(server.send("GET", "/state/s", "").text(), text);
    let lock = format!("{{\"ID\": \"x\", \"Info\": \"{}\"}}", "y".repeat(20_000));
    assert_eq!(server.send("LOCK", "/state/s", &lock).status, 413);
}

#[test]
fn clients_that_are_slow_or_lie_slow_nobody_down() {
    let server = Running::start(&[]);
    // Connections without a request, with half of one, and with announced bodies that never come.
    let mut held = Vec::new();
    for n in 0..300 {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let begun = match n % 3 {
            0 => "",
            1 => "GET /state/s HTTP/1.1\r\nHost: loc",
            _ => "POST /state/s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10737418240\r\n\r\n{",
        };
        stream.write_all(begun.as_bytes()).unwrap();
        held.push(stream);
    }
    for n in 1..=20 {
        assert_eq!(server.send("POST", "/state/s", &state(n, "a", n)).status, 200);
        assert_eq!(server.send("GET", "/state/s", "").status, 200);
    }
    let memory = server.memory();
    assert!(memory < 150 << 20, "{memory} bytes");
    drop(held);
    for garbage in [
        "\0\0\0\0",
        "GET\r\n\r\n",
        "LOCK /state/s HTTP/9.9\r\n\r\n",
        "POST /state/s HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ] {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(garbage.as_bytes()).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 2"), "{garbage:?}");
    }
    let long = format!("GET /state/s HTTP/1.1\r\nHost: localhost\r\nX: {}\r\n\r\n", "y".repeat(64 << 10));
    assert_eq!(server.raw(long.as_bytes()).status, 431);
    assert_eq!(server.send("GET", "/healthz", "").status, 200);
}

#[test]
fn of_many_clients_one_holds_the_lock() {
    let server = Running::start(&[]);
    let (clients, rounds) = (16u64, 4u64);
    let holding = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|scope| {
        for client in 0..clients {
            let (server, holding) = (&server, &holding);
            scope.spawn(move || {
                use std::sync::atomic::Ordering::SeqCst;
                for round in 0..rounds {
                    let id = info(&format!("{client}-{round}"));
                    while server.send("LOCK", "/state/s", &id).status == 423 {
                        std::thread::sleep(Duration::from_millis(3));
                    }
                    assert_eq!(holding.fetch_add(1, SeqCst), 0, "two clients hold the lock");
                    let read = server.send("GET", "/state/s", "");
                    let serial = match read.status {
                        404 => 1,
                        _ => {
                            let json: serde_json::Value = serde_json::from_str(&read.text()).unwrap();
                            json["serial"].as_u64().unwrap() + 1
                        }
                    };
                    let path = format!("/state/s?ID={client}-{round}");
                    assert_eq!(server.send("POST", &path, &state(serial, "a", client)).status, 200);
                    holding.fetch_sub(1, SeqCst);
                    assert_eq!(server.send("UNLOCK", "/state/s", &id).status, 200);
                }
            });
        }
    });
    let list: serde_json::Value =
        serde_json::from_str(&server.history(&["ls", "s.cocohist", "--json"])).unwrap();
    let serials: Vec<u64> =
        list["versions"].as_array().unwrap().iter().map(|v| v["serial"].as_u64().unwrap()).collect();
    assert!(serials.iter().copied().eq(1..=clients * rounds), "{serials:?}");
}

#[test]
fn writes_that_were_answered_survive_kills_of_the_server() {
    let mut server = Running::start(&[]);
    let mut acknowledged = 0;
    for round in 0..6u64 {
        let address = server.address().to_owned();
        let from = acknowledged;
        let writer = std::thread::spawn(move || {
            let mut last = from;
            for n in from + 1..from + 500 {
                match client::try_send(&address, "POST", "/state/s", &[], state(n, "a", n).as_bytes()) {
                    Some(answer) if answer.status == 200 => last = n,
                    Some(answer) => panic!("{}", answer.status),
                    None => break,
                }
            }
            last
        });
        std::thread::sleep(Duration::from_millis(100 + round * 37));
        server.kill();
        acknowledged = writer.join().unwrap();
        server.restart();
        let json: serde_json::Value = match server.send("GET", "/state/s", "") {
            answer if answer.status == 404 => serde_json::json!({"serial": 0}),
            answer => serde_json::from_str(&answer.text()).unwrap(),
        };
        let serial = json["serial"].as_u64().unwrap();
        assert!((acknowledged..=acknowledged + 1).contains(&serial), "{serial}, acknowledged {acknowledged}");
        acknowledged = serial;
    }
    assert!(acknowledged > 6, "{acknowledged}");
    assert!(server.history(&["verify", "s.cocohist"]).contains("whole"));
}

#[cfg(unix)]
#[test]
fn a_signal_ends_the_server_when_its_requests_are_answered() {
    let mut server = Running::start(&[]);
    server.send("POST", "/state/s", &state(1, "a", 1));
    assert!(server.end(), "it ended with an error");
    // The file alone is the whole pack.
    assert!(!server.root().join("s.cocohist-wal").exists());
    let log = server.log();
    let line: serde_json::Value = serde_json::from_str(log.lines().next().unwrap()).unwrap();
    assert_eq!(
        (line["method"].as_str(), line["status"].as_u64(), line["path"].as_str()),
        (Some("POST"), Some(200), Some("/state/s"))
    );
    assert!(!log.contains("lineage"), "{log}");
}

#[test]
fn health_and_metrics_are_shown() {
    let server = Running::start(&[]);
    server.send("LOCK", "/state/s", &info("one"));
    server.send("LOCK", "/state/s", &info("two"));
    assert_eq!(server.send("GET", "/healthz", "").text(), "ok\n");
    assert_eq!(server.send("GET", "/readyz", "").text(), "ready\n");
    let metrics = server.send("GET", "/metrics", "").text();
    for line in [
        "coco_requests_total{method=\"LOCK\",status=\"200\"} 1",
        "coco_requests_total{method=\"LOCK\",status=\"423\"} 1",
        "coco_refused_total{code=\"HIST-LOCKED\"} 1",
        "coco_states 1",
        "coco_locks_held 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
}

#[test]
fn pages_show_states_without_secrets_or_scripts() {
    let server = Running::start(&[]);
    for n in 1..=3 {
        let secret = format!(r#""size": {n}, "password": "hunter{n}""#);
        let text =
            state(n, "<script>alert(1)</script>", n).replace(&format!("\"size\": {n}"), &secret).replace(
                "\"attributes\":",
                r#""sensitive_attributes": [[{"type": "get_attr", "value": "password"}]], "attributes":"#,
            );
        server.send("LOCK", "/state/team/shop", &info("one").replace("ada", "<b>ada</b>"));
        assert_eq!(server.send("POST", "/state/team/shop?ID=one", &text).status, 200);
    }
    let mut pages = Vec::new();
    for path in [
        "/",
        "/page/team/shop",
        "/page/team/shop/-/diff/1..3",
        "/page/team/shop/-/diff/0..1",
        "/page/team/shop/-/log?key=t.x",
        "/page/team/shop/-/restore/1",
        "/page/team/shop/-/graph/2",
    ] {
        let page = server.send("GET", path, "");
        assert_eq!(page.status, 200, "{path}: {}", page.text());
        let (text, policy) = (page.text(), page.header("content-security-policy").unwrap().to_owned());
        assert!(
            !text.contains("hunter") && !text.contains("<script>alert") && !text.contains("<b>ada"),
            "{path}: {text}"
        );
        assert_eq!(page.header("x-frame-options"), Some("DENY"));
        if !path.contains("graph") {
            assert!(
                !text.contains("<script") && policy.starts_with("default-src 'none'; style-src 'sha256-"),
                "{path}"
            );
        }
        pages.push(text);
    }
    assert!(
        pages[0].contains("<a href=\"/page/team/shop\">team/shop</a>") && pages[0].contains("<polyline"),
        "{}",
        pages[0]
    );
    assert!(
        pages[1].contains("Locked for") && pages[1].contains("<tr class=run><td class=n>3"),
        "{}",
        pages[1]
    );
    assert!(pages[2].contains("size = 1 → 3") && pages[4].contains("size = 2 → 3"), "{}", pages[2]);
    assert!(
        pages[5].contains("size = 3 → 1") && pages[5].contains("<button>Restore version 1</button>"),
        "{}",
        pages[5]
    );
    for path in
        ["/page/none", "/page/..", "/page/team/shop/-/diff/1..9", "/page/team/shop/-/x", "/page/", "/x"]
    {
        assert_eq!(server.send("GET", path, "").status, 404, "{path}");
    }
}

#[test]
fn a_page_changes_a_state_only_from_itself() {
    let server = Running::start(&[]);
    for n in 1..=2 {
        server.send("POST", "/state/s", &state(n, "a", n));
    }
    server.send("LOCK", "/state/s", &info("one"));
    let own = format!("http://{}", server.address());
    let form = |path: &str, origin: &str, body: &str| {
        server.send_with("POST", path, &[("Origin", origin)], body).status
    };
    for origin in ["", "null", "http://evil.example", "http://localhost"] {
        assert_eq!(form("/page/s/-/unlock", origin, "ID=one"), 403, "{origin}");
    }
    assert_eq!(server.send("POST", "/page/s/-/unlock", "ID=one").status, 403);
    assert_eq!(form("/page/s/-/unlock", &own, "ID=two"), 409);
    assert_eq!(form("/page/s/-/restore/1", &own, ""), 409);
    assert_eq!(form("/page/s/-/unlock", &own, "ID=one"), 303);
    assert_eq!(form("/page/s/-/label/1", &own, "label=first"), 303);
    assert_eq!(form("/page/s/-/label/1", &own, "label=%3Cb%3E"), 404);
    assert_eq!(form("/page/s/-/restore/first", &own, ""), 404);
    assert_eq!(form("/page/s/-/restore/1", &own, ""), 303);
    assert_eq!(server.send("GET", "/state/s", "").text(), state(3, "a", 1));
    assert!(server.send("GET", "/page/s", "").text().contains("<span class=label>first</span>"));
}

#[test]
fn a_token_that_may_view_sees_pages_and_no_states() {
    let folder = tempfile::tempdir().unwrap();
    let add = ["serve", "token", "add", "--root", "."];
    let token = |more: &[&str]| client::history(folder.path(), &[&add[..], more].concat()).trim().to_owned();
    let (writer, viewer) = (token(&["ci"]), token(&["eve", "--right", "view", "--path", "a"]));
    let server = Running::start_in(folder, &[]);
    let (writer, viewer) = (client::basic(&writer), client::basic(&viewer));
    let status = |method: &str, path: &str, header: &str, body: &str| {
        let origin = format!("http://{}", server.address());
        let headers = [("Authorization", header), ("Origin", origin.as_str())];
        server.send_with(method, path, &headers, body)
    };
    for name in ["a", "b"] {
        assert_eq!(status("POST", &format!("/state/{name}"), &writer, &state(1, "l", 1)).status, 200);
    }
    let list = status("GET", "/", &viewer, "").text();
    assert!(list.contains("/page/a\"") && !list.contains("/page/b\""), "{list}");
    assert_eq!(status("GET", "/page/a", &viewer, "").status, 200);
    assert_eq!(status("GET", "/page/b", &viewer, "").status, 403);
    assert_eq!(status("GET", "/state/a", &viewer, "").status, 403);
    assert_eq!(status("POST", "/page/a/-/label/1", &viewer, "label=x").status, 403);
    assert_eq!(status("POST", "/page/a/-/label/1", &writer, "label=x").status, 403);
    assert_eq!(status("GET", "/metrics", &viewer, "").status, 403);
    assert_eq!(status("GET", "/page/a", &client::basic("coco_forged"), "").status, 401);
}

/// The answer of an address below `/v1/`.
fn facts(server: &Running, path: &str) -> serde_json::Value {
    let answer = server.send("GET", &format!("/v1/states{path}"), "");
    assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")), "{path}");
    serde_json::from_str(&answer.text()).unwrap()
}

#[test]
fn programs_read_facts_as_json() {
    let server = Running::start(&[]);
    server.send("LOCK", "/state/team/s", &info("one"));
    for n in 1..=3 {
        assert_eq!(server.send("POST", "/state/team/s?ID=one", &state(n, "a", n)).status, 200);
    }
    let listed = &facts(&server, "")["states"][0];
    assert_eq!((&listed["name"], &listed["versions"]), (&"team/s".into(), &3.into()));
    assert_eq!((&listed["newest"]["serial"], &listed["lock"]["id"]), (&3.into(), &"one".into()));
    assert_eq!(&facts(&server, "/team/s")["state"], listed);
    let commands: serde_json::Value =
        serde_json::from_str(&server.history(&["ls", "team/s.cocohist", "--json"])).unwrap();
    assert_eq!(facts(&server, "/team/s/-/versions"), commands);
    assert_eq!(facts(&server, "/team/s/-/versions/serial:2")["version"]["n"], 2);
    let text = server.send("GET", "/v1/states/team/s/-/versions/~1/text", "");
    assert_eq!((text.text(), text.header("etag").is_some()), (state(2, "a", 2), true));
    assert_eq!(facts(&server, "/team/s/-/versions/2/document")["serial"], 2);
    assert!(facts(&server, "/team/s/-/versions/2/graph").is_object());
    assert!(facts(&server, "/team/s/-/diff/1..3").is_object());
    assert!(facts(&server, "/team/s/-/log?key=none")["versions"].as_array().unwrap().is_empty());
    assert_eq!(facts(&server, "/team/s/-/lock")["lock"]["id"], "one");
    for (path, status, code) in [
        ("/v1/states/none", 404, "KEY-MISSING"),
        ("/v1/states/team/s/-/versions/9", 404, "HIST-REV"),
        ("/v1/states/team/s/-/diff/1", 404, "KEY-MISSING"),
        ("/v1/states/team/s/-/versions/1/document?key=none", 404, "KEY-MISSING"),
        ("/v1/states/../x", 404, "SRV-ADDR"),
        ("/v1", 404, "SRV-ADDR"),
    ] {
        let answer = server.send("GET", path, "");
        let error: serde_json::Value = serde_json::from_str(&answer.text()).unwrap();
        assert_eq!((answer.status, &error["error"]["code"]), (status, &code.into()), "{path}");
    }
    assert_eq!(server.send("POST", "/v1/states", "").status, 405);
}

#[test]
fn a_token_that_may_view_reads_no_texts_of_states() {
    let folder = tempfile::tempdir().unwrap();
    let token =
        client::history(folder.path(), &["serve", "token", "add", "--root", ".", "v", "--right", "view"]);
    let writer =
        client::history(folder.path(), &["serve", "token", "add", "--root", ".", "w", "--path", "a"]);
    let server = Running::start_in(folder, &[]);
    let send = |token: &str, method: &str, path: &str, body: &str| {
        server.send_with(method, path, &[("Authorization", &format!("Bearer {}", token.trim()))], body)
    };
    assert_eq!(send(&writer, "POST", "/state/a", &state(1, "a", 1)).status, 200);
    assert_eq!(server.send("GET", "/v1/states", "").status, 401);
    assert_eq!(send(&token, "GET", "/v1/states/a/-/versions/1/text", "").status, 403);
    let shown = send(&token, "GET", "/v1/states/a/-/versions/1/document", "");
    assert_eq!(shown.status, 200);
    assert_eq!(send(&writer, "GET", "/v1/states/b", "").status, 403);
}

#[test]
fn a_removed_state_leaves_a_copy_and_its_name() {
    let server = Running::start(&[]);
    server.send("LOCK", "/state/s", &info("one"));
    server.send("POST", "/state/s?ID=one", &state(1, "a", 1));
    server.history(&["serve", "rm", "--root", ".", "s"]);
    assert_eq!(server.send("GET", "/state/s", "").status, 200, "a locked state stays");
    server.send("UNLOCK", "/state/s", &info("one"));
    server.history(&["serve", "rm", "--root", ".", "s"]);
    assert_eq!(server.send("GET", "/state/s", "").status, 404);
    let names = || -> Vec<String> {
        let entries = fs::read_dir(server.root()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let copy = names().into_iter().find(|name| name.starts_with("s.cocohist.removed-")).unwrap();
    assert!(server.history(&["verify", &copy]).contains('1'));
    assert_eq!(server.send("POST", "/state/s", &state(1, "b", 1)).status, 200);
    assert_eq!(server.send("GET", "/state/s", "").text(), state(1, "b", 1));
    let list: serde_json::Value = serde_json::from_str(&server.history(&["ls", &copy, "--json"])).unwrap();
    assert_eq!((list["versions"].as_array().unwrap().len(), &list["lock"]), (1, &serde_json::Value::Null));
    server.history(&["serve", "rm", "--root", ".", "s", "--purge"]);
    assert!(names().iter().all(|name| !name.starts_with("s.") || name.starts_with(&copy)), "{:?}", names());
}
