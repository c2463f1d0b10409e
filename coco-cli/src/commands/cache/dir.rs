//! `coco cache dir`: shows the location of the cache, and whether it can be used.

use super::cache;
use clap::Args;
use coconut_format::Value;
use coconut_report::json::{object, optional, report, text};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::visible;

/// Print the folder of the cache
///
/// The cache is in the folder that COCONUT_CACHE_DIR names, or else in `coconut` in XDG_CACHE_HOME
/// or in ~/.cache. Creates the folder if it is missing. If it cannot be created or used, prints the
/// reason and exits with 1.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../../tests/help/cache.trycmd"))]
pub(crate) struct Dir {}

impl Dir {
    pub(crate) fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        let cache = cache();
        let path = cache.path().map(|path| path.to_string_lossy());
        let fault = cache.make().err();
        if console.json {
            let fault = fault.as_ref().map_or(Value::Null, |fault| {
                object([("code", text(fault.code())), ("message", text(fault.to_string()))])
            });
            console.print_json(&report("cache-dir", [("path", optional(path)), ("fault", fault)]))?;
        } else {
            if let Some(path) = path {
                console.line(&visible(&path))?;
            }
            if let Some(fault) = &fault {
                console.warn(Some(fault.code()), &visible(&fault.to_string()));
            }
        }
        Ok(if fault.is_some() { Exit::Negative } else { Exit::Good })
    }
}
