//! `schema`: prints the JSON Schemas of the reports.

use clap::Args;
use coconut_format::suggest::near_keys;
use coconut_format::truncated::Truncated;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{list, report, text};
use coconut_shell::console::Console;
use std::io::Write as _;

/// Print the JSON Schemas of the output of `--json`
///
/// All schemas have `format_version` 2. Within a version, keys may be added, but are never removed
/// or given another meaning.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/schema.trycmd"))]
pub struct Schema {
    /// Name of the schema (default: list all names)
    name: Option<String>,
}

/// The schemas of the reports of both tools, by the name of the command or report, in order.
const SCHEMAS: &[(&str, &str)] = &[
    ("cache-dir", include_str!("../../schemas/cache-dir.json")),
    ("cache-explain", include_str!("../../schemas/cache-explain.json")),
    ("cache-ls", include_str!("../../schemas/cache-ls.json")),
    ("cache-removed", include_str!("../../schemas/cache-removed.json")),
    ("cache-verify", include_str!("../../schemas/cache-verify.json")),
    ("cache-warm", include_str!("../../schemas/cache-warm.json")),
    ("check", include_str!("../../schemas/check.json")),
    ("convert", include_str!("../../schemas/convert.json")),
    ("cycles", include_str!("../../schemas/cycles.json")),
    ("deps", include_str!("../../schemas/deps.json")),
    ("diff", include_str!("../../schemas/diff.json")),
    ("diff-api", include_str!("../../schemas/diff-api.json")),
    ("dump-jsonl", include_str!("../../schemas/dump-jsonl.json")),
    ("dump-wire", include_str!("../../schemas/dump-wire.json")),
    ("ends", include_str!("../../schemas/ends.json")),
    ("error", include_str!("../../schemas/error.json")),
    ("explain", include_str!("../../schemas/explain.json")),
    ("find", include_str!("../../schemas/find.json")),
    ("get", include_str!("../../schemas/get.json")),
    ("git-setup", include_str!("../../schemas/git-setup.json")),
    ("graph", include_str!("../../schemas/graph.json")),
    ("graph-raise", include_str!("../../schemas/graph-raise.json")),
    ("impact", include_str!("../../schemas/impact.json")),
    ("import", include_str!("../../schemas/import.json")),
    ("info", include_str!("../../schemas/info.json")),
    ("ls", include_str!("../../schemas/ls.json")),
    ("pack-build", include_str!("../../schemas/pack-build.json")),
    ("pack-eval", include_str!("../../schemas/pack-eval.json")),
    ("path", include_str!("../../schemas/path.json")),
    ("plan", include_str!("../../schemas/plan.json")),
    ("query", include_str!("../../schemas/query.json")),
    ("recover", include_str!("../../schemas/recover.json")),
    ("schema", include_str!("../../schemas/schema.json")),
    ("stat", include_str!("../../schemas/stat.json")),
    ("verify", include_str!("../../schemas/verify.json")),
    ("warning", include_str!("../../schemas/warning.json")),
];

impl Schema {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        let Some(name) = &self.name else {
            if console.json {
                console
                    .print_json(&report("schema", [("schemas", list(SCHEMAS, |(name, _)| text(*name)))]))?;
                return Ok(Exit::Good);
            }
            for (name, _) in SCHEMAS {
                console.line(name)?;
            }
            return Ok(Exit::Good);
        };
        let found = SCHEMAS.iter().find(|(known, _)| known == name);
        let failure = || {
            let near = near_keys(name, SCHEMAS.iter().map(|(known, _)| (*known).to_owned()));
            Failure::usage(format!("no schema `{}`", Truncated(name))).similar_to(near, "`schema` lists them")
        };
        let (_, schema) = found.ok_or_else(failure)?;
        console.write_all(schema.as_bytes())?;
        Ok(Exit::Good)
    }
}
