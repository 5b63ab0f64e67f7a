use super::*;

const FILE: &str = "\
# A comment.

vramp-tuning 1

[NVIDIA H100, 80GB HBM3, compute 9.0, 132 multiprocessors, 52428800 bytes of cache, CUDA 13]
gauss 00000000000000ff yuv420p>yuv420p:1920x1024:r12 tensor-1-waves 0.01200 0.02000
convolve 1 gray8>gray8:640x480:any:r1x1 block-16x16 0.5 0.5
";

fn card(name: &str, driver: u32) -> Card {
    Card { name: name.to_owned(), compute: (9, 0), multiprocessors: 132, l2_cache: 50 << 20, driver }
}

fn key(kernel: &str, case: &str) -> Key {
    Key { kernel: kernel.to_owned(), case: case.to_owned() }
}

#[test]
fn a_file_is_read_and_written_as_it_was() {
    let (table, note) = Table::parse(FILE);
    assert_eq!(note, None);
    let h100 = card("NVIDIA H100, 80GB HBM3", 13);
    let entries: Vec<_> = table.of(&h100).collect();
    assert_eq!(entries[0].0, &key("convolve", "gray8>gray8:640x480:any:r1x1"));
    let gauss = Entry { code: 255, way: "tensor-1-waves".to_owned(), ms: 0.012, default_ms: 0.02 };
    assert_eq!(entries[1], (&key("gauss", "yuv420p>yuv420p:1920x1024:r12"), &gauss));
    assert_eq!(Table::parse(&table.to_string()), (table, None));
}

#[test]
fn what_is_not_understood_is_left_out_and_named() {
    for (wrong, note) in [
        ("vramp-tuning 2\n", "does not begin with 'vramp-tuning 1': not used"),
        ("\u{0}\u{1}ELF", "does not begin with 'vramp-tuning 1': not used"),
        ("vramp-tuning 1\ngauss 1 c w 1 1", "line 2 is not understood, and left out"),
        ("vramp-tuning 1\n[a card]\ngauss 1 c w 1 1", "line 2 and 1 others are not understood, and left out"),
    ] {
        assert_eq!(Table::parse(wrong), (Table::default(), Some(note.to_owned())), "{wrong:?}");
    }
    let right = Table::parse(FILE).0;
    for line in [
        "gauss",
        "gauss 1 c w 1",
        "gauss 1 c w 1 1 1",
        "gauss x c w 1 1",
        "gauss 1 c w NaN 1",
        "gauss 1 c w -1 1",
        "gauss 1 c w 1 inf",
        "gauss 1 caf\u{e9} w 1 1",
        &format!("gauss 1 {} w 1 1", "c".repeat(200)),
    ] {
        let (table, note) = Table::parse(&format!("{FILE}{line}\n"));
        assert_eq!((table, note), (right.clone(), Some("line 8 is not understood, and left out".to_owned())), "{line}");
    }
    assert_eq!(Table::parse(""), (Table::default(), None));
}

/// Entries of another card, and those after a section that is not understood, are nobody's.
#[test]
fn entries_are_of_one_card_and_driver() {
    let (table, _) = Table::parse(FILE);
    let (h100, gauss) = (card("NVIDIA H100, 80GB HBM3", 13), key("gauss", "yuv420p>yuv420p:1920x1024:r12"));
    assert!(table.find(&h100, &gauss, false).is_some());
    assert!(table.find(&h100, &key("gauss", "yuv420p>yuv420p:1920x1024:r16"), false).is_none());
    for other in [card("NVIDIA H200", 13), card("NVIDIA H100, 80GB HBM3", 12)] {
        assert!(table.find(&other, &gauss, false).is_none());
        assert!(table.find(&other, &gauss, true).is_some(), "the same chip");
    }
    assert!(table.find(&Card { multiprocessors: 114, ..h100 }, &gauss, true).is_none());
}

#[test]
fn a_merge_replaces_and_adds() {
    let (mut table, _) = Table::parse(FILE);
    let h100 = card("NVIDIA H100, 80GB HBM3", 13);
    let mut newer = Table::default();
    let entry = |way: &str| Entry { code: 7, way: way.to_owned(), ms: 1.0, default_ms: 2.0 };
    newer.set(&h100, key("gauss", "yuv420p>yuv420p:1920x1024:r12"), entry("x"));
    newer.set(&card("another", 13), key("gauss", "c"), entry("y"));
    table.merge(&newer);
    let ways: Vec<_> = table.of(&h100).map(|(_, entry)| entry.way.as_str()).collect();
    assert_eq!((ways, table.of(&card("another", 13)).count()), (vec!["block-16x16", "x"], 1));
}

#[test]
fn a_card_of_any_name_is_read_back() {
    for name in ["", "a, b, compute 1.2, CUDA", "]", "# [x]", "tab\there\nand there", "\u{85}x\u{2028}"] {
        let text = card(name, 12).to_string();
        let mut table = Table::default();
        let entry = Entry { code: 0, way: "w".to_owned(), ms: 0.0, default_ms: 0.0 };
        table.set(&text.parse().unwrap(), key("k", "c"), entry);
        assert_eq!(Table::parse(&table.to_string()), (table, None), "{name:?}");
        assert_eq!(text.parse::<Card>().unwrap().to_string(), text);
    }
}

#[test]
fn what_ships_is_understood() {
    assert_eq!(Table::parse(include_str!("shipped.txt")).1, None);
}

#[test]
fn files_that_cannot_be_read_change_nothing() {
    let folder = env::temp_dir().join(format!("vramp-tuning-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tuning.txt");
    assert_eq!(Table::read(&file), (Table::default(), None));
    let (table, note) = Table::read(&folder);
    assert!(table == Table::default() && note.unwrap().ends_with(": not used"));
    std::fs::write(&file, vec![b'#'; MOST_BYTES as usize + 1]).unwrap();
    let too_large = "too large for a tuning file: not used".to_owned();
    assert_eq!(Table::read(&file), (Table::default(), Some(too_large)));
    std::fs::write(&file, FILE).unwrap();
    assert_eq!(Table::read(&file), Table::parse(FILE));
    std::fs::remove_dir_all(folder).unwrap();
}
