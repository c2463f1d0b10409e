//! `coco cache dir`: where the cache is, and whether it can be used.

use super::cache;
use crate::failure::{Exit, Failure};
use crate::screen::{FORMAT_VERSION, Screen};
use clap::Args;
use serde::Serialize;

/// Print where the cache is
///
/// That is the folder that COCONUT_CACHE_DIR names, or else `coconut` in XDG_CACHE_HOME or in ~/.cache. If it could
/// not be used, says why and exits with 1.
#[derive(Debug, Args)]
pub(crate) struct Dir {}

#[derive(Serialize)]
struct DirJson<'a> {
    format_version: u32,
    path: Option<&'a str>,
    /// Why the cache is not used: absent where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<FaultJson>,
}

#[derive(Serialize)]
struct FaultJson {
    code: &'static str,
    message: String,
}

impl Dir {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        let cache = cache();
        let path = cache.path().map(|path| path.to_string_lossy());
        let fault = cache.check().err();
        if screen.is_json() {
            let fault =
                fault.as_ref().map(|fault| FaultJson { code: fault.code(), message: fault.to_string() });
            let path = path.as_deref();
            screen.print_json(&DirJson { format_version: FORMAT_VERSION, path, fault })?;
        } else {
            if let Some(path) = path {
                screen.print(&format!("{}\n", crate::screen::escaped(&path)))?;
            }
            if let Some(fault) = &fault {
                screen.warn(fault.code(), &fault.to_string());
            }
        }
        Ok(if fault.is_some() { Exit::Negative } else { Exit::Good })
    }
}
