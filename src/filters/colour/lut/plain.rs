//! Formats with little but colours, blue fastest: `.dat` of DaVinci, `.m3d` of Pandora.

use super::text::{Line, Lines, Rows};
use super::{Lut, MOST_EDGE, red_fastest};
use crate::error::{Error, Result};

/// The edge of a `.dat` that does not state it.
const USUAL_EDGE: usize = 33;

/// The table of a `.dat` file: `3DLUTSIZE 33` may stand first.
pub(super) fn parse_dat(bytes: &[u8]) -> Result<Lut> {
    let mut lines = Lines::new(bytes).peekable();
    let stated = lines.next_if(|line| line.words[0].eq_ignore_ascii_case("3DLUTSIZE"));
    let edge = stated.map_or(Ok(USUAL_EDGE), |line| line.count(2, MOST_EDGE))?;
    colours(lines, Rows::of_cube(edge), edge)
}

/// The table of a `.m3d` file: `in` is how many colours there are, `out` how many codes results have, and `values` in which
/// order components stand.
pub(super) fn parse_m3d(bytes: &[u8]) -> Result<Lut> {
    let mut lines = Lines::new(bytes);
    let (mut edge, mut codes, mut order) = (None, None, None);
    for line in lines.by_ref() {
        match line.words[0].to_ascii_lowercase().as_str() {
            "in" => edge = Some(cube_root(&line)?),
            "out" => codes = Some(line.count(2, 1 << 24)?),
            "values" => {
                order = Some(components(&line)?);
                break;
            }
            _ => {}
        }
    }
    let (Some(edge), Some(codes), Some(order)) = (edge, codes, order) else {
        return Err(Error::corrupt(format!(
            "line {}: 'in', 'out' and 'values' come before the colours",
            lines.number()
        )));
    };
    let mut lut = colours(lines, Rows::of_cube(edge), edge)?;
    for colour in lut.cube.iter_mut().flat_map(|cube| &mut cube.values) {
        *colour = order.map(|at| (f64::from(colour[at]) / (codes - 1) as f64) as f32);
    }
    Ok(lut)
}

/// The rest of a file.
fn colours(lines: impl Iterator<Item = Line>, mut rows: Rows, edge: usize) -> Result<Lut> {
    let mut last = 0;
    for line in lines {
        rows.add(&line)?;
        last = line.number;
    }
    Ok(Lut::of_cube(edge, red_fastest(edge, &rows.finish(last)?)))
}

/// The edge of a cube of as many colours as the line states.
fn cube_root(line: &Line) -> Result<usize> {
    let count = line.count(8, MOST_EDGE * MOST_EDGE * MOST_EDGE)?;
    (2..=MOST_EDGE)
        .find(|edge| edge * edge * edge == count)
        .ok_or_else(|| line.wrong(format!("{count} colours are no cube, as 17×17×17 = 4913 are")))
}

/// Where red, green and blue stand in a line.
fn components(line: &Line) -> Result<[usize; 3]> {
    let of = |letter: char| line.words[1..].iter().position(|word| word.to_ascii_lowercase().starts_with(letter));
    match (of('r'), of('g'), of('b')) {
        (Some(red), Some(green), Some(blue)) if line.words.len() == 4 => Ok([red, green, blue]),
        _ => Err(line.wrong(format!("values are red, green and blue: {}", line.excerpt()))),
    }
}
