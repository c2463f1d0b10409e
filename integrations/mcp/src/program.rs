//! The program that answers, as a process with limits.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::time::timeout;

/// The maximum number of bytes of an answer.
pub(crate) const MOST_BYTES: usize = 64 << 10;

/// The maximum time of an answer.
const LONGEST: Duration = Duration::from_secs(60);

/// `coco-inspect`, or else `coco`.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    path: PathBuf,
    /// Whether it has a cache, into which it would write.
    has_cache: bool,
}

/// The end of a process.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// A good or a negative answer.
    Answer(String),
    /// A failure, with what to do about it.
    Failure(String),
}

impl Program {
    /// The program beside this one, or on the PATH.
    pub(crate) fn found() -> Result<Program, String> {
        let beside = env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
        let search = env::var_os("PATH").unwrap_or_default();
        let folders: Vec<PathBuf> = beside.into_iter().chain(env::split_paths(&search)).collect();
        for (name, has_cache) in [("coco-inspect", false), ("coco", true)] {
            let file = format!("{name}{}", env::consts::EXE_SUFFIX);
            if let Some(path) = folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file()) {
                return Ok(Program { path, has_cache });
            }
        }
        Err("neither `coco-inspect` nor `coco` is beside this program or on the PATH".to_owned())
    }

    /// Runs a command with options, and then with arguments that are no options.
    pub(crate) async fn run(
        &self,
        command: &str,
        options: Vec<OsString>,
        arguments: Vec<OsString>,
    ) -> Result<Ended, String> {
        let mut process = Command::new(&self.path);
        process.arg(command).args(["--color", "never", "--paging", "never"]);
        if self.has_cache {
            process.arg("--no-cache");
        }
        process.args(options).arg("--").args(arguments);
        // Filters may read the environment.
        process.env_clear();
        let kept = ["PATH", "HOME", "SYSTEMROOT"].map(|name| (name, env::var_os(name)));
        process.envs(kept.into_iter().filter_map(|(name, value)| Some((name, value?))));
        process.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child =
            process.spawn().map_err(|error| format!("cannot run `{}`: {error}", self.path.display()))?;
        let (output, errors) = (child.stdout.take(), child.stderr.take());
        let both = async {
            let (output, errors) = tokio::join!(beginning(output), beginning(errors));
            if output.is_cut || errors.is_cut {
                // The rest is not wanted, so neither is its exit code.
                let _ = child.start_kill();
            }
            (output, errors, child.wait().await)
        };
        let Ok((output, errors, status)) = timeout(LONGEST, both).await else {
            let seconds = LONGEST.as_secs();
            return Ok(Ended::Failure(format!("there is no answer after {seconds} s; ask for less")));
        };
        let status = status.map_err(|error| format!("cannot wait for `{}`: {error}", self.path.display()))?;
        let is_answer = output.is_cut || matches!(status.code(), Some(0 | 1)) && !output.text.is_empty();
        // Notes belong to the answer: some of them say that it is not whole.
        let text = match (output.text.is_empty(), errors.text.is_empty()) {
            (_, true) => output.whole(),
            (true, false) => errors.whole(),
            (false, false) => format!("{}\n{}", output.whole(), errors.whole()),
        };
        Ok(match (is_answer, status.code()) {
            (true, _) => Ended::Answer(text),
            (false, Some(0)) => Ended::Answer(if text.is_empty() { "nothing".to_owned() } else { text }),
            (false, _) => Ended::Failure(text),
        })
    }
}

/// The beginning of an output.
struct Beginning {
    text: String,
    is_cut: bool,
}

impl Beginning {
    /// The text, and whether there is more.
    fn whole(&self) -> String {
        match self.is_cut {
            true => format!(
                "{}\n… cut after {MOST_BYTES} bytes: this answer is incomplete; ask for less",
                self.text
            ),
            false => self.text.trim_end().to_owned(),
        }
    }
}

async fn beginning(output: Option<impl AsyncRead + Unpin>) -> Beginning {
    let mut bytes = Vec::new();
    if let Some(output) = output {
        // What cannot be read is missing, and then the exit code tells it.
        let _ = output.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes).await;
    }
    let is_cut = bytes.len() > MOST_BYTES;
    bytes.truncate(MOST_BYTES);
    Beginning { text: String::from_utf8_lossy(&bytes).into_owned(), is_cut }
}
