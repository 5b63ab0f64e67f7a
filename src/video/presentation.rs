//! How frames are shown, besides their colours: what a player does with them, or shows about them.

use std::fmt;
use std::str::FromStr;

/// What a container or a codec states about the presentation of a video.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presentation {
    /// How frames are turned.
    pub rotation: Rotation,
    /// The display that the film was graded on.
    pub mastering: Option<Mastering>,
    /// How bright it is.
    pub light: Option<ContentLight>,
}

/// How bright a film is: what HDR10 states of a whole stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grading {
    /// The display that the film was graded on.
    pub mastering: Option<Mastering>,
    /// How bright it is.
    pub light: Option<ContentLight>,
}

/// How frames are turned before they are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotation {
    /// Clockwise, from 0 to 359, and after the mirroring.
    pub degrees: u16,
    /// Whether left and right are swapped.
    pub mirrored: bool,
}

/// The display that a film was graded on (SMPTE ST 2086), in the units in which video codecs write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mastering {
    /// CIE x and y of green, blue, red and white, in 1/50000.
    pub points: [(u32, u32); 4],
    /// The highest and the lowest luminance, in 1/10000 cd/m².
    pub luminance: (u32, u32),
}

/// The brightest sample and the brightest mean of a frame (CTA-861.3), in cd/m².
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentLight {
    /// Of a sample.
    pub most: u32,
    /// Of a frame.
    pub average: u32,
}

const MIRRORED: &str = " mirrored";

/// "90", "180 mirrored".
impl fmt::Display for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.degrees, if self.mirrored { MIRRORED } else { "" })
    }
}

/// "G(x,y)B(x,y)R(x,y)WP(x,y)L(max,min)", as encoders take it.
impl fmt::Display for Mastering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, (x, y)) in ["G", "B", "R", "WP"].into_iter().zip(self.points) {
            write!(f, "{name}({x},{y})")?;
        }
        write!(f, "L({},{})", self.luminance.0, self.luminance.1)
    }
}

/// "1000,400".
impl fmt::Display for ContentLight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.most, self.average)
    }
}

/// A text that is not what the type writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotWritten;

impl FromStr for Rotation {
    type Err = NotWritten;

    fn from_str(text: &str) -> Result<Rotation, NotWritten> {
        let (degrees, mirrored) = text.strip_suffix(MIRRORED).map_or((text, false), |degrees| (degrees, true));
        let degrees = degrees.parse().ok().filter(|degrees| *degrees < 360).ok_or(NotWritten)?;
        Ok(Rotation { degrees, mirrored })
    }
}

impl FromStr for Mastering {
    type Err = NotWritten;

    fn from_str(text: &str) -> Result<Mastering, NotWritten> {
        let n = numbers::<10>(text)?;
        let point = |i: usize| (n[2 * i], n[2 * i + 1]);
        same(Mastering { points: [point(0), point(1), point(2), point(3)], luminance: point(4) }, text)
    }
}

impl FromStr for ContentLight {
    type Err = NotWritten;

    fn from_str(text: &str) -> Result<ContentLight, NotWritten> {
        let [most, average] = numbers(text)?;
        same(ContentLight { most, average }, text)
    }
}

/// All numbers in `text`.
fn numbers<const N: usize>(text: &str) -> Result<[u32; N], NotWritten> {
    let digits = text.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let numbers: Vec<u32> = digits.map(str::parse).collect::<Result<_, _>>().map_err(|_| NotWritten)?;
    numbers.try_into().map_err(|_| NotWritten)
}

fn same<T: ToString>(read: T, text: &str) -> Result<T, NotWritten> {
    if read.to_string() == text { Ok(read) } else { Err(NotWritten) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for rotation in [(0, false), (90, false), (359, true)].map(|(degrees, mirrored)| Rotation { degrees, mirrored })
        {
            assert_eq!(rotation.to_string().parse(), Ok(rotation));
        }
        let points = [(13250, 34500), (7500, 3000), (34000, 16000), (15635, 16450)];
        let mastering = Mastering { points, luminance: (10_000_000, 50) };
        let text = "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)";
        assert_eq!((mastering.to_string().as_str(), text.parse()), (text, Ok(mastering)));
        assert_eq!("1000,400".parse(), Ok(ContentLight { most: 1000, average: 400 }));
    }

    #[test]
    fn other_texts_are_none() {
        for text in ["", "360", "-90", "90 flipped"] {
            assert_eq!(text.parse::<Rotation>(), Err(NotWritten), "{text}");
        }
        for text in ["", "1000", "1000,400,1", "1000, 400", "99999999999,1"] {
            assert_eq!(text.parse::<ContentLight>(), Err(NotWritten), "{text}");
        }
        assert_eq!("B(1,2)G(3,4)R(5,6)WP(7,8)L(9,0)".parse::<Mastering>(), Err(NotWritten));
    }
}
