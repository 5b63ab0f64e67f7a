//! Parameters as hosts hold them that know switches, numbers from 0 to 1, and text: frei0r, and editors behind it.

use super::{Param, ParamKind};

/// More values than this do not fit a slider: such a number is text.
const MOST_ON_A_SLIDER: i64 = 1 << 16;

/// How such a host holds a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// On or off.
    Switch,
    /// A whole number, of which 0 to 1 is `min` to `max`.
    Int {
        /// The number of 0.
        min: i64,
        /// The number of 1.
        max: i64,
    },
    /// A number, of which 0 to 1 is `min` to `max`.
    Float {
        /// The number of 0.
        min: f64,
        /// The number of 1.
        max: f64,
    },
    /// As a chain writes it.
    Text,
}

impl Control {
    /// That of a parameter.
    pub fn of(param: &Param) -> Control {
        match param.kind {
            // 0 to 1 has no place for `auto`.
            _ if param.auto => Control::Text,
            ParamKind::Bool => Control::Switch,
            ParamKind::Int { min, max } if max - min <= MOST_ON_A_SLIDER => Control::Int { min, max },
            ParamKind::Float { min, max } => Control::Float { min, max },
            ParamKind::Int { .. } | ParamKind::Choice(_) | ParamKind::Text(_) | ParamKind::Name => Control::Text,
        }
    }

    /// A host's number as a chain writes the value; a number beyond 0 to 1 counts as the nearer end. `None` for what is no
    /// number, and for text.
    pub fn text_of(self, number: f64) -> Option<String> {
        if number.is_nan() {
            return None;
        }
        let share = number.clamp(0.0, 1.0);
        Some(match self {
            Control::Switch => if number >= 0.5 { "on" } else { "off" }.to_owned(),
            Control::Int { min, max } => (min + (share * (max - min) as f64).round() as i64).to_string(),
            // To a billionth, so that a default is written as it is stated.
            Control::Float { min, max } => (((min + share * (max - min)) * 1e9).round() / 1e9).to_string(),
            Control::Text => return None,
        })
    }

    /// The host's number for a value as a chain writes it; `None` for text.
    pub fn number_of(self, value: &str) -> Option<f64> {
        let number = || value.parse::<f64>().ok();
        match self {
            Control::Switch => Some(f64::from(u8::from(value == "on"))),
            Control::Int { min, max } => Some((number()? - min as f64) / (max - min) as f64),
            Control::Float { min, max } => Some((number()? - min) / (max - min)),
            Control::Text => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_go_from_end_to_end() {
        let range = Control::Int { min: 0, max: 127 };
        assert_eq!(
            [0.0, 1.0, 16.0 / 127.0, 0.1259, -3.0, 2.0].map(|n| range.text_of(n).unwrap()),
            ["0", "127", "16", "16", "0", "127"]
        );
        assert_eq!(range.text_of(f64::NAN), None);
        assert_eq!(Control::Float { min: 0.5, max: 64.5 }.text_of(0.25).unwrap(), "16.5");
        assert_eq!([0.49, 0.5, 1.0].map(|n| Control::Switch.text_of(n).unwrap()), ["off", "on", "on"]);
    }

    #[test]
    fn a_number_goes_there_and_back() {
        let sigma = Control::Float { min: 0.1, max: 64.0 };
        for (control, value) in [(Control::Int { min: 8, max: 16 }, "10"), (Control::Switch, "on"), (sigma, "0.5")] {
            assert_eq!(control.text_of(control.number_of(value).unwrap()).as_deref(), Some(value));
        }
        assert_eq!(Control::Text.number_of("7"), None);
    }
}
