//! `.cube`: Adobe's specification 1.0, and what Resolve adds to it: curves and a cube in one file, `LUT_1D_INPUT_RANGE`,
//! `LUT_3D_INPUT_RANGE`, `LUT_IN_VIDEO_RANGE` and `LUT_OUT_VIDEO_RANGE`.

use super::text::{Line, Lines, Rows};
use super::{ColourCube, Curves, LONGEST_CURVE, Lut, LutDomain, MOST_EDGE};
use crate::error::{Error, Result};

/// What stands before the colours.
#[derive(Default)]
struct Header {
    curve: Option<usize>,
    edge: Option<usize>,
    min: Option<[f64; 3]>,
    max: Option<[f64; 3]>,
    curve_range: Option<[f64; 2]>,
    cube_range: Option<[f64; 2]>,
    limited: [bool; 2],
}

impl Header {
    /// Reads a line that begins with a keyword.
    fn keyword(&mut self, line: &Line) -> Result<()> {
        match line.words[0].as_str() {
            "LUT_1D_SIZE" => once(line, &mut self.curve, line.count(2, LONGEST_CURVE)?),
            "LUT_3D_SIZE" => once(line, &mut self.edge, line.count(2, MOST_EDGE)?),
            "DOMAIN_MIN" => once(line, &mut self.min, line.values()?),
            "DOMAIN_MAX" => once(line, &mut self.max, line.values()?),
            "LUT_1D_INPUT_RANGE" => once(line, &mut self.curve_range, line.values()?),
            "LUT_3D_INPUT_RANGE" => once(line, &mut self.cube_range, line.values()?),
            "LUT_IN_VIDEO_RANGE" => {
                self.limited[0] = true;
                Ok(())
            }
            "LUT_OUT_VIDEO_RANGE" => {
                self.limited[1] = true;
                Ok(())
            }
            // Titles, and keywords of programs.
            _ => Ok(()),
        }
    }

    /// What a table with a range of its own, `range`, begins and ends with.
    fn domain(&self, range: Option<[f64; 2]>) -> Result<LutDomain> {
        let stated = LutDomain { min: self.min.unwrap_or([0.0; 3]), max: self.max.unwrap_or([1.0; 3]) };
        let domain = range.map_or(stated, LutDomain::of);
        for i in 0..3 {
            let (min, max) = (domain.min[i], domain.max[i]);
            if min >= max {
                return Err(Error::corrupt(format!("the table's domain ends at {max}, where it begins at {min}")));
            }
            if max <= 0.0 || min >= 1.0 {
                return Err(Error::unsupported(format!(
                    "the table is for values from {min} to {max}, and a picture has values from 0 to 1"
                )));
            }
        }
        Ok(domain)
    }
}

/// Sets what may be stated once.
fn once<T>(line: &Line, to: &mut Option<T>, value: T) -> Result<()> {
    match to.replace(value) {
        None => Ok(()),
        Some(_) => Err(line.wrong(format!("{} is there twice", line.words[0]))),
    }
}

/// The table of a `.cube` file.
pub(super) fn parse(bytes: &[u8]) -> Result<Lut> {
    let (mut lines, mut header) = (Lines::new(bytes), Header::default());
    let mut first = None;
    for line in lines.by_ref() {
        if line.words[0].starts_with(|c: char| c.is_ascii_uppercase()) {
            header.keyword(&line)?;
        } else {
            first = Some(line);
            break;
        }
    }
    let Header { curve, edge, limited, .. } = header;
    if curve.is_none() && edge.is_none() {
        return Err(Error::corrupt(format!(
            "line {}: no LUT_1D_SIZE or LUT_3D_SIZE before the colours",
            lines.number()
        )));
    }
    let mut curves = Rows::new(curve.unwrap_or(0), "LUT_1D_SIZE".to_owned());
    let mut cube = edge.map_or_else(|| Rows::new(0, "LUT_1D_SIZE".to_owned()), Rows::of_cube);
    for line in first.into_iter().chain(lines.by_ref()) {
        let rows = if curves.is_full() && edge.is_some() { &mut cube } else { &mut curves };
        rows.add(&line)?;
    }
    let last = lines.number();
    let (curves, cube) = (curves.finish(last)?, cube.finish(last)?);
    // A domain that is no table's own is that of the first.
    let of_curves = header.domain(header.curve_range)?;
    let of_cube = if curve.is_some() && header.cube_range.is_none() {
        LutDomain::UNIT
    } else {
        header.domain(header.cube_range)?
    };
    Ok(Lut {
        curves: curve.map(|_| Curves { domain: of_curves, values: curves }),
        cube: edge.map(|edge| ColourCube { domain: of_cube, edge, values: cube }),
        limited,
    })
}
