//! `diff --git`: the form in which git runs it for each changed file.

use super::{Diff, Form};
use coconut_codec::secrets::names_secrets;
use coconut_report::diff::Lines;
use coconut_report::failure::{Exit, Failure};
use coconut_shell::console::{BAD, Console, DIM, GOOD, visible};
use coconut_shell::open::{Documents, name_of, read_text};
use std::path::{Path, PathBuf};

/// The name of a missing version: git passes it for added and deleted files.
pub(super) const NOTHING: &str = "/dev/null";

/// One of the two versions of a file.
pub(super) struct Version<'g> {
    /// Git writes versions to files of other names.
    pub(super) file: &'g Path,
    /// Its path in the repository.
    pub(super) path: &'g Path,
    mode: &'g Path,
}

impl Version<'_> {
    fn is_nothing(&self) -> bool {
        self.file == Path::new(NOTHING)
    }

    pub(super) fn name(&self) -> String {
        let named = if self.is_nothing() { self.file } else { self.path };
        named.to_string_lossy().into_owned()
    }

    /// Refuses a version without content of its own: for a link, git passes the name of the target.
    pub(super) fn check_is_file(&self) -> Result<(), Failure> {
        let what = match self.mode.to_str() {
            Some("120000") => "a symbolic link",
            Some("160000") => "a submodule",
            _ => return Ok(()),
        };
        let failure = Failure::new(Exit::Decode, coconut_format::code::SOURCE, format!("it is {what}"));
        Err(failure.in_file(&name_of(self.file)))
    }

    fn text(&self) -> Result<String, Failure> {
        if self.is_nothing() { Ok(String::new()) } else { read_text(self.file) }
    }
}

/// Both versions, as git names them.
pub(super) fn versions(arguments: &[PathBuf]) -> Option<[Version<'_>; 2]> {
    let [path, old, _, old_mode, new, _, new_mode, more @ ..] = arguments else { return None };
    // For a renamed file, git adds the new name.
    let renamed = more.first().unwrap_or(path);
    Some([Version { file: old, path, mode: old_mode }, Version { file: new, path: renamed, mode: new_mode }])
}

/// Compares a file for git, which treats any exit code other than 0 as a failure and stops.
pub(super) fn run(diff: &Diff, documents: &dyn Documents, console: &mut Console) -> Result<Exit, Failure> {
    if let [path] = &diff.git[..] {
        console.line(&format!("{}: not merged", visible(&path.to_string_lossy())))?;
        return Ok(Exit::Good);
    }
    let Some(versions) = versions(&diff.git) else {
        return Err(Failure::usage("git passes seven arguments, or nine for a renamed file"));
    };
    let is_for_people = !console.json && diff.form == Form::Text;
    match diff.answer(documents, console) {
        Ok(_) if is_for_people && !diff.stat && !diff.name_only => print_modes(&versions, console)?,
        Ok(_) => {}
        Err(failure) if !is_of_file(&failure, &versions) => return Err(failure),
        Err(failure) if is_for_people => print_text(diff, &versions, &failure, console)?,
        Err(failure) => console.warn(Some(failure.code()), &failure.to_lines()),
    }
    Ok(Exit::Good)
}

/// Whether only this file cannot be compared: one with conflicts, for instance.
fn is_of_file(failure: &Failure, versions: &[Version<'_>; 2]) -> bool {
    let is_named = |version: &Version<'_>| {
        failure.file().is_some_and(|file| file == name_of(version.file) || file == version.name())
    };
    match failure.exit() {
        Exit::Decode | Exit::Limit => true,
        Exit::Usage => versions.iter().any(is_named),
        _ => false,
    }
}

fn print_modes([old, new]: &[Version<'_>; 2], console: &mut Console) -> Result<(), Failure> {
    if old.is_nothing() || new.is_nothing() || old.mode == new.mode {
        return Ok(());
    }
    let mode = |version: &Version<'_>| visible(&version.mode.to_string_lossy());
    console.line(&format!("mode {} → {}", mode(old), mode(new)))
}

/// Prints why a file cannot be compared by its meaning, and compares its lines. Lines that may
/// contain secrets are not shown.
fn print_text(
    diff: &Diff,
    versions: &[Version<'_>; 2],
    failure: &Failure,
    console: &mut Console,
) -> Result<(), Failure> {
    let [old, new] = versions;
    let mut why = failure.to_line();
    for (version, side) in versions.iter().zip(["old", "new"]) {
        if let Some(rest) = why.strip_prefix(&visible(&name_of(version.file))) {
            why = format!("{side}{rest}");
            break;
        }
    }
    let names = console.paint(DIM, &format!("{} → {}", old.name(), new.name()));
    console.line(&format!("{names}: cannot be compared by meaning: {why}"))?;
    if diff.stat || diff.name_only {
        return Ok(());
    }
    print_modes(versions, console)?;
    let (Ok(old), Ok(new)) = (old.text(), new.text()) else {
        return console.line("    no lines are shown: it is not text");
    };
    if !console.reveal && (names_secrets(old.as_bytes()) || names_secrets(new.as_bytes())) {
        return console
            .line("    no lines are shown: they may hold secrets; `git diff --no-ext-diff` shows all");
    }
    if old == new {
        return Ok(());
    }
    let lines = Lines::of_files(diff.context).between(&old, &new);
    if lines.is_empty() {
        return console.line("    only line ends differ");
    }
    let most = diff.max_changes.unwrap_or_else(|| diff.usual_max_changes(console));
    let left = lines.len().saturating_sub(most);
    for line in lines.iter().take(most) {
        let text = format!("{} {}", line.sign, line.text);
        let text = match line.sign {
            "+" => console.paint(GOOD, &text),
            "-" => console.paint(BAD, &text),
            _ => text,
        };
        console.line(&format!("    {text}"))?;
    }
    if left > 0 { console.line(&format!("… {left} more")) } else { Ok(()) }
}
