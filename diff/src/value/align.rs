//! §16.3 The longest common subsequence of two lists of numbers.
//!
//! Myers' algorithm in linear space: the middle of a shortest path is found from both ends, and
//! splits the lists into two smaller problems.

use std::ops::Range;

/// Pairs of positions with equal numbers, ascending on both sides and as many as possible. `None`
/// if this takes more than `most` steps.
pub fn common(old: &[u32], new: &[u32], most: u64) -> Option<Vec<(usize, usize)>> {
    let mut left = most;
    let mut pairs = Vec::new();
    let size = 2 * (old.len() + new.len()) + 4;
    let (mut forward, mut backward) = (vec![0isize; size], vec![0isize; size]);
    let mut pending = vec![(0..old.len(), 0..new.len())];
    while let Some((mut a, mut b)) = pending.pop() {
        while !a.is_empty() && !b.is_empty() && old[a.start] == new[b.start] {
            pairs.push((a.start, b.start));
            a.start += 1;
            b.start += 1;
        }
        while !a.is_empty() && !b.is_empty() && old[a.end - 1] == new[b.end - 1] {
            a.end -= 1;
            b.end -= 1;
            pairs.push((a.end, b.end));
        }
        if a.is_empty() || b.is_empty() {
            continue;
        }
        let (x, y) = middle(&old[a.clone()], &new[b.clone()], (&mut forward, &mut backward), &mut left)?;
        let (x, y) = (a.start + x, b.start + y);
        pending.push((a.start..x, b.start..y));
        pending.push((x..a.end, y..b.end));
    }
    pairs.sort_unstable();
    Some(pairs)
}

/// A point on a shortest path between two lists that differ at both ends. It differs from the start
/// and from the end of both lists.
fn middle(
    old: &[u32],
    new: &[u32],
    (forward, backward): (&mut [isize], &mut [isize]),
    left: &mut u64,
) -> Option<(usize, usize)> {
    let (n, m) = (old.len().cast_signed(), new.len().cast_signed());
    let delta = n - m;
    let is_odd = delta % 2 != 0;
    let size = forward.len().cast_signed();
    let at = |k: isize| k.rem_euclid(size).cast_unsigned();
    forward[at(1)] = 0;
    backward[at(1)] = 0;
    for d in 0..=(n + m + 1) / 2 {
        for k in (-d..=d).step_by(2) {
            let mut x = if k == -d || k != d && forward[at(k - 1)] < forward[at(k + 1)] {
                forward[at(k + 1)]
            } else {
                forward[at(k - 1)] + 1
            };
            let start = x;
            while x < n && x - k < m && old[x.cast_unsigned()] == new[(x - k).cast_unsigned()] {
                x += 1;
            }
            *left = left.checked_sub(1 + (x - start).unsigned_abs() as u64)?;
            forward[at(k)] = x;
            let back = delta - k;
            if is_odd && back.abs() < d && x + backward[at(back)] >= n {
                return Some((x.cast_unsigned(), (x - k).cast_unsigned()));
            }
        }
        for k in (-d..=d).step_by(2) {
            let mut x = if k == -d || k != d && backward[at(k - 1)] < backward[at(k + 1)] {
                backward[at(k + 1)]
            } else {
                backward[at(k - 1)] + 1
            };
            let start = x;
            while x < n
                && x - k < m
                && old[(n - 1 - x).cast_unsigned()] == new[(m - 1 - x + k).cast_unsigned()]
            {
                x += 1;
            }
            *left = left.checked_sub(1 + (x - start).unsigned_abs() as u64)?;
            backward[at(k)] = x;
            let front = delta - k;
            if !is_odd && front.abs() <= d && forward[at(front)] + x >= n {
                return Some(((n - x).cast_unsigned(), (m - x + k).cast_unsigned()));
            }
        }
    }
    // The two searches always meet before this point.
    None
}

/// The gaps between the pairs: ranges on both sides without a partner.
pub fn gaps(
    pairs: &[(usize, usize)],
    old: usize,
    new: usize,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let ends = pairs.iter().copied().chain([(old, new)]);
    let mut next = (0, 0);
    ends.map(move |(a, b)| {
        let gap = (next.0..a, next.1..b);
        next = (a + 1, b + 1);
        gap
    })
    .filter(|(a, b)| !a.is_empty() || !b.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length, computed with the table of all prefixes.
    fn longest(old: &[u32], new: &[u32]) -> usize {
        let mut table = vec![vec![0; new.len() + 1]; old.len() + 1];
        for (i, a) in old.iter().enumerate() {
            for (j, b) in new.iter().enumerate() {
                table[i + 1][j + 1] = match a == b {
                    true => table[i][j] + 1,
                    false => table[i][j + 1].max(table[i + 1][j]),
                };
            }
        }
        table[old.len()][new.len()]
    }

    #[test]
    fn it_is_as_long_as_by_the_table() {
        let mut state = 1u32;
        let mut next = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for _ in 0..2_000 {
            let letters = 1 + next(5);
            let mut list = |length: u32| -> Vec<u32> { (0..length).map(|_| next(letters)).collect() };
            let (old, new) = (list(12), list(9));
            let (a, b) = (&old[..old.len() - (old[0] as usize % 3)], &new[..]);
            let pairs = common(a, b, u64::MAX).unwrap();
            assert!(pairs.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
            assert!(pairs.iter().all(|&(x, y)| a[x] == b[y]));
            assert_eq!(pairs.len(), longest(a, b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn too_many_steps_are_none() {
        let (old, new): (Vec<u32>, Vec<u32>) = ((0..1_000).collect(), (1_000..2_000).collect());
        assert_eq!(common(&old, &new, 10_000), None);
        assert_eq!(common(&old, &old, 0).map(|pairs| pairs.len()), Some(1_000));
    }

    #[test]
    fn gaps_contain_the_items_without_a_partner() {
        let gaps: Vec<_> = gaps(&[(1, 0), (2, 3)], 3, 4).collect();
        assert_eq!(gaps, [(0..1, 0..0), (2..2, 1..3)]);
    }
}
