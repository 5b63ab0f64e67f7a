//! Steps, and how they become tables.

use super::*;
use crate::filters::chain;
use crate::filters::testing::digest;
use std::sync::Arc;

#[test]
fn functions_of_functions_become_one() {
    let add = |n: u16| -> Map { Arc::new(move |value: u16| value.saturating_add(n)) };
    let double: Map = Arc::new(|value: u16| value.saturating_mul(2));
    let points = Points::of_maps([Some(add(5)), None, None])
        .then(Points::of_maps([Some(double), Some(add(1)), None]))
        .then(Points::of_maps([None, None, None]));
    assert_eq!(points.steps().len(), 1);
    assert_eq!([0, 1, 2].map(|component| points.touches(component)), [true, true, false]);
    let mut values = [10, 10, 10];
    points.apply(&(0..3), &mut values);
    assert_eq!(values, [30, 11, 10]);
}

#[test]
fn mixtures_have_as_many_bits_as_32_leave() {
    let bits = |weight: f64| Mix::new([[weight, -weight, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap().bits;
    assert_eq!([0.5, 1.9, 2.1, 8.1].map(bits), [14, 14, 13, 11]);
    assert_eq!(Mix::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), None);
    // The largest sums: 32767 and −32768 from the middle.
    let mix = Mix::new([[1.9, -1.9, 0.1], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).unwrap();
    assert_eq!(mix.mixed([65_535, 0, 40_000])[0], 65_535);
    assert_eq!(mix.mixed([0, 65_535, 40_000])[0], 0);
}

#[test]
fn tables_are_turned_so_that_values_of_a_stream_lie_together() {
    let input = StreamInfo::bare("yuv420p10".parse().unwrap(), 8, 8);
    let setup = Setup::of(input.clone(), input.format, input.clone(), input.format);
    let points = chain("levels=gain=1.2").unwrap()[0].points(&input).unwrap();
    let compiled = tables::compile(&points, &setup);
    let [tables::BuiltStep::Tables { tables, turned: 6 }] = &compiled[..] else { panic!("one step of tables") };
    let table = tables[0].as_ref().unwrap();
    let mut places = [0; 3];
    for value in (0..=u16::MAX).step_by(64) {
        places = [value, 0, 0];
        points.apply(&(0..1), &mut places);
        assert_eq!(table.look_up(value, 6), places[0], "{value}");
    }
    assert_eq!(places[0], 65_535);
    assert_eq!(digest((0..=u16::MAX).map(|value| table.look_up(value, 6).into())), {
        let map = |value: u16| {
            let mut values = [value, 0, 0];
            points.apply(&(0..1), &mut values);
            u64::from(values[0])
        };
        digest((0..=u16::MAX).map(map))
    });
}

#[test]
fn a_group_has_no_steps_of_others() {
    let add = |n: u16| -> Map { Arc::new(move |value: u16| value.saturating_add(n)) };
    let mut points = Points::of_maps([Some(add(5)), None, None]);
    points.push(Step::Mix(Mix::new([[1.0, 0.0, 0.0], [0.0, 1.2, 0.0], [0.0, 0.0, 1.2]]).unwrap()));
    points.push(Step::Maps([Some(add(7)), Some(add(1)), None]));
    for (group, steps) in [(0..1, 1), (1..3, 2), (0..3, 3)] {
        let own = points.of_group(&group);
        assert_eq!(own.steps().len(), steps, "{group:?}");
        let (mut all, mut few) = ([100, 40_000, 20_000], [100, 40_000, 20_000]);
        points.apply(&group, &mut all);
        own.apply(&group, &mut few);
        group.for_each(|c| assert_eq!(few[c], all[c]));
    }
}
