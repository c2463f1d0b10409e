//! `get`: shows a value of a version.

use crate::named::Named;
use crate::shown::{Opened, write_value};
use clap::Args;
use coconut_codec::event::ValueSink;
use coconut_codec::read::stream::Budget;
use coconut_codec::secrets::Redaction;
use coconut_format::Value;
use coconut_history::Version;
use coconut_report::json::{number, report, text};
use coconut_report::select::{Classes, Need, select_one};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Show a value of a version
///
/// KEY is that of a resource or another landmark, a JSON pointer, or both, as for `coco get`.
///
/// Exits with 1 if the version has no such value. Secrets are hidden.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/look.trycmd"))]
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
        let value = value_in(&opened, &self.key, console.reveal)?;
        match console.json {
            true => console.print_json(&found(&version, &self.key, value))?,
            false => write_value(&value, &mut console.json_output())?,
        }
        Ok(Exit::Good)
    }
}

/// The value of a key in a version. Its secrets are hidden, unless they are to be shown.
pub(crate) fn value_in(opened: &Opened, key: &str, reveal: bool) -> Result<Value, Failure> {
    let document = opened.view();
    let found = select_one(document, key, Classes::ALL, Need::Way)
        .map_err(|failure| failure.in_file(&opened.name))?;
    let redaction = Redaction::of_value_in(document, found.landmark, &found.way, reveal)?;
    let mut sink = redaction.sink(&found.way, ValueSink::new());
    found.value.stream(&mut sink, Budget::default())?;
    Ok(sink.into_inner().finish().unwrap_or(Value::Null))
}

/// The report of a value.
pub(crate) fn found(version: &Version, key: &str, value: Value) -> Value {
    report("history get", [("version", number(version.n)), ("key", text(key)), ("value", value)])
}
