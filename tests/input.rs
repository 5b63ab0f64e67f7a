//! The libav input against ffmpeg's own frame lists.
#![cfg(feature = "transcode")]

use vramp::device::cpu::{CpuExec, CpuLevel};
use vramp::io::libav::{Input, InputOptions};
use vramp::io::{Hash, HashSink};
use vramp::pipeline::{self, CpuChain, Options, Target};

fn ours(path: &str, options: InputOptions, slots: usize) -> String {
    let mut input = match Input::open(path, options) {
        Ok(input) => input,
        Err(e) => return format!("{:?} {e}", e.kind()),
    };
    eprintln!("{} ", input.describe());
    let plan = pipeline::plan(Vec::new(), input.info(), Target::default()).unwrap();
    let mut chain = CpuChain::new(&plan, CpuExec::new(1, CpuLevel::Portable).unwrap()).unwrap();
    let out = std::env::temp_dir().join(format!("o-{}.md5", std::process::id()));
    let mut sink = HashSink::create(out.to_str().unwrap(), Hash::Md5, true, &plan.output).unwrap();
    let run = Options { slots, ..Options::default() };
    match pipeline::run(&mut input, &plan, &mut chain, &mut sink, &run, &mut |_| {}) {
        Ok((_, damage)) => eprintln!("{damage:?}"),
        Err(e) => return format!("{:?} {e}", e.kind()),
    }
    std::fs::read_to_string(out).unwrap()
}

#[test]
fn explore() {
    let path = std::env::var("IN").unwrap();
    println!("{}", ours(&path, InputOptions::default(), 4));
}
