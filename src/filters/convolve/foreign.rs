//! FFmpeg's `convolution` in the options of `convolve`.

use crate::error::{Error, Result};
use crate::params::{Arg, Call};

/// What a call of `convolution` is here. Its matrices are numbered by planes, which keep their samples where they have none.
///
/// # Errors
/// Where planes have different matrices or other settings, which takes a call each.
pub(super) fn convolution(call: &Call) -> Result<Call> {
    let mut args: Vec<Arg> = Vec::new();
    let mut planes: [Vec<Arg>; 3] = Default::default();
    for (i, arg) in call.args.iter().enumerate() {
        let key = match &arg.key {
            None if i == 0 => "0m",
            key => key.as_deref().unwrap_or_default(),
        };
        match (key.as_bytes().first(), key.get(1..)) {
            (Some(plane @ b'0'..=b'2'), Some(option @ ("m" | "rdiv" | "bias" | "mode"))) => {
                let (key, value) = translate(option, &arg.value)?;
                planes[usize::from(plane - b'0')].push(Arg { key: Some(key.to_owned()), value });
            }
            // That of alpha, which no format here has.
            (Some(b'3'), Some("m" | "rdiv" | "bias" | "mode")) => {}
            _ => args.push(arg.clone()),
        }
    }
    let has_matrix = |plane: &[Arg]| plane.iter().any(|arg| arg.key.as_deref() == Some("kernel"));
    let filtered: Vec<_> = (0..3).filter(|plane| has_matrix(&planes[*plane])).collect();
    let Some(first) = filtered.first() else { return Ok(Call { name: call.name.clone(), args }) };
    if filtered.iter().any(|plane| planes[*plane] != planes[*first]) {
        return Err(Error::bad_argument(
            "convolution: planes with different matrices are filters of their own here: convolve=kernel='…':planes=y,\
             convolve=kernel='…':planes=uv",
        ));
    }
    let word: String = filtered.iter().map(|plane| ["y", "u", "v"][*plane]).collect();
    let mut own = planes[*first].clone();
    if !args.iter().any(|arg| arg.key.as_deref() == Some("planes")) {
        own.push(Arg { key: Some("planes".to_owned()), value: word });
    }
    own.extend(args);
    Ok(Call { name: call.name.clone(), args: own })
}

/// An option and its value here.
fn translate(option: &str, value: &str) -> Result<(&'static str, String)> {
    match option {
        "m" => Ok(("kernel", value.to_owned())),
        // Both count codes of 8 bits where the film has as many.
        "bias" => Ok(("bias", value.to_owned())),
        "rdiv" => match value.parse::<f64>() {
            Ok(0.0) => Ok(("divisor", "auto".to_owned())),
            Ok(factor) if factor > 0.0 => Ok(("divisor", nearest_whole(1.0 / factor).to_string())),
            _ => Err(Error::bad_argument(format!("convolution: rdiv={value} must be a positive number, or 0"))),
        },
        _ if value == "square" => Ok(("width", "auto".to_owned())),
        _ => Err(Error::bad_argument(format!(
            "convolution: mode={value} is another kernel here: convolve=kernel='1 2 1':width=3 for a row, '1/2/1' for a column"
        ))),
    }
}

/// One over a number that was cut: 1/0.1111 means 9.
fn nearest_whole(divisor: f64) -> f64 {
    let whole = libm::round(divisor);
    if (divisor - whole).abs() < whole * 1e-3 { whole } else { divisor }
}
