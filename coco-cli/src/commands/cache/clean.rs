//! `coco cache clean`: nothing of it.

use super::{cache, failed, report_removed};
use crate::failure::{Exit, Failure};
use crate::screen::Screen;
use clap::Args;

/// Remove everything from the cache
///
/// Removes what this version of the layout has written, the quarantine included, and no other file. What other
/// processes have loaded stays loaded. What cannot be removed is reported, does not keep the rest, and ends with 2.
#[derive(Debug, Args)]
pub(crate) struct Clean {}

impl Clean {
    pub(crate) fn run(self, screen: &Screen) -> Result<Exit, Failure> {
        report_removed(screen, cache().clean().map_err(failed)?)
    }
}
