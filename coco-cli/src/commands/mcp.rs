//! `coco mcp`: runs `coco-mcp`, a program of its own.

use crate::beside;
use clap::Args;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::ffi::OsString;
use std::path::PathBuf;

/// The server, without the ending of the system.
const SERVER: &str = "coco-mcp";

/// Answer questions of assistants about documents
///
/// Runs `coco-mcp`, a server of the Model Context Protocol on standard input and output. It is a
/// program of its own, beside `coco` or on the PATH. It has the tools `files`, `info`, `ls`, `get`,
/// `find`, `deps`, `impact`, `diff` and `query`. It reads only files below the folders, writes
/// nothing, masks secrets, and limits each answer to 64 KiB and 60 seconds.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/mcp.trycmd"))]
pub(crate) struct Mcp {
    /// Folders with the documents that may be read
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
}

impl Mcp {
    pub(crate) fn run(self, console: &Console) -> Result<Exit, Failure> {
        let server = beside::find(SERVER, code::MCP_MISSING)?;
        let folders = self.folders.into_iter().map(PathBuf::into_os_string);
        let arguments: Vec<OsString> = [OsString::from("--")].into_iter().chain(folders).collect();
        beside::run(&server, &arguments, console)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_server_is_an_error_that_says_how_to_get_it() {
        let failure = beside::missing(SERVER, code::MCP_MISSING);
        assert_eq!((failure.code(), failure.exit()), ("MCP-MISSING", Exit::Usage));
        assert!(failure.to_lines().contains("cargo install coco-mcp"), "{}", failure.to_lines());
    }
}
