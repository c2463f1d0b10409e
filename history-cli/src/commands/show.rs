//! `show`: shows a whole version.

use crate::named::Named;
use crate::shown::{Opened, value_of, write_value};
use clap::Args;
use coconut_report::{Exit, Failure};
use coconut_shell::Console;

/// Show a whole version as JSON
///
/// Secrets are hidden. `export` writes the exact text.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/look.trycmd"))]
pub(crate) struct Show {
    /// The version: PACK or PACK@REV
    #[arg(value_name = "PACK[@REV]")]
    named: String,
}

impl Show {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        console.page_output();
        let (pack, version) = Named::parse(&self.named).open()?;
        let opened = Opened::version(&pack, &version)?;
        let value =
            value_of(opened.view(), console.reveal).map_err(|failure| failure.in_file(&opened.name))?;
        match console.json {
            true => console.print_json(&value)?,
            false => write_value(&value, &mut console.json_output())?,
        }
        Ok(Exit::Good)
    }
}
