//! `schema`: prints the JSON Schemas of the reports.

use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::json::{self, list, report, text};
use clap::Args;
use std::io::Write as _;

/// Print the JSON Schemas of the output of `--json`
///
/// All schemas have `format_version` 2. Keys may be added to a version, but none is removed or
/// changes its meaning.
#[derive(Args, Debug)]
#[command(after_long_help = crate::shell::examples(include_str!("../../tests/help/schema.trycmd")))]
pub struct Schema {
    /// Name of the schema (default: list all names)
    name: Option<String>,
}

/// The schemas, by the name of the command or report.
const SCHEMAS: [(&str, &str); 13] = [
    ("deps", include_str!("../../schemas/deps.json")),
    ("dump-jsonl", include_str!("../../schemas/dump-jsonl.json")),
    ("dump-wire", include_str!("../../schemas/dump-wire.json")),
    ("error", include_str!("../../schemas/error.json")),
    ("explain", include_str!("../../schemas/explain.json")),
    ("get", include_str!("../../schemas/get.json")),
    ("git-setup", include_str!("../../schemas/git-setup.json")),
    ("info", include_str!("../../schemas/info.json")),
    ("ls", include_str!("../../schemas/ls.json")),
    ("schema", include_str!("../../schemas/schema.json")),
    ("stat", include_str!("../../schemas/stat.json")),
    ("verify", include_str!("../../schemas/verify.json")),
    ("warning", include_str!("../../schemas/warning.json")),
];

impl Schema {
    /// `others` are the schemas that only this tool has.
    pub(super) fn run(&self, others: &[(&str, &str)], console: &mut Console) -> Result<Exit, Failure> {
        let mut schemas = [&SCHEMAS[..], others].concat();
        schemas.sort_unstable();
        let Some(name) = &self.name else {
            if console.json {
                json::print(
                    console,
                    &report("schema", [("schemas", list(schemas, |(name, _)| text(name)))]),
                )?;
                return Ok(Exit::Good);
            }
            for (name, _) in schemas {
                console.line(name)?;
            }
            return Ok(Exit::Good);
        };
        let found = schemas.iter().find(|(known, _)| known == name);
        let failure = || Failure::usage(format!("no schema `{name}`")).with_hint("`schema` lists them");
        let (_, schema) = found.ok_or_else(failure)?;
        console.write_all(schema.as_bytes())?;
        Ok(Exit::Good)
    }
}
