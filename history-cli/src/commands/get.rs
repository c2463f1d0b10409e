//! `get`: shows a value of a version.

use crate::named::Named;
use crate::shown::{Opened, write_value};
use clap::Args;
use coconut_codec::event::ValueSink;
use coconut_codec::read::stream::Budget;
use coconut_codec::secrets::Redaction;
use coconut_report::json::{report, text};
use coconut_report::select::{Classes, Need, select_one};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Show a value of a version
///
/// KEY is that of a resource or another landmark, a JSON pointer, or both, as for `coco get`.
///
/// Exits with 1 if the version has no such value. Secrets are hidden.
#[derive(Args, Debug)]
pub(crate) struct Get {
    /// The version: PACK or PACK@REV
    #[arg(value_name = "PACK[@REV]")]
    named: String,
    /// The value
    #[arg(value_name = "KEY[/POINTER]")]
    key: String,
}

impl Get {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        console.page_output();
        let (pack, version) = Named::parse(&self.named).open()?;
        let opened = Opened::version(&pack, &version)?;
        let document = opened.view();
        let found = select_one(document, &self.key, Classes::ALL, Need::Way)
            .map_err(|failure| failure.in_file(&opened.name))?;
        let redaction = Redaction::of_value_in(document, found.landmark, &found.way, console.reveal)?;
        let mut sink = redaction.sink(&found.way, ValueSink::new());
        found.value.stream(&mut sink, Budget::default())?;
        let value = sink.into_inner().finish().unwrap_or(coconut_format::Value::Null);
        match console.json {
            true => {
                let members = [
                    ("version", coconut_report::json::number(version.n)),
                    ("key", text(self.key)),
                    ("value", value),
                ];
                console.print_json(&report("history get", members))?;
            }
            false => write_value(&value, &mut console.json_output())?,
        }
        Ok(Exit::Good)
    }
}
