//! §16.2 Items of lists that are known to be resources.

use std::collections::HashMap;
use std::ops::Range;

/// The items: runs of positions, by the pointer of the list.
#[derive(Clone, Debug, Default)]
pub struct ItemRuns(HashMap<String, Vec<Range<usize>>>);

impl ItemRuns {
    /// Adds items of a list, in ascending order.
    pub fn extend(&mut self, list: String, items: impl Iterator<Item = usize>) {
        let runs = self.0.entry(list).or_default();
        for item in items {
            match runs.last_mut() {
                Some(run) if run.end == item => run.end = item + 1,
                _ => runs.push(item..item + 1),
            }
        }
    }

    /// The items of a list with their numbers, except those recorded here.
    pub(super) fn others<N>(
        &self,
        list: &str,
        items: impl Iterator<Item = N>,
    ) -> impl Iterator<Item = (usize, N)> {
        let mut runs = self.0.get(list).map(Vec::as_slice).unwrap_or_default();
        items.enumerate().filter(move |(item, _)| {
            while let Some((first, behind)) = runs.split_first()
                && first.end <= *item
            {
                runs = behind;
            }
            !runs.first().is_some_and(|run| run.contains(item))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_items_of_a_list_keep_their_numbers() {
        let mut known = ItemRuns::default();
        known.extend("/a".to_owned(), [0, 1, 2, 5].into_iter());
        known.extend("/b".to_owned(), std::iter::empty());
        known.extend("/a".to_owned(), [6, 9].into_iter());
        let others = |list: &str| known.others(list, 'a'..='k').map(|(n, _)| n).collect::<Vec<_>>();
        assert_eq!(others("/a"), [3, 4, 7, 8, 10]);
        assert_eq!((others("/b").len(), others("/c").len()), (11, 11));
        assert_eq!(known.others("/a", ['x', 'y', 'z', 'w'].into_iter()).collect::<Vec<_>>(), [(3, 'w')]);
    }
}
