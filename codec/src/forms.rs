//! What was written before, to be copied when it comes again.

/// Pieces of text or bytes by number: a document has few texts and keys and writes them often, and a copy takes a third
/// of the time of a search for what must be escaped.
///
/// Holds what came last, in bounded memory. Sources number what comes often first and the rest in the order in which
/// it appears, so numbers that are used at the same time lie close together and seldom share a place.
#[derive(Debug)]
pub(crate) struct Forms<F> {
    bytes: Vec<u8>,
    /// By the lowest bits of the number. Grows with the numbers, so that few numbers take few places.
    places: Vec<Option<Place<F>>>,
}

#[derive(Clone, Copy, Debug)]
struct Place<F> {
    number: u64,
    start: u32,
    end: u32,
    facts: F,
}

/// Bytes that are held. When they are full all are forgotten: cheaper than to find out which are still of use.
pub(crate) const BYTES: usize = 1 << 20;
/// Places; a power of two.
const PLACES: usize = 1 << 14;

impl<F: Copy> Forms<F> {
    pub(crate) fn new() -> Forms<F> {
        Forms { bytes: Vec::new(), places: Vec::new() }
    }

    /// The form with this number, if it is held, and what was noted beside it.
    #[inline]
    pub(crate) fn get(&self, number: u64) -> Option<(&[u8], F)> {
        let place = self.places.get(self.place_of(number))?.filter(|place| place.number == number)?;
        Some((self.bytes.get(place.start as usize..place.end as usize)?, place.facts))
    }

    pub(crate) fn keep(&mut self, number: u64, form: &[u8], facts: F) {
        if form.len() > BYTES / 4 {
            return;
        }
        if self.bytes.len() + form.len() > BYTES {
            self.bytes.clear();
            self.places.fill(None);
        }
        if number >= self.places.len() as u64 && self.places.len() < PLACES {
            let needed = usize::try_from(number).unwrap_or(PLACES).saturating_add(1).min(PLACES);
            self.places.resize(needed.next_power_of_two().max(64), None);
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(form);
        let offset = |offset: usize| u32::try_from(offset).expect("far fewer bytes than 2^32 are held");
        let place = Place { number, start: offset(start), end: offset(self.bytes.len()), facts };
        let at = self.place_of(number);
        self.places[at] = Some(place);
    }

    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the remainder is below the number of places")]
    fn place_of(&self, number: u64) -> usize {
        // The number of places is 0 or a power of two, and small.
        (number & (self.places.len() as u64).wrapping_sub(1)) as usize
    }
}
