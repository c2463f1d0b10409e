//! The command line of `coco`.

use crate::commands::{
    build, cache, check, compile, deploy, eval, graph, history, hub, import, mcp, patch, plan, recover,
    renamed, repack, translate, unpack,
};
use crate::loading::Packages;
use clap::{Parser, Subcommand};
use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use coconut_shell::console::GlobalOptions;
use coconut_shell::tool::Tool;

/// Makes, shows and verifies Coconut documents: compiled forms of JSON and YAML.
///
/// `coco get` reads a compiled document without decoding all of it. A document always converts back
/// to exactly the same value. The source stays authoritative; compiled files can be deleted at any
/// time.
#[derive(Debug, Parser)]
#[command(name = "coco", version)]
pub(crate) struct CommandLine {
    #[command(flatten)]
    global: GlobalOptions,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Command {
    /// Compile, unpack, repack and run documents
    #[command(subcommand)]
    Pack(PackCommand),
    Check(check::Check),
    Compile(compile::Compile),
    Import(import::Import),
    #[command(name = "convert")]
    Translate(translate::Translate),
    /// Inspect and manage the compile cache
    #[command(subcommand)]
    Cache(cache::CacheCommand),
    Plan(plan::PlanCommand),
    /// Make, list, show and remove environments; settle unresolved operations
    ///
    /// Runs `coco-deploy env`, beside `coco` or on the PATH. `coco-deploy env --help` describes its
    /// commands: new, ls, show, resolve and rm.
    #[command(after_long_help = include_str!("../tests/help/env.trycmd"))]
    Env(deploy::Deployment),
    /// Make the resources of an environment as a program wants them
    ///
    /// Runs `coco-deploy deploy`, beside `coco` or on the PATH. `coco-deploy deploy --help`
    /// describes its options.
    #[command(after_long_help = include_str!("../tests/help/deploy.trycmd"))]
    Deploy(deploy::Deployment),
    /// Delete all resources of an environment
    ///
    /// Runs `coco-deploy destroy`, beside `coco` or on the PATH. `coco-deploy destroy --help`
    /// describes its options.
    #[command(after_long_help = include_str!("../tests/help/destroy.trycmd"))]
    Destroy(deploy::Deployment),
    /// Compare an environment with what exists
    ///
    /// Runs `coco-deploy refresh`, beside `coco` or on the PATH. `coco-deploy refresh --help`
    /// describes its options.
    #[command(after_long_help = include_str!("../tests/help/refresh.trycmd"))]
    Refresh(deploy::Deployment),
    /// Add a resource that exists to an environment
    ///
    /// Runs `coco-deploy import-live`, beside `coco` or on the PATH. `coco-deploy import-live
    /// --help` describes its options.
    #[command(after_long_help = include_str!("../tests/help/import-live.trycmd"))]
    ImportLive(deploy::Deployment),
    Graph(graph::Graphs),
    Recover(recover::Recover),
    History(history::History),
    Serve(history::Serve),
    Mcp(mcp::Mcp),
    Hub(hub::Hub),
    Patch(patch::Patch),
    #[command(flatten)]
    Show(coco_inspect::Command<Packages>),
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum PackCommand {
    Build(build::Build),
    Unpack(unpack::Unpack),
    Repack(repack::Repack),
    Eval(eval::Eval),
    #[command(flatten)]
    Renamed(renamed::Renamed),
}

impl Tool for CommandLine {
    fn global(&self) -> &GlobalOptions {
        &self.global
    }

    fn run(self, console: &mut Console) -> Result<Exit, Failure> {
        match self.command {
            Command::Pack(PackCommand::Build(build)) => build.run(console),
            Command::Pack(PackCommand::Unpack(unpack)) => unpack.run(console),
            Command::Pack(PackCommand::Repack(repack)) => repack.run(console),
            Command::Pack(PackCommand::Renamed(renamed)) => Err(renamed.failure()),
            Command::Check(check) => check.run(console),
            Command::Compile(compile) => compile.run(console),
            Command::Import(import) => import.run(console),
            Command::Translate(translate) => translate.run(console),
            Command::Pack(PackCommand::Eval(eval)) => eval.run(console),
            Command::Env(arguments) => arguments.run("env", console),
            Command::Deploy(arguments) => arguments.run("deploy", console),
            Command::Destroy(arguments) => arguments.run("destroy", console),
            Command::Refresh(arguments) => arguments.run("refresh", console),
            Command::ImportLive(arguments) => arguments.run("import-live", console),
            Command::Plan(plan) => plan.run(console),
            Command::Graph(graph) => graph.run(console),
            Command::Recover(recover) => recover.run(console),
            Command::History(history) => history.run(console),
            Command::Serve(serve) => serve.run(console),
            Command::Mcp(mcp) => mcp.run(console),
            Command::Hub(hub) => hub.run(console),
            Command::Patch(patch) => patch.run(console),
            Command::Cache(cache) => cache.run(console),
            Command::Show(command) if command.reads(hub::is_remote) => hub::run_as_given(),
            Command::Show(command) => command.run::<CommandLine>(console),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coco_inspect::explained_codes;
    use coconut_codec::cache::CacheFault;
    use coconut_codec::durable::DurableError;
    use coconut_codec::loader::{FallbackReason, FleetFault, LoadErrorKind};
    use coconut_codec::text::{LintKind, SourceErrorKind};
    use coconut_eval::EvalErrorKind;
    use coconut_format::ErrorKind;
    use coconut_report::code;
    use coconut_shell::help;
    use std::fs;
    use std::path::{Path, PathBuf};

    #[test]
    fn the_command_line_is_consistent() {
        help::command::<CommandLine>().debug_assert();
    }

    #[test]
    fn commands_of_the_readme_are_possible() {
        let lines = include_str!("../../README.md").lines();
        let commands: Vec<&str> = lines.filter(|line| line.starts_with("coco ")).collect();
        assert!(commands.len() >= 12, "{commands:?}");
        for command in commands {
            let words = command.split('#').next().unwrap_or_default().split_whitespace();
            let parsed = CommandLine::try_parse_from(words.map(|word| word.trim_matches('\'')));
            assert!(parsed.is_ok(), "{command}\n{}", parsed.unwrap_err());
        }
    }

    #[test]
    fn examples_of_commands_that_both_tools_have_name_this_one() {
        let mut command = help::command::<CommandLine>();
        let help = command.find_subcommand_mut("ls").expect("it is a command").render_long_help();
        let help = help.to_string();
        assert!(help.contains("$ coco ls ") && !help.contains("coco-inspect"), "{help}");
    }

    #[test]
    fn every_code_has_a_text_and_every_text_a_code() {
        let of_documents = [ErrorKind::CODES, SourceErrorKind::CODES, LintKind::CODES].concat();
        let of_loading = [CacheFault::CODES, FallbackReason::CODES, LoadErrorKind::CODES].concat();
        let of_storing = [FleetFault::CODES, DurableError::CODES].concat();
        let of_packages = [coconut_interop::import::CODES, coconut_surface::write::CODES].concat();
        let of_interop =
            [&of_packages, coconut_interop::graph::CODES, coconut_pcore::PcoreErrorKind::CODES].concat();
        let of_tools = [coconut_format::code::CODES, code::CODES, &of_interop, EvalErrorKind::CODES].concat();
        let mut of_tools_once = of_tools.clone();
        of_tools_once.sort_unstable();
        of_tools_once.dedup();
        assert_eq!(of_tools_once.len(), of_tools.len(), "a code is in two lists");
        let mut known = [of_documents, of_loading, of_storing, of_tools].concat();
        known.sort_unstable();
        known.dedup();
        assert_eq!(explained_codes().into_iter().collect::<Vec<_>>(), known);
    }

    /// The words in back quotes of the string literals of all sources that messages come from.
    fn quoted_words() -> Vec<(String, String)> {
        let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut pending: Vec<PathBuf> =
            ["coco-cli", "codec", "format", "inspect-cli", "interop", "fleet", "eval"]
                .map(|part| top.join(part).join("src"))
                .to_vec();
        let mut found = Vec::new();
        while let Some(path) = pending.pop() {
            if path.is_dir() {
                pending.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for line in text.lines().filter(|line| line.contains('"') && !line.trim_start().starts_with("//"))
            {
                for quoted in line.split('`').skip(1).step_by(2) {
                    found.push((path.display().to_string(), quoted.to_owned()));
                }
            }
        }
        found
    }

    /// Whether a command or the tool itself has this long option.
    fn has_option(command: &clap::Command, tool: &clap::Command, option: &str) -> bool {
        let name = option.trim_start_matches("--").split('=').next().unwrap_or_default();
        let own = command.get_arguments().chain(tool.get_arguments());
        own.filter_map(clap::Arg::get_long_and_visible_aliases).flatten().any(|long| long == name)
    }

    /// Programs that hints name besides the tools.
    const OTHER_PROGRAMS: [&str; 2] = ["git", "pulumi"];

    #[test]
    fn every_command_and_option_that_a_hint_names_is_there() {
        let mut tool = help::command::<CommandLine>();
        tool.build();
        fn all(command: &clap::Command) -> Vec<&clap::Command> {
            command.get_subcommands().flat_map(|below| [vec![below], all(below)].concat()).collect()
        }
        let (mut commands, mut wrong) = (0, Vec::new());
        for (file, quoted) in quoted_words() {
            let words: Vec<&str> = quoted.split_whitespace().collect();
            if words.first().is_some_and(|word| OTHER_PROGRAMS.contains(word)) {
                continue;
            }
            let is_named = words.first().is_some_and(|word| ["coco", "coco-inspect"].contains(word));
            let words = if is_named { &words[1..] } else { &words[..] };
            let (mut command, mut depth) = (&tool, 0);
            for word in words {
                let Some(below) = command.find_subcommand(word) else { break };
                (command, depth) = (below, depth + 1);
            }
            if is_named && depth == 0 && !words.is_empty() {
                wrong.push(format!("{file}: no command `{quoted}`"));
            }
            commands += depth;
            // What follows it is passed on to another program.
            if command.get_arguments().any(clap::Arg::is_allow_hyphen_values_set) {
                continue;
            }
            for option in words.iter().filter(|word| word.starts_with("--") && word.len() > 2) {
                // An option alone belongs to the running command.
                let is_there = match depth {
                    0 => all(&tool).into_iter().any(|command| has_option(command, &tool, option)),
                    _ => has_option(command, &tool, option),
                };
                // Options of `cargo` are not those of this tool.
                if !is_there && !option.contains('{') && *option != "--features" {
                    wrong.push(format!("{file}: no option {option} in `{quoted}`"));
                }
            }
        }
        assert!(commands > 20, "few commands are named: {commands}");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
