//! §5 Files put together from their parts, for what no writer would write. Their checksums are right.

use crate::bytes::checksum::{BLOCK, block_table};
use crate::compile::{CompileOptions, LandmarkChoice, compile};
use crate::read::file::DocumentFile;
use crate::wire::directory::{Directory, Entry, FLAG_CRITICAL, Part};
use crate::wire::header::Profile;
use crate::wire::trailer::Trailer;
use coconut_format::landmark::LandmarkRule;

/// The parts of a file without block checksums, whose header claims nothing that is true.
pub(crate) struct Crafted {
    /// All that is before the element of strings.
    start: Vec<u8>,
    pub(crate) strings: Vec<u8>,
    pub(crate) shapes: Vec<u8>,
    pub(crate) shared: Vec<u8>,
    pub(crate) root: Vec<u8>,
    /// Elements behind the root that this version does not know.
    pub(crate) others: Vec<(Part, Vec<u8>)>,
    /// Each with its stride, in the order in which they are to lie in the file.
    pub(crate) tables: Vec<(Part, u16, Vec<u8>)>,
}

impl Crafted {
    /// A file of nothing but a root.
    pub(crate) fn of(profile: Profile, root: &[u8]) -> Crafted {
        Crafted::with_choice(profile, LandmarkChoice::None, root)
    }

    /// The same with a landmark rule.
    pub(crate) fn with_rule(rule: LandmarkRule, root: &[u8]) -> Crafted {
        Crafted::with_choice(Profile::Full, LandmarkChoice::Rule(rule), root)
    }

    /// The same of any profile.
    pub(crate) fn with_choice(profile: Profile, landmarks: LandmarkChoice, root: &[u8]) -> Crafted {
        let options = CompileOptions { profile, landmarks, ..CompileOptions::default() };
        let mut start = compile(b"{}", &options).unwrap().bytes;
        start.truncate(DocumentFile::from_data(&start[..]).unwrap().view().frame.header_range.end);
        let empty = || vec![0x90];
        let (strings, shapes, shared) = (empty(), empty(), empty());
        let (root, others, tables) = (root.to_vec(), Vec::new(), Vec::new());
        Crafted { start, strings, shapes, shared, root, others, tables }
    }

    /// Where the elements begin: strings, shapes, shared values, root.
    pub(crate) fn elements(&self) -> [usize; 4] {
        let shapes = self.start.len() + self.strings.len();
        let shared = shapes + self.shapes.len();
        [self.start.len(), shapes, shared, shared + self.shared.len()]
    }

    /// The file, opened.
    pub(crate) fn file(&self) -> DocumentFile<Vec<u8>> {
        DocumentFile::from_data(self.bytes()).unwrap()
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (mut file, body) = self.with_bin_header(&[0xc4, 0]);
        if let Ok(length) = u8::try_from(file.len() - body) {
            file[body - 1] = length;
            repair(&mut file);
            return file;
        }
        let (mut file, body) = self.with_bin_header(&[0xc5, 0, 0]);
        let length = u16::try_from(file.len() - body).unwrap();
        file[body - 2..body].copy_from_slice(&length.to_be_bytes());
        repair(&mut file);
        file
    }

    /// The file but for the length of its last element, which has this header, and where the body of that begins.
    pub(crate) fn with_bin_header(&self, header: &[u8]) -> (Vec<u8>, usize) {
        let mut file = self.start.clone();
        let mut entries = Vec::new();
        let elements = [
            (Part::STRINGS, FLAG_CRITICAL, &self.strings),
            (Part::SHAPES, FLAG_CRITICAL, &self.shapes),
            (Part::SHARED, FLAG_CRITICAL, &self.shared),
            (Part::ROOT, FLAG_CRITICAL, &self.root),
        ];
        let others = self.others.iter().map(|(part, bytes)| (*part, 0, bytes));
        for (part, flags, bytes) in elements.into_iter().chain(others) {
            let (start, end) = (file.len(), file.len() + bytes.len());
            entries.push(Entry { part, flags, stride: 0, start, end });
            file.extend_from_slice(bytes);
        }
        file.extend_from_slice(header);
        let body = file.len();
        for (part, stride, bytes) in &self.tables {
            file.resize(file.len().next_multiple_of(8), 0);
            let (start, end) = (file.len(), file.len() + bytes.len());
            entries.push(Entry { part: *part, flags: 0, stride: *stride, start, end });
            file.extend_from_slice(bytes);
        }
        file.resize(file.len().next_multiple_of(8), 0);
        Directory::write(&mut entries, false, &mut file);
        let directory_entries = entries.len().try_into().unwrap();
        Trailer { covered_from: 0, directory_entries, wide: false }.write(&mut file);
        (file, body)
    }
}

/// Gives a file that was changed the checksums that it should have. Its trailer and directory must be what they were.
pub(crate) fn repair(file: &mut [u8]) {
    let end = file.len() - 4;
    let covered_from: [u8; 8] = file[end - 16..end - 8].try_into().unwrap();
    let root = usize::try_from(u64::from_le_bytes(covered_from)).unwrap();
    if root > 0 {
        // The table of blocks ends where its own checksums begin, and has four bytes for each block before it.
        let length =
            (0..root).step_by(4).find(|length| (root - length).div_ceil(BLOCK) * 4 == *length).unwrap();
        let table = block_table(&file[..root - length]);
        let sums = block_table(&table);
        file[root - length..root].copy_from_slice(&table);
        file[root..root + sums.len()].copy_from_slice(&sums);
    }
    let checksum = crc32fast::hash(&file[root..end]).to_le_bytes();
    file[end..].copy_from_slice(&checksum);
}
