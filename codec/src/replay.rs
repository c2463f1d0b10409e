//! Keeps written pieces, to copy them when they are repeated.

/// Pieces of text or bytes by number.
///
/// A document has few distinct texts and keys, and writes them often. Copying one takes a third of
/// the time of searching for characters to escape.
///
/// Holds the latest pieces, in bounded memory. Sources number frequent items first and the rest in
/// order of appearance. So numbers used at about the same time are close together and seldom share
/// a place.
#[derive(Debug)]
pub(crate) struct Replay<F> {
    bytes: Vec<u8>,
    /// Indexed by the lowest bits of the number. Grows with the numbers, so that few numbers take
    /// few places.
    places: Vec<Option<Place<F>>>,
}

#[derive(Clone, Copy, Debug)]
struct Place<F> {
    number: u64,
    start: u32,
    end: u32,
    facts: F,
}

/// Maximum number of held bytes. When this is reached, all pieces are dropped. That is cheaper than
/// finding those still in use.
pub(crate) const BYTES: usize = 1 << 20;
/// Maximum number of bytes of a short form.
const WINDOW: usize = 32;
/// Number of places; a power of two.
const PLACES: usize = 1 << 14;

impl<F: Copy> Replay<F> {
    pub(crate) fn new() -> Replay<F> {
        Replay { bytes: Vec::new(), places: Vec::new() }
    }

    /// Drops all pieces.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// Appends the piece with this number to `out` if it is held and `fits` accepts its note.
    /// Returns the note.
    #[inline]
    pub(crate) fn copy(&self, number: u64, out: &mut Vec<u8>, fits: impl FnOnce(&F) -> bool) -> Option<F> {
        let place = self.places.get(self.place_of(number))?.as_ref()?;
        if place.number != number || !fits(&place.facts) {
            return None;
        }
        let form = self.bytes.get(place.start as usize..)?;
        let length = (place.end - place.start) as usize;
        match form.first_chunk::<WINDOW>() {
            Some(window) if length <= WINDOW => copy_short(out, window, length),
            _ => out.extend_from_slice(form.get(..length)?),
        }
        Some(place.facts)
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

/// Appends the first `length` bytes of `window`.
///
/// Copies the whole window and truncates the excess. A copy of fixed length takes two instructions;
/// a short copy of variable length is a call with branches.
#[inline]
pub(crate) fn copy_short<const N: usize>(out: &mut Vec<u8>, window: &[u8; N], length: usize) {
    let end = out.len().saturating_add(length);
    out.extend_from_slice(window);
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_any_length_are_copied_as_they_were_kept() {
        let mut forms = Replay::new();
        let form = |number: u8| vec![number; usize::from(number)];
        (0..200u8).for_each(|number| forms.keep(number.into(), &form(number), number));
        for number in 0..200u8 {
            let mut out = b"before".to_vec();
            assert_eq!(forms.copy(number.into(), &mut out, |_| true), Some(number));
            assert_eq!(out, [&b"before"[..], &form(number)].concat());
            assert_eq!(forms.copy(number.into(), &mut out, |&facts| facts != number), None);
            assert_eq!(out.len(), 6 + usize::from(number), "what does not fit is not copied");
        }
        assert_eq!(forms.copy(200, &mut Vec::new(), |_| true), None);
    }
}
