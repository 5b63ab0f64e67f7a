//! The header says what the library does: constants, structs and entry points are the same on both sides.

mod cc;
mod so;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;
use vramp_plugin::c_abi::abi::{CONSTANTS, STRUCTS};

fn header() -> String {
    fs::read_to_string(cc::path("include/vramp.h")).unwrap()
}

/// The header's text without its comments.
fn code() -> String {
    let header = header();
    let mut pieces = header.split("/*");
    let first = pieces.next().unwrap().to_owned();
    pieces.fold(first, |code, piece| code + piece.split_once("*/").unwrap().1)
}

/// The words of `text` that `keep` keeps.
fn words(text: &str, keep: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    words.filter(|word| keep(word)).map(str::to_owned).collect()
}

/// Assertions that hold when the header's constants and structs are those of the library.
fn assertions(assert: &str) -> String {
    let mut text = String::from("#include \"vramp.h\"\n");
    for (name, value) in CONSTANTS {
        text += &format!("{assert}(VRAMP_{name} == {value}, \"{name}\");\n");
    }
    for (name, size, fields) in STRUCTS {
        text += &format!("{assert}(sizeof({name}) == {size}, \"{name}\");\n");
        for (field, offset, bytes) in *fields {
            text += &format!("{assert}(offsetof({name}, {field}) == {offset}, \"{name}.{field}\");\n");
            text += &format!("{assert}(sizeof((({name} *)0)->{field}) == {bytes}, \"{name}.{field}\");\n");
        }
    }
    text + "int main(void) { return 0; }\n"
}

#[test]
fn it_is_c_and_cpp_and_lays_out_what_the_library_does() {
    cc::check("layout.c", &assertions("_Static_assert"));
    cc::check("layout.cpp", &assertions("static_assert"));
}

#[test]
fn it_stands_alone_and_twice() {
    let text = "#include \"vramp.h\"\n#include \"vramp.h\"\nint main(void) { return (int)vramp_abi_version(); }\n";
    cc::check("twice.c", text);
    cc::check("twice.cpp", text);
}

#[test]
fn every_constant_and_struct_is_known_to_the_library() {
    let code = code();
    let known: BTreeSet<_> = CONSTANTS.iter().map(|(name, _)| format!("VRAMP_{name}")).collect();
    let guard = "VRAMP_H".to_owned();
    let named: BTreeSet<_> = words(&code, |word| word.starts_with("VRAMP_") && word != guard);
    assert_eq!(named, known);
    let structs = code.split("typedef struct ").skip(1).filter(|rest| rest.split(';').next().unwrap().contains('{'));
    let named: BTreeSet<_> = structs.map(|rest| rest.split([' ', '{']).next().unwrap()).collect();
    assert_eq!(named, STRUCTS.iter().map(|(name, ..)| *name).collect());
    for (name, _, fields) in STRUCTS {
        let body = code.split(&format!("typedef struct {name} {{")).nth(1).unwrap().split('}').next().unwrap();
        assert_eq!(body.matches(';').count(), fields.len(), "{name}");
    }
}

#[test]
fn every_entry_point_is_declared_and_there() {
    let code = code();
    let declared: BTreeSet<_> = code
        .split(';')
        .filter(|piece| !piece.contains("typedef"))
        .filter_map(|piece| piece.split_once('('))
        .filter_map(|(before, _)| before.rsplit([' ', '*', '\n']).next())
        .filter(|name| name.starts_with("vramp_"))
        .map(str::to_owned)
        .collect();
    let symbols = Command::new("nm").args(["-D", "--defined-only", "--format=posix"]).arg(so::library()).output();
    let symbols = String::from_utf8(symbols.unwrap().stdout).unwrap();
    let names = symbols.lines().filter_map(|line| line.split_whitespace().next());
    let there: BTreeSet<_> = names.filter(|name| name.starts_with("vramp_")).map(str::to_owned).collect();
    assert_eq!(declared, there);
}
