//! Programs of their own that `coco` runs: beside it, or on the PATH.

use coconut_report::{Exit, Failure};
use coconut_shell::Console;
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program with this name, without the ending of the system. `code` is that of the error if
/// there is none.
pub(crate) fn find(program: &str, code: &'static str) -> Result<PathBuf, Failure> {
    let tool = env::current_exe().ok();
    let found = find_in(program, tool.as_deref().and_then(Path::parent), env::var_os("PATH").as_deref());
    found.ok_or_else(|| missing(program, code))
}

/// The error of a program that is not installed.
pub(crate) fn missing(program: &str, code: &'static str) -> Failure {
    let message = format!("`{program}` is neither beside `coco` nor on the PATH");
    let hint = format!("install it with `cargo install {program}`, or put it beside `coco`");
    Failure::new(Exit::Usage, code, message).with_hint(hint)
}

/// Runs a program with the options that every command has, and waits for its end.
pub(crate) fn run(program: &Path, arguments: &[OsString], console: &Console) -> Result<Exit, Failure> {
    let options = [("--json", console.json), ("--reveal", console.reveal)];
    let options = options.iter().filter(|(_, is_set)| *is_set).map(|(option, _)| OsString::from(option));
    let arguments: Vec<OsString> = options.chain(arguments.iter().cloned()).collect();
    run_with(program, &arguments)
}

/// Runs a program with these arguments, and waits for its end.
pub(crate) fn run_with(program: &Path, arguments: &[OsString]) -> Result<Exit, Failure> {
    let status =
        Command::new(program).args(arguments).status().map_err(|error| Failure::reading(program, &error))?;
    Ok(status.code().and_then(Exit::of_number).unwrap_or(Exit::Usage))
}

/// The program in this folder, or in one of a search path.
fn find_in(program: &str, beside: Option<&Path>, search: Option<&OsStr>) -> Option<PathBuf> {
    let name = format!("{program}{}", env::consts::EXE_SUFFIX);
    let searched = search.map(|search| env::split_paths(search).collect::<Vec<_>>()).unwrap_or_default();
    let folders = beside.map(Path::to_owned).into_iter().chain(searched);
    folders.map(|folder| folder.join(&name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_program_beside_the_tool_comes_first() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let name = format!("program{}", env::consts::EXE_SUFFIX);
        let [beside, on_path] = ["beside", "path"].map(|name| folder.path().join(name));
        for folder in [&beside, &on_path] {
            fs::create_dir(folder).expect("the folder is new");
            fs::write(folder.join(&name), "").expect("the folder can be written to");
        }
        let search = Some(on_path.as_os_str());
        assert_eq!(find_in("program", Some(&beside), search), Some(beside.join(&name)));
        assert_eq!(find_in("program", Some(folder.path()), search), Some(on_path.join(&name)));
        assert_eq!(find_in("program", None, None), None);
    }
}
