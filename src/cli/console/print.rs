//! Standard output: what a command was asked to print.

use crate::error::{Error, Result};
use serde::Serialize;
use std::io::{ErrorKind, Write, stdout};

/// Prints `bytes` as they are. A reader that closed the pipe has seen enough.
pub fn bytes(bytes: &[u8]) -> Result<()> {
    let mut out = stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(Error::io("standard output", &e)),
        _ => Ok(()),
    }
}

/// Prints `text`.
pub fn text(text: &str) -> Result<()> {
    bytes(text.as_bytes())
}

/// Prints `value` as indented JSON.
pub fn json(value: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value).map_err(|e| Error::internal(format!("JSON: {e}")))?;
    text.push('\n');
    bytes(text.as_bytes())
}

/// "4.1 MiB".
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} {}", UNITS[0]) } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// "1:02:03" or "2:03".
pub fn clock(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 { format!("{h}:{m:02}:{s:02}") } else { format!("{m}:{s:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_people_read_them() {
        assert_eq!([size(0), size(1023), size(1536), size(5 << 30)], ["0 bytes", "1023 bytes", "1.5 KiB", "5.0 GiB"]);
        assert_eq!([clock(0.4), clock(75.0), clock(3723.0)], ["0:00", "1:15", "1:02:03"]);
    }
}
