//! `coco-mcp`: a server of the Model Context Protocol on standard input and output.

#![forbid(unsafe_code)]

mod folders;
mod program;
mod server;

use clap::{CommandFactory as _, Parser};
use clap_complete::Shell;
use folders::Folders;
use program::Program;
use rmcp::ServiceExt as _;
use server::Server;
use std::io::{self, Write as _};
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
    #[arg(value_name = "DIR", required_unless_present_any = ["completions", "man"])]
    folders: Vec<PathBuf>,

    /// Print a completion script for a shell, and end
    #[arg(long, value_name = "SHELL", exclusive = true)]
    completions: Option<Shell>,

    /// Print the manual page, and end
    #[arg(long, exclusive = true)]
    man: bool,
}

fn main() -> ExitCode {
    let line = CommandLine::parse();
    let done = match (line.completions, line.man) {
        (Some(shell), _) => printed(&completions(shell)),
        (None, true) => manual_page().and_then(|page| printed(&page)),
        (None, false) => served(&line.folders),
    };
    match done {
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

fn completions(shell: Shell) -> Vec<u8> {
    let mut command = CommandLine::command();
    let name = command.get_name().to_owned();
    // The generator panics if it cannot write, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    script
}

fn manual_page() -> Result<Vec<u8>, String> {
    let mut page = Vec::new();
    let made = clap_mangen::Man::new(CommandLine::command()).render(&mut page);
    made.map(|()| page).map_err(|error| format!("cannot make the manual page: {error}"))
}

fn printed(text: &[u8]) -> Result<(), String> {
    let written = io::stdout().write_all(text).and_then(|()| io::stdout().flush());
    match written {
        // The reader has closed the output.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| format!("cannot write: {error}")),
    }
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

    #[test]
    fn the_command_line_is_well_formed() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn folders_are_required_to_serve_and_refused_beside_a_page() {
        use clap::error::ErrorKind::{ArgumentConflict, MissingRequiredArgument};
        let refused = |arguments: &[&str]| {
            let arguments = ["coco-mcp"].iter().chain(arguments);
            CommandLine::try_parse_from(arguments).err().map(|error| error.kind())
        };
        assert_eq!(refused(&[]), Some(MissingRequiredArgument));
        assert_eq!(refused(&["--man"]), None);
        assert_eq!(refused(&["--completions", "zsh"]), None);
        assert_eq!(refused(&["--man", "folder"]), Some(ArgumentConflict));
    }
}
