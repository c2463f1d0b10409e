//! The process of a provider.

use crate::error::LaunchError;
use crate::log::{Log, Severity};
use crate::redaction::Redaction;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A longer line is cut.
const LONGEST_LINE: u64 = 64 * 1024;
/// The number of lines that are kept for the error of a process that ends.
const KEPT_LINES: usize = 20;
/// The time between two looks at a process.
const STEP: Duration = Duration::from_millis(5);

/// A running provider. It is stopped when it is dropped.
pub(crate) struct Process {
    program: PathBuf,
    child: Mutex<Child>,
    lines: Arc<Mutex<VecDeque<String>>>,
    /// The time between a request to end and the end by force.
    grace: Duration,
}

/// The texts of a process: where they go, and what they must not contain.
#[derive(Clone)]
pub(crate) struct Outlet {
    pub(crate) log: Log,
    pub(crate) redaction: Arc<Redaction>,
}

impl Process {
    /// Starts a program, and waits for its first line.
    pub(crate) fn start(
        mut command: Command,
        outlet: &Outlet,
        time: Duration,
        grace: Duration,
    ) -> Result<(Process, String), LaunchError> {
        let program = PathBuf::from(command.get_program());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // An interrupt of the terminal reaches only the engine, which then cancels the calls.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child =
            command.spawn().map_err(|error| LaunchError::Start { program: program.clone(), error })?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let (first, received) = mpsc::channel();
        let process = Process { program, child: Mutex::new(child), lines, grace };
        if let Some(stderr) = stderr {
            process.follow(stderr, outlet, None)?;
        }
        if let Some(stdout) = stdout {
            process.follow(stdout, outlet, Some(first))?;
        }
        match received.recv_timeout(time) {
            Ok(line) => Ok((process, line)),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                process.kill();
                Err(LaunchError::Silent { provider: process.program.display().to_string(), time })
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(process.ended_early()),
        }
    }

    /// Reads lines until the stream ends. The first one is sent, if requested; the others are for
    /// the log.
    fn follow(
        &self,
        stream: impl Read + Send + 'static,
        outlet: &Outlet,
        mut first: Option<mpsc::Sender<String>>,
    ) -> Result<(), LaunchError> {
        let (outlet, kept) = (outlet.clone(), Arc::clone(&self.lines));
        let follow = move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while matches!((&mut stream).take(LONGEST_LINE).read_until(b'\n', &mut line), Ok(1..)) {
                let text = String::from_utf8_lossy(&line).trim_end().to_owned();
                line.clear();
                match first.take() {
                    // The receiver may have given up.
                    Some(first) => drop(first.send(text)),
                    None => {
                        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                        if kept.len() == KEPT_LINES {
                            kept.pop_front();
                        }
                        kept.push_back(outlet.redaction.shown(&text));
                        drop(kept);
                        outlet.log.line(Severity::Debug, &text, &outlet.redaction);
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("provider output".to_owned());
        thread.spawn(follow).map(drop).map_err(LaunchError::System)
    }

    /// The error of a process that has closed its output too early.
    pub(crate) fn ended_early(&self) -> LaunchError {
        self.wait(Duration::from_secs(1));
        let status = match self.exited() {
            Some(status) => status.to_string(),
            None => "its output is closed".to_owned(),
        };
        LaunchError::Ended { program: self.program.clone(), status, lines: self.last_lines() }
    }

    pub(crate) fn program(&self) -> &PathBuf {
        &self.program
    }

    /// The last lines that the process has printed, without secrets.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// The exit status, if the process has ended.
    pub(crate) fn exited(&self) -> Option<ExitStatus> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).try_wait().ok().flatten()
    }

    /// Whether the process ends within the time.
    pub(crate) fn wait(&self, time: Duration) -> bool {
        let end = Instant::now() + time;
        while self.exited().is_none() {
            if Instant::now() >= end {
                return false;
            }
            thread::sleep(STEP);
        }
        true
    }

    /// Requests the end of the process, and ends it by force if it continues.
    pub(crate) fn stop(&self) {
        if self.exited().is_none() {
            self.signal(false);
            if !self.wait(self.grace) {
                self.kill();
            }
        }
    }

    /// Ends the process by force.
    pub(crate) fn kill(&self) {
        if self.exited().is_none() {
            self.signal(true);
            self.wait(self.grace);
        }
    }

    /// Also reaches the processes that the provider has started.
    #[cfg(unix)]
    fn signal(&self, is_final: bool) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = if is_final { Signal::KILL } else { Signal::INT };
        let child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        // Fails if the process has just ended.
        let _ = kill_process_group(Pid::from_child(&child), signal);
    }

    #[cfg(not(unix))]
    fn signal(&self, _: bool) {
        // Fails if the process has just ended.
        let _ = self.child.lock().unwrap_or_else(PoisonError::into_inner).kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}
