//! The output bytes of a file: all in memory, or passed on as soon as some blocks are full.

use super::WriteError;
use crate::bytes::checksum::{BlockSize, block_table};
use std::io::{self, Write};

/// Bytes that are kept before they are passed on.
pub(super) const KEPT: usize = 1 << 18;

/// The bytes of a file that is being written.
pub(super) struct Output<'w> {
    /// The last bytes of the file, or all of them.
    pub(super) bytes: Vec<u8>,
    /// Number of bytes before these: whole blocks.
    passed: usize,
    /// Minimum number of bytes before blocks are passed on.
    most: usize,
    receiver: Option<Receiver<'w>>,
}

/// The destination of the blocks.
struct Receiver<'w> {
    to: &'w mut dyn Write,
    size: BlockSize,
    /// The checksums of the blocks that were passed on.
    sums: Vec<u8>,
    /// The first error. Nothing is passed on after it.
    error: Option<io::Error>,
}

impl<'w> Output<'w> {
    /// Keeps all bytes in memory, with room for this many.
    pub(super) fn in_memory(capacity: usize) -> Output<'w> {
        Output { bytes: Vec::with_capacity(capacity), passed: 0, most: usize::MAX, receiver: None }
    }

    /// Passes bytes on in blocks of this size.
    pub(super) fn passing_to(to: &'w mut dyn Write, size: BlockSize) -> Output<'w> {
        let receiver = Receiver { to, size, sums: Vec::new(), error: None };
        let most = KEPT.max(size.bytes());
        Output { bytes: Vec::with_capacity(2 * most), passed: 0, most, receiver: Some(receiver) }
    }

    /// The bytes of the file so far.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.passed + self.bytes.len()
    }

    /// The bytes that were passed on.
    pub(super) fn passed(&self) -> usize {
        self.passed
    }

    /// Appends zeros up to a length of the file.
    pub(super) fn pad_to(&mut self, length: usize) {
        self.bytes.resize(length - self.passed, 0);
    }

    /// Passes on the full blocks. Between two calls, all new bytes are in memory.
    #[inline]
    pub(super) fn pass_on(&mut self) {
        if self.bytes.len() >= self.most {
            self.pass_on_blocks();
        }
    }

    #[inline(never)]
    fn pass_on_blocks(&mut self) {
        let Some(receiver) = &mut self.receiver else { return };
        let whole = receiver.size.start_of(self.bytes.len());
        let blocks = &self.bytes[..whole];
        receiver.sums.extend(block_table(blocks, receiver.size));
        receiver.put(blocks);
        self.passed += whole;
        self.bytes.drain(..whole);
    }

    /// The checksums of all blocks of the file so far. The last block may not be full.
    pub(super) fn sums(&self, size: BlockSize) -> Vec<u8> {
        let mut sums = self.receiver.as_ref().map(|receiver| receiver.sums.clone()).unwrap_or_default();
        sums.extend(block_table(&self.bytes, size));
        sums
    }

    /// Ends the file. Returns the bytes in memory.
    pub(super) fn finish(self) -> Result<Vec<u8>, WriteError> {
        let Some(mut receiver) = self.receiver else { return Ok(self.bytes) };
        receiver.put(&self.bytes);
        match receiver.error {
            None => Ok(Vec::new()),
            Some(error) => Err(WriteError::Output(error.to_string())),
        }
    }
}

impl Receiver<'_> {
    fn put(&mut self, bytes: &[u8]) {
        if self.error.is_none() {
            self.error = self.to.write_all(bytes).err();
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::event::EventSink;
    use crate::write::interner::{Interned, Interner};
    use crate::write::{Profile, Tuning, WriteError, Writer, WriterOptions};
    use coconut_format::landmark::LandmarkRule;
    use std::io::{self, Write};

    /// An object with one long text, and with objects that are records, shared, and neither.
    fn document() -> Interned {
        let mut interner = Interner::new();
        interner.begin_object().unwrap();
        interner.key("long").unwrap();
        interner.string(&"x".repeat(3_000_000)).unwrap();
        for number in 0..5000_u64 {
            interner.key(&format!("key {number}")).unwrap();
            interner.begin_object().unwrap();
            interner.key("text").unwrap();
            interner.string(&format!("text {number} {}", "y".repeat(100))).unwrap();
            interner.key(&format!("number {}", number / 2)).unwrap();
            interner.integer((number / 4).into()).unwrap();
            interner.key("twice").unwrap();
            interner.begin_list().unwrap();
            interner.integer((number / 2).into()).unwrap();
            interner.string(&format!("half {}", number / 2)).unwrap();
            interner.end_list().unwrap();
            interner.end_object().unwrap();
        }
        interner.end_object().unwrap();
        interner.finish().unwrap()
    }

    fn writers() -> Vec<Writer> {
        let rule = LandmarkRule::parse(&["/*"], None, &[]).unwrap();
        let options = WriterOptions { rule, ..WriterOptions::new("document") };
        let tuned = |block_bits| Tuning { block_bits, ..Tuning::default() };
        let profiles = [
            WriterOptions { profile: Profile::Transport, ..options.clone() },
            WriterOptions { profile: Profile::Plain, ..options.clone() },
            WriterOptions { digests: true, ..options.clone() },
        ];
        let tunings = [tuned(20), Tuning { wide: true, ..tuned(12) }];
        let tuned = tunings.map(|tuning| Writer::new(options.clone()).tuned(tuning));
        profiles.map(Writer::new).into_iter().chain(tuned).collect()
    }

    #[test]
    fn what_is_passed_on_is_what_is_made_in_memory() {
        let document = document();
        for writer in writers() {
            let bytes = writer.to_bytes(&document).unwrap();
            assert!(bytes.len() > 3_000_000);
            let mut passed = Vec::new();
            writer.write_to(&document, &mut passed).unwrap();
            assert!(passed == bytes, "{writer:?}");
        }
    }

    /// Accepts this many bytes, then fails.
    struct Full(usize);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.checked_sub(bytes.len()).ok_or_else(|| io::Error::other("it is full"))?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn the_error_of_a_receiver_is_the_error_of_the_writer() {
        let document = document();
        for (writer, room) in
            writers().iter().flat_map(|writer| [0, 1 << 20, 3 << 20].map(|room| (writer, room)))
        {
            let error = writer.write_to(&document, &mut Full(room)).unwrap_err();
            assert_eq!(error, WriteError::Output("it is full".to_owned()));
        }
    }
}
