//! Threads for the calls to providers.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A call with its number.
type Job<R> = (u64, Box<dyn FnOnce() -> R + Send>);

/// Runs calls on threads of their own. A call that never ends only costs its thread.
pub(crate) struct Pool<R> {
    jobs: Sender<Job<R>>,
    /// The threads share it.
    waiting: Arc<Mutex<Receiver<Job<R>>>>,
    answers: Sender<(u64, Option<R>)>,
    results: Receiver<(u64, Option<R>)>,
    threads: usize,
}

impl<R: Send + 'static> Pool<R> {
    pub(crate) fn new() -> Pool<R> {
        let (jobs, waiting) = mpsc::channel();
        let (answers, results) = mpsc::channel();
        Pool { jobs, waiting: Arc::new(Mutex::new(waiting)), answers, results, threads: 0 }
    }

    /// Runs a call. `busy` is the number of calls that run: there is a thread for each, and one for
    /// this. The number of the call comes back with its result.
    pub(crate) fn run(&mut self, number: u64, busy: usize, job: impl FnOnce() -> R + Send + 'static) {
        if self.threads <= busy {
            self.add_thread();
        }
        // The pool has the receiver, too, so the channel is open.
        let _ = self.jobs.send((number, Box::new(job)));
    }

    fn add_thread(&mut self) {
        let (waiting, answers) = (Arc::clone(&self.waiting), self.answers.clone());
        self.threads += 1;
        thread::spawn(move || {
            loop {
                let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok((number, job)) = next else { return };
                // A provider that panics has not answered.
                let result = catch_unwind(AssertUnwindSafe(job)).ok();
                if answers.send((number, result)).is_err() {
                    return;
                }
            }
        });
    }

    /// A thread is lost to a call that does not end.
    pub(crate) fn give_up_one(&mut self) {
        self.threads = self.threads.saturating_sub(1);
    }

    /// The number and the result of a call that has ended. The result is absent if the call has
    /// panicked. `None` if no call ends within the time.
    pub(crate) fn wait(&self, time: Duration) -> Option<(u64, Option<R>)> {
        // The pool has a sender, too, so the channel is open.
        self.results.recv_timeout(time).ok()
    }
}
