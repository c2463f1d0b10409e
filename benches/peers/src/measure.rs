//! Rounds in which all contenders of a job take turns, so that other load of the machine affects
//! all alike.
//!
//! Times are processor time of the thread, kernel included. Other processes affect them only
//! through the caches.

use cpu_time::ThreadTime;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// One run. Times are in seconds, as floats: whole nanoseconds are too coarse for a run of eight of
/// them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sample {
    /// Until the result existed.
    pub(crate) time: f64,
    /// Until it was dropped.
    pub(crate) drop: f64,
}

impl Sample {
    /// Times `make`, and separately the drop of its result.
    pub(crate) fn of<T>(make: impl FnOnce() -> T) -> Sample {
        let start = ThreadTime::now();
        let made = black_box(make());
        let time = start.elapsed();
        let start = ThreadTime::now();
        drop(made);
        Sample { time: time.as_secs_f64(), drop: start.elapsed().as_secs_f64() }
    }

    /// The mean of `count` runs that are too short for the clock.
    pub(crate) fn mean_of(count: u32, mut run: impl FnMut()) -> Sample {
        let start = ThreadTime::now();
        (0..count).for_each(|_| run());
        Sample { time: start.elapsed().as_secs_f64() / f64::from(count), drop: 0.0 }
    }
}

/// A process that runs once and reports its time.
pub(crate) type Run<'a> = Box<dyn FnMut() -> Sample + 'a>;

/// A contender for a job.
pub(crate) struct Contender<'a> {
    pub(crate) name: &'static str,
    /// A note: what is read, whether it is validated, and what the result contains.
    pub(crate) note: &'static str,
    pub(crate) prepare: Box<dyn FnOnce() -> Run<'a> + 'a>,
}

impl<'a> Contender<'a> {
    /// `prepare` reads the input into memory. Its result is measured.
    pub(crate) fn new<R: FnMut() -> Sample + 'a>(
        name: &'static str,
        note: &'static str,
        prepare: impl FnOnce() -> R + 'a,
    ) -> Contender<'a> {
        Contender { name, note, prepare: Box::new(|| Box::new(prepare())) }
    }
}

/// The length of the measurement of a job.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    pub(crate) rounds: u32,
}

/// Short runs are repeated within a round until this time has passed …
const ROUND_TIME: Duration = Duration::from_millis(10);
/// … or until this number of runs.
const ROUND_RUNS: usize = 200;

/// The figures of one contender.
#[derive(Clone, Debug)]
pub(crate) struct Figures {
    pub(crate) name: &'static str,
    pub(crate) note: &'static str,
    /// Seconds, like the others.
    pub(crate) median: f64,
    pub(crate) minimum: f64,
    /// Median.
    pub(crate) drop: f64,
}

/// Measures all contenders, taking turns.
pub(crate) fn measure(contenders: Vec<Contender<'_>>, effort: Effort) -> Vec<Figures> {
    let mut runs: Vec<_> = contenders
        .into_iter()
        .map(|contender| (contender.name, contender.note, (contender.prepare)(), Vec::new()))
        .collect();
    // The first round warms caches and is not counted.
    for round in 0..=effort.rounds {
        for (_, _, run, samples) in &mut runs {
            let start = Instant::now();
            for _ in 0..ROUND_RUNS {
                let sample = run();
                if round > 0 {
                    samples.push(sample);
                }
                if start.elapsed() > ROUND_TIME {
                    break;
                }
            }
        }
    }
    runs.into_iter()
        .map(|(name, note, _, samples)| {
            let times = sorted(samples.iter().map(|sample| sample.time));
            let drops = sorted(samples.iter().map(|sample| sample.drop));
            Figures {
                name,
                note,
                median: times[times.len() / 2],
                minimum: times[0],
                drop: drops[drops.len() / 2],
            }
        })
        .collect()
}

fn sorted(times: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.collect();
    times.sort_unstable_by(f64::total_cmp);
    times
}
