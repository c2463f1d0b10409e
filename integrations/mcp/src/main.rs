//! `coco-mcp`: a server of the Model Context Protocol on standard input and output.

#![forbid(unsafe_code)]

mod folders;
mod program;
mod server;

use clap::Parser;
use folders::Folders;
use program::Program;
use rmcp::ServiceExt as _;
use server::Server;
use std::path::PathBuf;
use std::process::ExitCode;

/// Answer questions of assistants about documents
///
/// Serves the Model Context Protocol on standard input and output, until the input ends. Reads only
/// files below the given folders, writes nothing, and masks secrets. The answers are those of
/// `coco-inspect` or `coco`, one of which must be beside this program or on the PATH.
#[derive(Debug, Parser)]
#[command(name = "coco-mcp", version)]
struct CommandLine {
    /// Folders with the documents that may be read
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
}

fn main() -> ExitCode {
    let line = CommandLine::parse();
    match served(&line.folders) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            complain(&message);
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stderr, reason = "standard output belongs to the protocol")]
fn complain(message: &str) {
    eprintln!("error: {message}");
}

fn served(folders: &[PathBuf]) -> Result<(), String> {
    let server = Server::new(Folders::of(folders)?, Program::found()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("cannot start: {error}"))?;
    runtime.block_on(async {
        let service = server.serve(rmcp::transport::stdio()).await;
        let service = service.map_err(|error| format!("the client did not begin a session: {error}"))?;
        service.waiting().await.map_err(|error| format!("the session failed: {error}"))?;
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }
}
