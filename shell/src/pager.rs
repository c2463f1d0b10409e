//! Shows long output on a terminal in a pager.

use clap::ValueEnum;
use std::env;
use std::io::{self, IsTerminal as _, PipeWriter, Write};
use std::process::{Child, Command, Stdio};

/// When to use a pager. Output that goes to no terminal never gets one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Paging {
    /// If the output does not fit on the screen
    #[default]
    Auto,
    /// Even if it fits
    Always,
    /// Never
    Never,
}

/// Standard output, or a pager in front of it.
#[derive(Debug)]
pub(crate) enum Output {
    Plain(io::Stdout),
    /// The input is closed before waiting for the end of the pager.
    Paged(Child, Option<PipeWriter>),
}

impl Output {
    /// Starts the pager named by the environment, otherwise `less`. Without one, the output is
    /// plain.
    pub(crate) fn start(paging: Paging) -> Output {
        let plain = Output::Plain(io::stdout());
        let is_dumb = env::var_os("TERM").is_none_or(|terminal| terminal.is_empty() || terminal == "dumb");
        // Git shows the difference of each file by a process of its own.
        let is_part = env::var_os("GIT_DIFF_PATH_COUNTER").is_some();
        if paging == Paging::Never || is_dumb || is_part || !io::stdout().is_terminal() {
            return plain;
        }
        let named = ["COCONUT_PAGER", "PAGER"].into_iter().find_map(|name| env::var(name).ok());
        let named = named.unwrap_or_else(|| "less".to_owned());
        // No shell is involved, so the words are separated by blanks and have no other meaning.
        let mut words = named.split_whitespace();
        let Some(program) = words.next().filter(|program| *program != "cat") else { return plain };
        let mut command = Command::new(program);
        // A pager that is one of these tools must not start another pager.
        let Ok((shown, input)) = io::pipe() else { return plain };
        command.args(words).stdin(shown).env("COCONUT_PAGER", "cat");
        if env::var_os("LESS").is_none() {
            // Colours, no clearing of the screen; and no pager for output that fits on it.
            command.env("LESS", if paging == Paging::Auto { "FRX" } else { "RX" });
        }
        match command.spawn() {
            Ok(child) => Output::Paged(child, Some(input)),
            Err(_) => plain,
        }
    }

    pub(crate) fn is_paged(&self) -> bool {
        matches!(self, Output::Paged(..))
    }

    /// The same output, for a process to write to.
    pub(crate) fn for_process(&self) -> io::Result<Stdio> {
        match self {
            Output::Plain(_) | Output::Paged(_, None) => Ok(Stdio::inherit()),
            Output::Paged(_, Some(input)) => input.try_clone().map(Stdio::from),
        }
    }

    /// Ends the input of the pager, and waits until the user has left it.
    pub(crate) fn finish(&mut self) {
        if let Output::Paged(child, input) = self {
            *input = None;
            // If this fails, it has ended.
            let _ = child.wait();
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Output::Plain(out) => out.write(bytes),
            Output::Paged(_, Some(input)) => input.write(bytes),
            Output::Paged(_, None) => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Plain(out) => out.flush(),
            Output::Paged(_, Some(input)) => input.flush(),
            Output::Paged(_, None) => Ok(()),
        }
    }
}
