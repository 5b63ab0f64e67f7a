//! What a batch will do: each film's input, result and options, checked before the first is begun.

use crate::cli::batch::inputs::{self, FoundInput};
use crate::cli::batch::pattern::{self, PatternValues};
use crate::cli::given::GivenOptions;
use crate::error::{Error, Result};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The option that names a second result.
const RECORDS: &str = "records";

/// One input, and what becomes of it.
#[derive(Clone, Debug)]
pub struct BatchItem {
    /// The video.
    pub input: PathBuf,
    /// Where the result goes.
    pub output: PathBuf,
    /// The other options of its run, by clap's names.
    pub options: GivenOptions,
}

impl BatchItem {
    /// The input's name without its folders.
    pub fn name(&self) -> String {
        self.input.file_name().unwrap_or(self.input.as_os_str()).to_string_lossy().into_owned()
    }

    /// What went wrong with it, in a line that names it once.
    pub fn failure(&self, error: &Error) -> Error {
        let input = self.input.display().to_string();
        if error.message().contains(&input) { error.clone() } else { error.clone().context(input) }
    }

    /// The result is there, from an earlier run.
    pub fn is_done(&self) -> bool {
        self.output.is_file()
    }

    /// The input has changed since the result was made.
    pub fn is_outdated(&self) -> bool {
        let changed = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified());
        let newer = |input: SystemTime, output: SystemTime| input > output;
        matches!((changed(&self.input), changed(&self.output)), (Ok(input), Ok(output)) if newer(input, output))
    }
}

/// The films of the inputs `given`, whose results are named by `pattern`; `options` are for all of them.
///
/// # Errors
/// When an input is not there, two results have one name, or a result has an input's.
pub fn plan(given: &[OsString], recursive: bool, pattern: &OsStr, options: &GivenOptions) -> Result<Vec<BatchItem>> {
    check_pattern(pattern)?;
    let found = inputs::gather(given, recursive)?;
    let digits = found.len().to_string().len();
    let films: Vec<_> =
        (1..).zip(&found).map(|(number, found)| film(found, number, digits, pattern, options)).collect();
    let inputs: HashMap<_, _> = films
        .iter()
        .zip(&found)
        .filter_map(|(film, found)| Some((fs::canonicalize(&film.input).ok()?, found.within.is_some())))
        .collect();
    let earlier = earlier_results(&films, &inputs)?;
    let films: Vec<_> = films.into_iter().filter(|film| !is_among(&earlier, &film.input)).collect();
    if !earlier.is_empty() {
        log::info!("{} of the videos in the folders are results of this batch, and left out", earlier.len());
    }
    check_apart(&films)?;
    Ok(films)
}

fn check_pattern(pattern: &OsStr) -> Result<()> {
    pattern::check(pattern)?;
    let shown = pattern.display();
    let refused = |what: &str| Err(Error::bad_argument(format!("-o {shown} {what}: write -o 'out/{{name}}.mkv'")));
    match pattern {
        _ if pattern.is_empty() => refused("is empty"),
        _ if pattern == "-" => refused("is no file"),
        _ if Path::new(pattern).is_dir() || pattern.as_encoded_bytes().ends_with(b"/") => refused("is a folder"),
        _ => Ok(()),
    }
}

fn film(found: &FoundInput, number: usize, digits: usize, pattern: &OsStr, options: &GivenOptions) -> BatchItem {
    let values = PatternValues {
        name: found.path.file_stem().unwrap_or_default(),
        ext: found.path.extension().unwrap_or_default(),
        dir: found.within.as_deref().map_or(OsStr::new(""), Path::as_os_str),
        number: format!("{number:0digits$}"),
    };
    BatchItem {
        input: found.path.clone(),
        // Without what makes two spellings of one path.
        output: Path::new(&values.fill(pattern)).components().collect(),
        options: options.map(|value| values.fill(value)),
    }
}

/// The inputs, of those found in folders, that are results of others: what an earlier run of the batch left there.
fn earlier_results(films: &[BatchItem], inputs: &HashMap<PathBuf, bool>) -> Result<Vec<PathBuf>> {
    let mut results = Vec::new();
    for film in films {
        let Ok(output) = fs::canonicalize(&film.output) else { continue };
        let own = fs::canonicalize(&film.input).is_ok_and(|input| input == output);
        match inputs.get(&output) {
            Some(true) if !own => results.push(output),
            Some(_) => {
                let shown = film.output.display();
                return Err(Error::bad_argument(format!("{shown} is an input, which is never replaced: name others")));
            }
            None => {}
        }
    }
    Ok(results)
}

fn is_among(paths: &[PathBuf], path: &Path) -> bool {
    fs::canonicalize(path).is_ok_and(|path| paths.contains(&path))
}

/// Refuses two files of one name among all that are written.
fn check_apart(films: &[BatchItem]) -> Result<()> {
    let mut writers = HashMap::new();
    for film in films {
        let records = film.options.get(RECORDS).into_iter().flatten().flatten().map(PathBuf::from);
        for output in records.chain([film.output.clone()]) {
            if let Some(other) = writers.insert(output.clone(), &film.input) {
                let (input, other, output) = (film.input.display(), other.display(), output.display());
                return Err(Error::bad_argument(format!(
                    "{other} and {input} would both go to {output}: distinguish them with {{dir}}, {{name}}, {{ext}} or {{n}}"
                )));
            }
        }
    }
    Ok(())
}
