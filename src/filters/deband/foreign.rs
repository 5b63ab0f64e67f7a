//! f3kdb's options in those of `deband`.

use crate::error::{Error, Result};
use crate::params::{Arg, Call};

/// Words for no and yes, as scripts have them.
const BOOLS: [&str; 6] = ["0", "1", "false", "true", "off", "on"];

/// What a call of f3kdb is here: without options that change no sample, and with Python's words for yes and no.
///
/// # Errors
/// For options of the filter `depth`, for random numbers and thresholds that `deband` does not have, and for values of options
/// without effect that f3kdb refuses too.
pub(super) fn f3kdb(call: &Call) -> Result<Call> {
    let mut args = Vec::new();
    for arg in &call.args {
        let value =
            if ["True", "False"].contains(&arg.value.as_str()) { arg.value.to_lowercase() } else { arg.value.clone() };
        if !is_without_effect(arg.key.as_deref().unwrap_or_default(), &value)? {
            args.push(Arg { key: arg.key.clone(), value });
        }
    }
    Ok(Call { name: call.name.clone(), args })
}

/// Whether the option changes no sample.
fn is_without_effect(key: &str, value: &str) -> Result<bool> {
    let accepted = |is_valid: bool, why: &str| match is_valid {
        true => Ok(true),
        false => Err(Error::bad_argument(format!("f3kdb: {key}={value}: {why}"))),
    };
    match key.to_ascii_lowercase().as_str() {
        "opt" => accepted(["-1", "0", "1", "2", "3"].contains(&value), "it takes -1 to 3, and has no effect here"),
        "mt" => accepted(BOOLS.contains(&value), "it takes true or false, and has no effect here"),
        "scale" => accepted(
            ["0", "false", "off"].contains(&value),
            "thresholds are in 64ths of an 8-bit step here, whatever the depth",
        ),
        "output_depth" => {
            accepted(value == "-1", &format!("here another filter changes the depth: put depth={value} behind it"))
        }
        "dither_algo" => {
            let dither = match value {
                "1" => "none",
                "2" => "ordered",
                _ => "fs",
            };
            accepted(
                false,
                &format!("here another filter drops bits: put depth=8:dither={dither} behind it, or another depth"),
            )
        }
        "random_algo_ref" | "random_algo_grain" => {
            accepted(value == "1", &format!("offsets and noise are evenly distributed here, which is {key}=1"))
        }
        // They shape random numbers of a kind that is refused above.
        "random_param_ref" | "random_param_grain" => {
            accepted(value.parse::<f64>().is_ok(), "it takes a number, and has no effect here")
        }
        _ => Ok(false),
    }
}
