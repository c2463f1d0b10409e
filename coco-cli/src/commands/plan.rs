//! `coco plan`: shows the steps of a deployment that would change a snapshot into the result of a
//! program.

use super::running::{ProgramOptions, failed, place};
use crate::loading::Packages;
use clap::Args;
use coconut_codec::read::lookup::Ways;
use coconut_codec::read::package::PackView;
use coconut_codec::read::verify::{dialect_of, verify_document_as};
use coconut_codec::secrets::{Redaction, SECRET};
use coconut_eval::{Evaluator, Operation, PendingOperation, Plan, PlanStep, Snapshot, StepReason};
use coconut_format::Value;
use coconut_format::error::DecodeError;
use coconut_format::graph::Place;
use coconut_format::location::Location;
use coconut_format::verify::{Finding, Rule, Severity};
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::console::visible;
use coconut_shell::open::{Access, Documents, Opened};
use std::collections::HashSet;
use std::path::PathBuf;

/// Compare a program or its graph with a snapshot of a deployment
///
/// Runs the program as a deployment would: unchanged resources have the ids and outputs of the
/// snapshot. Prints a step for each resource that a deployment would create (`+`), update (`~`),
/// replace (`±`), delete (`-`), only read (`>`) or drop from the state without a call (`<`), in a
/// possible order, with the properties that differ. Values of properties are not shown. Nothing is
/// deployed, and no provider is called; --rules describes what providers would do. The marks of the
/// last deployment count (§15.5): a protected resource is neither deleted nor replaced.
///
/// Exits with 0 if nothing would change, and with 1 if something would. A program that fails exits
/// with 4, or with 7 if it exceeds a limit. A plan with a refused step is printed and exits with 4.
#[derive(Debug, Args)]
#[command(name = "plan", after_long_help = include_str!("../../tests/help/plan.trycmd"))]
pub(crate) struct PlanCommand {
    /// A package, or a graph: a source, a compiled document, or the name of a package
    #[arg(value_name = "PACK|GRAPH")]
    subject: PathBuf,
    /// The snapshot: a graph of `pack eval`, a CocoGL graph, or a checkpoint
    #[arg(long, value_name = "SNAPSHOT")]
    against: PathBuf,
    #[command(flatten)]
    program: ProgramOptions,
    #[command(flatten)]
    packages: Packages,
}

impl PlanCommand {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let deployed = self.packages.open(&self.against, Access::Whole, console)?;
        let snapshot = snapshot_of(&deployed, console)?;
        let subject = self.packages.open(&self.subject, Access::Lookup, console)?;
        let options = self.program.options(snapshot.naming(), &self.packages, console)?;
        let plan = if PackView::of(subject.view()).is_some() {
            let (plan, explained, file) = {
                let found = self.program.packages(subject, &self.packages, console)?;
                let plan = Evaluator::new(&found).plan(found.name(), &options, &snapshot);
                let plan = plan.map_err(|error| failed(&error, &found.file, Exit::Decode))?;
                let outcome = plan.outcome();
                let explained = outcome.map(|outcome| self.program.explained(outcome, &found)).transpose()?;
                (plan, explained.flatten(), found.file.clone())
            };
            if let Some(outcome) = plan.outcome() {
                self.program.show(outcome, explained.as_ref(), &file, console);
            }
            plan
        } else {
            Plan::between(&snapshot_of(&subject, console)?, &snapshot, &options)
        };
        match console.json {
            true => {
                let secret = secret_ids(&deployed, console.reveal);
                let secret = secret.map_err(|error| Failure::from(error).in_file(&deployed.name))?;
                console.print_json(&to_json(&plan, snapshot.pending_operations(), &secret))?;
            }
            false => show(&plan, console)?,
        }
        if let Some(failure) = refusal(&plan) {
            return Err(failure.in_file(&deployed.name));
        }
        Ok(if plan.has_changes() { Exit::Negative } else { Exit::Good })
    }
}

/// The resources of a document. Warns of what makes a plan with it doubtful.
fn snapshot_of(opened: &Opened, console: &mut Console) -> Result<Snapshot, Failure> {
    let refused = |error: DecodeError| Failure::from(error).in_file(&opened.name);
    let value = opened.view().to_value().map_err(refused)?;
    let snapshot = Snapshot::from_value(&value)
        .map_err(|error| Failure::usage(error.to_string()).in_file(&opened.name))?;
    if let Some(dialect) = dialect_of(opened.view()).map_err(refused)? {
        let found = verify_document_as(opened.view(), dialect, &[]).map_err(refused)?;
        warn_of_errors(found.iter().map(|found| &found.finding), &opened.name, console);
    }
    warn_of_pending(snapshot.pending_operations(), &opened.name, console);
    Ok(snapshot)
}

/// The findings of one rule, and the unfinished operations, that a warning lists.
const MOST_LISTED: usize = 3;

/// Warns of errors in a graph, once for each rule. A plan may delete one of two resources with one
/// key.
fn warn_of_errors<'f>(findings: impl Iterator<Item = &'f Finding>, name: &str, console: &mut Console) {
    let mut by_rule: Vec<(&'static Rule, Vec<&Finding>)> = Vec::new();
    for finding in findings.filter(|finding| finding.rule.severity == Severity::Error) {
        match by_rule.iter_mut().find(|(rule, _)| rule.id == finding.rule.id) {
            Some((_, all)) => all.push(finding),
            None => by_rule.push((finding.rule, vec![finding])),
        }
    }
    for (rule, all) in by_rule {
        let mut message = rule.summary.to_owned();
        for finding in all.iter().take(MOST_LISTED) {
            message.push_str(&format!("\n --> {} {}", visible(name), visible(&finding.path)));
        }
        if all.len() > MOST_LISTED {
            message.push_str(&format!("\n  = and {} more", all.len() - MOST_LISTED));
        }
        message.push_str("\n  = a plan against it may be wrong; `coco check` describes the errors");
        console.warn(Some(rule.id), &message);
    }
}

/// Warns of operations of the last deployment that did not finish.
fn warn_of_pending(pending: &[PendingOperation], name: &str, console: &mut Console) {
    let mut message = match pending.len() {
        0 => return,
        1 => "one operation of the last deployment did not finish".to_owned(),
        count => format!("{count} operations of the last deployment did not finish"),
    };
    message.push_str(&format!("\n --> {}", visible(name)));
    for operation in pending.iter().take(MOST_LISTED) {
        let line = format!("{} {}", operation.kind, operation.urn);
        message.push_str(&format!("\n  = {}", visible(&line)));
    }
    if pending.len() > MOST_LISTED {
        message.push_str(&format!("\n  = and {} more; `--json` lists all", pending.len() - MOST_LISTED));
    }
    console.warn(None, &message);
}

/// The failure of a plan with refused steps.
fn refusal(plan: &Plan) -> Option<Failure> {
    let refused: Vec<&PlanStep> = plan.refused().collect();
    let verb = |step: &PlanStep| match step.operation {
        Operation::Replace => "replace",
        _ => "delete",
    };
    let message = match refused[..] {
        [] => return None,
        [step] => format!("cannot {} `{}`, which is protected", verb(step), step.urn),
        _ => format!("{} resources cannot be deleted or replaced, because they are protected", refused.len()),
    };
    let lines = refused.iter().take(MOST_LISTED).map(|step| format!("{} {}", verb(step), step.urn));
    let more = (refused.len() > MOST_LISTED).then(|| format!("and {} more", refused.len() - MOST_LISTED));
    let lines = if refused.len() > 1 { lines.chain(more).collect() } else { Vec::new() };
    let urns = refused.iter().map(|step| text(&step.urn)).collect();
    let failure = Failure::new(Exit::Decode, code::PLAN_PROTECTED, message);
    let hint = "remove the protection from the resource in the state, or return the resource to the program";
    Some(failure.with_hint(hint).with_list("refused", urns, lines))
}

/// The ids of resources that the snapshot marks as secret.
fn secret_ids(opened: &Opened, reveal: bool) -> Result<HashSet<&str>, DecodeError> {
    let (document, mut ids) = (opened.view(), HashSet::new());
    let redaction = Redaction::of_document(document, reveal)?;
    if redaction.is_empty() {
        return Ok(ids);
    }
    let (mut along, mut ways) = (redaction.of_landmarks(), Ways::from_root(document));
    for landmark in document.landmarks()? {
        let landmark = landmark?;
        let place = along.place_of(ways.next_to(landmark)?);
        if redaction.places().enter_key(place, "id") == Place::Inside
            && let Some(id) = landmark.value()?.field("id")?
        {
            ids.extend(id.text()?);
        }
    }
    Ok(ids)
}

/// The resources by what happens to them. A replacement has three steps, and counts once.
fn counts(plan: &Plan) -> [(&'static str, usize); 8] {
    let left_over = plan.steps().iter().filter(|step| step.reason == Some(StepReason::PendingDeletion));
    let delete = plan.count(Operation::Delete) + left_over.count();
    let discard = plan.count(Operation::Discard) + plan.count(Operation::RemovePendingReplace);
    [
        ("create", plan.count(Operation::Create)),
        ("update", plan.count(Operation::Update)),
        ("replace", plan.count(Operation::Replace)),
        ("delete", delete),
        ("same", plan.count(Operation::Same)),
        ("read", plan.count(Operation::Read)),
        ("discard", discard),
        ("refused", plan.refused().count()),
    ]
}

/// The number of counts that are shown even if they are zero.
const ALWAYS_SHOWN: usize = 5;

fn to_json(plan: &Plan, pending: &[PendingOperation], secret: &HashSet<&str>) -> Value {
    let steps = list(plan.steps(), |step| {
        let names = |names: &[String]| list(names, text);
        let id = step.id.as_deref().map(|id| if secret.contains(id) { SECRET } else { id });
        object([
            ("operation", text(step.operation.as_str())),
            ("urn", text(&step.urn)),
            ("type", text(&step.type_token)),
            ("id", optional(id)),
            ("changed", names(&step.changed)),
            ("replacing", names(&step.replacing)),
            ("reason", optional(step.reason.map(StepReason::as_str))),
            ("location", step.location.as_ref().map_or(Value::Null, location)),
        ])
    });
    let pending = list(pending, |operation| {
        object([("operation", text(&operation.kind)), ("urn", text(&operation.urn))])
    });
    let counts = object(counts(plan).map(|(name, count)| (name, number(count as u64))));
    report("plan", [("steps", steps), ("pending", pending), ("counts", counts)])
}

fn location(location: &Location) -> Value {
    let line = |position: u32| number(u64::from(position));
    object([
        ("file", optional(location.file.as_deref())),
        ("line", line(location.start.line)),
        ("column", line(location.start.column)),
    ])
}

fn show(plan: &Plan, console: &mut Console) -> Result<(), Failure> {
    for step in plan.steps() {
        if let Some(line) = line(step) {
            console.line(&visible(&line))?;
        }
    }
    let counts = counts(plan).into_iter().enumerate();
    let shown = counts.filter(|(at, (_, count))| *at < ALWAYS_SHOWN || *count > 0);
    let shown: Vec<String> = shown.map(|(_, (name, count))| format!("{count} {name}")).collect();
    console.line(&shown.join(", "))
}

/// The note about the mark that decides a step.
fn note(step: &PlanStep) -> Option<&'static str> {
    Some(match (step.reason, step.operation) {
        (Some(StepReason::Protected), _) => "protected: refused",
        (Some(StepReason::Retained), _) => "retained: only removed from the state",
        (Some(StepReason::Component), _) => "a component: only removed from the state",
        (Some(StepReason::External), Operation::DiscardReplaced) => "replaced; was only read",
        (Some(StepReason::External), Operation::Discard) => "was only read",
        (Some(StepReason::External), Operation::CreateReplacement) => "the old one was only read",
        (Some(StepReason::DeletedWith), Operation::Delete | Operation::DeleteReplaced) => {
            "goes with the resource that holds it"
        }
        (Some(StepReason::DeletedWith), _) => "the resource that holds it is replaced",
        (Some(StepReason::PendingReplacement), Operation::RemovePendingReplace) => "was already deleted",
        (Some(StepReason::PendingReplacement), _) => "the old one was already deleted",
        (Some(StepReason::InitErrors), _) => "its initialization failed",
        (Some(StepReason::PendingDeletion), _) => "replaced by an earlier deployment",
        (_, Operation::DeleteReplaced) => "replaced",
        _ => return None,
    })
}

/// One line for a step that changes something. For a replacement, the middle step is not shown.
fn line(step: &PlanStep) -> Option<String> {
    let sign = match step.operation {
        Operation::Create => "+",
        Operation::Update => "~",
        Operation::CreateReplacement | Operation::ReadReplacement => "±",
        Operation::Delete | Operation::DeleteReplaced => "-",
        Operation::Read => ">",
        Operation::Discard | Operation::DiscardReplaced | Operation::RemovePendingReplace => "<",
        _ => return None,
    };
    let name = step.urn.rsplit("::").next().unwrap_or(&step.urn);
    let mut line = format!("{sign} {} {name}", step.type_token);
    if let Some(note) = note(step) {
        line.push_str(&format!(" ({note})"));
    }
    if !step.changed.is_empty() {
        line.push_str(&format!("  {}", step.changed.join(", ")));
    }
    if !step.replacing.is_empty() {
        line.push_str(&format!("  replacing: {}", step.replacing.join(", ")));
    }
    if let Some(place) = place(step.location.as_ref()) {
        line.push_str(&format!("  at {place}"));
    }
    Some(line)
}
