//! Limits of processor time. Time used by other programs is not counted.

use std::time::Duration;

/// Returns the result of `work`, which must take this thread less than `most` of processor time.
///
/// For work that takes milliseconds, or minutes if its cost is quadratic. Choose `most` far from
/// both.
#[track_caller]
pub fn within<T>(most: Duration, work: impl FnOnce() -> T) -> T {
    let started = spent();
    let found = work();
    let taken = spent().saturating_sub(started);
    assert!(taken < most, "took {taken:?} of a processor");
    found
}

/// The processor time of this thread so far.
#[cfg(unix)]
fn spent() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("it is not negative")
}

/// Elapsed time, on systems without processor time.
#[cfg(not(unix))]
fn spent() -> Duration {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}
