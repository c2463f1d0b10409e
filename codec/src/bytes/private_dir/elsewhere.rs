//! Platforms without owners and modes: there is no cache.

use super::{Missing, PrivateFile};
use crate::cache::CacheFault;
use std::convert::Infallible;
use std::fs::File;
use std::path::Path;

/// A directory that nobody can have opened.
#[derive(Debug)]
pub(crate) struct Directory(Infallible);

impl Directory {
    pub(crate) fn open_root(_path: &Path, _missing: Missing) -> Result<Option<Directory>, CacheFault> {
        Err(CacheFault::Platform)
    }

    pub(crate) fn open(&self, _name: &str, _missing: Missing) -> Result<Option<Directory>, CacheFault> {
        match self.0 {}
    }

    pub(crate) fn path(&self) -> &Path {
        match self.0 {}
    }

    pub(crate) fn read(&self, _name: &str) -> Result<Option<PrivateFile>, CacheFault> {
        match self.0 {}
    }

    pub(crate) fn create(&self, _name: &str) -> Result<File, CacheFault> {
        match self.0 {}
    }

    pub(crate) fn open_lock(&self, _name: &str) -> Result<File, CacheFault> {
        match self.0 {}
    }

    pub(crate) fn rename(&self, _name: &str, _target: &Directory, _new_name: &str) -> Result<(), CacheFault> {
        match self.0 {}
    }

    pub(crate) fn remove(&self, _name: &str) -> Result<bool, CacheFault> {
        match self.0 {}
    }

    pub(crate) fn names(&self) -> Result<Vec<String>, CacheFault> {
        match self.0 {}
    }

    pub(crate) fn is_linked(&self, _file: &File) -> Result<bool, CacheFault> {
        match self.0 {}
    }
}
