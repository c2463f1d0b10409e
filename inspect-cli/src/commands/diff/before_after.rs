//! A document that contains both sides: a Terraform plan, or the events of a Pulumi engine. Each
//! side becomes a separate document with the resources of the steps.

use coconut_codec::compile::{CompileOptions, compile};
use coconut_codec::event::push;
use coconut_codec::read::stream::{Budget, Meter};
use coconut_codec::text::SourceFormat;
use coconut_codec::text::json::{JsonStyle, Printer};
use coconut_diff::Planned;
use coconut_format::Value;
use coconut_format::graph::UnknownType;
use coconut_report::failure::Failure;
use coconut_report::json::{list, object, text};
use coconut_shell::console::{Console, visible};
use coconut_shell::open::{Opened, Storage};
use std::collections::{HashMap, HashSet};

/// The value of a document.
pub(super) fn value_of(opened: &Opened) -> Result<Value, Failure> {
    let in_file = |error: coconut_format::DecodeError| Failure::from(error).in_file(&opened.name);
    let document = opened.view();
    Meter::new(document, Budget::default()).value(document.root()).map_err(in_file)?;
    Ok(document.tree().map_err(in_file)?.to_value())
}

/// The two sides of a plan: all changes, or the drift.
pub(super) fn of_plan(
    opened: &Opened,
    is_drift: bool,
    console: &mut Console,
) -> Result<(Opened, Opened), Failure> {
    let plan = value_of(opened)?;
    let key = if is_drift { "resource_drift" } else { "resource_changes" };
    if !is_plan(&plan) {
        let failure = Failure::usage("this is not a plan of Terraform or OpenTofu").in_file(&opened.name);
        return Err(failure.with_hint("make one with `terraform show -json PLAN`"));
    }
    warn_of_what_is_missing(&plan, console);
    let old_addresses = addresses_before(&plan, key);
    let mut sides = (Vec::new(), Vec::new());
    for change in plan.get(key).and_then(Value::as_list).unwrap_or_default() {
        let Some(step) = change.get("change") else { continue };
        let actions: Vec<&str> = step
            .get("actions")
            .and_then(Value::as_list)
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        if actions == ["read"] {
            continue;
        }
        // Some plans omit the values of what they delete.
        let is_there = actions.contains(&"delete") || actions.contains(&"forget");
        if let Some(before) = present(step.get("before")).cloned().or(is_there.then(|| object([]))) {
            let address = old_address(change);
            let mask = step.get("before_sensitive");
            sides.0.push(resource(change, address, before.clone(), mask));
            // It is unchanged, but no longer managed.
            if actions == ["forget"] {
                let mut kept = resource(change, address, before.clone(), mask);
                note(&mut kept, "forgotten", Value::Bool(true));
                sides.1.push(kept);
            }
        }
        let unknown = step.get("after_unknown");
        // A created resource may be entirely unknown.
        let is_made = actions.contains(&"create") || unknown.is_some_and(has_mark);
        let after = present(step.get("after")).cloned().or(is_made.then(|| object([])));
        if let Some(mut values) = after {
            if let Some(unknown @ Value::Object(_)) = unknown {
                mark_unknown(&mut values, unknown);
            }
            let mut made = resource(change, change.get("address"), values, step.get("after_sensitive"));
            if let Some(planned) = planned(&actions) {
                note(&mut made, "planned", text(planned.name()));
            }
            // The resource that was at its address has moved away.
            let is_at_old = change
                .get("address")
                .and_then(Value::as_str)
                .is_some_and(|address| actions == ["create"] && old_addresses.contains(address));
            if is_at_old {
                note(&mut made, "planned", text("create"));
            }
            if let Some(import) = present(step.get("importing")) {
                note(&mut made, "importing", import.clone());
            }
            sides.1.push(made);
        }
    }
    if is_drift {
        let drifted: HashSet<&str> =
            sides.0.iter().chain(&sides.1).filter_map(|resource| resource.get("address")?.as_str()).collect();
        let same = managed(&plan).into_iter().filter(|resource| {
            resource.get("address").and_then(Value::as_str).is_some_and(|address| !drifted.contains(address))
        });
        let same: Vec<Value> = same.cloned().collect();
        sides.0.extend(same.iter().cloned());
        sides.1.extend(same);
    }
    let outputs = |side: &str, mask: &str| {
        let changes = plan.get("output_changes").and_then(Value::as_object).unwrap_or_default();
        let outputs = changes.iter().filter(|_| !is_drift).filter_map(|(name, change)| {
            let mut value = change.get(side).cloned().unwrap_or(Value::Null);
            if let ("after", Some(unknown)) = (side, change.get("after_unknown")) {
                mark_unknown(&mut value, unknown);
            }
            present(Some(&value))?;
            let sensitive = Value::Bool(change.get(mask).is_some_and(has_mark));
            Some((name.clone(), object([("sensitive", sensitive), ("value", value)])))
        });
        Value::Object(outputs.collect())
    };
    let document = |resources: Vec<Value>, outputs: Value| {
        let module = object([("resources", Value::List(resources))]);
        object([
            ("format_version", text("1.0")),
            ("terraform_version", text("1.0.0")),
            ("values", object([("outputs", outputs), ("root_module", module)])),
        ])
    };
    let before = document(sides.0, outputs("before", "before_sensitive"));
    let after = document(sides.1, outputs("after", "after_sensitive"));
    Ok((
        opened_as(&before, &format!("{} before", opened.name))?,
        opened_as(&after, &format!("{} after", opened.name))?,
    ))
}

/// Warns if a plan does not contain all changes: planning failed, or some changes are deferred.
fn warn_of_what_is_missing(plan: &Value, console: &mut Console) {
    let is = |key: &str, expected: bool| matches!(plan.get(key), Some(Value::Bool(is)) if *is == expected);
    if is("errored", true) {
        console.warn(None, "planning failed, so this plan may not have all changes");
    }
    let deferred = plan.get("deferred_changes").and_then(Value::as_list).unwrap_or_default();
    if !deferred.is_empty() {
        let told: Vec<String> = deferred.iter().take(MOST_TOLD).map(deferral).collect();
        let more = match deferred.len() - told.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let told = told.join(", ");
        console.warn(None, &format!("this plan puts off changes, which are not in the answer: {told}{more}"));
    } else if is("complete", false) && !is("errored", true) {
        console.warn(None, "this plan is not complete, so it does not have all changes");
    }
}

/// The maximum number of deferred changes listed.
const MOST_TOLD: usize = 10;

/// The address and the actions of a deferred change.
fn deferral(deferred: &Value) -> String {
    let change = deferred.get("resource_change");
    let address = change.and_then(|change| change.get("address")?.as_str()).unwrap_or("?");
    let actions = change.and_then(|change| change.get("change")?.get("actions")?.as_list());
    let actions: Vec<&str> = actions.unwrap_or_default().iter().filter_map(Value::as_str).collect();
    visible(&format!("{address} ({})", actions.join(", ")))
}

/// The address of a resource before the plan.
fn old_address(change: &Value) -> Option<&Value> {
    change.get("previous_address").or(change.get("address"))
}

/// The addresses of all resources before the plan.
fn addresses_before<'p>(plan: &'p Value, key: &str) -> HashSet<&'p str> {
    let changes = plan.get(key).and_then(Value::as_list).unwrap_or_default().iter();
    let is_there = |change: &&Value| {
        let step = change.get("change");
        step.is_some_and(|step| present(step.get("before")).is_some())
    };
    changes.filter(is_there).filter_map(|change| old_address(change)?.as_str()).collect()
}

/// The plan's action on a resource, in addition to the changed values.
fn planned(actions: &[&str]) -> Option<Planned> {
    Some(match actions {
        ["update"] => Planned::UpdateUnseen,
        ["create", "delete"] => Planned::CreateThenDelete,
        ["delete", "create"] => Planned::DeleteThenCreate,
        ["create", "forget"] => Planned::CreateThenForget,
        _ => return None,
    })
}

/// The resources of the prior state, in all modules.
fn managed(plan: &Value) -> Vec<&Value> {
    let state = plan.get("prior_state").and_then(|state| state.get("values"));
    let mut modules: Vec<&Value> = state.and_then(|values| values.get("root_module")).into_iter().collect();
    let mut found = Vec::new();
    while let Some(module) = modules.pop() {
        let list = |name: &str| module.get(name).and_then(Value::as_list).unwrap_or_default();
        let is_managed = |resource: &&Value| resource.get("mode").and_then(Value::as_str) == Some("managed");
        found.extend(list("resources").iter().filter(is_managed));
        modules.extend(list("child_modules").iter().rev());
    }
    found
}

/// Plans without changes, and failed plans, do not list changes. Terraform Cloud writes plans
/// without the parts that are not needed to show them.
fn is_plan(value: &Value) -> bool {
    let has = |names: &[&str]| names.iter().any(|name| value.get(name).is_some());
    has(&["format_version", "plan_format_version"])
        && has(&["planned_values", "resource_changes", "resource_drift", "output_changes", "errored"])
        && !has(&["values"])
}

fn present(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| !matches!(value, Value::Null))
}

/// A resource in the form of `terraform show`.
fn resource(change: &Value, address: Option<&Value>, values: Value, sensitive: Option<&Value>) -> Value {
    let mut entries: Vec<(String, Value)> = Vec::new();
    let mut add = |key: &str, value: Option<&Value>| {
        entries.extend(value.map(|value| (key.to_owned(), value.clone())));
    };
    add("address", address);
    add("mode", change.get("mode"));
    add("type", change.get("type"));
    add("provider_name", change.get("provider_name"));
    add("previous_address", change.get("previous_address"));
    add("deposed", change.get("deposed"));
    add("values", Some(&values));
    add("sensitive_values", sensitive);
    Value::Object(entries)
}

/// Adds the plan's action on the resource, in addition to its changed values.
fn note(resource: &mut Value, what: &str, value: Value) {
    if let Value::Object(entries) = resource {
        entries.push((what.to_owned(), value));
    }
}

/// Writes the text of an unknown value at each place marked by the mask.
fn mark_unknown(value: &mut Value, mask: &Value) {
    match (value, mask) {
        (value, Value::Bool(true)) => *value = text(UnknownType::String.sentinel()),
        (Value::Object(entries), Value::Object(marks)) => {
            for (key, mark) in marks {
                match entries.iter_mut().find(|(name, _)| name == key) {
                    Some((_, below)) => mark_unknown(below, mark),
                    None if has_mark(mark) => {
                        // Terraform sorts its keys.
                        let place = entries.iter().position(|(name, _)| name > key).unwrap_or(entries.len());
                        entries.insert(place, (key.clone(), text(UnknownType::String.sentinel())));
                    }
                    None => {}
                }
            }
        }
        (Value::List(items), Value::List(marks)) => {
            items.iter_mut().zip(marks).for_each(|(item, mark)| mark_unknown(item, mark));
        }
        _ => {}
    }
}

fn has_mark(mask: &Value) -> bool {
    match mask {
        Value::Bool(is_marked) => *is_marked,
        Value::List(items) => items.iter().any(has_mark),
        Value::Object(entries) => entries.iter().any(|(_, below)| has_mark(below)),
        _ => false,
    }
}

/// The two sides of an engine's steps.
pub(super) fn of_events(opened: &Opened) -> Result<(Opened, Opened), Failure> {
    let events = value_of(opened)?;
    let is_preview = is_preview(&events);
    let one = [events];
    let events = match &one[0] {
        Value::List(events) => events.as_slice(),
        preview if is_preview => preview.get("steps").and_then(Value::as_list).unwrap_or_default(),
        _ => &one[..],
    };
    // In the order of the steps. The deletion of a replaced resource is a separate step.
    let mut steps: Vec<Step<'_>> = Vec::new();
    let mut known = HashMap::new();
    for event in events {
        let step = if is_preview { Step::of_preview(event) } else { Step::of(event) };
        let Some(step) = step else { continue };
        if is_noise(step.op) {
            continue;
        }
        match known.get(&(step.urn, step.is_rest())) {
            Some(&at) => {
                let last: &mut Step<'_> = &mut steps[at];
                // A later step without changes does not revoke an earlier change: the engine may
                // have several states of one resource.
                if matches!(step.op, "same" | "refresh") && matches!(last.op, "update" | "delete") {
                    continue;
                }
                // A replacement that begins with the deletion no longer has the old state.
                let before = step.old.or(last.old.filter(|_| step.is_replacement()));
                let is_imported = last.is_imported || last.op == "import";
                *last = Step { old: before, is_imported, ..step };
            }
            None => {
                known.insert((step.urn, step.is_rest()), steps.len());
                steps.push(step);
            }
        }
    }
    if steps.is_empty() && !is_preview {
        let failure = Failure::usage("the file has no events of a Pulumi engine").in_file(&opened.name);
        return Err(
            failure.with_hint("make them with `pulumi preview --event-log FILE` or `pulumi preview --json`")
        );
    }
    let replacements = steps.iter().filter(|step| step.is_replacement() && !step.is_rest());
    let replaced: HashSet<&str> = replacements.filter_map(Step::old_urn).collect();
    let mut sides = (Vec::new(), Vec::new());
    for step in &steps {
        // The replacement contains all the information.
        if step.is_rest() && (known.contains_key(&(step.urn, false)) || replaced.contains(step.urn)) {
            continue;
        }
        let is_gone = matches!(
            step.op,
            "delete" | "delete-replaced" | "read-discard" | "discard" | "remove-pending-replace"
        );
        // An imported resource was read just before.
        let state = |state| state_of(state, step.has_outputs());
        let mut before = step.old.filter(|_| !matches!(step.op, "create" | "import")).map(state);
        let mut after = step.new.filter(|_| !is_gone).map(state);
        if let (Some(before), Some(after)) = (&mut before, &mut after) {
            match step.is_replacement() {
                true => replace(before, after),
                false => obey(step.op, before, after),
            }
        }
        if let Some(after) = after.as_mut().filter(|_| step.is_imported || step.op == "import")
            && let Some(id) = after.get("id").cloned()
        {
            note(after, "importing", object([("id", id)]));
        }
        sides.0.extend(before);
        sides.1.extend(after);
    }
    let document = |resources: Vec<Value>| {
        let manifest = object([("time", text("")), ("magic", text("")), ("version", text(""))]);
        object([("manifest", manifest), ("resources", list(resources, |state| state))])
    };
    let before = opened_as(&document(sides.0), &format!("{} before", opened.name))?;
    Ok((before, opened_as(&document(sides.1), &format!("{} after", opened.name))?))
}

/// Whether this is the output of `pulumi preview --json`. If there are no steps, it contains their
/// counts.
fn is_preview(value: &Value) -> bool {
    let steps = value.get("steps").and_then(Value::as_list).unwrap_or_default();
    let has_any = !steps.is_empty() || value.get("changeSummary").is_some();
    has_any && steps.iter().all(|step| Step::of_preview(step).is_some())
}

/// A step of an engine, from an event.
#[derive(Clone, Copy)]
struct Step<'e> {
    op: &'e str,
    urn: &'e str,
    old: Option<&'e Value>,
    new: Option<&'e Value>,
    /// Whether it has ended, so that its outputs are known.
    is_over: bool,
    /// Whether an earlier step imported the resource.
    is_imported: bool,
}

impl<'e> Step<'e> {
    fn of(event: &'e Value) -> Option<Step<'e>> {
        let over = event.get("resOutputsEvent");
        let metadata = over.or(event.get("resourcePreEvent"))?.get("metadata")?;
        Some(Step {
            is_over: over.is_some(),
            is_imported: false,
            op: metadata.get("op").and_then(Value::as_str).unwrap_or_default(),
            urn: metadata.get("urn").and_then(Value::as_str)?,
            old: present(metadata.get("old")),
            new: present(metadata.get("new")),
        })
    }

    /// The same in a preview.
    fn of_preview(step: &'e Value) -> Option<Step<'e>> {
        Some(Step {
            is_over: false,
            is_imported: false,
            op: step.get("op").and_then(Value::as_str).unwrap_or_default(),
            urn: step.get("urn").and_then(Value::as_str)?,
            old: present(step.get("oldState")),
            new: present(step.get("newState")),
        })
    }

    fn is_replacement(&self) -> bool {
        self.op.contains("replace")
    }

    /// Whether it removes a resource that another step replaced.
    fn is_rest(&self) -> bool {
        matches!(self.op, "delete-replaced" | "discard-replaced")
    }

    /// Whether its outputs come from a program, which does not wait for a provider.
    fn has_outputs(&self) -> bool {
        let is_stack =
            |state: &Value| state.get("type").and_then(Value::as_str) == Some("pulumi:pulumi:Stack");
        let outputs = self.new.and_then(|new| new.get("outputs")).and_then(Value::as_object);
        self.new.or(self.old).is_some_and(is_stack)
            && (self.is_over || outputs.is_some_and(|outputs| !outputs.is_empty()))
    }

    /// An alias can identify a resource with another URN as the old one.
    fn old_urn(&self) -> Option<&'e str> {
        self.old?.get("urn")?.as_str()
    }
}

/// The engine has decided the action: none, an update in place, or a replacement. It may know more
/// than the inputs show.
fn obey(op: &str, before: &Value, after: &mut Value) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return };
    let identity = |entries: &[(String, Value)]| {
        entries
            .iter()
            .filter(|(key, _)| matches!(key.as_str(), "urn" | "aliases" | "outputs"))
            .cloned()
            .collect::<Vec<_>>()
    };
    match op {
        "same" | "refresh" | "read" => {
            let kept = identity(new);
            new.clone_from(old);
            new.retain(|(key, _)| key != "aliases" && key != "outputs");
            for (key, value) in kept {
                match new.iter_mut().find(|(name, _)| *name == key) {
                    Some((_, known)) => *known = value,
                    None => new.push((key, value)),
                }
            }
            name_old(old, new);
        }
        "update" => {
            let id = old.iter().find(|(key, _)| key == "id").map(|(_, id)| id.clone());
            set_id(old, new, id);
            name_old(old, new);
            // A value that becomes known later may equal the old one, but the engine assumes a
            // change.
            let says = |key: &str, value: &Value| {
                let before = old.iter().find(|(name, _)| name == key).map(|(_, value)| value);
                before != Some(value) && !has_unknown(value) && key != "urn" && key != "aliases"
            };
            let lacks = |key: &str| !new.iter().any(|(name, _)| name == key);
            if !new.iter().any(|(key, value)| says(key, value)) && !old.iter().any(|(key, _)| lacks(key)) {
                new.push(("step".to_owned(), text(op)));
            }
        }
        _ => {}
    }
}

/// Steps that do not change the state of a resource.
fn is_noise(op: &str) -> bool {
    matches!(op, "remove-pending-replace" | "invoke" | "call")
}

/// A replacement has another id, though the engine may not know it yet.
fn replace(before: &mut Value, after: &mut Value) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else { return };
    let entry = |entries: &[(String, Value)], name: &str| {
        entries.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
    };
    name_old(old, new);
    match (entry(old, "id"), entry(new, "id")) {
        (None, _) => old.push(("delete".to_owned(), Value::Bool(true))),
        (Some(old_id), Some(new_id)) if old_id != new_id => {}
        _ => {
            set_id(old, new, Some(text(UnknownType::String.sentinel())));
            new.push(("planned".to_owned(), text(Planned::Replace.name())));
        }
    }
}

/// If the engine identifies a resource of another name with the old one, the comparison does, too.
fn name_old(old: &[(String, Value)], new: &mut Vec<(String, Value)>) {
    let urn = |entries: &[(String, Value)]| {
        entries.iter().find(|(key, _)| key == "urn").map(|(_, urn)| urn.clone())
    };
    if let Some(old_urn) = urn(old).filter(|old| urn(new).as_ref() != Some(old)) {
        new.retain(|(key, _)| key != "aliases");
        new.push(("aliases".to_owned(), Value::List(vec![old_urn])));
    }
}

/// Whether it contains a value that becomes known later.
fn has_unknown(value: &Value) -> bool {
    match value {
        Value::String(text) => UnknownType::of_sentinel(text).is_some(),
        Value::List(items) => items.iter().any(has_unknown),
        Value::Object(entries) => entries.iter().any(|(_, below)| has_unknown(below)),
        _ => false,
    }
}

/// Writes an id at the place where the old state has its id.
fn set_id(old: &[(String, Value)], new: &mut Vec<(String, Value)>, id: Option<Value>) {
    new.retain(|(key, _)| key != "id");
    let place = old.iter().position(|(key, _)| key == "id").unwrap_or(new.len()).min(new.len());
    new.splice(place..place, id.map(|id| ("id".to_owned(), id)));
}

/// The state in an event. Outputs of providers arrive after the steps, so only inputs count.
fn state_of(state: &Value, has_outputs: bool) -> Value {
    let entries = state.as_object().unwrap_or_default();
    let is_of_step =
        |key: &str| !matches!(key, "outputs" | "delete" | "initErrors") || (key == "outputs" && has_outputs);
    let kept = entries.iter().filter(|(key, value)| is_of_step(key) && !is_empty(value));
    Value::Object(kept.cloned().collect())
}

/// Engines always write some entries, but files only if these contain information.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        _ => false,
    }
}

/// The stand-in for a missing document.
pub(super) fn nothing(name: String) -> Result<Opened, Failure> {
    let mut opened = opened_as(&object([]), &name)?;
    opened.is_nothing = true;
    Ok(opened)
}

/// The document with this value.
fn opened_as(value: &Value, name: &str) -> Result<Opened, Failure> {
    let mut printer = Printer::new(Vec::new(), JsonStyle::Minified);
    push(value, &mut printer)?;
    let bytes = printer.finish()?;
    let options = CompileOptions { format: Some(SourceFormat::Json), ..CompileOptions::default() };
    let compiled =
        compile(&bytes, &options).map_err(|error| Failure::compiling(name, &bytes, &error, false))?;
    Opened::of_source(name, Storage::new(compiled.bytes), None, false)
}
