//! Plans of programs against changed snapshots.

use crate::golden::{bind, bind_golden, folders, libraries, package, read, sorted};
use coconut_eval::{Evaluator, Operation, Options, Plan, PlanStep, ProviderRules, Snapshot, StepReason};
use coconut_format::Value;
use coconut_testing::golden;
use std::path::Path;

/// The operation, the URN and the properties that force a replacement, for each step.
type Steps = Vec<(String, String, Vec<String>)>;

#[test]
fn plans_have_the_steps_of_2017() {
    let Some(golden) = golden() else { return };
    let engines = ["R", "C4"].map(|engine| libraries(&golden, engine));
    let mut compared = 0;
    for (case, file) in folders(&golden.join("plans")) {
        let plan = read(&file);
        let program = plan.get("program").and_then(Value::as_str).expect("a program");
        let is_early = program.starts_with("coconut__");
        let mut bound = bind(
            package(&golden.join("programs").join(program)),
            &engines[usize::from(is_early)],
            if is_early { "coconut" } else { "lumi" },
        );
        for setting in plan.get("config").and_then(Value::as_list).unwrap_or_default() {
            let (token, value) = setting.as_str().and_then(|text| text.split_once('=')).expect("token=value");
            bound.options.configuration.push((token.to_owned(), Value::String(value.to_owned())));
        }
        let replaced = plan.get("replaceOn").and_then(Value::as_list).unwrap_or_default();
        bound.options.rules = ProviderRules::replacing(replaced.iter().filter_map(Value::as_str));
        let snapshot = Snapshot::from_value(plan.get("old").expect("a snapshot")).expect("a snapshot");
        let found = Evaluator::new(&bound.packages)
            .plan(&bound.name, &bound.options, &snapshot)
            .unwrap_or_else(|error| panic!("{case}: {error}\n{:?}", error.trace()));
        let found: Steps = found
            .steps()
            .iter()
            .map(|step| (step.operation.as_str().to_owned(), step.urn.clone(), step.replacing.clone()))
            .collect();
        match plan.get("steps").and_then(Value::as_list) {
            Some(steps) => {
                let expected: Vec<(String, String)> =
                    steps_of(steps).into_iter().map(|(op, urn, _)| (op, urn)).collect();
                let found: Vec<(String, String)> = found.into_iter().map(|(op, urn, _)| (op, urn)).collect();
                assert_eq!(found, expected, "{case}");
            }
            None => early_plan(&case, &plan, found),
        }
        compared += 1;
    }
    assert!(compared >= 31, "{compared}");
}

/// The engine of May 2017 had other names for some steps, omitted unchanged resources, and had no
/// stable order. Its steps are compared as a set.
fn early_plan(case: &str, plan: &Value, found: Steps) {
    let seen = plan.get("stepOrdersSeen").and_then(Value::as_list).expect("orders");
    let mut expected = steps_of(seen.first().and_then(Value::as_list).unwrap_or_default());
    for (operation, _, keys) in &mut expected {
        let name = match operation.as_str() {
            "replace-create" => "create-replacement",
            "replace-delete" => "delete-replaced",
            other => other,
        };
        *operation = name.to_owned();
        keys.clear();
    }
    let mut found: Steps = found.into_iter().filter(|(operation, ..)| operation != "same").collect();
    found.iter_mut().for_each(|(_, _, keys)| keys.clear());
    expected.sort();
    found.sort();
    assert_eq!(found, expected, "{case}");
}

fn steps_of(steps: &[Value]) -> Steps {
    let text = |step: &Value, key: &str| step.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let keys = |step: &Value| -> Vec<String> {
        let keys = step.get("replaceKeys").and_then(Value::as_list).unwrap_or_default();
        keys.iter().filter_map(|key| key.as_str().map(str::to_owned)).collect()
    };
    steps.iter().map(|step| (text(step, "op"), text(step, "urn"), keys(step))).collect()
}

#[test]
fn a_program_planned_against_its_own_graph_stays_as_it_is() {
    let Some(golden) = golden() else { return };
    for (case, folder) in folders(&golden.join("programs")) {
        let bound = bind_golden(&case, &folder, &golden);
        let evaluator = Evaluator::new(&bound.packages);
        for name in ["checkpoint.json", "cocogl-applied.json"] {
            let path = folder.join(name);
            if !path.exists() {
                continue;
            }
            let snapshot = Snapshot::from_value(&read(&path)).expect("a snapshot");
            let plan = evaluator.plan(&bound.name, &bound.options, &snapshot).expect(&case);
            assert!(!plan.has_changes(), "{case}: {:?}", plan.steps());
            assert_eq!(plan.count(Operation::Same), snapshot.len(), "{case}");
            let again = evaluator.plan(&bound.name, &bound.options, &snapshot).expect(&case);
            let graphs = [&plan, &again].map(|plan| sorted(&plan.outcome().expect("of a program").graph()));
            assert_eq!(graphs[0], graphs[1], "{case}");
        }
    }
}

/// Each case has a snapshot with marks, the graph of a program, and the steps: operation, last part
/// of the URN, reason.
#[test]
fn the_marks_of_a_snapshot_decide_the_steps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plans");
    let mut count = 0;
    for (case, path) in folders(&folder) {
        let file = read(&path);
        let snapshot = Snapshot::from_value(file.get("old").expect("old")).expect("a snapshot");
        let graph = Snapshot::from_value(file.get("new").expect("new")).expect("a graph");
        let mut options = Options::default();
        if let Some(rules) = file.get("rules") {
            options.rules = ProviderRules::from_value(rules).expect("rules");
        }
        let plan = Plan::between(&graph, &snapshot, &options);
        let facts = |step: &PlanStep| {
            let name = step.urn.rsplit("::").next().unwrap_or_default().to_owned();
            let reason = step.reason.map(|reason| reason.as_str().to_owned());
            (step.operation.as_str().to_owned(), name, reason)
        };
        let list = |key: &str| file.get(key).and_then(Value::as_list).unwrap_or_default();
        let text = |value: &Value, at: usize| Some(value.as_list()?.get(at)?.as_str()?.to_owned());
        let expected: Vec<_> = list("steps")
            .iter()
            .map(|step| (text(step, 0).expect("an operation"), text(step, 1).expect("a name"), text(step, 2)))
            .collect();
        assert_eq!(plan.steps().iter().map(facts).collect::<Vec<_>>(), expected, "{case}");
        let pending = snapshot.pending_operations().iter();
        let pending: Vec<_> = pending.map(|one| (Some(one.kind.clone()), Some(one.urn.clone()))).collect();
        let listed: Vec<_> = list("pending").iter().map(|one| (text(one, 0), text(one, 1))).collect();
        assert_eq!(pending, listed, "{case}");
        let is_protected = |step: &&PlanStep| step.reason == Some(StepReason::Protected);
        let protected: std::collections::HashSet<&str> =
            plan.steps().iter().filter(is_protected).map(|step| step.urn.as_str()).collect();
        assert_eq!(plan.refused().count(), protected.len(), "{case}");
        count += 1;
    }
    assert!(count >= 12, "{count}");
}
