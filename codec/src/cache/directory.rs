//! Directories that are ours alone, and what may be done in them.
//!
//! A [`Directory`] is held open, and everything in it is reached by one name from there: whoever moves a
//! directory or puts a link in its place afterwards changes nothing for us.

#[cfg(not(unix))]
mod elsewhere;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use elsewhere::Directory;
#[cfg(unix)]
pub(super) use unix::Directory;

#[cfg(not(unix))]
pub(crate) use elsewhere::is_on_network;
#[cfg(unix)]
pub(crate) use unix::is_on_network;

/// What to do about a directory that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// Make it.
    Create,
    /// Leave it so.
    Leave,
}
