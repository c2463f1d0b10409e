//! Counts the steps of a filter, and records why it must end.
//!
//! Values of filters have no reference to their run, so the count belongs to the thread. A filter
//! can catch an error (`try`), but not a fault: it is kept here, every further operation fails, and
//! the run ends with it.

use coconut_format::error::DecodeError;
use coconut_report::code;
use coconut_report::failure::{Exit, Failure};
use std::cell::{Cell, RefCell};

/// The reason why a filter must end.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// It took more steps than allowed.
    Steps(u64),
    /// A text or list would be larger than any memory limit.
    Size,
    /// The document is damaged.
    Document(DecodeError),
    /// A question about the document failed for a reason outside the filter.
    Failed(Failure),
}

/// The bytes of a text that are one step.
const BYTES_PER_STEP: u64 = 32;

thread_local! {
    static TAKEN: Cell<u64> = const { Cell::new(0) };
    static MOST: Cell<u64> = const { Cell::new(u64::MAX) };
    static FAULT: RefCell<Option<Fault>> = const { RefCell::new(None) };
}

/// Begins to count, from 0 to `most`.
pub(crate) fn begin(most: u64) {
    TAKEN.set(0);
    MOST.set(most);
    FAULT.take();
}

/// Counts steps. Returns whether the run must end.
#[inline]
pub(crate) fn are_exceeded(count: u64) -> bool {
    let taken = TAKEN.get().saturating_add(count);
    TAKEN.set(taken);
    if taken > MOST.get() {
        raise(Fault::Steps(MOST.get()));
        return true;
    }
    false
}

/// Counts the steps for a text that is read or printed, apart from the value: long texts may be
/// stored once and occur very often.
#[inline]
pub(crate) fn are_exceeded_by_text(bytes: usize) -> bool {
    let count = bytes as u64 / BYTES_PER_STEP;
    count > 0 && are_exceeded(count)
}

/// Ends the run for this reason, unless there is one already.
#[cold]
pub(crate) fn raise(fault: Fault) {
    FAULT.with_borrow_mut(|known| {
        known.get_or_insert(fault);
    });
    // Every further step fails, too.
    MOST.set(0);
}

/// Fails if the run must end. Whoever reads a value checks this afterwards, because the parts of it
/// that could not be read are null.
pub(crate) fn check() -> Result<(), Failure> {
    let Some(fault) = FAULT.take() else { return Ok(()) };
    Err(match fault {
        Fault::Steps(most) => Failure::new(
            Exit::Limit,
            code::QUERY_STEPS,
            format!("the filter took more than {} steps", coconut_format::numerals::grouped(most)),
        )
        .with_hint("raise it with `--max-steps`"),
        Fault::Size => Failure::new(
            Exit::Limit,
            code::QUERY_MEMORY,
            "the filter produced a value of more than 2^31 bytes",
        ),
        Fault::Document(error) => error.into(),
        Fault::Failed(failure) => failure,
    })
}

/// The failure of the run, if it had to end.
pub(crate) fn failure(name: &str) -> Option<Failure> {
    check().err().map(|failure| failure.in_file(name))
}
