//! One file per command. The docs of its arguments are its help.

pub(crate) mod add;
pub(crate) mod backup;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod get;
pub(crate) mod import;
pub(crate) mod label;
pub(crate) mod log;
pub(crate) mod ls;
mod progress;
pub(crate) mod prune;
pub(crate) mod restore;
pub(crate) mod show;
pub(crate) mod verify;
