//! Commands with earlier names: each reports the command that replaced it.

use clap::{Args, Subcommand};
use coconut_report::Failure;
use std::ffi::OsString;

/// Hidden subcommands of `coco pack`.
#[derive(Debug, Subcommand)]
pub(crate) enum Renamed {
    /// Renamed to `coco pack repack`
    #[command(hide = true)]
    Convert(Ignored),
    /// Renamed to `coco check`
    #[command(hide = true)]
    Verify(Ignored),
}

/// All arguments. They are accepted so that the answer is about the name.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Ignored {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    arguments: Vec<OsString>,
}

impl Renamed {
    /// The failure that names the new command.
    pub(crate) fn failure(&self) -> Failure {
        match self {
            Renamed::Convert(Ignored { arguments }) => {
                let is_form = |argument: &OsString| {
                    argument == "--to" || argument.to_str().is_some_and(|text| text.starts_with("--to="))
                };
                let hint = match arguments.iter().any(is_form) {
                    true => "to convert a document to another format, use `coco convert`",
                    false => "it changes how a document is stored; `coco convert` changes its format",
                };
                Failure::usage("`pack convert` is now `coco pack repack`").with_hint(hint)
            }
            Renamed::Verify(_) => Failure::usage("`pack verify` is now `coco check`")
                .with_hint("`coco verify` compares checksums only"),
        }
    }
}
