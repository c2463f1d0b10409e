//! Whether something takes time in proportion, asked of the processor and not of the clock on the
//! wall: what else the machine does is not counted.

use std::time::Duration;

/// What `work` gives, which must take this thread less than `most` of a processor's time.
///
/// For what takes a moment, and minutes if it costs the square of what it should: `most` lies far
/// from both.
#[track_caller]
pub fn within<T>(most: Duration, work: impl FnOnce() -> T) -> T {
    let started = spent();
    let found = work();
    let taken = spent().saturating_sub(started);
    assert!(taken < most, "took {taken:?} of a processor");
    found
}

/// The time of a processor that this thread took so far.
#[cfg(unix)]
fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("it is not negative")
}

/// Where only the time on the wall can be had.
#[cfg(not(unix))]
fn spent() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
