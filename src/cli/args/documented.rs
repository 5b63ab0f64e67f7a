//! Every command line in README, docs and samples is one that the command accepts. tests/documented.rs runs those that can run.

use super::{Cli, argv};
use clap::CommandFactory;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// README.md, and all documents below docs and samples.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut documents = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs"), root.join("samples")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let (within, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        folders.extend(within);
        documents.extend(files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")));
    }
    documents
}

/// The command lines of a document: those in fenced blocks of shell, and indented ones.
fn commands(text: &str) -> Vec<String> {
    let (mut commands, mut fence) = (Vec::new(), None);
    let joined = text.replace("\\\n", " ");
    for line in joined.lines() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
            continue;
        }
        let command = match fence {
            Some("sh" | "") => Some(line),
            Some(_) => None,
            None => line.strip_prefix("    "),
        };
        commands.extend(command.filter(|command| command.starts_with("vramp ")).map(str::to_owned));
    }
    commands
}

/// The words of the first command of a line of shell.
fn words(line: &str) -> Vec<OsString> {
    let mut first = Vec::new();
    for word in shlex::split(line).unwrap_or_else(|| panic!("quotes: {line}")) {
        if ["|", "&&", "||", ";"].contains(&&*word) || word.starts_with(['<', '>']) {
            break;
        }
        let (word, is_last) = word.strip_suffix(';').map_or((&*word, false), |word| (word, true));
        first.push(word.into());
        if is_last {
            break;
        }
    }
    first
}

#[test]
fn every_documented_command_is_accepted() {
    let mut count = 0;
    for document in documents() {
        for line in commands(&fs::read_to_string(&document).unwrap()) {
            let parsed = Cli::command().try_get_matches_from(argv::translate(words(&line)));
            if let Err(error) = parsed {
                assert!(!error.use_stderr(), "{}: {line}: {error}", document.display());
            }
            count += 1;
        }
    }
    assert!(count > 80, "only {count} commands are found");
}

#[test]
fn commands_are_found_and_cut() {
    let text =
        "vramp no\n\n    vramp a b # x\n```sh\nls\nvramp 'a b' \\\n  --deband; ls\n```\n```json\nvramp no\n```\n";
    let found: Vec<_> = commands(text).iter().map(|line| words(line)).collect();
    assert_eq!(found, [["vramp", "a", "b"], ["vramp", "a b", "--deband"]]);
}
