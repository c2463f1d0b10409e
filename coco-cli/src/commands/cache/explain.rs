//! `coco cache explain`: shows the steps of a load, with the reasons.

use crate::fleet::{Answer, FleetArguments};
use crate::loading::{LoaderOptions, Subject, fallbacks_json};
use crate::numbers::size;
use clap::Args;
use coconut_codec::loader::{CacheState, Explanation, Fallback, LoadPath, Proof};
use coconut_format::Value;
use coconut_format::numerals::hex;
use coconut_report::json::{list, number, object, optional, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::visible;
use coconut_shell::rules::{NamedRule, Rules};
use std::path::{Path, PathBuf};

/// Explain what loading would do, and why
///
/// Shows the state of the package in the cache: hit, miss, stale, removed, refused, off, or
/// unavailable. Also shows which input differs from the last time, and which form would be used:
/// from the cache, precompiled, or the source. Loads nothing. With a fleet, also shows what `coco
/// cache warm` would get from there; a load itself never contacts the fleet.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/cache.trycmd"))]
pub(crate) struct Explain {
    /// A package, or the path of a source
    #[arg(value_name = "PACKAGE")]
    subject: PathBuf,
    #[command(flatten)]
    loader: LoaderOptions,
    #[command(flatten)]
    fleet: FleetArguments,
}

impl Explain {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let rules = Rules::of_process(console)?;
        let (subject, loader) = (Subject::of(&self.subject), self.loader.loader(rules.clone()));
        let explanation = subject.explain(&loader, console.reveal)?;
        let fleet = self.fleet.level().look(&loader, &subject);
        match console.json {
            true => console.print_json(&to_json(&explanation, &rules, fleet.as_ref()))?,
            false => console.print(&to_text(&explanation, &rules, fleet.as_ref()))?,
        }
        Ok(if explanation.path == LoadPath::None { Exit::Negative } else { Exit::Good })
    }
}

fn to_json(explanation: &Explanation, rules: &Rules, fleet: Option<&Answer>) -> Value {
    let Explanation { site, source, cache, path: used, fallbacks, .. } = explanation;
    let path = |path: &Path| text(path.to_string_lossy());
    let passed = fleet.and_then(|answer| answer.fallback.as_ref());
    let entry = match cache {
        CacheState::Hit { entry } => path(entry),
        _ => Value::Null,
    };
    let differs = match cache {
        CacheState::Stale { differs } => &differs[..],
        _ => &[],
    };
    report(
        "cache-explain",
        [
            ("source", site.source.as_deref().map_or(Value::Null, path)),
            ("binaries", list(&site.binaries, |binary| path(binary))),
            // SHA-256 of the source.
            ("source_digest", optional(source.as_ref().map(|(digest, _)| hex(digest)))),
            // The team's landmark rules that may apply to the source.
            (
                "rules",
                list(rules_for(explanation, rules), |rule| {
                    object([
                        ("file", path(rules.path())),
                        ("line", number(u64::from(rule.line))),
                        ("keys", list(&rule.document.keys, text)),
                        ("over_dialect", Value::Bool(rule.document.over_dialect)),
                    ])
                }),
            ),
            // How it was found. `source-absent` if a compiled form is used without its source.
            ("proof", optional(explanation.proof().map(Proof::name))),
            ("cache", text(cache.name())),
            ("entry", entry),
            // For a stale entry: `source`, `options`, `producer`.
            ("differs", list(differs, |input| text(input.name()))),
            ("fleet", fleet.map_or(Value::Null, Answer::to_json)),
            // `cache`, `precompiled`, `source`, or `none`.
            ("used", text(used.name())),
            ("fallbacks", fallbacks_json(fallbacks.iter().chain(passed))),
        ],
    )
}

/// The team's landmark rules that may apply to the source.
fn rules_for<'r>(explanation: &'r Explanation, rules: &'r Rules) -> Vec<&'r NamedRule> {
    explanation.site.source.as_deref().map_or(Vec::new(), |source| rules.of(source).collect())
}

/// The part decided by the content, because nothing is loaded.
fn condition(rule: &NamedRule) -> String {
    let mut conditions: Vec<String> =
        rule.document.keys.iter().map(|key| format!("it has the key `{}`", visible(key))).collect();
    if !rule.document.over_dialect {
        conditions.push("it has no dialect".to_owned());
    }
    match conditions.is_empty() {
        true => String::new(),
        false => format!(", if {}", conditions.join(" and ")),
    }
}

fn to_text(explanation: &Explanation, rules: &Rules, fleet: Option<&Answer>) -> String {
    let Explanation { site, cache, path: used, fallbacks, .. } = explanation;
    let shown = |path: &Path| visible(&path.to_string_lossy());
    let mut text = format!("source    {}\n", site.source.as_deref().map_or("none".into(), shown));
    for binary in &site.binaries {
        text.push_str(&format!("binary    {}\n", shown(binary)));
    }
    for rule in rules_for(explanation, rules) {
        text.push_str(&format!("rule      {}:{}{}\n", shown(rules.path()), rule.line, condition(rule)));
    }
    text.push_str(&format!("cache     {}", cache.name()));
    let details = match cache {
        CacheState::Hit { entry } => shown(entry),
        CacheState::Stale { differs } => {
            let differs: Vec<_> = differs.iter().map(|input| input.name()).collect();
            format!("another {}", differs.join(" and "))
        }
        CacheState::Refused(reason) => visible(&format!("{}: {reason}", reason.code())),
        CacheState::Unavailable(fault) => visible(&format!("{}: {fault}", fault.code())),
        CacheState::Miss | CacheState::Removed | CacheState::Off => String::new(),
    };
    text.push_str(&if details.is_empty() { "\n".to_owned() } else { format!(", {details}\n") });
    if let Some(Answer { location, answer, bytes, fallback }) = fleet {
        let details = match (bytes, fallback) {
            (Some(bytes), _) => format!("{} at {location}", size(*bytes)),
            (_, Some(Fallback { reason, .. })) => format!("{}: {reason}", reason.code()),
            _ => location.clone(),
        };
        text.push_str(&format!("fleet     {answer}, {}\n", visible(&details)));
    }
    for fallback in fallbacks {
        text.push_str(&format!("passed    {}\n", visible(&fallback.to_string())));
    }
    let remark = match (explanation.proof(), used) {
        (Some(Proof::SourceAbsent), _) => ", without a source to compare it with",
        (Some(Proof::Trusted), LoadPath::Precompiled) => ", not compared with its source",
        (_, LoadPath::Precompiled) => ", verified at each load, never cached",
        _ => "",
    };
    text.push_str(&format!("used      {}{remark}\n", used.name()));
    text
}
