//! A real Terraform against the server, where there is one on the PATH.

use crate::client::{self, Running, info};
use coconut_testing::skip;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// Terraform in a folder, with the server as its backend.
struct Terraform<'s> {
    folder: tempfile::TempDir,
    server: &'s Running,
    token: String,
}

impl<'s> Terraform<'s> {
    fn new(server: &'s Running, token: &str) -> Terraform<'s> {
        let folder = tempfile::tempdir().unwrap();
        let configuration = r#"
terraform {
  backend "http" {}
}
variable "v" { default = "1" }
variable "seconds" { default = "0" }
resource "terraform_data" "a" {
  input = var.v
}
resource "terraform_data" "slow" {
  triggers_replace = var.seconds
  provisioner "local-exec" { command = "sleep ${var.seconds}" }
}
output "o" { value = terraform_data.a.output }
"#;
        fs::write(folder.path().join("main.tf"), configuration).unwrap();
        Terraform { folder, server, token: token.to_owned() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let address = format!("http://{}/state/team/shop", self.server.address());
        let mut command = Command::new("terraform");
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("TF_HTTP_ADDRESS", &address)
            .env("TF_HTTP_LOCK_ADDRESS", &address)
            .env("TF_HTTP_UNLOCK_ADDRESS", &address)
            .env("TF_HTTP_USERNAME", "any")
            .env("TF_HTTP_PASSWORD", &self.token)
            .env("TF_HTTP_RETRY_WAIT_MIN", "1")
            .env("CHECKPOINT_DISABLE", "1")
            .env("TF_IN_AUTOMATION", "1")
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn good(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let text =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{arguments:?}: {text}\n{}", self.server.log());
        text
    }

    fn apply(&self, v: &str) {
        self.good(&["apply", "-auto-approve", "-input=false", "-no-color", "-var", &format!("v={v}")]);
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

/// A server with a token, and Terraform.
fn started() -> Option<(Running, String)> {
    let version = Command::new("terraform").arg("version").env("CHECKPOINT_DISABLE", "1").output();
    if !version.is_ok_and(|output| output.status.success()) {
        skip("terraform");
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let token =
        client::history(folder.path(), &["serve", "token", "add", "--root", ".", "ci"]).trim().to_owned();
    Some((Running::start_in(folder, &[]), token))
}

fn versions(server: &Running) -> usize {
    server.history(&["ls", "team/shop.cocohist"]).lines().filter(|line| line.contains("serial")).count()
}

#[test]
fn terraform_works_with_the_server() {
    let Some((server, token)) = started() else { return };
    let terraform = Terraform::new(&server, &token);
    terraform.good(&["init", "-input=false", "-no-color"]);
    terraform.apply("1");
    let after_first = versions(&server);
    terraform.good(&["plan", "-input=false"]);
    terraform.apply("1");
    assert_eq!(versions(&server), after_first, "a run without changes is no version");
    terraform.apply("2");
    let output = terraform.run(&["output", "-raw", "o"]);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "2");
    let log = server.history(&["log", "team/shop.cocohist", "terraform_data.a", "--patch"]);
    assert!(log.starts_with("~ ") && log.contains("OperationTypeApply") && log.contains("1 → "), "{log}");

    // Another client holds the lock.
    let other = [("Authorization", &*client::basic(&token))];
    let held = info("11111111-2222-3333-4444-555555555555");
    assert_eq!(server.send_with("LOCK", "/state/team/shop", &other, &held).status, 200);
    let refused = terraform.refused(&["apply", "-auto-approve", "-input=false", "-no-color"]);
    assert!(refused.contains("Error acquiring the state lock"), "{refused}");
    terraform.good(&["force-unlock", "-force", "11111111-2222-3333-4444-555555555555"]);
    terraform.apply("3");
    assert!(server.history(&["ls", "team/shop.cocohist"]).contains("after-blind-unlock"));
    let late =
        server.send_with("POST", "/state/team/shop?ID=11111111-2222-3333-4444-555555555555", &other, "{}");
    assert!(late.status == 409 || late.status == 400, "{}", late.status);

    terraform.good(&["state", "rm", "terraform_data.slow"]);
    terraform.good(&["destroy", "-auto-approve", "-input=false"]);
    let wrong = Terraform { token: "coco_wrong".to_owned(), ..Terraform::new(&server, &token) };
    assert!(wrong.refused(&["init", "-input=false", "-no-color"]).contains("auth"));
    assert!(server.history(&["verify", "team/shop.cocohist"]).contains("whole"));
}

#[test]
fn applies_survive_kills_of_client_and_server() {
    let Some((mut server, token)) = started() else { return };
    {
        let terraform = Terraform::new(&server, &token);
        terraform.good(&["init", "-input=false"]);
        terraform.apply("0");
    }
    let rounds = std::env::var("COCONUT_APPLIES").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(6u64);
    let mut acknowledged = 1;
    for round in 1..=rounds {
        let pause = Duration::from_millis(20 + round * 7919 % 400);
        {
            let terraform = Terraform::new(&server, &token);
            terraform.good(&["init", "-input=false"]);
            let v = format!("v={round}");
            let mut client = terraform
                .command(&["apply", "-auto-approve", "-input=false", "-var", &v])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            if round % 3 == 1 {
                std::thread::sleep(pause);
                let _ = client.kill();
            }
            if client.wait().unwrap().success() {
                acknowledged = serial(&server, &token);
            }
        }
        if round % 3 == 2 {
            server.kill();
            server.restart();
        }
        // Nothing that was answered is lost, and serial numbers have no gap.
        let now = serial(&server, &token);
        assert!(now >= acknowledged, "{now}, acknowledged {acknowledged}");
        // The documented way to free the lock of a client that is gone.
        let held = Path::new("team/shop.cocohist").to_string_lossy().into_owned();
        let list: serde_json::Value =
            serde_json::from_str(&server.history(&["ls", &held, "--json"])).unwrap();
        if let Some(id) = list["lock"]["id"].as_str() {
            server.history(&["serve", "unlock", "--root", ".", "team/shop", id]);
        }
    }
    let list: serde_json::Value =
        serde_json::from_str(&server.history(&["ls", "team/shop.cocohist", "--json"])).unwrap();
    let serials: Vec<u64> = list["versions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version["serial"].as_u64().unwrap())
        .collect();
    assert!(serials.iter().copied().eq(1..=serials.len() as u64), "{serials:?}");
    assert!(server.history(&["verify", "team/shop.cocohist"]).contains("whole"));
}

fn serial(server: &Running, token: &str) -> u64 {
    let answer = server.send_with("GET", "/state/team/shop", &[("Authorization", &client::basic(token))], "");
    let json: serde_json::Value = serde_json::from_str(&answer.text()).unwrap();
    json["serial"].as_u64().unwrap()
}
