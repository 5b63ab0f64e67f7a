//! A list of commands, for GNU parallel, ssh, HTCondor's `queue from` and whatever else reads lines.

use super::{MissingParts, command};
use crate::error::Result;
use crate::farm::Ranges;

/// One command a line for the parts of `work`, and the join last.
///
/// # Errors
/// When a name cannot be written for a shell.
pub fn list(work: &MissingParts) -> Result<String> {
    let MissingParts { program, folder, .. } = work;
    let mut list = String::new();
    for parts in work.missing.numbers().chunks(work.per_task as usize) {
        // Numbers need no quotes, and not everything that reads lines knows them.
        let parts = Ranges::from_iter(parts.iter().copied());
        list += &format!("{} {parts}\n", command([program, "part", folder])?);
    }
    list += &command([program, "join", folder])?;
    list.push('\n');
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::super::work;
    use super::*;

    #[test]
    fn missing_parts_are_cut_into_tasks() {
        let lines =
            |work| list(&work).unwrap().replace("'/opt/my tools/vramp'", "V").replace("/films/out.mkv.vramp", "D");
        assert_eq!(lines(work("0-1,7", 1)), "V part D 0\nV part D 1\nV part D 7\nV join D\n");
        assert_eq!(lines(work("0-1,7-9", 3)), "V part D 0-1,7\nV part D 8-9\nV join D\n");
        let none = MissingParts { missing: Ranges::default(), ..work("0", 1) };
        assert_eq!(lines(none), "V join D\n");
    }
}
