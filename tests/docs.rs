//! docs/filters.md is what the filters say of themselves. `VRAMP_BLESS=1` (`make bless`) writes it anew.

use std::path::Path;
use std::{env, fs};
use vramp::filters::{ALL, docs};

#[test]
fn filters_md_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/filters.md");
    let generated = docs::markdown(ALL);
    if env::var_os("VRAMP_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &generated).unwrap();
        return;
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "docs/filters.md is stale; `make bless` writes it anew\n{}",
        difference(&committed, &generated)
    );
}

/// The example of docs/FILTER-GUIDE.md is what is compiled, and short: its blocks follow one another in the files that have them.
#[test]
fn the_guide_quotes_its_example() {
    let read = |path: &str| fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let guide = read("docs/FILTER-GUIDE.md");
    for (language, path, blocks, most_lines) in
        [("rust", "src/filters/tiers/local/median.rs", 4, 59), ("cpp", "cuda/examples/median.cu", 1, 29)]
    {
        let quoted: Vec<_> = guide
            .split(&format!("```{language}\n"))
            .skip(1)
            .map(|rest| rest.split_once("```").expect("a block ends").0)
            .collect();
        assert_eq!(quoted.len(), blocks, "{language}");
        let lines = quoted.iter().flat_map(|block| block.lines()).filter(|line| !line.trim().is_empty()).count();
        assert!(lines <= most_lines, "{lines} lines of {language}");
        let source = read(path);
        let mut rest = &*source;
        for block in quoted {
            let (between, after) =
                rest.split_once(block).unwrap_or_else(|| panic!("{path} does not go on with:\n{block}"));
            // Before the first stands what the file is.
            assert!(between.trim().is_empty() || rest.len() == source.len(), "the guide leaves out:\n{between}");
            rest = after;
        }
    }
}

/// The first lines in which `old` and `new` differ.
fn difference(old: &str, new: &str) -> String {
    const SHOWN: usize = 8;
    let (old, new): (Vec<_>, Vec<_>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[same..], &new[same..]);
    let tail = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let side = |mark: char, lines: &[&str]| -> String {
        let changed = &lines[..lines.len() - tail];
        let more = if changed.len() > SHOWN { format!("{mark} ...\n") } else { String::new() };
        changed.iter().take(SHOWN).map(|line| format!("{mark} {line}\n")).chain([more]).collect()
    };
    format!("line {}:\n{}{}", same + 1, side('-', old), side('+', new))
}

#[test]
fn a_difference_shows_only_what_changed() {
    assert_eq!(difference("a\nb\nc\nd", "a\nB\nd"), "line 2:\n- b\n- c\n+ B\n");
    assert_eq!(difference("a\nd", "a\nb\nd"), "line 2:\n+ b\n");
    assert_eq!(difference("a\na", "a\na\na"), "line 3:\n+ a\n");
    assert_eq!(difference("", &"x\n".repeat(9)), format!("line 1:\n{}+ ...\n", "+ x\n".repeat(8)));
}
