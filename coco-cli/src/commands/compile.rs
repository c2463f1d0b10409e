//! `coco compile`: runs `cocojs`, a program of its own.

use clap::Args;
use coconut_report::{Exit, Failure, code};
use coconut_shell::Console;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that compiles, without the ending of the system.
const COMPILER: &str = "cocojs";

/// Compile a program to a package
///
/// Runs `cocojs build`, which compiles a subset of TypeScript. `cocojs` is a program of its own,
/// beside `coco` or on the PATH. `cocojs build --help` describes the program in DIR and the forms
/// of the package.
#[derive(Debug, Args)]
#[command(after_long_help = include_str!("../../tests/help/compile.trycmd"))]
pub(crate) struct Compile {
    /// Folder of the program
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    /// Write the package to this file; `-` is standard output
    #[arg(short, long, value_name = "PACK")]
    output: PathBuf,
    /// Write the bytes of a compiler of 2017
    #[arg(long, value_name = "COMPILER")]
    compat: Option<String>,
    /// A package that the program uses (repeatable)
    #[arg(long, value_name = "PATH")]
    with: Vec<PathBuf>,
}

impl Compile {
    pub(crate) fn run(self, console: &Console) -> Result<Exit, Failure> {
        let beside = env::current_exe().ok();
        let found = find(beside.as_deref().and_then(Path::parent), env::var_os("PATH").as_deref());
        let Some(compiler) = found else { return Err(missing()) };
        let mut command = Command::new(&compiler);
        for (option, is_set) in [("--json", console.json), ("--reveal", console.reveal)] {
            if is_set {
                command.arg(option);
            }
        }
        let status = command
            .arg("build")
            .args(self.arguments())
            .status()
            .map_err(|error| Failure::reading(&compiler, &error))?;
        Ok(status.code().and_then(Exit::of_number).unwrap_or(Exit::Usage))
    }

    fn arguments(self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["-o".into(), self.output.into()];
        if let Some(compat) = self.compat {
            arguments.extend(["--compat".into(), compat.into()]);
        }
        for package in self.with {
            arguments.extend(["--with".into(), package.into()]);
        }
        arguments.extend(["--".into(), self.folder.into()]);
        arguments
    }
}

/// The compiler in this folder, or in one of a search path.
fn find(beside: Option<&Path>, search: Option<&OsStr>) -> Option<PathBuf> {
    let name = format!("{COMPILER}{}", env::consts::EXE_SUFFIX);
    let searched = search.map(|search| env::split_paths(search).collect::<Vec<_>>()).unwrap_or_default();
    let folders = beside.map(Path::to_owned).into_iter().chain(searched);
    folders.map(|folder| folder.join(&name)).find(|file| file.is_file())
}

fn missing() -> Failure {
    let message = format!("`{COMPILER}` is neither beside `coco` nor on the PATH");
    let hint = format!("install it with `cargo install {COMPILER}`, or put it beside `coco`");
    Failure::new(Exit::Usage, code::COMPILER_MISSING, message).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_compiler_beside_the_tool_comes_first() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let name = format!("{COMPILER}{}", env::consts::EXE_SUFFIX);
        let [beside, on_path] = ["beside", "path"].map(|name| folder.path().join(name));
        for folder in [&beside, &on_path] {
            fs::create_dir(folder).expect("the folder is new");
            fs::write(folder.join(&name), "").expect("the folder can be written to");
        }
        let search = Some(on_path.as_os_str());
        assert_eq!(find(Some(&beside), search), Some(beside.join(&name)));
        assert_eq!(find(Some(folder.path()), search), Some(on_path.join(&name)));
        assert_eq!(find(None, None), None);
    }

    #[test]
    fn a_missing_compiler_is_an_error_that_says_how_to_get_it() {
        let failure = missing();
        assert_eq!((failure.code(), failure.exit()), ("COMPILER-MISSING", Exit::Usage));
        assert!(failure.to_lines().contains("cargo install cocojs"), "{}", failure.to_lines());
    }
}
