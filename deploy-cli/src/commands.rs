//! One file per command. The docs of its arguments are its help.

pub(crate) mod deploy;
pub(crate) mod destroy;
pub(crate) mod env;
pub(crate) mod import_live;
pub(crate) mod refresh;
mod running;
