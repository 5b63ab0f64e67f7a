//! Expressions worked out by hand.

use super::code::{Code, MOST_REGISTERS};
use super::words::Expression;
use crate::filters::testing::{picture, run_inputs, samples};
use crate::filters::{Setup, chain, testing};
use crate::video::{Format, FrameProps, Picture, StreamInfo};

/// Rows of 8-bit grey.
fn row(values: &[i32]) -> [Picture; 1] {
    [picture(Format::gray(8).unwrap(), values.len(), 1, |_, x, _| values[x])]
}

/// What an expression makes of a row.
fn of(expression: &str, values: &[i32]) -> Vec<i32> {
    samples(&run_inputs(&format!("expr='{expression}'"), &[&row(values)]), 0)
}

fn refused(text: &str) -> String {
    Expression::read(text).unwrap_err().message().to_owned()
}

#[test]
fn words_do_what_they_say() {
    for (expression, of_nine) in [
        ("x 2 *", 18),
        ("x 2 /", 5),
        ("x 4 -", 5),
        ("20 x -", 11),
        ("x 4 %", 1),
        ("x 2 pow", 81),
        ("x 0.5 **", 3),
        ("x 10 max", 10),
        ("x 10 min", 9),
        ("x 9 = 5 *", 5),
        ("x 9 > 5 *", 0),
        ("x 9 >= x 9 <= and 7 *", 7),
        ("x 9 < x or 7 *", 7),
        ("x x xor 7 *", 0),
        ("x not 7 +", 7),
        ("x 8 > 100 200 ?", 100),
        ("x 10 > 100 200 ?", 200),
        ("x 10 20 clip", 10),
        ("x 1 3 clamp", 3),
        ("x 29 - abs", 20),
        ("x sqrt", 3),
        ("x log exp", 9),
        ("x 9 - cos", 1),
        ("x 9 - sin", 0),
        ("x 0.7 + floor", 9),
        ("x 0.3 + ceil", 10),
        ("x 0.5 + round", 10),
        ("x 0 * 0.49999997 + round 9 +", 9),
        ("8388609 round 8388600 -", 9),
        ("x 0.7 + trunc", 9),
        ("x dup +", 18),
        ("x 1 dup1 + +", 19),
        ("1 x swap -", 8),
        ("1 x 3 swap2 - +", 11),
        ("x 1 2 drop2", 9),
        ("x 1 drop", 9),
        ("x 5 + a! a@ a@ * 100 -", 96),
        ("x width + height +", 13),
        ("x X + Y + N +", 9),
        ("range_max range_min - x -", 246),
        ("range_half x +", 137),
        ("ymin ymax + cmin + cmax + 400 -", 107),
        ("x pi -", 6),
        ("-1 0 /", 0),
        ("1 0 /", 255),
        ("-1 sqrt", 0),
        ("0 0 /", 0),
    ] {
        assert_eq!(of(expression, &[9, 9, 9])[0], of_nine, "{expression}");
    }
}

#[test]
fn places_are_counted_from_zero() {
    assert_eq!(of("X 10 *", &[5; 4]), [0, 10, 20, 30]);
    let filter = chain("expr='Y 10 * N +'").unwrap().remove(0);
    let src = picture(Format::gray(8).unwrap(), 2, 3, |_, _, _| 0);
    let input = StreamInfo::bare(src.format(), 2, 3);
    let setup = Setup::of(input.clone(), src.format(), input.clone(), src.format());
    let spec = filter.spec(&[input]).unwrap();
    let props = FrameProps { frame_index: 7, ..FrameProps::default() };
    let (out, _) = testing::run_levels(&*filter, &setup, &spec, &[vec![src.planes()]], &props, &testing::one_thread());
    assert_eq!(samples(&out, 0), [7, 7, 17, 17, 27, 27]);
}

/// 10 bits: code 402 is 100.5 of eight bits.
#[test]
fn codes_are_those_of_eight_bits_or_of_the_film() {
    let ten = |text: &str| {
        let src = [picture(Format::gray(10).unwrap(), 2, 1, |_, _, _| 402)];
        samples(&run_inputs(text, &[&src]), 0)[0]
    };
    assert_eq!((ten("expr='x 0.5 +'"), ten("expr='x 100 > 200 0 ?'")), (404, 800));
    assert_eq!((ten("expr='x 1 +':scale=native"), ten("expr='x 402 = 5 0 ?':scale=native")), (403, 5));
    assert_eq!((ten("expr=range_max"), ten("expr=range_max:scale=native")), (1023, 1023));
    assert_eq!((ten("expr=ymax"), ten("expr=ymax:scale=native"), ten("expr='range_max x -'")), (940, 940, 621));
}

#[test]
fn three_pictures_are_read() {
    let (a, b, c) = (row(&[10, 20]), row(&[1, 2]), row(&[100, 200]));
    let made = |text: &str, inputs: &[&[Picture]]| samples(&run_inputs(text, inputs), 0);
    assert_eq!(made("expr='x y - z +':with=b:with2=c", &[&a, &b, &c]), [109, 218]);
    assert_eq!(made("expr='x z -':with2=b", &[&a, &b]), [9, 18]);
}

#[test]
fn planes_have_expressions_of_their_own() {
    let src = [picture(Format::yuv(0, 0, 8).unwrap(), 1, 1, |c, _, _| 10 * (1 + c as i32))];
    let made = |text: &str| {
        let out = run_inputs(text, &[&src]);
        [0, 1, 2].map(|component| samples(&out, component)[0])
    };
    assert_eq!(made("expr='x 1 +'"), [11, 21, 31]);
    assert_eq!(made("expr='x 1 +':u='x 2 +'"), [11, 22, 32]);
    assert_eq!(made("expr='x 1 +':u=x:v='x 3 +'"), [11, 20, 33]);
    assert_eq!(made("expr=x:u='x 2 +'"), [10, 22, 32]);
    assert_eq!(made("expr='x 1 +':planes=uv"), [10, 21, 31]);
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    assert_eq!(refused("x 1 + mox"), "word 4, 'mox', is not known; did you mean 'max'?");
    assert!(refused("x foobarbaz").starts_with("word 2, 'foobarbaz', is not known: there are x y z, numbers, +"));
    assert_eq!(refused("x +"), "word 2, '+', takes 2 values, but finds 1");
    assert_eq!(refused("not"), "word 1, 'not', takes 1 value, but finds 0");
    assert_eq!(refused("x swap2"), "word 2, 'swap2', takes 3 values, but finds 1");
    assert_eq!(refused("x y 1"), "3 values are left at the end: one must be");
    assert_eq!(refused(" "), "an expression has words: 'x' leaves the plane as it is");
    assert_eq!(refused("x drop"), "no value is left at the end: one must be");
    assert_eq!(refused("x a@ + a!"), "word 2, 'a@', has no value yet: write NAME! before NAME@");
    assert_eq!(refused(&"x ".repeat(1001)), "1001 words are too many: at most 1000");
    for word in ["nan", "inf", "-inf", "1e99", "dup1000", "dup-1", "9a!", "!", "@", "X1"] {
        assert!(refused(word).contains("is not known"), "{word}");
    }
    let made = |text: &str| chain(text).unwrap_err().message().to_owned();
    assert_eq!(made("expr='x y -'"), "expr: 'y' needs another picture: add with=NAME");
    assert_eq!(made("expr='x z -':with=b"), "expr: 'z' needs another picture: add with2=NAME");
    assert_eq!(made("expr='x +'"), "expr: option 'expr': word 2, '+', takes 2 values, but finds 1");
    let warning = chain("expr='x 1 +':with=b").unwrap()[0].warning().unwrap();
    assert_eq!(warning, "expr: with=b is of no use: no expression has 'y'");
}

#[test]
fn a_call_is_written_as_it_is_read() {
    for text in ["expr=expr='x 1 + 2 swap -'", "expr=u='x 3 /':scale=native", "expr=v='x 2 *'"] {
        let call = chain(text).unwrap()[0].call().to_string();
        assert_eq!(chain(&call).unwrap()[0].call().to_string(), call);
        assert_eq!(call, text);
    }
    assert_eq!(chain("expr='  x\t 1  + '").unwrap()[0].call().to_string(), "expr=expr='x 1 +'");
}

/// x² + x²: the square once, the sum once.
#[test]
fn what_is_there_twice_is_computed_once() {
    let code = |text: &str| Expression::read(text).unwrap().code().clone();
    assert_eq!(code("x x * x dup * +").steps.len(), 3);
    assert_eq!(code("x 5 y 3 * drop + 5 +").steps.len(), 4);
    assert_eq!(code("x 1 + 2 + 3 + 4 +").registers, 3);
}

#[test]
fn too_many_values_at_a_time_are_refused() {
    let held = |count: usize| {
        let numbers: String = (0..count).map(|i| format!("{i} ")).collect();
        Expression::read(&(numbers + &"+ ".repeat(count - 1)))
    };
    assert_eq!(held(MOST_REGISTERS - 1).unwrap().code().registers, MOST_REGISTERS);
    let said = "33 values are needed at a time, the result among them: at most 32";
    assert!(held(MOST_REGISTERS).unwrap_err().message().ends_with(said));
}

/// Any text is an expression or an error; an expression has code whose registers are written before they are read.
#[test]
fn any_text_is_read() {
    let words = [
        "x", "y", "1", "-2.5", "+", "*", "?", "dup", "dup1", "swap", "swap2", "drop", "a!", "a@", "clip", "N", "é", "'",
    ];
    let (mut state, mut read) = (1u32, 0);
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below
    };
    for _ in 0..4_000 {
        let text: Vec<&str> = (0..next(12)).map(|_| words[next(words.len())]).collect();
        let Ok(expression) = Expression::read(&text.join(" ")) else { continue };
        let Code { steps, registers } = expression.code();
        let mut written = vec![false; *registers];
        for step in steps {
            if let super::code::Value::Apply(_, from) = step.value {
                assert!(from.iter().all(|register| written[*register] && *register != step.to), "{text:?}");
            }
            written[step.to] = true;
        }
        read += 1;
    }
    assert!(read > 100, "{read} were expressions");
    for _ in 0..4_000 {
        let text: String = (0..next(20)).map(|_| char::from_u32(next(0x300) as u32).unwrap_or(' ')).collect();
        let _ = Expression::read(&text);
    }
}
