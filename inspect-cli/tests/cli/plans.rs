//! The results of `diff --plan` for plans of OpenTofu, Terraform Cloud and driftctl, compared with
//! the actions in them. The plans are not part of the repository, and are skipped if they are
//! absent.

use crate::runs::run;
use coconut_testing::testdata;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The change of each resource, by address: a word, and the old address if it differs.
type Actions = BTreeMap<String, (&'static str, Option<String>)>;

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn planned(plan: &Value) -> Actions {
    let mut found = Actions::new();
    for change in plan["resource_changes"].as_array().into_iter().flatten() {
        let actions = change["change"]["actions"].as_array().into_iter().flatten();
        let actions: Vec<&str> = actions.filter_map(Value::as_str).collect();
        let old = text(&change["previous_address"]).filter(|old| change["address"] != old.as_str());
        let word = match actions[..] {
            ["create"] => "created",
            ["delete"] => "deleted",
            ["create", "delete"] | ["delete", "create"] => "replaced",
            _ if old.is_some() => "moved",
            ["update"] => "changed",
            _ => continue,
        };
        found.insert(text(&change["address"]).expect("a change has an address"), (word, old));
    }
    found
}

fn found(report: &Value) -> Actions {
    let words = ["created", "deleted", "replaced", "moved", "changed"];
    let resources = report["resources"].as_array().into_iter().flatten();
    resources
        .map(|resource| {
            let word =
                words.into_iter().find(|word| resource["action"] == *word).expect("it is one of these");
            (text(&resource["key"]).expect("a resource has a key"), (word, text(&resource["old_key"])))
        })
        .collect()
}

fn report_of(plan: &Path) -> Value {
    let folder = plan.parent().expect("a plan is in a folder");
    let output = run(folder, &["diff", "--plan", &plan.to_string_lossy(), "--json"]);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}: {}", plan.display(), String::from_utf8_lossy(&output.stderr)))
}

fn plans(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the cases can be listed") {
        let path = entry.expect("the cases can be listed").path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        match path.is_dir() {
            true => plans(&path, found),
            false if name == "output.json" || name == "output_plan.json" || name.starts_with("plan-") => {
                found.push(path);
            }
            false => {}
        }
    }
}

#[test]
fn plans_match_their_actions() {
    let folders = ["1-diff/tofu-show-json", "1-diff/tofu-cloud-plan", "1-diff/driftctl"];
    let mut all = Vec::new();
    for folder in folders.into_iter().filter_map(testdata) {
        plans(&folder, &mut all);
    }
    for path in &all {
        let plan: Value =
            serde_json::from_slice(&fs::read(path).expect("a plan can be read")).expect("it is JSON");
        // A run that failed before planning has no resources.
        if plan == serde_json::json!({}) {
            let output = run(Path::new("."), &["diff", "--plan", &path.to_string_lossy()]);
            assert_eq!(output.status.code(), Some(2), "{}", path.display());
            continue;
        }
        let report = report_of(path);
        assert_eq!(found(&report), planned(&plan), "{}", path.display());
        let log = path.with_file_name("plan.log");
        if log.exists() {
            let text = fs::read_to_string(log).expect("a log can be read");
            let mut summary = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let summary = summary.rfind(|line| line["type"] == "change_summary");
            let changes = &summary.expect("a plan that is whole has a summary")["changes"];
            let counted = &report["summary"];
            let counts = [&counted["created"], &counted["changed"], &counted["deleted"]];
            assert_eq!(
                counts,
                [&changes["add"], &changes["change"], &changes["remove"]],
                "{}",
                path.display()
            );
        }
    }
    assert!(all.is_empty() || all.len() >= 20, "{} plans", all.len());
}
