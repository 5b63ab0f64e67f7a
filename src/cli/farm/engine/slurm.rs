//! Slurm: arrays of tasks that make the missing parts, and a job after them that joins, or submits again what is missing then.
//!
//! It waits with `afterany` and looks for itself: `afterok` never starts once one task has failed.

use super::{MissingParts, command};
use crate::error::{Error, Result};
use crate::farm::{Ranges, SUBMISSION};
use std::fmt::Write;

/// So often parts are submitted that did not get there.
pub const ROUNDS: u32 = 5;

/// A task of the first round makes about so many seconds of film.
const TASK: f64 = 300.0;

/// An array has at least so many tasks, if there are parts: the last of them should not be long.
const TASKS: usize = 64;

/// Options of sbatch that are vramp's.
const OURS: [&str; 6] = ["-a", "--array", "-d", "--dependency", "--wrap", "--parsable"];

/// Parts that a task makes in `round`, one behind the other, of `missing` ones of `segment` seconds: fewer each time, so that
/// what fails takes less with it. `first` is the number for the first round, if somebody chose it.
pub fn per_task(round: u32, missing: usize, segment: f64, first: Option<u32>) -> u32 {
    let usual = || ((TASK / segment) as u32).min((missing / TASKS) as u32);
    match round {
        ROUNDS.. => 1,
        _ => (first.unwrap_or_else(usual) >> (round.max(1) - 1)).max(1),
    }
}

/// A film for Slurm.
pub struct Slurm<'a> {
    /// The parts.
    pub work: MissingParts,
    /// Where tasks say what they do.
    pub log: String,
    /// Processors for a task.
    pub processors: usize,
    /// Options for sbatch.
    pub arguments: &'a [String],
    /// Machines that take no task.
    pub excluded: Vec<String>,
    /// Numbers of an array's tasks are below this one.
    pub array_size: u32,
    /// The submission, which tasks put down with what they do.
    pub submission: u64,
    /// Tasks more that make what is not there when all parts are begun.
    pub copies: u32,
    /// Parts that are made once more, and compared.
    pub audits: u32,
    /// The command that submits the next round; `None` after the last.
    pub again: Option<Vec<String>>,
}

/// A call of sbatch.
pub struct Batch {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The script, for its standard input.
    pub script: String,
}

impl Slurm<'_> {
    /// Refuses options for sbatch that are not the user's to choose.
    ///
    /// # Errors
    /// With the first of them.
    pub fn check(&self) -> Result<()> {
        let ours = |arg: &&String| OURS.contains(&arg.split('=').next().unwrap_or_default());
        match self.arguments.iter().find(ours) {
            Some(arg) => Err(Error::bad_argument(format!("{arg}: vramp submit gives sbatch this option by itself"))),
            None => Ok(()),
        }
    }

    /// The arrays that make all missing parts, each within what Slurm allows.
    ///
    /// # Errors
    /// When a name cannot be written for a shell.
    pub fn arrays(&self) -> Result<Vec<Batch>> {
        let mut tasks: Vec<u32> = self.work.missing.numbers().iter().map(|part| part / self.work.per_task).collect();
        tasks.dedup();
        let base = |task: &u32| task / self.array_size * self.array_size;
        tasks.chunk_by(|one, next| base(one) == base(next)).map(|tasks| self.array(base(&tasks[0]), tasks)).collect()
    }

    /// The array of `tasks`, which Slurm counts from `base`.
    fn array(&self, base: u32, tasks: &[u32]) -> Result<Batch> {
        let per_task = self.work.per_task.to_string();
        let numbers = Ranges::from_iter(tasks.iter().map(|task| task - base));
        self.tasks("Parts", &numbers, base, &["--per-task", &per_task])
    }

    /// The array that makes what is not there once all tasks of the jobs `after` have begun, if that is asked for: a task that is
    /// slow ends when another has made its part.
    ///
    /// # Errors
    /// When a name cannot be written for a shell.
    pub fn copies(&self, after: &[String]) -> Result<Option<Batch>> {
        self.more(
            "Copies of parts",
            self.copies.min(self.work.missing.numbers().len() as u32),
            "--missing",
            "after",
            after,
        )
    }

    /// The array that makes parts once more and compares, when the jobs `after` are over, if that is asked for.
    ///
    /// # Errors
    /// When a name cannot be written for a shell.
    pub fn audit(&self, after: &[String]) -> Result<Option<Batch>> {
        self.more("Audits of parts", self.audits, "--audit", "afterany", after)
    }

    /// An array of `count` tasks that `vramp part` has `option` for, which begin as `when` says of the jobs `after`.
    fn more(&self, what: &str, count: u32, option: &str, when: &str, after: &[String]) -> Result<Option<Batch>> {
        let numbers = Ranges::from_iter(0..count.min(self.array_size));
        if numbers.is_empty() {
            return Ok(None);
        }
        let mut batch = self.tasks(what, &numbers, 0, &[option])?;
        batch.arguments.extend(dependency(when, after));
        Ok(Some(batch))
    }

    /// The array of the tasks `numbers`, which are counted from `base` and run `vramp part` with `options`.
    fn tasks(&self, what: &str, numbers: &Ranges, base: u32, options: &[&str]) -> Result<Batch> {
        let MissingParts { program, folder, film, per_task, .. } = &self.work;
        let mut arguments = self.arguments("part", "%A_%a");
        // A requeued task goes on with what is missing of it, and before its time is over it is asked to stop.
        arguments.extend(["--requeue".to_owned(), "--signal=B:TERM@30".to_owned(), format!("--array={numbers}")]);
        let version = command([program, "--version"])?;
        let part = command([program.as_str(), "part", folder].into_iter().chain(options.iter().copied()))?;
        let log = command([self.log.as_str()])?;
        let submission = self.submission;
        Ok(Batch {
            arguments,
            script: format!(
                r#"#!/bin/sh
# {what} of {film}
{version} >/dev/null || {{
    # It does not run on this machine: written down, so that a next round goes without the machine.
    printf '{{"part":%d,"event":"failed","at":%d,"seconds":0.0,"frames":0,"submission":{submission},"error":"vramp does not run there"}}\n' \
        $(((SLURM_ARRAY_TASK_ID + {base}) * {per_task})) "$(date +%s)" >>{log}/"$SLURMD_NODENAME".jsonl
    exit 1
}}
export {SUBMISSION}={submission}
export VRAMP_TASK_BASE={base}
exec {part}
"#,
                film = comment(film),
            ),
        })
    }

    /// The job that joins once the jobs `after` are over, whatever became of them.
    ///
    /// # Errors
    /// When a name cannot be written for a shell.
    pub fn join(&self, after: &[String]) -> Result<Batch> {
        let MissingParts { program, folder, film, .. } = &self.work;
        let arguments = self.arguments("join", "join-%j");
        let version = command([program, "--version"])?;
        let elsewhere = command(["sbatch"].into_iter().chain(arguments.iter().map(String::as_str)))?;
        let join = command([program, "join", folder])?;
        let excluded = command([self.excluded().join(",").as_str()])?;
        let mut script = format!(
            r#"#!/bin/sh
# The join of {film}
excluded={excluded}
[ $# -eq 0 ] || excluded=$1
{version} >/dev/null || {{
    # It does not run on this machine, so it goes to another.
    excluded=${{excluded:+$excluded,}}$SLURMD_NODENAME
    exec {elsewhere} --exclude="$excluded" "$0" "$excluded"
}}
"#,
            film = comment(film),
        );
        match &self.again {
            None => writeln!(script, "exec {join}"),
            Some(again) => {
                let again = command(again.iter().map(String::as_str))?;
                writeln!(script, "{join}\ncode=$?\n# 9: parts are missing\n[ $code -eq 9 ] || exit $code\nexec {again}")
            }
        }
        .map_err(|error| Error::internal(format!("a script: {error}")))?;
        let mut batch = Batch { arguments, script };
        batch.arguments.extend(dependency("afterany", after));
        Ok(batch)
    }

    /// All as a shell script.
    ///
    /// # Errors
    /// When a name cannot be written for a shell.
    pub fn text(&self) -> Result<String> {
        // What the shell puts in is not quoted.
        let (mut text, mut after) = (String::new(), Vec::<String>::new());
        let line = |batch: &Batch, waits: Option<String>| -> Result<String> {
            let waits = waits.map_or_else(String::new, |waits| format!(" {waits}"));
            Ok(format!("{}{waits} <<'END'\n{}END\n", batch.command()?, batch.script))
        };
        for (number, array) in self.arrays()?.iter().enumerate() {
            text += &format!("parts{number}=$({})\n", line(array, None)?);
            after.push(format!("${{parts{number}%%;*}}"));
        }
        for (name, batch, when) in [("copies", self.copies(&[])?, "after"), ("audits", self.audit(&[])?, "afterany")] {
            let Some(batch) = batch else { continue };
            text += &format!("{name}=$({})\n", line(&batch, dependency(when, &after))?);
            after.push(format!("${{{name}%%;*}}"));
        }
        text += &line(&self.join(&[])?, dependency("afterany", &after))?;
        Ok(text)
    }

    /// What every job is submitted with.
    fn arguments(&self, what: &str, file: &str) -> Vec<String> {
        let MissingParts { film, .. } = &self.work;
        let mut arguments = vec![
            "--parsable".to_owned(),
            format!("--job-name=vramp-{what} {film}"),
            // Slurm puts numbers in for what has a percent sign.
            format!("--output={}/slurm-{file}.out", self.log.replace('%', "%%")),
        ];
        if what == "part" && self.processors > 0 {
            arguments.push(format!("--cpus-per-task={}", self.processors));
        }
        arguments.extend_from_slice(self.arguments);
        if !self.excluded.is_empty() {
            arguments.push(format!("--exclude={}", self.excluded().join(",")));
        }
        arguments
    }

    /// Machines that take no task; sbatch heeds the last of its options of a name, so the user's are among them.
    fn excluded(&self) -> Vec<String> {
        let mut excluded = Vec::new();
        let mut arguments = self.arguments.iter();
        while let Some(arg) = arguments.next() {
            match arg.strip_prefix("--exclude=").or_else(|| arg.strip_prefix("-x")) {
                Some("") => excluded.extend(arguments.next().cloned()),
                Some(machines) => excluded.push(machines.to_owned()),
                None if arg == "--exclude" => excluded.extend(arguments.next().cloned()),
                None => {}
            }
        }
        excluded.extend(self.excluded.iter().cloned());
        excluded
    }
}

impl Batch {
    /// The command line without the script.
    fn command(&self) -> Result<String> {
        command(["sbatch"].into_iter().chain(self.arguments.iter().map(String::as_str)))
    }
}

/// The option for a job that begins as `when` says of the jobs `after`.
fn dependency(when: &str, after: &[String]) -> Option<String> {
    (!after.is_empty()).then(|| format!("--dependency={when}:{}", after.join(":")))
}

/// `text` within a line.
fn comment(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::work;
    use super::*;

    fn slurm<'a>(missing: &str, per_task: u32, arguments: &'a [String]) -> Slurm<'a> {
        let log = "/films/100%/log".to_owned();
        let again = Some(vec!["vramp".to_owned(), "submit".to_owned()]);
        let work = work(missing, per_task);
        Slurm {
            work,
            log,
            processors: 4,
            arguments,
            excluded: Vec::new(),
            array_size: 1001,
            submission: 7,
            copies: 0,
            audits: 0,
            again,
        }
    }

    /// The options of sbatch named `name`.
    fn options(batch: &Batch, name: &str) -> Vec<String> {
        batch.arguments.iter().filter_map(|arg| arg.strip_prefix(name)?.strip_prefix('=')).map(str::to_owned).collect()
    }

    #[test]
    fn runs_of_parts_fall_from_round_to_round() {
        let runs = |missing, segment, first| [1, 2, 3, 4, 5, 6].map(|round| per_task(round, missing, segment, first));
        assert_eq!(runs(600, 60.0, None), [5, 2, 1, 1, 1, 1], "five minutes");
        assert_eq!(runs(150, 60.0, None), [2, 1, 1, 1, 1, 1], "few parts are shared out");
        assert_eq!(runs(24, 60.0, None), [1; 6]);
        assert_eq!(runs(100_000, 0.01, Some(40)), [40, 20, 10, 5, 1, 1]);
        assert_eq!(runs(1, 86_400.0, None), [1; 6]);
    }

    #[test]
    fn arrays_are_cut_where_slurm_wants_it() {
        let cut = |missing, per_task, array_size| -> Vec<_> {
            let arrays = Slurm { array_size, ..slurm(missing, per_task, &[]) }.arrays().unwrap();
            let base = |array: &Batch| array.script.split("BASE=").nth(1)?.lines().next().map(str::to_owned);
            arrays
                .iter()
                .map(|array| format!("{}+{}", options(array, "--array").join(""), base(array).unwrap()))
                .collect()
        };
        assert_eq!(cut("0-3,7,1000", 1, 1001), ["0-3,7,1000+0"]);
        assert_eq!(cut("0-3,7,1001-1003,2500", 1, 1001), ["0-3,7+0", "0-2+1001", "498+2002"]);
        assert_eq!(cut("0-12,31", 5, 2), ["0-1+0", "0+2", "0+6"]);
        assert_eq!(cut("3", 1, 1), ["0+3"]);
    }

    #[test]
    fn what_users_say_goes_before_what_vramp_needs() {
        let arguments = ["-c", "1", "--exclude=a,b", "-xc", "-x", "d"].map(str::to_owned);
        let job = Slurm { excluded: vec!["n-1".to_owned()], ..slurm("0", 1, &arguments) };
        let array = &job.arrays().unwrap()[0];
        assert_eq!(options(array, "--exclude"), ["a,b", "a,b,c,d,n-1"], "the last one holds");
        assert_eq!(options(array, "--output"), ["/films/100%%/log/slurm-%A_%a.out"]);
        assert_eq!(options(array, "--cpus-per-task"), ["4"]);
        assert!(array.script.contains("exec '/opt/my tools/vramp' part /films/out.mkv.vramp --per-task 1\n"));
        let join = job.join(&["7".to_owned(), "8".to_owned()]).unwrap();
        assert_eq!(options(&join, "--dependency"), ["afterany:7:8"]);
        assert!(join.script.contains("\nexcluded='a,b,c,d,n-1'\n") && join.script.ends_with("\nexec vramp submit\n"));
        let last = Slurm { again: None, ..slurm("0", 1, &[]) }.join(&[]).unwrap();
        assert!(last.script.ends_with("\nexec '/opt/my tools/vramp' join /films/out.mkv.vramp\n"), "{}", last.script);
        assert_eq!(options(&last, "--dependency"), [""; 0]);
    }

    #[test]
    fn options_that_vramp_gives_are_refused() {
        for arg in ["--array=0-3", "-a", "--dependency=afterok:3", "--wrap=x"] {
            let arguments = ["--partition=gpu".to_owned(), arg.to_owned()];
            assert!(slurm("0", 1, &arguments).check().unwrap_err().message().starts_with(arg), "{arg}");
        }
        assert!(slurm("0", 1, &["--account=a".to_owned()]).check().is_ok());
    }
}
