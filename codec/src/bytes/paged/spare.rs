//! Buffers of a page each that closed files leave for the next file that the thread opens.
//!
//! Most reads of a lookup are single pages. Such a buffer is a large one for the allocator: it
//! searches its free memory, splits a part off and joins it again. Without these buffers, opening a
//! file to read one resource takes longer: 4 % of 1,000 resources, 5 to 7 % of 20,000. Measured as
//! medians of the ratios of pairs of runs in turn, in processor time.

use super::PAGE;
use std::cell::RefCell;

/// More than a lookup in a graph of 20,000 resources reads. A thread keeps at most 96 KiB.
const MOST: usize = 24;

thread_local! {
    static SPARE: RefCell<Vec<Vec<u8>>> = const { RefCell::new(Vec::new()) };
}

/// An empty buffer, in which there is perhaps room for a page.
pub(super) fn take() -> Vec<u8> {
    // A thread that is ending may have no buffers any more.
    let spare = SPARE.try_with(|spare| spare.borrow_mut().pop());
    spare.ok().flatten().unwrap_or_default()
}

/// Keeps a buffer for [`take`], unless it is of another size or there are enough.
pub(super) fn give_back(mut buffer: Vec<u8>) {
    if buffer.capacity() != PAGE {
        return;
    }
    buffer.clear();
    // A thread that is ending frees it.
    let _ = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        if spare.len() < MOST {
            spare.push(buffer);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> usize {
        SPARE.with_borrow(Vec::len)
    }

    #[test]
    fn a_buffer_of_a_page_is_used_again_and_comes_back_empty() {
        let mut buffer = Vec::with_capacity(PAGE);
        buffer.extend_from_slice(b"of the file before");
        let place = buffer.as_ptr();
        give_back(buffer);
        let again = take();
        assert_eq!((again.as_ptr(), again.len(), again.capacity()), (place, 0, PAGE));
        assert_eq!(take().capacity(), 0, "there was one");
    }

    #[test]
    fn no_more_are_kept_than_a_lookup_needs() {
        for _ in 0..=MOST {
            give_back(Vec::with_capacity(PAGE));
        }
        assert_eq!(kept(), MOST);
    }

    #[test]
    fn other_sizes_are_not_kept() {
        for capacity in [0, PAGE - 1, PAGE + 1, 16 * PAGE] {
            give_back(Vec::with_capacity(capacity));
        }
        assert_eq!(kept(), 0);
    }
}
