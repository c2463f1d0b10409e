//! Kill points: the crashes of the tests of crash safety.

/// A crash at one of the writes of a run.
///
/// Writes are counted from 1: each record of the journal, the snapshot, and the removal of the
/// journal. A run with a fault behaves as if its process was killed or its disk was full at that
/// moment. Calls to providers that have begun are finished, as by a provider that outlives its
/// caller, and their results are lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The number of the write.
    pub write: u64,
    /// The kind of crash.
    pub kind: FaultKind,
}

coconut_format::named! {
    /// The kind of a [`Fault`].
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FaultKind, ALL {
        /// The process ends before the write.
        Before = "before";
        /// The process ends in the middle of a record.
        Torn = "torn";
        /// The process ends after the write.
        After = "after";
        /// This write and all later ones fail, and the process lives on.
        Full = "full";
    }
    /// The name.
    pub fn as_str;
}
