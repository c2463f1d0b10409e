//! `git-setup`: sets up diffs of compiled documents in git.

use clap::Args;
use coconut_codec::bytes::input::read;
use coconut_codec::bytes::replace::replace;
use coconut_format::Value;
use coconut_report::code;
use coconut_report::failure::{Exit, Failure};
use coconut_report::json::{report, text};
use coconut_shell::console::{Console, visible};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Make git show diffs of compiled documents as text
///
/// Adds a line to .gitattributes, which also prevents git from converting line ends in documents.
/// Sets `diff.coco.textconv` in the configuration of the repository. A second run changes nothing.
/// Each clone needs its own setup, because git does not clone this configuration.
#[derive(Args, Debug)]
#[command(after_long_help = include_str!("../../tests/help/git-setup.trycmd"))]
pub struct GitSetup {
    /// A folder in the repository
    #[arg(default_value = ".")]
    directory: PathBuf,

    /// Also use `coco diff` in `git diff` and `git difftool`
    #[arg(long)]
    difftool: bool,

    /// Only print what would be done
    #[arg(long)]
    dry_run: bool,
}

/// The line for .gitattributes.
const ATTRIBUTES: &str = "*.coco -text diff=coco";

/// The characters that git ignores at the ends of a line.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// The key of the command that git runs to convert a document to text. Git appends the file name.
const TEXTCONV: &str = "diff.coco.textconv";

/// The command that converts a document to text. A failing command would end all of `git diff` and
/// `git log -p`, so an unreadable file becomes a line instead.
fn text_command() -> String {
    format!("f() {{ {} dump --as yaml \"$1\" || echo \"(it cannot be read)\"; }}; f", tool())
}

/// The keys of the commands that git runs to compare documents, and their values. Git appends seven
/// arguments to the first.
fn diff_commands() -> [(&'static str, String); 2] {
    let tool = tool();
    [
        ("diff.coco.command", format!("{tool} diff --git")),
        ("difftool.coco.cmd", format!("{tool} diff \"$LOCAL\" \"$REMOTE\" --api-and-values --fail-on none")),
    ]
}

/// The name of the running tool, because the other one may not be installed.
fn tool() -> &'static str {
    let program = std::env::current_exe().ok();
    let stem = program.as_deref().and_then(Path::file_stem).and_then(|stem| stem.to_str());
    if stem == Some("coco") { "coco" } else { "coco-inspect" }
}

impl GitSetup {
    pub(super) fn run(&self, console: &mut Console) -> Result<Exit, Failure> {
        let top = git(&self.directory, &["rev-parse", "--show-toplevel"])?;
        let top = path_of(&top.stdout);
        let mut done = Vec::new();
        if self.add_attributes(&top)? {
            done.push(format!(".gitattributes: {ATTRIBUTES}"));
        }
        let commands = std::iter::once((TEXTCONV, text_command()));
        for (key, value) in commands.chain(diff_commands().into_iter().filter(|_| self.difftool)) {
            if self.set(&top, key, &value)? {
                let quote = if value.contains('"') { '\'' } else { '"' };
                done.push(format!("git config {key} {quote}{value}{quote}"));
            }
        }
        if console.json {
            let changes = Value::List(done.iter().map(text).collect());
            console.print_json(&report(
                "git-setup",
                [("changes", changes), ("dry_run", Value::Bool(self.dry_run))],
            ))?;
        } else if done.is_empty() {
            console.line("nothing to do")?;
        } else {
            for change in done {
                console.line(&visible(&change))?;
            }
        }
        Ok(Exit::Good)
    }

    /// Adds the line at the end, unless it exists and is in effect. Returns whether it was added.
    fn add_attributes(&self, top: &Path) -> Result<bool, Failure> {
        let path = top.join(".gitattributes");
        let failure = |error: std::io::Error| {
            Failure::new(Exit::Usage, code::FILE_WRITE, format!("cannot change the file: {error}"))
                .in_file(".gitattributes")
        };
        if path.is_symlink() {
            return Err(failure(std::io::Error::other(
                "it is a link, through which git reads no attributes",
            )));
        }
        // The user did not name this file, so the tool must not block on it.
        let mut text = match read(&path).map(String::from_utf8) {
            Ok(Ok(text)) => text,
            Ok(Err(_)) => return Err(failure(std::io::Error::other("it is not UTF-8"))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failure(error)),
        };
        let mut lines = text
            .lines()
            .map(|line| line.trim_matches(BLANKS))
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let is_last = lines.next_back() == Some(ATTRIBUTES);
        // A later line such as `* text eol=crlf` would undo it. If the last line has no effect, a
        // file of attributes outside the tree overrides it.
        if is_last || lines.any(|line| line == ATTRIBUTES) && holds(top)? {
            return Ok(false);
        }
        if !self.dry_run {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(ATTRIBUTES);
            text.push('\n');
            replace(&path, text.as_bytes()).map_err(failure)?;
        }
        Ok(true)
    }

    /// Sets a key of the repository's configuration. Returns whether the value was different
    /// before.
    fn set(&self, top: &Path, key: &str, value: &str) -> Result<bool, Failure> {
        let current = run_git(top, &["config", "--local", "--get", key])?;
        if current.status.success() && String::from_utf8_lossy(&current.stdout).trim_end() == value {
            return Ok(false);
        }
        if !self.dry_run {
            git(top, &["config", "--local", key, value])?;
        }
        Ok(true)
    }
}

/// The path that git printed. Removes only one line end, because a name may end in blanks.
fn path_of(printed: &[u8]) -> PathBuf {
    let path = printed.strip_suffix(b"\n").unwrap_or(printed);
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        std::ffi::OsStr::from_bytes(path).into()
    }
    // Git prints UTF-8 there, regardless of the names.
    #[cfg(not(unix))]
    PathBuf::from(String::from_utf8_lossy(path).trim_end_matches('\r'))
}

/// Whether the attributes of the line are in effect for documents.
fn holds(top: &Path) -> Result<bool, Failure> {
    const DOCUMENT: &str = "no-such-document.coco";
    let found = git(top, &["check-attr", "-z", "text", "diff", "--", DOCUMENT])?;
    let expected = [DOCUMENT, "text", "unset", DOCUMENT, "diff", "coco", ""].join("\0");
    Ok(found.stdout == expected.as_bytes())
}

fn run_git(directory: &Path, arguments: &[&str]) -> Result<Output, Failure> {
    let output = Command::new("git").current_dir(directory).args(arguments).output();
    output.map_err(|error| Failure::new(Exit::Usage, code::GIT, format!("cannot run git: {error}")))
}

/// Runs git. Returns an error if git fails.
fn git(directory: &Path, arguments: &[&str]) -> Result<Output, Failure> {
    let output = run_git(directory, arguments)?;
    match output.status.success() {
        true => Ok(output),
        false => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().next().unwrap_or("no message").to_owned();
            Err(Failure::new(Exit::Usage, code::GIT, format!("git {} failed: {said}", arguments.join(" "))))
        }
    }
}
