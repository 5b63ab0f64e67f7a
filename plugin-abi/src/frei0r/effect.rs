//! Which effect this file is, and its parameters as hosts see them.

use super::abi;
use crate::own_file;
use std::ffi::{CString, c_int};
use std::sync::LazyLock;
use vramp::error::Result;
use vramp::filters::{self, Descriptor, Filter};
use vramp::params::{Arg, Call, Control, Param};

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
    pub ty: Control,
    /// The value it has until the host sets another, as a chain writes it.
    pub default: String,
}

/// The effect of this library.
pub static EFFECT: LazyLock<Effect> = LazyLock::new(|| Effect::named(&own_name()));

/// What this library's file is called, without its extension: a host has one effect a file, so copies of the library offer
/// different ones by their names.
fn own_name() -> String {
    let stem = own_file::path().and_then(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    stem.unwrap_or_default()
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
                    ty: Control::Text,
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
        let ty = Control::of(param);
        let scale = match ty {
            Control::Int { .. } | Control::Float { .. } => "; 0 to 1 is that range",
            Control::Switch | Control::Text => "",
        };
        let explanation = text(&format!("{} It takes {}{scale}.", param.doc, param.takes()));
        Parameter { name: text(param.name), explanation, ty, default: (param.default)() }
    }
}

/// frei0r's number of a control's type.
pub fn type_code(ty: Control) -> c_int {
    match ty {
        Control::Switch => abi::BOOL,
        Control::Int { .. } | Control::Float { .. } => abi::DOUBLE,
        Control::Text => abi::STRING,
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
    fn what_no_slider_holds_is_text() {
        let deband = Effect::named("vramp_deband");
        let ty = |name: &str| deband.parameters.iter().find(|p| p.name.to_str() == Ok(name)).unwrap().ty;
        assert_eq!([ty("dither"), ty("seed"), ty("field")], [Control::Text; 3]);
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
