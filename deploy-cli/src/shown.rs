//! The steps of a deployment, as they happen.

use coconut_deploy::{Action, Intent, Operation, Outcome, Preview, Record, ResourceState, SkipReason, Step};
use coconut_format::Value;
use coconut_report::json::{list, number, object, optional, text};
use coconut_report::style::{BAD, DIM, GOOD};
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use coconut_shell::console::visible;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// Shows the records of a deployment: a line for each step that has ended and, on a terminal, one
/// for each that runs.
pub(crate) struct Shown<'c> {
    console: &'c mut Console,
    running: BTreeMap<u64, Running>,
    bars: Option<MultiProgress>,
    /// The first failure to print. The deployment goes on.
    failure: Option<Failure>,
}

struct Running {
    intent: Intent,
    started: Instant,
    bar: Option<ProgressBar>,
}

impl<'c> Shown<'c> {
    pub(crate) fn new(console: &'c mut Console) -> Shown<'c> {
        let is_live = console.is_chatty() && std::io::stderr().is_terminal();
        Shown { console, running: BTreeMap::new(), bars: is_live.then(MultiProgress::new), failure: None }
    }

    /// Shows a record after it was written.
    pub(crate) fn record(&mut self, record: &Record) {
        if self.console.json {
            let printed = self.console.print_json(&to_json(record));
            let printed = printed.and_then(|()| self.console.flush_output());
            self.note(printed);
            return;
        }
        match record {
            Record::Begin { seq, intent } => self.begin(*seq, intent),
            Record::Done { seq, state } => self.end(*seq, |intent, time| done(intent, state.as_ref(), time)),
            Record::Failed { seq, message } => {
                self.end(*seq, |intent, time| (true, format!("{} failed, {time}: {message}", what(intent))));
            }
            Record::Open { seq, message } => {
                self.end(*seq, |intent, time| {
                    (true, format!("{} unresolved, {time}: {message}", what(intent)))
                });
            }
            Record::Forget { entry } => self.line(false, &format!("< {}", name_of(&entry.urn))),
            Record::Settle { intent, state } => {
                let found = if state.is_some() { "exists" } else { "does not exist" };
                self.line(false, &format!("= {} {}: {found}", intent.type_token, name_of(&intent.urn)));
            }
            _ => {}
        }
    }

    fn begin(&mut self, seq: u64, intent: &Intent) {
        let bar = self.bars.as_ref().map(|bars| {
            let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
            let bar = bars.add(ProgressBar::new_spinner());
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
            bar.set_message(visible(&what(intent)));
            bar.enable_steady_tick(Duration::from_millis(100));
            bar
        });
        self.running.insert(seq, Running { intent: intent.clone(), started: Instant::now(), bar });
    }

    fn end(&mut self, seq: u64, line: impl FnOnce(&Intent, &str) -> (bool, String)) {
        let Some(Running { intent, started, bar }) = self.running.remove(&seq) else { return };
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        let time = format!("{:.1} s", started.elapsed().as_secs_f64());
        let (is_bad, line) = line(&intent, &time);
        self.line(is_bad, &line);
    }

    fn line(&mut self, is_bad: bool, line: &str) {
        let line = match is_bad {
            true => self.console.paint(BAD, line),
            false => visible(line),
        };
        let console = &mut *self.console;
        let mut print = || console.line(&line).and_then(|()| console.flush_output());
        let printed = match &self.bars {
            Some(bars) => bars.suspend(print),
            None => print(),
        };
        self.note(printed);
    }

    fn note(&mut self, printed: Result<(), Failure>) {
        if let Err(failure) = printed {
            self.failure.get_or_insert(failure);
        }
    }

    /// Shows the result of a deployment: what was left out, and the counts.
    pub(crate) fn finish(mut self, outcome: &Outcome, environment: &str) -> Result<Exit, Failure> {
        for failed in outcome.failed.iter().filter(|failed| failed.operation.is_none()) {
            self.line(true, &format!("! {}: {}", name_of(&failed.urn), failed.message));
        }
        for (urn, reason) in &outcome.skipped {
            self.line(true, &format!("! {}: left as it is, {}", name_of(urn), why(reason)));
        }
        if let Some(reason) = &outcome.unfinished {
            self.line(true, &format!("! {reason}; nothing is deleted"));
        }
        let counts = counts(outcome);
        if self.console.json {
            let counts = object(counts.map(|(name, count)| (name, number(count as u64))));
            self.console.print_json(&object([("counts", counts)]))?;
        } else {
            let style = if outcome.is_complete() { GOOD } else { BAD };
            let shown = counts.iter().filter(|(name, count)| *count > 0 || ALWAYS.contains(name));
            let shown: Vec<String> = shown.map(|(name, count)| format!("{count} {name}")).collect();
            let line = self.console.paint(style, &shown.join(", "));
            self.console.line(&line)?;
        }
        match (self.failure, failure(outcome, environment)) {
            (Some(failure), _) | (None, Some(failure)) => Err(failure),
            (None, None) => Ok(Exit::Good),
        }
    }
}

/// Counts that are shown even if they are zero.
const ALWAYS: [&str; 4] = ["create", "update", "delete", "same"];

fn counts(outcome: &Outcome) -> [(&'static str, usize); 9] {
    let replaced = outcome.count(Operation::CreateReplacement);
    let deleted = outcome.count(Operation::Delete);
    [
        ("create", outcome.count(Operation::Create)),
        ("update", outcome.count(Operation::Update)),
        ("replace", replaced),
        ("delete", deleted),
        ("same", outcome.same),
        ("forgotten", outcome.forgotten),
        ("failed", outcome.failed.iter().filter(|failed| !failed.is_open).count()),
        ("unresolved", outcome.failed.iter().filter(|failed| failed.is_open).count()),
        ("skipped", outcome.skipped.len()),
    ]
}

/// The failure of a deployment that did not do everything.
fn failure(outcome: &Outcome, environment: &str) -> Option<Failure> {
    if outcome.is_complete() {
        return None;
    }
    let is_unresolved = |(_, reason): &(String, SkipReason)| *reason == SkipReason::Unresolved;
    let open = outcome.failed.iter().filter(|failed| failed.is_open).map(|failed| &failed.urn);
    let open: Vec<&String> =
        open.chain(outcome.skipped.iter().filter(|one| is_unresolved(one)).map(|(urn, _)| urn)).collect();
    if !open.is_empty() {
        let message = format!("the outcome of {} is not known", operations(open.len()));
        let failure = Failure::new(Exit::Run, code::DEPLOY_UNRESOLVED, message);
        let urns = open.iter().map(|urn| text(urn.as_str())).collect();
        let lines = open.iter().map(|urn| visible(urn)).collect();
        let hint = format!(
            "look for the resources, then tell with `coco env resolve {environment} URN=ID` or `URN=absent`"
        );
        return Some(failure.with_hint(hint).with_list("unresolved", urns, lines));
    }
    let message = match (outcome.failed.len(), outcome.is_interrupted) {
        (0, true) => "interrupted; the running steps were finished".to_owned(),
        (0, false) => "some resources were left as they are".to_owned(),
        (count, _) => format!("{} failed", operations(count)),
    };
    Some(Failure::new(Exit::Run, code::DEPLOY_STEPS, message))
}

fn operations(count: usize) -> String {
    if count == 1 { "one step".to_owned() } else { format!("{count} steps") }
}

fn why(reason: &SkipReason) -> String {
    match reason {
        SkipReason::Unresolved => "an operation on it is unresolved".to_owned(),
        SkipReason::Protected => "it is protected".to_owned(),
        SkipReason::Relation(urn) => format!("because of {}", name_of(urn)),
        _ => "because the deployment ended".to_owned(),
    }
}

/// The last part of a URN.
pub(crate) fn name_of(urn: &str) -> &str {
    urn.rsplit("::").next().unwrap_or(urn)
}

fn sign(operation: Operation) -> &'static str {
    match operation {
        Operation::Create => "+",
        Operation::Update => "~",
        Operation::CreateReplacement => "±",
        _ => "-",
    }
}

fn what(intent: &Intent) -> String {
    format!("{} {} {}", sign(intent.operation), intent.type_token, name_of(&intent.urn))
}

fn done(intent: &Intent, state: Option<&ResourceState>, time: &str) -> (bool, String) {
    let replaced = if intent.operation == Operation::DeleteReplaced { " (replaced)" } else { "" };
    let id = state.and_then(ResourceState::id).filter(|_| intent.operation.is_create());
    let id = id.map(|id| format!("  {id}")).unwrap_or_default();
    let errors = state.filter(|state| state.is_unready()).and_then(|state| state.field("initErrors"));
    let errors: Vec<&str> =
        errors.and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str).collect();
    match errors.is_empty() {
        true => (false, format!("{}{replaced}{id}  {time}", what(intent))),
        false => (true, format!("{}{id}  {time}, not ready: {}", what(intent), errors.join("; "))),
    }
}

/// A record for machines. Of properties, it has the names alone.
fn to_json(record: &Record) -> Value {
    let names = |properties: &[(String, Value)]| list(properties, |(name, _)| text(name));
    let state = |state: &Option<ResourceState>| state.as_ref().map_or(Value::Null, shown_state);
    let ended =
        |kind: &str, seq: &u64, message: &str| object([(kind, number(*seq)), ("message", text(message))]);
    let intent = |intent: &Intent| {
        [
            ("operation", text(intent.operation.as_str())),
            ("urn", text(&intent.urn)),
            ("type", text(&intent.type_token)),
            ("id", optional(intent.id.as_deref())),
            ("inputs", names(&intent.inputs)),
        ]
    };
    match record {
        Record::Begin { seq, intent: begun } => {
            let [operation, urn, ty, id, inputs] = intent(begun);
            object([("begin", number(*seq)), operation, urn, ty, id, inputs])
        }
        Record::Done { seq, state: after } => object([("done", number(*seq)), ("state", state(after))]),
        Record::Failed { seq, message } => ended("failed", seq, message),
        Record::Open { seq, message } => ended("open", seq, message),
        Record::Set { state } => object([("set", shown_state(state))]),
        Record::Forget { entry } => {
            object([("forget", object([("urn", text(&entry.urn)), ("id", optional(entry.id.as_deref()))]))])
        }
        Record::Settle { intent: settled, state: after } => {
            object([("settle", object(intent(settled))), ("state", state(after))])
        }
        _ => object([("end", Value::Bool(true))]),
    }
}

fn shown_state(state: &ResourceState) -> Value {
    let names = |properties: &[(String, Value)]| list(properties, |(name, _)| text(name));
    object([
        ("urn", text(state.urn())),
        ("type", text(state.type_token())),
        ("id", optional(state.id())),
        ("inputs", names(state.inputs())),
        ("outputs", names(state.outputs())),
        ("initErrors", state.field("initErrors").cloned().unwrap_or(Value::List(Vec::new()))),
    ])
}

/// Prints the steps that a deployment would do.
pub(crate) fn show_preview(preview: &Preview, console: &mut Console) -> Result<Exit, Failure> {
    let counted = Action::ALL.map(|action| (action.as_str(), preview.count(action)));
    if console.json {
        let steps = list(&preview.steps, |step| {
            object([
                ("operation", text(step.action.as_str())),
                ("urn", text(&step.urn)),
                ("type", text(&step.type_token)),
                ("id", optional(step.id.as_deref())),
                ("changed", list(&step.changed, text)),
                ("reason", optional(step.reason.as_deref())),
            ])
        });
        let failed =
            list(&preview.failed, |(urn, message)| object([("urn", text(urn)), ("message", text(message))]));
        let counts = object(counted.map(|(name, count)| (name, number(count as u64))));
        let unfinished = optional(preview.unfinished.as_deref());
        console.print_json(&coconut_report::json::report(
            "deploy",
            [("steps", steps), ("failed", failed), ("unfinished", unfinished), ("counts", counts)],
        ))?;
    } else {
        for step in preview.steps.iter().filter(|step| step.action != Action::Same) {
            let line = match step.action {
                Action::Refuse => console.paint(BAD, &step_line(step)),
                _ => visible(&step_line(step)),
            };
            console.line(&line)?;
        }
        for (urn, message) in &preview.failed {
            let line = console.paint(BAD, &format!("! {}: {message}", name_of(urn)));
            console.line(&line)?;
        }
        if let Some(reason) = &preview.unfinished {
            let line = console.paint(DIM, &format!("more steps may follow: {reason}"));
            console.line(&line)?;
        }
        let shown = counted.iter().filter(|(name, count)| *count > 0 || ALWAYS.contains(name));
        let shown: Vec<String> = shown.map(|(name, count)| format!("{count} {name}")).collect();
        console.line(&shown.join(", "))?;
    }
    if let [(urn, message), ..] = &preview.failed[..] {
        let message = format!("`{}`: {message}", name_of(urn));
        return Err(Failure::new(Exit::Run, code::DEPLOY_STEPS, message));
    }
    Ok(if preview.has_changes() { Exit::Negative } else { Exit::Good })
}

fn step_line(step: &Step) -> String {
    let sign = match step.action {
        Action::Create => "+",
        Action::Update => "~",
        Action::Replace => "±",
        Action::Delete => "-",
        Action::Forget => "<",
        Action::Refuse => "!",
        _ => "=",
    };
    let reason = step.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let changed =
        if step.changed.is_empty() { String::new() } else { format!("  {}", step.changed.join(", ")) };
    format!("{sign} {} {}{reason}{changed}", step.type_token, name_of(&step.urn))
}
