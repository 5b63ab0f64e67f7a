//! `vramp hash`: what every frame is, as a hash file.

mod args;
mod asked;
mod examined;
mod sound;

pub use args::HashArgs;
pub use asked::{asked, ignored_alpha, take_asked};
pub use examined::Examined;

use crate::cli::{report, setup, signals};
use crate::error::Result;
use crate::io::HashSink;
use crate::io::hash::{HashFormat, HashHead};
use crate::io::libav::CopyChoice;
use crate::io::refuse_input;
use crate::pipeline::{Cancel, Sink};

/// Runs `vramp hash`.
///
/// # Errors
/// Of every part; [`Kind::Incomplete`](crate::error::Kind::Incomplete) after a hash file that is whole but holds only what
/// decoded.
pub fn run(args: &HashArgs, quiet: bool) -> Result<()> {
    let calls = setup::calls(&args.run)?;
    refuse_input(&args.output, &args.input)?;
    let (path, hash) = (&args.output, args.hash());
    let mut asked = asked(&args.run, &calls);
    let cancel = Cancel::default();
    signals::install([cancel.clone()])?;

    let copy = if args.streams() { CopyChoice::ALL } else { CopyChoice::NONE };
    let mut examined = Examined::open(&args.input, &args.run, &calls, copy, cancel.clone())?;
    asked.extend(examined.ignores_alpha(args.alpha)?.then(asked::alpha_ignored));
    let info = &examined.plan.output;
    asked.extend(asked::depth_of_deband(&args.run, info.format));
    let mut sink = match args.layout.into() {
        HashFormat::Vramp => HashSink::create_own(path, hash, &asked, args.overwrite, info, &cancel),
        HashFormat::Ffmpeg => HashSink::create(path, hash, args.overwrite, info, &cancel),
    }?;
    let streams = args.streams().then(|| examined.streams(hash));
    sink = sink.with_head(HashHead { presentation: examined.presentation(), streams });
    if examined.can_start_over() {
        sink = sink.holding();
    }
    let (summary, damage) = examined.run(&mut sink, args.progress, quiet)?;
    let label = if path == "-" { "standard output".to_owned() } else { path.display().to_string() };
    report::summary(&summary, &label, sink.bytes(), None);
    damage.map_or(Ok(()), Err)
}
