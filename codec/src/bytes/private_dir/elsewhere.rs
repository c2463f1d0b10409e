//! Platforms without file owners and modes have no cache.

use super::{DirectoryFault, Missing, PrivateFile};
use std::convert::Infallible;
use std::fs::File;
use std::path::Path;

/// A directory that cannot be opened.
#[derive(Debug)]
pub(crate) struct Directory(Infallible);

impl Directory {
    pub(crate) fn open_root(_path: &Path, _missing: Missing) -> Result<Option<Directory>, DirectoryFault> {
        Err(DirectoryFault::Platform)
    }

    pub(crate) fn open(&self, _name: &str, _missing: Missing) -> Result<Option<Directory>, DirectoryFault> {
        match self.0 {}
    }

    pub(crate) fn path(&self) -> &Path {
        match self.0 {}
    }

    pub(crate) fn read(&self, _name: &str) -> Result<Option<PrivateFile>, DirectoryFault> {
        match self.0 {}
    }

    pub(crate) fn create(&self, _name: &str) -> Result<File, DirectoryFault> {
        match self.0 {}
    }

    pub(crate) fn open_lock(&self, _name: &str) -> Result<File, DirectoryFault> {
        match self.0 {}
    }

    pub(crate) fn rename(
        &self,
        _name: &str,
        _target: &Directory,
        _new_name: &str,
    ) -> Result<(), DirectoryFault> {
        match self.0 {}
    }

    pub(crate) fn remove(&self, _name: &str) -> Result<bool, DirectoryFault> {
        match self.0 {}
    }

    pub(crate) fn names(&self) -> Result<Vec<String>, DirectoryFault> {
        match self.0 {}
    }

    pub(crate) fn is_linked(&self, _file: &File) -> Result<bool, DirectoryFault> {
        match self.0 {}
    }
}
