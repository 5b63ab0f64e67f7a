//! `.3dl` of Autodesk's programs: whole numbers, blue fastest, behind a line of the inputs that the colours along an edge
//! belong to. `Mesh a b` says that inputs have 2^a + 1 places and results b bits.

use super::text::{Line, Lines, Rows};
use super::{Curves, LONGEST_CURVE, Lut, LutDomain, MOST_EDGE, red_fastest};
use crate::error::{Error, Result};

/// Depths that whole numbers may have.
const DEPTHS: [u32; 5] = [8, 10, 12, 14, 16];

/// The table of a `.3dl` file.
pub(super) fn parse(bytes: &[u8]) -> Result<Lut> {
    let mut lines = Lines::new(bytes);
    let (mut places, mut depth) = (None, None);
    let mut rows = None;
    for line in lines.by_ref() {
        match line.words[0].to_ascii_lowercase().as_str() {
            "3dmesh" => {}
            "mesh" => depth = Some(mesh_depth(&line)?),
            // What programs add behind the colours.
            "lut8" | "gamma" => {}
            _ if places.is_none() => {
                let inputs = inputs(&line)?;
                rows = Some(Rows::of_cube(inputs.len()));
                places = Some(inputs);
            }
            _ => rows.as_mut().map_or(Ok(()), |rows| rows.add(&line))?,
        }
    }
    let last = lines.number();
    let (Some(places), Some(rows)) = (places, rows) else {
        return Err(Error::corrupt(format!("line {last}: the file ends before the line of inputs")));
    };
    let mut values = rows.finish(last)?;
    let most = values.iter().flatten().copied().fold(0.0f32, f32::max);
    let depth = depth.or_else(|| DEPTHS.into_iter().find(|depth| f64::from(most) <= top(*depth)));
    let depth = depth.ok_or_else(|| Error::corrupt(format!("a result is {most}, which no depth up to 16 bits has")))?;
    values.iter_mut().flatten().for_each(|value| *value = (f64::from(*value) / top(depth)) as f32);
    let mut lut = Lut::of_cube(places.len(), red_fastest(places.len(), &values));
    lut.curves = uneven(&places).then(|| curves(&places));
    Ok(lut)
}

/// The highest code of `depth` bits.
fn top(depth: u32) -> f64 {
    f64::from((1u32 << depth) - 1)
}

/// The bits of results that a line `Mesh a b` states.
fn mesh_depth(line: &Line) -> Result<u32> {
    let [_, depth] = line.values()?;
    DEPTHS
        .into_iter()
        .find(|known| f64::from(*known) == depth)
        .ok_or_else(|| line.wrong(format!("results have 8, 10, 12, 14 or 16 bits: {}", line.excerpt())))
}

/// The line of inputs: rising, from 0 on.
fn inputs(line: &Line) -> Result<Vec<f64>> {
    let inputs = line.all()?;
    let rises = inputs.windows(2).all(|pair| pair[0] < pair[1]);
    if !(2..=MOST_EDGE).contains(&inputs.len()) || !rises || inputs[0] != 0.0 {
        return Err(line.wrong(format!(
            "inputs are 2 to {MOST_EDGE} rising numbers, the first of them 0, as 0 64 128 … 1023: {}",
            line.excerpt()
        )));
    }
    Ok(inputs)
}

/// Whether inputs are further from even spacing than rounding brings them.
fn uneven(inputs: &[f64]) -> bool {
    let (last, steps) = (inputs[inputs.len() - 1], (inputs.len() - 1) as f64);
    inputs.iter().enumerate().any(|(i, input)| (input - last * i as f64 / steps).abs() > 1.0)
}

/// Curves that bring inputs to even spacing.
fn curves(inputs: &[f64]) -> Curves {
    let (last, steps) = (inputs[inputs.len() - 1], (inputs.len() - 1) as f64);
    let place = |i: usize| {
        let input = last * i as f64 / (LONGEST_CURVE - 1) as f64;
        let at = inputs.partition_point(|start| *start <= input).clamp(1, inputs.len() - 1) - 1;
        ((at as f64 + (input - inputs[at]) / (inputs[at + 1] - inputs[at])) / steps) as f32
    };
    Curves { domain: LutDomain::UNIT, values: (0..LONGEST_CURVE).map(|i| [place(i); 3]).collect() }
}
