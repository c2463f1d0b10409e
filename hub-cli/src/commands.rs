//! One file per command. The docs of its arguments are its help.

pub(crate) mod attach;
pub(crate) mod check;
pub(crate) mod copy;
pub(crate) mod get;
pub(crate) mod lock;
pub(crate) mod ls;
mod network;
pub(crate) mod pull;
pub(crate) mod push;
pub(crate) mod resolve;
