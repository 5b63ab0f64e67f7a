//! Proxies: a picture of half the size is filtered by half the distances, so that it looks as the full one will.

use vramp::filters;
use vramp::params::{Arg, Call, Param, ParamKind};

/// Units of distances in the picture.
const DISTANCES: [&str; 3] = ["samples", "luma samples", "luma rows"];

/// `call` for pictures `scale` times as large.
pub fn scaled(call: &Call, scale: f64) -> Call {
    let Some(filter) = filters::find(&call.name) else { return call.clone() };
    let mut args = call.args.clone();
    for param in filter.schema.params.iter().filter(|param| DISTANCES.contains(&param.unit)) {
        let given = args.iter().position(|arg| arg.key.as_deref() == Some(param.name));
        let value = given.map_or_else(param.default, |place| args[place].value.clone());
        let Some(value) = scaled_value(param, &value, scale) else { continue };
        match given {
            Some(place) => args[place].value = value,
            None => args.push(Arg { key: Some(param.name.to_owned()), value }),
        }
    }
    Call { name: call.name.clone(), args }
}

/// A distance `scale` times as long, as far as the parameter goes; `None` where it is no number.
fn scaled_value(param: &Param, value: &str, scale: f64) -> Option<String> {
    let number = value.parse::<f64>().ok()? * scale;
    match param.kind {
        ParamKind::Int { min, max } => Some((number.round() as i64).clamp(min, max).to_string()),
        ParamKind::Float { min, max } => Some(number.clamp(min, max).to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vramp::params::{Spelling, parse_chain, print_chain};

    #[test]
    fn distances_shrink_and_nothing_else() {
        for (chain, half) in [
            ("deband", "deband=range=8"),
            ("deband=range=20:threshold=9", "deband=range=10:threshold=9"),
            ("gauss=sigma=3", "gauss=sigma=1.5"),
            ("gauss=sigma=3:radius=9", "gauss=sigma=1.5:radius=5"),
            ("gauss=sigma=0.1", "gauss=sigma=0.1"),
            ("levels=gain=2", "levels=gain=2"),
        ] {
            let call = parse_chain(chain).unwrap().remove(0);
            assert_eq!(print_chain(&[scaled(&call, 0.5)], Spelling::FFmpeg), half);
        }
    }
}
