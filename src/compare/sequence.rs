//! Which frame of one sequence is which of another: two whole sequences of marks, aligned by few edits.
//!
//! Few edits are found as Myers finds them (An O(ND) Difference Algorithm, 1986): no alignment has fewer. Where there
//! are many, marks that occur once on both sides are anchors (patience diff) between which the rest is aligned.

use crate::compare::align::Side;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// More edits than this are not sought one by one: the effort grows with their square.
const MOST_EDITS: usize = 1024;

/// Anchors between anchors between anchors, as deep as any video needs.
const DEEPEST: usize = 32;

/// What distinguishes a frame from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// A number for its samples: the same for the same samples.
    pub samples: usize,
    /// Its time.
    pub time: Option<i64>,
}

/// What two frames share that are taken for the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Samples and time.
    Both,
    /// Samples.
    Samples,
    /// The time, which they have.
    Time,
}

impl By {
    /// The part of `mark` that counts; `None` when it has none.
    fn of(self, mark: Mark) -> Option<Mark> {
        match self {
            By::Both => mark.time.map(|_| mark),
            By::Samples => Some(Mark { time: None, ..mark }),
            By::Time => mark.time.map(|_| Mark { samples: 0, ..mark }),
        }
    }
}

/// Pairs of frames, in order on both sides.
#[derive(Clone, Debug)]
pub struct Alignment<'m> {
    a: &'m [Mark],
    b: &'m [Mark],
    /// For each frame of the first the partner in the second.
    to_b: Vec<Option<usize>>,
    /// For each frame of the second the partner in the first.
    to_a: Vec<Option<usize>>,
}

impl<'m> Alignment<'m> {
    /// Nothing is paired yet.
    pub fn new(a: &'m [Mark], b: &'m [Mark]) -> Self {
        Alignment { a, b, to_b: vec![None; a.len()], to_a: vec![None; b.len()] }
    }

    /// Pairs frames that are still single and share what `by` says, as many as go in order. Those that `is_out` names stay
    /// single.
    pub fn pair(&mut self, by: By, is_out: impl Fn(Side, usize) -> bool) {
        for (a, b) in self.gaps() {
            let keys = |marks: &[Mark], places: Range<usize>, side| -> Vec<(usize, Mark)> {
                let places = places.filter(|place| !is_out(side, *place));
                places.filter_map(|place| Some((place, by.of(marks[place])?))).collect()
            };
            let a = keys(self.a, a, Side::A);
            let b = keys(self.b, b, Side::B);
            let only = |keyed: &[(usize, Mark)]| keyed.iter().map(|(_, key)| *key).collect::<Vec<_>>();
            for (i, j) in common(&only(&a), &only(&b), DEEPEST) {
                self.join(a[i].0, b[j].0);
            }
        }
    }

    /// Pairs what is still single, one by one as it stands between the same neighbours.
    pub fn pair_rest(&mut self, is_out: impl Fn(Side, usize) -> bool) {
        for (a, b) in self.gaps() {
            let a = a.filter(|place| !is_out(Side::A, *place));
            let b = b.filter(|place| !is_out(Side::B, *place));
            a.zip(b).for_each(|(i, j)| self.join(i, j));
        }
    }

    /// Of neighbours with the same samples of which some are single, pairs the first, unless times contradict.
    pub fn settle(&mut self) {
        for a in 0..self.a.len() {
            let Some(b) = self.to_b[a] else { continue };
            if By::Both.of(self.a[a]).is_some_and(|mark| mark == self.b[b]) {
                continue;
            }
            let first = |marks: &[Mark], partners: &[Option<usize>], from: usize| {
                let same = |place: &usize| partners[*place].is_none() && marks[*place].samples == marks[from].samples;
                (0..from).rev().take_while(same).last().unwrap_or(from)
            };
            let first_a = first(self.a, &self.to_b, a);
            let first_b = first(self.b, &self.to_a, b);
            (self.to_b[a], self.to_a[b]) = (None, None);
            self.join(first_a, first_b);
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        self.to_b[a] = Some(b);
        self.to_a[b] = Some(a);
    }

    /// The frame of the second that frame `place` of the first is paired with.
    pub fn b_of(&self, place: usize) -> Option<usize> {
        self.to_b[place]
    }

    /// The frames of `side` that are single.
    pub fn singles(&self, side: Side) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let partners = if side == Side::A { &self.to_b } else { &self.to_a };
        partners.iter().enumerate().filter(|(_, partner)| partner.is_none()).map(|(place, _)| place)
    }

    /// The single frames between pairs.
    fn gaps(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let pairs = self.to_b.iter().enumerate().filter_map(|(i, j)| Some((i, (*j)?)));
        let mut gaps = Vec::new();
        let mut from = (0, 0);
        for (i, j) in pairs.chain([(self.a.len(), self.b.len())]) {
            if from.0 < i && from.1 < j {
                gaps.push((from.0..i, from.1..j));
            }
            from = (i + 1, j + 1);
        }
        gaps
    }
}

/// Places of a long common subsequence of `a` and `b`: a longest one where few edits lead from one to the other.
fn common<K: Copy + Eq + Hash>(a: &[K], b: &[K], depth: usize) -> Vec<(usize, usize)> {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (inner_a, inner_b) = (&a[head..], &b[head..]);
    let tail = inner_a.iter().rev().zip(inner_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (inner_a, inner_b) = (&inner_a[..inner_a.len() - tail], &inner_b[..inner_b.len() - tail]);

    let mut pairs: Vec<_> = (0..head).map(|i| (i, i)).collect();
    let inner = shortest_edit(inner_a, inner_b).unwrap_or_else(|| between_anchors(inner_a, inner_b, depth));
    pairs.extend(inner.into_iter().map(|(i, j)| (head + i, head + j)));
    pairs.extend((0..tail).rev().map(|i| (a.len() - 1 - i, b.len() - 1 - i)));
    pairs
}

/// The pairs of a longest common subsequence; `None` when more than [`MOST_EDITS`] edits lead from one to the other.
fn shortest_edit<K: Eq>(a: &[K], b: &[K]) -> Option<Vec<(usize, usize)>> {
    if a.is_empty() || b.is_empty() {
        return Some(Vec::new());
    }
    let most = MOST_EDITS.min(a.len() + b.len()) as isize;
    // How far in `a` the furthest path gets on diagonal k = i - j, at index k + most + 1; and its past, an edit each.
    let mut furthest = vec![0isize; 2 * most as usize + 3];
    let mut past: Vec<Vec<isize>> = Vec::new();
    let place = |k: isize| (k + most + 1) as usize;
    for edits in 0..=most {
        past.push(furthest[place(-edits - 1)..=place(edits + 1)].to_vec());
        for k in (-edits..=edits).step_by(2) {
            let from_b = k == -edits || (k != edits && furthest[place(k - 1)] < furthest[place(k + 1)]);
            let mut i = if from_b { furthest[place(k + 1)] } else { furthest[place(k - 1)] + 1 };
            while a.get(i as usize).is_some_and(|a| Some(a) == b.get((i - k) as usize)) {
                i += 1;
            }
            furthest[place(k)] = i;
            if i >= a.len() as isize && i - k >= b.len() as isize {
                return Some(walk_back(&past, a.len() as isize, b.len() as isize));
            }
        }
    }
    None
}

/// The pairs on the path that ends at (`i`, `j`). `past[d]` holds diagonals -d-1 ..= d+1 as they were before edit d.
fn walk_back(past: &[Vec<isize>], mut i: isize, mut j: isize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (edits, furthest) in past.iter().enumerate().rev() {
        let (edits, k) = (edits as isize, i - j);
        let at = |k: isize| furthest[(k + edits + 1) as usize];
        let from_b = k == -edits || (k != edits && at(k - 1) < at(k + 1));
        let before = if from_b { k + 1 } else { k - 1 };
        // The path begins at the corner, before which there is no edit.
        let (from_i, from_j) = if edits == 0 { (0, 0) } else { (at(before), at(before) - before) };
        while i > from_i && j > from_j {
            (i, j) = (i - 1, j - 1);
            pairs.push((i as usize, j as usize));
        }
        (i, j) = (from_i, from_j);
    }
    pairs.reverse();
    pairs
}

/// Pairs between and at anchors: keys that occur once on both sides, or else equally numbered occurrences.
fn between_anchors<K: Copy + Eq + Hash>(a: &[K], b: &[K], depth: usize) -> Vec<(usize, usize)> {
    let places = |keys: &[K]| {
        let mut places: HashMap<K, Vec<usize>> = HashMap::new();
        keys.iter().enumerate().for_each(|(place, key)| places.entry(*key).or_default().push(place));
        places
    };
    let (in_a, in_b) = (places(a), places(b));
    let mut candidates = Vec::new();
    let mut seen: HashMap<K, usize> = HashMap::new();
    for (i, key) in a.iter().enumerate() {
        let number = seen.entry(*key).or_default();
        let once = in_a[key].len() == 1 && in_b.get(key).is_some_and(|places| places.len() == 1);
        candidates.extend(in_b.get(key).and_then(|places| places.get(*number)).map(|j| (once, (i, *j))));
        *number += 1;
    }
    let once: Vec<_> = candidates.iter().filter(|(once, _)| *once).map(|(_, pair)| *pair).collect();
    if once.is_empty() || depth == 0 {
        return longest_in_order(&candidates.into_iter().map(|(_, pair)| pair).collect::<Vec<_>>());
    }
    let mut pairs = Vec::new();
    let mut from = (0, 0);
    for (i, j) in longest_in_order(&once).into_iter().chain([(a.len(), b.len())]) {
        let inner = common(&a[from.0..i], &b[from.1..j], depth - 1);
        pairs.extend(inner.into_iter().map(|(x, y)| (from.0 + x, from.1 + y)));
        if i < a.len() {
            pairs.push((i, j));
        }
        from = (i + 1, j + 1);
    }
    pairs
}

/// A longest part of `pairs`, whose first places rise, in which the second rise too.
fn longest_in_order(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends such a part with the lowest second place, and each pair's one before.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, (_, place)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *place);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(number);
        } else {
            ends[length] = number;
        }
    }
    let mut part: Vec<_> =
        std::iter::successors(ends.last().copied(), |number| before[*number]).map(|number| pairs[number]).collect();
    part.reverse();
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The length of a longest common subsequence, by the book.
    fn longest(a: &[u8], b: &[u8]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
                diagonal = above;
            }
        }
        row[b.len()]
    }

    fn check<K: Copy + Eq + Hash + std::fmt::Debug>(a: &[K], b: &[K], pairs: &[(usize, usize)]) {
        assert!(pairs.iter().all(|(i, j)| a[*i] == b[*j]), "{pairs:?}");
        assert!(pairs.is_sorted_by(|x, y| x.0 < y.0 && x.1 < y.1), "{pairs:?}");
    }

    proptest! {
        #[test]
        fn few_edits_are_aligned_as_long_as_can_be(
            a in prop::collection::vec(0u8..4, 0..40),
            b in prop::collection::vec(0u8..4, 0..40),
        ) {
            let pairs = common(&a, &b, DEEPEST);
            check(&a, &b, &pairs);
            prop_assert_eq!(pairs.len(), longest(&a, &b));
        }

        #[test]
        fn anchors_keep_order(
            a in prop::collection::vec(0u16..60, 0..80),
            b in prop::collection::vec(0u16..60, 0..80),
        ) {
            check(&a, &b, &between_anchors(&a, &b, DEEPEST));
        }
    }

    #[test]
    fn long_sequences_take_a_moment() {
        let a: Vec<usize> = (0..200_000).collect();
        let changed: Vec<_> = a.iter().map(|x| if x % 50 == 7 { x + 1_000_000 } else { *x }).collect();
        assert_eq!(common(&a, &changed, DEEPEST).len(), 196_000);
        let all_changed: Vec<_> = a.iter().map(|x| x + 1_000_000).collect();
        assert_eq!(common(&a, &all_changed, DEEPEST), []);
        let backwards: Vec<_> = a.iter().rev().copied().collect();
        assert_eq!(common(&a, &backwards, DEEPEST).len(), 1);
        let periodic = |from: usize, length: usize| (from..from + length).map(|x| x % 3).collect::<Vec<_>>();
        let pairs = common(&periodic(0, 100_000), &periodic(1, 90_000), DEEPEST);
        check(&periodic(0, 100_000), &periodic(1, 90_000), &pairs);
        assert!(pairs.len() >= 80_000, "{}", pairs.len());
    }

    #[test]
    fn rounds_pair_what_the_one_before_left() {
        let mark = |samples, time| Mark { samples, time };
        let expected = [mark(1, Some(0)), mark(1, Some(1)), mark(2, Some(2)), mark(3, None), mark(4, Some(4))];
        let found = [mark(1, Some(1)), mark(2, Some(9)), mark(3, None), mark(5, Some(4)), mark(6, None)];
        let mut alignment = Alignment::new(&expected, &found);
        let pairs = |alignment: &Alignment<'_>| (0..5).map(|e| alignment.b_of(e)).collect::<Vec<_>>();
        alignment.pair(By::Both, |_, _| false);
        assert_eq!(pairs(&alignment), [None, Some(0), None, None, None]);
        alignment.pair(By::Samples, |side, place| (side, place) == (Side::B, 1));
        assert_eq!(pairs(&alignment), [None, Some(0), None, Some(2), None]);
        alignment.pair(By::Time, |_, _| false);
        assert_eq!(pairs(&alignment), [None, Some(0), None, Some(2), Some(3)]);
        alignment.pair_rest(|_, _| false);
        assert_eq!(pairs(&alignment), [None, Some(0), Some(1), Some(2), Some(3)]);
        assert_eq!(alignment.singles(Side::A).collect::<Vec<_>>(), [0]);
        assert_eq!(alignment.singles(Side::B).collect::<Vec<_>>(), [4]);
    }
}
