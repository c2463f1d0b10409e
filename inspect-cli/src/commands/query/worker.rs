//! The process that runs a filter, and the one that watches it.
//!
//! A filter is a program, and the interpreter has no limits. So the tool starts itself a second
//! time. The worker limits its memory, and runs the filter on a thread with a known stack. If it
//! needs more of either, the runtime ends it. The tool waits, ends it after its time limit, and
//! reports the reason.

use coconut_report::code;
use coconut_report::failure::{Exit, Failure};
use coconut_shell::console::Console;
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// The stack of a filter. Values of some 100,000 levels fit, as in `jq`.
pub(crate) const STACK: usize = 256 << 20;

/// The stack for printing a value of a document, which has at most 512 levels.
pub(crate) const SMALL_STACK: usize = 8 << 20;

/// The resources allowed for a filter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// MiB in addition to the document.
    pub(crate) memory: u64,
    pub(crate) seconds: u64,
}

/// Runs `work` on a thread with the stack for filters.
pub(crate) fn with_stack<T: Send>(
    stack: usize,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> Result<T, Failure> {
    thread::scope(|scope| {
        let worker = thread::Builder::new().name("filter".to_owned()).stack_size(stack);
        let worker = worker.spawn_scoped(scope, work).map_err(|error| no_process(&error))?;
        worker.join().unwrap_or_else(|_| Err(ended("the filter met a fault of the interpreter")))
    })
}

/// Limits this process to this much more memory than it has now. Has no effect on systems without
/// such a limit.
pub(crate) fn limit_memory(limits: Limits) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Some(taken) = address_space() else { return };
        let known = getrlimit(Resource::As);
        let wanted = taken.saturating_add(limits.memory.saturating_mul(1 << 20));
        let current = known.maximum.map_or(wanted, |maximum| maximum.min(wanted));
        // Without the limit, the time limit still applies.
        let _ = setrlimit(Resource::As, Rlimit { current: Some(current), maximum: known.maximum });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = limits;
}

/// Removes the memory limit of this process, to open a document.
pub(crate) fn lift_memory_limit() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::As).maximum;
        // Otherwise the previous limit applies, and may be too small for the next document.
        let _ = setrlimit(Resource::As, Rlimit { current: maximum, maximum });
    }
}

/// The bytes of address space of this process.
#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').next()?.parse().ok()?;
    pages.checked_mul(rustix::param::page_size() as u64)
}

/// Ends this process together with the one that watches it, and after its time limit. This is
/// processor time: waiting for readers of its output does not count.
pub(crate) fn end_with_watcher(limits: Limits) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
        let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
        let known = getrlimit(Resource::Cpu);
        let wanted = limits.seconds.max(1);
        let current = Some(known.maximum.map_or(wanted, |maximum| maximum.min(wanted)));
        let _ = setrlimit(Resource::Cpu, Rlimit { current, maximum: known.maximum });
        // Its memory may contain secrets, and must not stay in a file when it is ended.
        let maximum = getrlimit(Resource::Core).maximum;
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
    }
    #[cfg(not(target_os = "linux"))]
    let _ = limits;
}

/// The number of bytes of lines kept until the end of a worker. The runtime writes less.
const LAST: usize = 1 << 12;

/// The time to wait for a worker. On Linux it counts its own time, so that readers of its output
/// may take any time.
fn longest_wait(limits: Limits) -> Duration {
    match cfg!(target_os = "linux") {
        true => Duration::MAX,
        false => Duration::from_secs(limits.seconds),
    }
}

/// Starts this tool as a worker with the same arguments, and waits for it.
pub(crate) fn supervise(limits: Limits, console: &mut Console) -> Result<Exit, Failure> {
    let output = console.output_for_process()?;
    let executable = std::env::current_exe().map_err(|error| no_process(&error))?;
    let mut command = Command::new(executable);
    // The runtime's message about the end contains no more information than `pass_on` has.
    command.args(arguments(console)).env("RUST_BACKTRACE", "0").stdout(output).stderr(Stdio::piped());
    if console.are_errors_coloured() {
        // Its errors go through a pipe.
        command.env("CLICOLOR_FORCE", "1");
    }
    let mut child = command.spawn().map_err(|error| no_process(&error))?;
    let (sender, receiver) = mpsc::channel();
    let errors = child.stderr.take();
    let is_paged = console.is_paged();
    let passing = thread::spawn(move || {
        // Messages would appear among the lines of a pager.
        let mut held = Vec::new();
        let out: &mut dyn Write = if is_paged { &mut held } else { &mut io::stderr().lock() };
        let said = errors.map(|errors| pass_on(errors, out)).unwrap_or_default();
        // The receiver waits until this is sent, or until the time is over.
        let _ = sender.send(());
        (said, held)
    });
    let started = Instant::now();
    let is_late = receiver.recv_timeout(longest_wait(limits)).is_err();
    let status = end(&mut child, is_late).map_err(|error| no_process(&error))?;
    let (last, held) = passing.join().unwrap_or_default();
    console.write_error(&String::from_utf8_lossy(&held));
    if is_late {
        return Err(late(limits));
    }
    let said = if is_aborted(status) { Said::of(&last) } else { Said::default() };
    if said == Said::default() {
        // The filter wrote a text that equals one of the runtime.
        console.write_error(&String::from_utf8_lossy(&last));
    }
    outcome(status, said, limits, started)
}

/// The arguments of this process, with the options of a worker after the name of the command.
fn arguments(console: &Console) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "query") {
        // A worker may only see pipes.
        let options = [
            ("--worker", true),
            ("--is-seen", io::stderr().is_terminal()),
            ("--is-shown", console.is_terminal()),
            ("--is-coloured", console.is_coloured()),
        ];
        let given = options.into_iter().filter(|(_, is_given)| *is_given).map(|(option, _)| option.into());
        arguments.splice(at + 1..at + 1, given);
    }
    arguments
}

fn end(child: &mut Child, is_late: bool) -> io::Result<ExitStatus> {
    if is_late {
        // It may have just ended by itself.
        let _ = child.kill();
    }
    child.wait()
}

/// The message of the runtime at the end of a worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Said {
    stack: bool,
    memory: bool,
}

impl Said {
    /// The message in the last lines of an aborted worker.
    fn of(last: &[u8]) -> Said {
        let mut said = Said::default();
        for line in last.split_inclusive(|&byte| byte == b'\n') {
            said.stack |= says_stack(line);
            said.memory |= says_memory(line);
        }
        said
    }
}

fn says_stack(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    text.starts_with("thread '") && text.contains("has overflowed its stack")
}

fn says_memory(line: &[u8]) -> bool {
    line.starts_with(b"memory allocation of ")
}

/// Whether a line may be one of those that the runtime writes at the end of a process.
fn may_be_last(line: &[u8]) -> bool {
    line == b"\n"
        || says_stack(line)
        || says_memory(line)
        || line.starts_with(b"fatal runtime error: ")
        || line.starts_with(b"note: run with `RUST_BACKTRACE=1`")
}

/// Passes the errors of the worker on, except for last lines that may come from its runtime. They
/// are returned, since only the end of the process shows their origin.
fn pass_on(errors: impl Read, out: &mut dyn Write) -> Vec<u8> {
    let (mut errors, mut line, mut last) = (BufReader::new(errors), Vec::new(), Vec::new());
    while errors.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        // If it cannot be written, this cannot be reported either.
        match may_be_last(&line) {
            true if last.len() + line.len() <= LAST => last.append(&mut line),
            true => {
                let _ = out.write_all(&std::mem::replace(&mut last, std::mem::take(&mut line)));
            }
            false => {
                last.append(&mut line);
                let _ = out.write_all(&std::mem::take(&mut last));
            }
        }
    }
    last
}

/// Whether a process did not end by itself, so that the runtime may have reported the reason.
fn is_aborted(status: ExitStatus) -> bool {
    !cfg!(unix) || status.code().is_none()
}

/// The result of a worker that ended.
fn outcome(status: ExitStatus, said: Said, limits: Limits, started: Instant) -> Result<Exit, Failure> {
    if said.stack {
        return Err(limit(code::QUERY_STACK, "the filter calls itself too deeply".to_owned()));
    }
    if said.memory {
        let message = format!("the filter needs more than {} MiB of memory", limits.memory);
        return Err(limit(code::QUERY_MEMORY, message).with_hint("raise it with `--max-memory`"));
    }
    if let Some(exit) = status.code().and_then(Exit::of_number) {
        return Ok(exit);
    }
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        const SIGNALS: [(i32, &str); 2] = [(11, code::QUERY_STACK), (7, code::QUERY_STACK)];
        const OUT_OF_TIME: i32 = 24;
        match status.signal() {
            Some(OUT_OF_TIME) => return Err(late(limits)),
            Some(signal) if SIGNALS.iter().any(|(known, _)| *known == signal) => {
                return Err(limit(code::QUERY_STACK, "the filter calls itself too deeply".to_owned()));
            }
            // The system ends processes that use too much memory.
            Some(9) => {
                let message = "the system ended the filter, which may have needed too much memory";
                return Err(limit(code::QUERY_MEMORY, message.to_owned()));
            }
            _ => {}
        }
    }
    let seconds = started.elapsed().as_secs();
    Err(ended(&format!("the process of the filter ended after {seconds} s with {status}")))
}

fn limit(code: &'static str, message: String) -> Failure {
    Failure::new(Exit::Limit, code, message)
}

fn late(limits: Limits) -> Failure {
    let message = format!("the filter took longer than {} s", limits.seconds);
    limit(code::QUERY_TIME, message).with_hint("raise it with `--timeout`")
}

fn ended(message: &str) -> Failure {
    Failure::new(Exit::Run, code::QUERY_ENDED, message)
}

fn no_process(error: &io::Error) -> Failure {
    let failure = Failure::new(Exit::Usage, code::QUERY_ENDED, format!("cannot run the filter: {error}"));
    failure.with_hint("`--no-worker` runs it in this process, without limits on memory and stack")
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt as _;

    #[test]
    fn the_end_of_a_worker_shows_the_exceeded_limit() {
        let limits = Limits { memory: 64, seconds: 5 };
        let code = |raw: i32, said: Said| {
            let answer = outcome(ExitStatus::from_raw(raw), said, limits, Instant::now());
            answer.map_err(|failure| (failure.code(), failure.exit() as u8))
        };
        let (silent, stack, memory) =
            (Said::default(), Said { stack: true, memory: false }, Said { stack: false, memory: true });
        for (raw, said, expected) in [
            (0, silent, Ok(Exit::Good)),
            (5 << 8, silent, Ok(Exit::Run)),
            (6, stack, Err(("LIM-QUERY-STACK", 7))),
            (6, memory, Err(("LIM-QUERY-MEMORY", 7))),
            (7, silent, Err(("LIM-QUERY-STACK", 7))),
            (9, silent, Err(("LIM-QUERY-MEMORY", 7))),
            (11, silent, Err(("LIM-QUERY-STACK", 7))),
            (24, silent, Err(("LIM-QUERY-TIME", 7))),
            (6, silent, Err(("QUERY-ENDED", 5))),
            (101 << 8, silent, Err(("QUERY-ENDED", 5))),
        ] {
            assert_eq!(code(raw, said), expected, "{raw}");
        }
    }

    #[test]
    fn the_last_message_of_the_runtime_is_not_passed_on() {
        let stack =
            "\nthread 'filter' (1) has overflowed its stack\nfatal runtime error: stack overflow, aborting\n";
        assert_eq!(
            Said::of(&pass_on(stack.as_bytes(), &mut io::sink())),
            Said { stack: true, memory: false }
        );
        let memory = "memory allocation of 8 bytes failed\n";
        assert_eq!(
            Said::of(&pass_on(memory.as_bytes(), &mut io::sink())),
            Said { stack: false, memory: true }
        );
        assert_eq!(pass_on(format!("{memory}x\n{stack}").as_bytes(), &mut io::sink()), stack.as_bytes());
        let many = memory.repeat(1000);
        assert_eq!(
            pass_on(format!("{many}{stack}").as_bytes(), &mut io::sink()).len() % memory.len(),
            stack.len() % memory.len()
        );
        assert_eq!(pass_on(&b""[..], &mut io::sink()), [0; 0]);
    }
}
