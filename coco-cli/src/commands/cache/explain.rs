//! `coco cache explain`: what a load would do, and why.

use crate::failure::{Exit, Failure};
use crate::fleet::{Answer, FleetArguments};
use crate::loading::{FallbackJson, LoaderOptions, Subject};
use crate::numbers::size;
use crate::screen::{FORMAT_VERSION, Screen, escaped, on_one_line};
use clap::Args;
use coconut_codec::loader::{CacheState, Explanation, Fallback, Proof};
use coconut_format::hex::Hex;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Say what loading would do, and why
///
/// Says whether the cache has the package (hit, miss, stale, removed, refused, off, unavailable), which input differs
/// from the last time, and which form would be used: from the cache, precompiled, or the source. Does none of it. With a
/// fleet, says also what `coco cache warm` would get from there; a load itself never asks it.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// A package, or the path of a source
    #[arg(value_name = "PACKAGE")]
    subject: PathBuf,
    #[command(flatten)]
    loader: LoaderOptions,
    #[command(flatten)]
    fleet: FleetArguments,
}

#[derive(Serialize)]
struct ExplainJson {
    format_version: u32,
    source: Option<String>,
    binaries: Vec<String>,
    /// SHA-256 of the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_digest: Option<String>,
    /// Whether that was found by `digest`, `stat` or is `trusted`; `source-absent` where a compiled form stands for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'static str>,
    cache: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<String>,
    /// Of a stale entry: `source`, `options`, `producer`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    differs: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fleet: Option<Answer>,
    /// `cache`, `precompiled`, `source`, or `none`.
    used: &'static str,
    fallbacks: Vec<FallbackJson>,
}

impl Explain {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let (subject, loader) = (Subject::of(&self.subject), self.loader.loader());
        let explanation = subject.explain(&loader)?;
        let mut report = ExplainJson::from(&explanation);
        report.fleet = self.fleet.level().look(&loader, &subject);
        let passed = report.fleet.iter().filter_map(|answer| answer.fallback.as_ref());
        report.fallbacks.extend(passed.map(FallbackJson::from));
        let is_possible = report.used != "none";
        match screen.is_json() {
            true => screen.print_json(&report)?,
            false => screen.print(&escaped(&report.text(&explanation)))?,
        }
        Ok(if is_possible { Exit::Good } else { Exit::Negative })
    }
}

impl From<&Explanation> for ExplainJson {
    fn from(explanation: &Explanation) -> Self {
        let Explanation { site, source, cache, path, fallbacks } = explanation;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let entry = match cache {
            CacheState::Hit { entry } => Some(text(entry)),
            _ => None,
        };
        let differs = match cache {
            CacheState::Stale { differs } => differs.iter().map(|input| input.name()).collect(),
            _ => Vec::new(),
        };
        ExplainJson {
            format_version: FORMAT_VERSION,
            source: site.source.as_deref().map(text),
            binaries: site.binaries.iter().map(|binary| text(binary)).collect(),
            source_digest: source.map(|(digest, _)| Hex(&digest).to_string()),
            proof: explanation.proof().map(Proof::name),
            cache: cache.name(),
            entry,
            differs,
            fleet: None,
            used: path.name(),
            fallbacks: fallbacks.iter().map(FallbackJson::from).collect(),
        }
    }
}

impl ExplainJson {
    fn text(&self, explanation: &Explanation) -> String {
        let mut text = format!("source    {}\n", self.source.as_deref().map_or("none".into(), on_one_line));
        for binary in &self.binaries {
            text.push_str(&format!("binary    {}\n", on_one_line(binary)));
        }
        text.push_str(&format!("cache     {}", self.cache));
        match &explanation.cache {
            CacheState::Hit { entry } => text.push_str(&format!(", {}", entry.display())),
            CacheState::Stale { .. } => text.push_str(&format!(", another {}", self.differs.join(" and "))),
            CacheState::Refused(reason) => text.push_str(&format!(", {}: {reason}", reason.code())),
            CacheState::Unavailable(fault) => text.push_str(&format!(", {}: {fault}", fault.code())),
            CacheState::Miss | CacheState::Removed | CacheState::Off => {}
        }
        text.push('\n');
        if let Some(Answer { location, answer, bytes, fallback }) = &self.fleet {
            text.push_str(&format!("fleet     {answer}"));
            match (bytes, fallback) {
                (Some(bytes), _) => text.push_str(&format!(", {} at {location}", size(*bytes))),
                (_, Some(Fallback { reason, .. })) => {
                    text.push_str(&format!(", {}: {reason}", reason.code()));
                }
                _ => text.push_str(&format!(", {location}")),
            }
            text.push('\n');
        }
        for fallback in &explanation.fallbacks {
            text.push_str(&format!("passed    {fallback}\n"));
        }
        text.push_str(&format!("used      {}", self.used));
        if self.proof == Some(Proof::SourceAbsent.name()) {
            text.push_str(", without a source to compare it with");
        }
        text.push('\n');
        text
    }
}
