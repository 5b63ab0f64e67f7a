use super::*;
use crate::error::Kind;
use proptest::prelude::*;

crate::choices! {
    /// How the sample moves.
    pub enum Direction {
        /// Towards white.
        Up = "up",
        /// Towards black.
        Down = "down",
    }
}

crate::params! {
    /// One parameter of every type.
    pub struct Lift {
        /// Added to every sample.
        amount: i64 = 3, ParamKind::Int { min: -9, max: 9 }, unit "code values", aliases ["a", "by"];
        /// Multiplied with.
        gain: f64 = 1.5, ParamKind::Float { min: 0.0, max: 64.0 }, unit "", aliases [];
        /// Whether chroma is lifted too.
        chroma: bool = false, ParamKind::Bool, unit "", aliases ["uv"];
        /// Where to.
        way: Direction = Direction::Up, ParamKind::Choice(Direction::WORDS), unit "", aliases [];
        /// How far it looks; auto follows from `amount`.
        radius: Option<i64> = None, ParamKind::Int { min: 1, max: 30 }, unit "pixels", aliases [];
    }
    presets {
        "high": "As far as it goes", [("amount", "9"), ("chroma", "on")];
        "low": "The other way", [("amount", "-9"), ("way", "down")];
    }
    elsewhere {
        ["gainV", "gv"]: "'gain' is of both ways here";
    }
}

fn lift(text: &str) -> Result<Lift> {
    Lift::from_call(&parse_chain(text)?[0])
}

fn refusal(text: &str) -> String {
    let error = lift(text).expect_err(text);
    assert_eq!(error.kind(), Kind::BadArgument);
    error.message().to_owned()
}

#[test]
fn defaults() {
    let expected = Lift { amount: 3, gain: 1.5, chroma: false, way: Direction::Up, radius: None };
    assert_eq!(Lift::default(), expected);
    assert_eq!(lift("lift").unwrap(), expected);
    let defaults: Vec<_> = Lift::SCHEMA.params.iter().map(|p| (p.default)()).collect();
    assert_eq!(defaults, ["3", "1.5", "off", "up", "auto"]);
    assert_eq!(Lift::SCHEMA.params[4].doc, "How far it looks; auto follows from `amount`.");
}

#[test]
fn values_by_name_alias_and_position() {
    let expected = Lift { amount: -9, gain: 0.25, chroma: true, way: Direction::Down, radius: Some(30) };
    for text in [
        "lift=amount=-9:gain=0.25:chroma=on:way=down:radius=30",
        "lift=radius=30:way=down:uv=yes:by=-9:gain=.25",
        "lift=-9:2.5e-1:1:down:30",
        "lift(-9, 0.25, way down, uv true, radius 30)",
    ] {
        assert_eq!(lift(text).unwrap(), expected, "{text}");
    }
}

#[test]
fn the_ends_of_a_range_are_in_it() {
    assert_eq!(lift("lift=9:64").unwrap(), Lift { amount: 9, gain: 64.0, ..Lift::default() });
    assert_eq!(lift("lift=-9:0").unwrap(), Lift { amount: -9, gain: 0.0, ..Lift::default() });
}

#[test]
fn what_is_no_value_is_refused() {
    for amount in ["10", "-10", "3.5", "1e0", "three", "''", "9223372036854775808", "0x3", "auto"] {
        let text = amount.trim_matches('\'');
        let message =
            format!("lift: option 'amount' cannot be '{text}': it takes a whole number from -9 to 9 (code values)");
        assert_eq!(refusal(&format!("lift=amount={amount}")), message);
    }
    for gain in ["64.001", "-0.001", "nan", "NaN", "inf", "-inf", "1,5", "''", "1e999"] {
        let text = gain.trim_matches('\'');
        let message = format!("lift: option 'gain' cannot be '{text}': it takes a number from 0 to 64");
        assert_eq!(refusal(&format!("lift=gain={}", gain.replace(',', "\\,"))), message);
    }
    let message = "lift: option 'chroma' cannot be 'maybe': it takes on or off";
    assert_eq!(refusal("lift=chroma=maybe"), message);
    let message = "lift: option 'way' cannot be 'dwon': it takes one of up, down; did you mean 'down'?";
    assert_eq!(refusal("lift=way=dwon"), message);
    let message = "lift: option 'radius' cannot be '0': it takes auto, or a whole number from 1 to 30 (pixels)";
    assert_eq!(refusal("lift=radius=0"), message);
    let message = "lift: option 'by' cannot be '10': it takes a whole number from -9 to 9 (code values)";
    assert_eq!(refusal("lift=by=10"), message, "the name is the caller's");
}

#[test]
fn what_is_no_option_is_refused() {
    assert_eq!(refusal("lift=amuont=1"), "lift has no option 'amuont'; did you mean 'amount'?");
    assert_eq!(refusal("lift=xyzzy=1"), "lift has no option 'xyzzy'");
    for theirs in ["gainV", "gv"] {
        let message = format!("lift has no option '{theirs}': 'gain' is of both ways here");
        assert_eq!(refusal(&format!("lift={theirs}=1")), message);
    }
    assert_eq!(refusal("lift=1:1:1:up:1:7"), "lift takes 5 options: '7' is one too many");
    assert_eq!(refusal("lift=way=up:1"), "lift: '1' follows named options and needs its option's name");
    assert_eq!(refusal("lift=a=1:by=2"), "lift: option 'amount' is given twice");
    assert_eq!(refusal("lift=1:amount=2"), "lift: option 'amount' is given twice");
}

#[test]
fn messages_stay_on_one_short_line() {
    for text in ["lift=amount=X", "lift=1:1:1:up:1:X", "lift=way=up:X", "lift=preset=X", "lift=way=X", "lift=radius=X"]
    {
        let message = refusal(&text.replace('X', &format!("'{}'", "long\n".repeat(2000))));
        assert!(message.chars().count() < 150 && !message.contains('\n'), "{message}");
    }
}

#[test]
fn a_preset_comes_before_its_overrides() {
    let high = Lift { amount: 9, chroma: true, ..Lift::default() };
    assert_eq!(lift("lift=preset=high").unwrap(), high);
    let lower = Lift { amount: 5, ..high.clone() };
    assert_eq!(lift("lift=preset=high:amount=5").unwrap(), lower);
    assert_eq!(lift("lift=amount=5:preset=high").unwrap(), lower);
    assert_eq!(lift("lift=5:preset=high").unwrap(), lower);
    assert_eq!(lift("lift=preset=high:5").unwrap(), lower);
    assert_eq!(refusal("lift=preset=hihg"), "lift has no preset 'hihg': it has high, low; did you mean 'high'?");
    assert_eq!(refusal("lift=preset=high:preset=low"), "lift: 'preset' is given twice");
}

#[test]
fn a_call_holds_only_what_differs_from_the_defaults() {
    assert_eq!(Lift::default().to_call("lift").to_string(), "lift");
    assert_eq!(lift("lift=preset=low:way=up").unwrap().to_call("lift").to_string(), "lift=amount=-9");
    let all = "lift=amount=0:gain=2:chroma=on:way=down:radius=1";
    assert_eq!(lift(all).unwrap().to_call("lift").to_string(), all);
}

#[test]
fn a_name_is_near_within_a_quarter_of_it() {
    let names = || ["range", "sample", "rand_each_frame"].into_iter();
    assert_eq!(did_you_mean("rnage", names()), "; did you mean 'range'?");
    assert_eq!(did_you_mean("randeachframe", names()), "; did you mean 'rand_each_frame'?");
    assert_eq!(did_you_mean("rag", names()), "; did you mean 'range'?");
    assert_eq!(did_you_mean("rg", names()), "");
    assert_eq!(did_you_mean("b", ["y", "u", "r"].into_iter()), "", "another letter is another name");
    let names = || ["sigma_s", "sigmaS", "sigma_r", "radius"].into_iter();
    assert_eq!(did_you_mean("sigmaR", names()), "; did you mean 'sigma_r'?");
    assert_eq!(did_you_mean("SigmaS", names()), "; did you mean 'sigmaS'?");
    assert_eq!(did_you_mean("sigma-r", names()), "; did you mean 'sigma_r'?");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parameters_survive_a_round_trip_through_text(
        amount in -9i64..=9,
        gain in 0.0..=64.0,
        chroma: bool,
        way in prop::sample::select(Direction::ALL),
        radius in prop::option::of(1i64..=30),
        spelling in prop::sample::select(&[Spelling::FFmpeg, Spelling::Plain]),
    ) {
        let params = Lift { amount, gain, chroma, way, radius };
        let text = print_chain(&[params.to_call("lift")], spelling);
        prop_assert_eq!(lift(&text).unwrap(), params);
    }
}

crate::params! {
    /// A filter that reads another picture.
    pub struct Masked {
        /// What it is called.
        mask: Option<Name> = None, ParamKind::Name, unit "", aliases [];
    }
    presets {}
}

#[test]
fn names_are_plain_words() {
    let masked = |text: &str| Masked::from_call(&parse_chain(&format!("lift=mask={text}"))?[0]);
    let named = |text: &str| masked(text).unwrap().mask.map(|name| name.as_str().to_owned());
    assert_eq!(named("Left_2").as_deref(), Some("Left_2"));
    assert_eq!(named("auto"), None);
    let longest = "a".repeat(Name::MOST_BYTES);
    assert_eq!(named(&longest), Some(longest.clone()));
    for wrong in ["2nd", "_a", "a-b", "'a b'", "ä", "''", &format!("{longest}a")] {
        let takes = "it takes auto, or a name of letters, digits and '_' that begins with a letter";
        assert!(masked(wrong).unwrap_err().message().ends_with(takes), "{wrong}");
    }
    for spelling in [Spelling::FFmpeg, Spelling::Plain] {
        let made = masked("sky").unwrap();
        let text = print_chain(&[made.to_call("lift")], spelling);
        assert_eq!(Masked::from_call(&parse_chain(&text).unwrap()[0]).unwrap(), made, "{text}");
    }
}
