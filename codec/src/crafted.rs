//! Files made from chosen parts, for tests (§5). This crate writes the header, whose contents may
//! be false.

use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::read::file::DocumentFile;
use crate::wire::header::Profile;
use coconut_format::landmark::LandmarkRule;
use std::ops::{Deref, DerefMut};

pub(crate) use coconut_testing::checksums::repair;

/// The parts of a file without block checksums.
pub(crate) struct Crafted(coconut_testing::crafted::Crafted);

impl Crafted {
    /// A file with this root and without a landmark rule.
    pub(crate) fn of(profile: Profile, root: &[u8]) -> Crafted {
        Crafted::with_choice(profile, LandmarkChoice::None, root)
    }

    /// A file of profile `full` with a landmark rule.
    pub(crate) fn with_rule(rule: LandmarkRule, root: &[u8]) -> Crafted {
        Crafted::with_choice(Profile::Full, LandmarkChoice::Rule(rule), root)
    }

    /// A file of any profile with a landmark rule.
    pub(crate) fn with_choice(profile: Profile, landmarks: LandmarkChoice, root: &[u8]) -> Crafted {
        let options = CompileOptions { profile, landmarks, ..CompileOptions::default() };
        let mut start = compile(b"{}", &options).unwrap().bytes;
        start.truncate(DocumentFile::from_data(&start[..]).unwrap().view().frame.header_range.end);
        Crafted(coconut_testing::crafted::Crafted::after(start, root))
    }

    /// The file, opened.
    pub(crate) fn file(&self) -> DocumentFile<Vec<u8>> {
        DocumentFile::from_data(self.bytes()).unwrap()
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.to_bytes()
    }
}

impl Deref for Crafted {
    type Target = coconut_testing::crafted::Crafted;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Crafted {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
