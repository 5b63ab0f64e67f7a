use super::*;
use proptest::prelude::*;

/// A frame for tests: its time and length.
type Shown = (i64, i64);

/// The steps of two streams, as the numbers of the frames: (Some(a), Some(b)) is a pair.
fn steps(rule: Rule, clocks: &Clocks, a: &[Shown], b: &[Shown]) -> Vec<(Option<usize>, Option<usize>)> {
    steps_of(Aligner::new(rule), clocks, a, b)
}

fn steps_of(
    mut aligner: Aligner<usize>,
    clocks: &Clocks,
    a: &[Shown],
    b: &[Shown],
) -> Vec<(Option<usize>, Option<usize>)> {
    let mut sources = [a.iter().enumerate(), b.iter().enumerate()];
    let mut steps = Vec::new();
    loop {
        match aligner.step() {
            Step::Pair((_, a), (_, b)) => steps.push((Some(a), Some(b))),
            Step::Alone(Side::A, a) => steps.push((Some(a), None)),
            Step::Alone(Side::B, b) => steps.push((None, Some(b))),
            Step::Need(side) => match sources[side as usize].next() {
                Some((i, (pts, duration))) => aligner.push(side, clocks.stamp(side, *pts, *duration), i),
                None => aligner.end(side),
            },
            Step::End => return steps,
        }
        assert!(aligner.a.frames.len() <= 2 && aligner.b.frames.len() <= 2, "memory is bounded");
    }
}

fn milliseconds() -> Clocks {
    Clocks::new((1, 1000), (1, 1000), 0.0).unwrap()
}

fn by_time(a: &[i64], b: &[i64]) -> Vec<(Option<usize>, Option<usize>)> {
    let shown = |times: &[i64]| times.iter().map(|at| (*at, 40)).collect::<Vec<_>>();
    steps(Rule::Time, &milliseconds(), &shown(a), &shown(b))
}

fn pair(a: usize, b: usize) -> (Option<usize>, Option<usize>) {
    (Some(a), Some(b))
}

#[test]
fn missing_frames_are_found_on_both_sides() {
    assert_eq!(
        by_time(&[0, 80, 120], &[0, 40, 120, 160]),
        [pair(0, 0), (None, Some(1)), (Some(1), None), pair(2, 2), (None, Some(3))]
    );
    assert_eq!(by_time(&[], &[0]), [(None, Some(0))]);
    assert_eq!(by_time(&[], &[]), []);
    // What is missing on both sides in turns makes no neighbours.
    assert_eq!(by_time(&[0, 120], &[40, 160]), [(Some(0), None), (None, Some(0)), (Some(1), None), (None, Some(1))]);
}

#[test]
fn half_a_frame_is_near_enough_and_more_is_not() {
    assert_eq!(by_time(&[0, 40], &[20, 60]), [pair(0, 0), pair(1, 1)]);
    assert_eq!(by_time(&[0, 40], &[21, 61]), [(Some(0), None), pair(1, 0), (None, Some(1))]);
    // Against twice the rate, every second one is alone.
    let double = [(0, 20), (20, 20), (40, 20), (60, 20)];
    let got = steps(Rule::Time, &milliseconds(), &[(0, 40), (40, 40)], &double);
    assert_eq!(got, [pair(0, 0), (None, Some(1)), pair(1, 2), (None, Some(3))]);
}

#[test]
fn times_that_repeat_or_go_back_end_too() {
    assert_eq!(by_time(&[0, 0, 40], &[0, 40]), [pair(0, 0), (Some(1), None), pair(2, 1)]);
    assert_eq!(by_time(&[80, 40, 0], &[80, 40, 0]), [pair(0, 0), pair(1, 1), pair(2, 2)]);
}

#[test]
fn lengths_that_nobody_states_follow_from_the_next_frame() {
    let bare = [(0, 0), (40, 0), (80, 0)];
    assert_eq!(steps(Rule::Time, &milliseconds(), &bare, &bare[1..]), [(Some(0), None), pair(1, 0), pair(2, 1)]);
}

#[test]
fn order_looks_at_no_time() {
    let got = steps(Rule::Order, &milliseconds(), &[(500, 0), (0, 0)], &[(0, 0), (0, 0), (0, 0)]);
    assert_eq!(got, [pair(0, 0), pair(1, 1), (None, Some(2))]);
}

#[test]
fn order_may_be_shifted() {
    let shifted = |later, a, b| steps_of(Aligner::shifted(later), &milliseconds(), &vec![(0, 0); a], &vec![(0, 0); b]);
    let alone = [(Some(0), None), (Some(1), None)];
    assert_eq!(shifted(2, 4, 3), [&alone[..], &[pair(2, 0), pair(3, 1), (None, Some(2))]].concat());
    assert_eq!(shifted(-1, 2, 3), [(None, Some(0)), pair(0, 1), pair(1, 2)]);
    assert_eq!(shifted(2, 1, 1), [(Some(0), None), (None, Some(0))]);
    assert_eq!(shifted(0, 1, 1), [pair(0, 0)]);
}

#[test]
fn clocks_are_exact() {
    let clocks = Clocks::new((1, 90_000), (1001, 30_000), 0.5).unwrap();
    // Three hours: 323676 frames of 1001/30000 s are 972000000 + 0.8·... ticks of 1/90000 s.
    assert_eq!(clocks.stamp(Side::A, 3003, 3003), Stamp { at: 3003, length: Some(3003) });
    assert_eq!(clocks.stamp(Side::B, 1, 1), Stamp { at: 3003 + 45_000, length: Some(3003) });
    assert_eq!(clocks.stamp(Side::B, 323_676, 0), Stamp { at: 971_999_028 + 45_000, length: None });
    assert_eq!(clocks.seconds(45_000), 0.5);
    // Nothing overflows at the ends of what a file can say.
    let far = Clocks::new((i32::MAX, i32::MAX - 1), (i32::MAX, i32::MAX), 0.0);
    assert!(far.is_none() || far.unwrap().stamp(Side::B, i64::MIN, i64::MAX).length.is_some());
    for zero in [(0, 1), (1, 0), (-1, 1)] {
        assert_eq!(Clocks::new(zero, (1, 1), 0.0), None);
    }
}

/// Frames of a clip of 25 a second, by number.
fn clip(numbers: &[usize], unit: i64, jitter: i64) -> Vec<Shown> {
    let jitter = |i: usize| if i.is_multiple_of(3) { jitter } else { -jitter };
    numbers.iter().map(|i| (*i as i64 * unit + jitter(*i), unit)).collect()
}

/// Times of Matroska and of MP4, neither of which states a duration: the last frame too has its fellow.
#[test]
fn the_last_frame_is_as_long_as_the_one_before() {
    let clocks = Clocks::new((1, 1000), (1, 12_800), 0.0).unwrap();
    let (a, b) = ([(0, 0), (42, 0), (83, 0)], [(0, 0), (534, 0), (1068, 0)]);
    let got = steps(Rule::Time, &clocks, &a, &b);
    assert_eq!(got, [(Some(0), Some(0)), (Some(1), Some(1)), (Some(2), Some(2))]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is cut out of two copies of a clip, in other units and not quite on time, is what is missing.
    #[test]
    fn what_was_cut_out_is_what_is_missing(
        kept_a in prop::collection::vec(any::<bool>(), 40),
        kept_b in prop::collection::vec(any::<bool>(), 40),
        jitter in 0i64..900,
    ) {
        let numbers = |kept: &[bool]| -> Vec<usize> { (0..kept.len()).filter(|i| kept[*i]).collect() };
        let (a, b) = (numbers(&kept_a), numbers(&kept_b));
        let clocks = Clocks::new((1, 1000), (1, 90_000), 0.0).unwrap();
        let got = steps(Rule::Time, &clocks, &clip(&a, 40, 0), &clip(&b, 3600, jitter));
        let steps: Vec<_> = got.iter().map(|(i, j)| (i.map(|i| a[i]), j.map(|j| b[j]))).collect();
        for (one, other) in &steps {
            prop_assert!(one.is_none() || other.is_none() || one == other);
        }
        let pairs = steps.iter().filter(|(one, other)| one.is_some() && other.is_some()).count();
        prop_assert_eq!(pairs, (0..40).filter(|i| kept_a[*i] && kept_b[*i]).count());
    }

    /// Any times at all: every frame is in one step, each stream in order, and pairs are near.
    #[test]
    fn every_frame_is_reported_once_in_order(
        a in prop::collection::vec((-100i64..100, -5i64..50), 0..30),
        b in prop::collection::vec((-100i64..100, -5i64..50), 0..30),
        order in any::<bool>(),
    ) {
        let rule = if order { Rule::Order } else { Rule::Time };
        let got = steps(rule, &milliseconds(), &a, &b);
        prop_assert!(got.iter().filter_map(|step| step.0).eq(0..a.len()));
        prop_assert!(got.iter().filter_map(|step| step.1).eq(0..b.len()));
        for (i, j) in got.iter().filter_map(|(i, j)| i.zip(*j)) {
            let apart = (a[i].0 - b[j].0).abs();
            prop_assert!(order || apart == 0 || 2 * apart <= 200);
        }
    }
}
