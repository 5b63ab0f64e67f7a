//! Which effect this file is, and its parameters as hosts see them.

use super::abi;
use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::LazyLock;
use vramp::error::Result;
use vramp::filters::{self, Descriptor, Filter};
use vramp::params::{Arg, Call, Param, ParamKind};

/// More values than this do not fit a slider: such a number is text.
const MOST_ON_A_SLIDER: i64 = 1 << 16;

/// The chain effect's text until the host sets another.
const DEFAULT_CHAIN: &str = "deband";

/// An effect: what one file offers.
pub struct Effect {
    /// Its name, for hosts.
    pub name: CString,
    /// One line on what it does.
    pub explanation: CString,
    /// Its parameters, in their order.
    pub parameters: Vec<Parameter>,
    kind: EffectKind,
}

enum EffectKind {
    /// One filter, with its parameters.
    Filter(&'static Descriptor),
    /// Any chain, as text.
    Chain,
}

/// A parameter of an effect.
pub struct Parameter {
    pub name: CString,
    pub explanation: CString,
    pub ty: Type,
    /// The value it has until the host sets another, as a chain writes it.
    pub default: String,
}

/// How a host holds a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Type {
    /// On or off.
    Bool,
    /// A whole number, of which 0 to 1 is `min` to `max`.
    Int { min: i64, max: i64 },
    /// A number, of which 0 to 1 is `min` to `max`.
    Float { min: f64, max: f64 },
    /// As a chain writes it.
    Text,
}

/// The effect of this library.
pub static EFFECT: LazyLock<Effect> = LazyLock::new(|| Effect::named(&own_name()));

/// What this library's file is called, without its extension: a host has one effect a file, so copies of the library offer
/// different ones by their names.
fn own_name() -> String {
    // SAFETY: all zero is a value of the struct, which is filled in by the call; the address is this function's.
    let info = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(own_name as *const c_void, &mut info);
        info
    };
    if info.dli_fname.is_null() {
        return String::new();
    }
    // SAFETY: the loader's names end with a NUL, and this library's lives as long as it.
    let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(info.dli_fname) }.to_bytes()));
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

impl Effect {
    /// The effect of a file called `stem`: `vramp_NAME` is the filter of that name, anything else the chain.
    pub fn named(stem: &str) -> Effect {
        let asked = stem.strip_prefix("vramp_");
        if let Some(name) = asked.filter(|name| *name != "chain" && filters::find(name).is_none()) {
            log::warn!("{stem}: no filter is called '{name}', so this is the effect of any chain");
        }
        match asked.and_then(filters::find) {
            Some(filter) => Effect {
                name: text(&format!("vramp {}", filter.name)),
                explanation: text(filter.summary),
                parameters: filter.schema.params.iter().map(Parameter::of).collect(),
                kind: EffectKind::Filter(filter),
            },
            None => Effect {
                name: text("vramp chain"),
                explanation: text("Runs a chain of vramp's filters"),
                parameters: vec![Parameter {
                    name: text("chain"),
                    explanation: text("The filters in order, as in deband(range 16, sample 2) > gauss(0.5)"),
                    ty: Type::Text,
                    default: DEFAULT_CHAIN.to_owned(),
                }],
                kind: EffectKind::Chain,
            },
        }
    }

    /// The filters that `values` ask for, one for each parameter.
    ///
    /// # Errors
    /// When a value is none of its parameter's, or the chain cannot be read.
    pub fn filters(&self, values: &[String]) -> Result<Vec<Box<dyn Filter>>> {
        match self.kind {
            EffectKind::Chain => filters::program(&values[0]),
            EffectKind::Filter(filter) => {
                let arg = |(param, value): (&Param, &String)| {
                    let key = Some(param.name.to_owned());
                    // A host that has nothing to say says so.
                    (!value.is_empty()).then(|| Arg { key, value: value.clone() })
                };
                let args = filter.schema.params.iter().zip(values).filter_map(arg).collect();
                Ok(vec![filters::create(&Call { name: filter.name.to_owned(), args })?])
            }
        }
    }
}

impl Parameter {
    fn of(param: &'static Param) -> Parameter {
        let ty = match param.kind {
            // 0 to 1 has no place for `auto`.
            _ if param.auto => Type::Text,
            ParamKind::Bool => Type::Bool,
            ParamKind::Int { min, max } if max - min <= MOST_ON_A_SLIDER => Type::Int { min, max },
            ParamKind::Float { min, max } => Type::Float { min, max },
            ParamKind::Int { .. } | ParamKind::Choice(_) | ParamKind::Text(_) | ParamKind::Name => Type::Text,
        };
        let scale = match ty {
            Type::Int { .. } | Type::Float { .. } => "; 0 to 1 is that range",
            Type::Bool | Type::Text => "",
        };
        let explanation = text(&format!("{} It takes {}{scale}.", param.doc, param.takes()));
        Parameter { name: text(param.name), explanation, ty, default: (param.default)() }
    }
}

impl Type {
    /// frei0r's number of the type.
    pub fn code(self) -> c_int {
        match self {
            Type::Bool => abi::BOOL,
            Type::Int { .. } | Type::Float { .. } => abi::DOUBLE,
            Type::Text => abi::STRING,
        }
    }

    /// A host's number as a chain writes the value; `None` for what is no number.
    pub fn text_of(self, number: f64) -> Option<String> {
        if number.is_nan() {
            return None;
        }
        let share = number.clamp(0.0, 1.0);
        Some(match self {
            Type::Bool => if number >= 0.5 { "on" } else { "off" }.to_owned(),
            Type::Int { min, max } => (min + (share * (max - min) as f64).round() as i64).to_string(),
            Type::Float { min, max } => (min + share * (max - min)).to_string(),
            Type::Text => return None,
        })
    }

    /// The host's number for a value as a chain writes it; `None` for text.
    pub fn number_of(self, value: &str) -> Option<f64> {
        let number = || value.parse::<f64>().ok();
        match self {
            Type::Bool => Some(f64::from(u8::from(value == "on"))),
            Type::Int { min, max } => Some((number()? - min as f64) / (max - min) as f64),
            Type::Float { min, max } => Some((number()? - min) / (max - min)),
            Type::Text => None,
        }
    }
}

fn text(text: &str) -> CString {
    CString::new(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defaults(effect: &Effect) -> Vec<String> {
        effect.parameters.iter().map(|parameter| parameter.default.clone()).collect()
    }

    #[test]
    fn the_files_name_chooses_the_effect() {
        for (stem, name) in [
            ("vramp_deband", "vramp deband"),
            ("vramp_gauss", "vramp gauss"),
            ("vramp_chain", "vramp chain"),
            ("libvramp", "vramp chain"),
            ("vramp_nonsense", "vramp chain"),
            ("", "vramp chain"),
        ] {
            assert_eq!(Effect::named(stem).name.to_str(), Ok(name), "{stem}");
        }
    }

    #[test]
    fn every_filter_is_an_effect_whose_defaults_are_its_own() {
        for filter in filters::ALL {
            let effect = Effect::named(&format!("vramp_{}", filter.name));
            let call = effect.filters(&defaults(&effect)).unwrap()[0].call();
            assert_eq!((call.name.as_str(), call.args.len()), (filter.name, 0));
            for parameter in &effect.parameters {
                if let Some(number) = parameter.ty.number_of(&parameter.default) {
                    assert!((0.0..=1.0).contains(&number), "{:?} {number}", parameter.name);
                    assert_eq!(parameter.ty.text_of(number).as_deref(), Some(parameter.default.as_str()));
                }
            }
        }
    }

    #[test]
    fn numbers_go_from_end_to_end() {
        let range = Type::Int { min: 0, max: 127 };
        assert_eq!(
            [0.0, 1.0, 16.0 / 127.0, 0.1259, -3.0, 2.0].map(|n| range.text_of(n).unwrap()),
            ["0", "127", "16", "16", "0", "127"]
        );
        assert_eq!(range.text_of(f64::NAN), None);
        assert_eq!(Type::Float { min: 0.5, max: 64.5 }.text_of(0.25).unwrap(), "16.5");
        assert_eq!([0.49, 0.5, 1.0].map(|n| Type::Bool.text_of(n).unwrap()), ["off", "on", "on"]);
        // What a host sends as text stays text, and a number that no slider holds too.
        let deband = Effect::named("vramp_deband");
        let ty = |name: &str| deband.parameters.iter().find(|p| p.name.to_str() == Ok(name)).unwrap().ty;
        assert_eq!([ty("dither"), ty("seed"), ty("field")], [Type::Text; 3]);
    }

    #[test]
    fn a_wrong_value_is_reported_and_an_empty_one_is_the_default() {
        let effect = Effect::named("vramp_deband");
        let mut values = defaults(&effect);
        let dither = effect.parameters.iter().position(|p| p.name.to_str() == Ok("dither")).unwrap();
        values[dither] = "99".to_owned();
        assert!(effect.filters(&values).unwrap_err().message().contains("dither"));
        values[dither].clear();
        assert!(effect.filters(&values).unwrap()[0].call().args.is_empty());
    }
}
