//! Numbers of parts as people and engines write them: `0-3,7`.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;

/// Numbers in rising order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<u32>);

/// More numbers than this are a typing mistake.
const MOST: u32 = 1_000_000;

impl Ranges {
    /// The numbers.
    pub fn numbers(&self) -> &[u32] {
        &self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<u32> for Ranges {
    fn from_iter<I: IntoIterator<Item = u32>>(numbers: I) -> Ranges {
        let mut numbers: Vec<_> = numbers.into_iter().collect();
        numbers.sort_unstable();
        numbers.dedup();
        Ranges(numbers)
    }
}

impl FromStr for Ranges {
    type Err = Error;

    fn from_str(text: &str) -> Result<Ranges> {
        let wrong = || Error::bad_argument(format!("'{text}' names no parts: write 7, 3-9 or 0-3,7"));
        let number = |text: &str| {
            let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|number| plain && *number < MOST).ok_or_else(wrong)
        };
        let range = |range: &str| -> Result<_> {
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            let (first, last) = (number(first)?, number(last)?);
            if first <= last { Ok(first..=last) } else { Err(wrong()) }
        };
        let ranges: Vec<_> = text.split(',').map(range).collect::<Result<_>>()?;
        Ok(ranges.into_iter().flatten().collect())
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for run in self.0.chunk_by(|one, next| one + 1 == *next) {
            match run {
                [first, .., last] => write!(f, "{comma}{first}-{last}")?,
                [only] => write!(f, "{comma}{only}")?,
                [] => {}
            }
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_written() {
        for (text, printed) in
            [("7", "7"), ("0-3,7", "0-3,7"), ("9,3,4,5,4", "3-5,9"), ("2-2", "2"), ("1-2,2-4", "1-4")]
        {
            assert_eq!(text.parse::<Ranges>().unwrap().to_string(), printed, "{text}");
        }
        for text in ["", "a", "-1", "3-", "5-4", "1,,2", "+1", "1 2", "4294967296", "0-999999999"] {
            assert!(text.parse::<Ranges>().unwrap_err().message().contains("names no parts"), "{text}");
        }
    }
}
