//! What Python says of a script that fails, in one line.

/// What stands before the message.
const EXCEPTION: &str = "Python exception: ";

/// One line of the text `said` about the script `name`: its message, and the line of the script that it comes from.
pub fn line(said: &str, name: &str) -> String {
    let said = said.trim();
    let (message, trace) = said.split_once("\n\nTraceback").unwrap_or((said, ""));
    let message = message.strip_prefix(EXCEPTION).unwrap_or(message);
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut places = trace.lines().filter_map(place).filter(|(file, _)| !file.ends_with(".pyx"));
    match places.next_back() {
        // A syntax error names its own.
        Some((file, number)) if message.ends_with(&format!(", line {number})")) && file == name => message,
        Some((file, number)) if file == name => format!("line {number}: {message}"),
        Some((file, number)) => format!("{file}, line {number}: {message}"),
        None => message,
    }
}

/// The file and the line of `  File "NAME", line N, in WHERE`.
fn place(line: &str) -> Option<(&str, &str)> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.split_once("\", line ")?;
    Some((file, rest.split(',').next()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_the_script_is_named() {
        let said = "Python exception: There is no\nfunction named Nope\n\nTraceback (most recent call last):\n  \
                    File \"vapoursynth.pyx\", line 4634, in vapoursynth._vpy_evaluate\n  \
                    File \"a/bad.vpy\", line 7, in <module>\n    f(clip)\n  \
                    File \"a/bad.vpy\", line 6, in f\n    return core.std.Nope(n)\n  \
                    File \"vapoursynth.pyx\", line 4127, in vapoursynth.Plugin.__getattr__\nAttributeError: no\n";
        assert_eq!(line(said, "a/bad.vpy"), "line 6: There is no function named Nope");
        assert_eq!(line(said, "b.vpy"), "a/bad.vpy, line 6: There is no function named Nope");
        let syntax = "Python exception: invalid syntax (a.vpy, line 1)\n\nTraceback (most recent call last):\n  \
                      File \"a.vpy\", line 1\n    def (\n        ^\nSyntaxError: invalid syntax";
        assert_eq!(line(syntax, "a.vpy"), "invalid syntax (a.vpy, line 1)");
        assert_eq!(line("no memory\n", "a.vpy"), "no memory");
    }
}
