//! The middle one of several values, by minima and maxima alone.

use super::lanes::Lanes;

/// The middle one of three.
#[inline(always)]
pub fn middle_of_three<V: Lanes>(a: V, b: V, c: V) -> V {
    a.min(b).max(a.max(b).min(c))
}

/// The most values that [`middle_of`] has at hand.
const MOST_ROOM: usize = 14;

/// The middle one of the `2·ROOM − 3` values that `at` gives, for up to 25 of them.
///
/// Of `ROOM` of them neither the smallest nor the largest is the middle one of all: they make room for the next. That is
/// written out: in a loop, values would lie in memory.
#[inline(always)]
pub fn middle_of<V: Lanes, const ROOM: usize>(at: impl Fn(usize) -> V) -> V {
    const { assert!(3 <= ROOM && ROOM <= MOST_ROOM) };
    let mut v: [V; MOST_ROOM] = std::array::from_fn(|i| at(if i < ROOM { i } else { 0 }));
    macro_rules! order {
        ($low:literal, $high:expr) => {
            (v[$low], v[$high]) = (v[$low].min(v[$high]), v[$low].max(v[$high]));
        };
    }
    // Brings the smallest of the first values to their beginning and the largest to their end, by pairs of both halves and
    // then in each half. The next value takes the place of the smallest.
    macro_rules! forget {
        ($count:literal: $(($low:literal $high:literal))+; $($lower:literal)+; $($higher:literal)+) => {
            if ROOM >= $count {
                $( order!($low, $high); )+
                $( order!(0, $lower); )+
                $( order!($higher, $count - 1); )+
                v[0] = at(2 * ROOM - $count);
            }
        };
    }
    forget!(14: (0 13) (1 12) (2 11) (3 10) (4 9) (5 8) (6 7); 1 2 3 4 5 6; 7 8 9 10 11 12);
    forget!(13: (0 12) (1 11) (2 10) (3 9) (4 8) (5 7); 1 2 3 4 5 6; 6 7 8 9 10 11);
    forget!(12: (0 11) (1 10) (2 9) (3 8) (4 7) (5 6); 1 2 3 4 5; 6 7 8 9 10);
    forget!(11: (0 10) (1 9) (2 8) (3 7) (4 6); 1 2 3 4 5; 5 6 7 8 9);
    forget!(10: (0 9) (1 8) (2 7) (3 6) (4 5); 1 2 3 4; 5 6 7 8);
    forget!(9: (0 8) (1 7) (2 6) (3 5); 1 2 3 4; 4 5 6 7);
    forget!(8: (0 7) (1 6) (2 5) (3 4); 1 2 3; 4 5 6);
    forget!(7: (0 6) (1 5) (2 4); 1 2 3; 3 4 5);
    forget!(6: (0 5) (1 4) (2 3); 1 2; 3 4);
    forget!(5: (0 4) (1 3); 1 2; 2 3);
    forget!(4: (0 3) (1 2); 1; 2);
    middle_of_three(v[0], v[1], v[2])
}
