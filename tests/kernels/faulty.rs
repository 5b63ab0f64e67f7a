//! The harness is tested too: a filter that is wrong on purpose, one fault at a time, must be caught.

use crate::case::{Case, neutral_cases, sampled_cases};
use crate::check::{Execs, check_history, check_kernels, check_neutral, check_threads};
use crate::sample::{Sample, report};
use vramp::choices;
use vramp::device::cpu::CpuLevel;
use vramp::error::Result;
use vramp::filters::{CpuJob, CpuKernel, Descriptor, Filter, Footprint, Setup, Spec};
use vramp::params;
use vramp::params::{Call, Choice, ParamKind, Params};
use vramp::video::{PlaneMut, SampleLayout, SampleType, StreamInfo};

choices! {
    /// What is wrong with the fast kernel.
    pub enum Fault {
        /// Nothing.
        None = "none",
        /// The middle sample of the last component is one step too high.
        OffByOne = "off_by_one",
        /// One byte is written after a row.
        PastTheRow = "past_the_row",
        /// One byte is written before the first row.
        BeforeTheFirstRow = "before_the_first_row",
        /// The last sample is never written.
        Unwritten = "unwritten",
        /// The first sample comes from beyond the end of its row.
        ReadsPadding = "reads_padding",
        /// It is the reference under another name.
        Slow = "slow",
        /// Every second frame it runs is wrong.
        Remembers = "remembers",
        /// It is wrong on more than two threads.
        CountsThreads = "counts_threads",
        /// It is wrong at one vector level.
        OneLevel = "one_level",
    }
}

params! {
    /// The fault.
    struct FaultyParams {
        /// Which.
        fault: Fault = Fault::None, ParamKind::Choice(<Fault as Choice>::WORDS), unit "", aliases [];
    }
    presets {}
}

static FAULTY: Descriptor = Descriptor {
    name: "faulty",
    aliases: &[],
    summary: "Copies, wrongly",
    definition: "Every sample stays, but for the fault.",
    schema: FaultyParams::SCHEMA,
    accepts: |_| true,
    footprint: Footprint::Point,
    temporal: "",
    changes: &[],
    neutral: &["none"],
    cases: <Fault as Choice>::WORDS,
    create: |call| Ok(Box::new(Faulty(FaultyParams::from_call(call)?))),
};

#[derive(Debug)]
struct Faulty(FaultyParams);

impl Filter for Faulty {
    fn descriptor(&self) -> &'static Descriptor {
        &FAULTY
    }

    fn call(&self) -> Call {
        self.0.to_call(FAULTY.name)
    }

    fn spec(&self, inputs: &[StreamInfo]) -> Result<Spec> {
        Ok(Spec::copying(inputs[0].clone(), |_| true))
    }

    fn reference(&self, _setup: &Setup) -> Result<Box<dyn CpuKernel>> {
        Ok(Box::new(Copy { fault: Fault::None, path: "reference", runs: 0 }))
    }

    fn cpu(&self, _setup: &Setup, level: CpuLevel) -> Result<Box<dyn CpuKernel>> {
        let path = match level {
            _ if self.0.fault == Fault::Slow => "reference",
            CpuLevel::Portable => "portable",
            CpuLevel::Avx2 => "avx2",
            CpuLevel::Avx512 => "avx512",
        };
        Ok(Box::new(Copy { fault: self.0.fault, path, runs: 0 }))
    }
}

struct Copy {
    fault: Fault,
    path: &'static str,
    runs: u32,
}

impl CpuKernel for Copy {
    fn run(&mut self, job: CpuJob<'_>) {
        let CpuJob { src, mut dst, exec, .. } = job;
        let src = src.here();
        self.runs += 1;
        let last = src.len() - 1;
        for component in 0..src.len() {
            let (src, dst) = (src[component], dst.get_mut(component));
            let (right, bottom) = (src.width() - 1, src.height() - 1);
            for (x, y) in (0..=bottom).flat_map(|y| (0..=right).map(move |x| (x, y))) {
                if self.fault != Fault::Unwritten || (component, x, y) != (last, right, bottom) {
                    let value =
                        if src.layout().sample == SampleType::I16 { src.get(x, y) } else { src.v16(x, y).into() };
                    store(dst, x, y, value);
                }
            }
            if component < last {
                continue;
            }
            let wrong = match self.fault {
                Fault::OffByOne => true,
                Fault::Remembers => self.runs.is_multiple_of(2),
                Fault::CountsThreads => exec.threads() > 2,
                Fault::OneLevel => self.path == "portable",
                _ => false,
            };
            if wrong {
                let (x, y) = (right / 2, bottom / 2);
                let step = 1 << lost_bits(dst.layout());
                dst.set(x, y, dst.get(x, y) ^ step);
            }
            let row_end = (right * usize::from(dst.layout().step) + 1) * dst.layout().sample.bytes();
            // SAFETY: the harness keeps more than a vector of bytes before and after its rows.
            unsafe {
                match self.fault {
                    Fault::PastTheRow => *dst.as_mut_ptr().add(row_end) ^= 1,
                    Fault::BeforeTheFirstRow => *dst.as_mut_ptr().sub(2 * src.layout().sample.bytes() + 1) ^= 1,
                    Fault::ReadsPadding => {
                        let end = (right * usize::from(src.layout().step) + 1) * src.layout().sample.bytes();
                        let bits = lost_bits(dst.layout());
                        dst.set(0, 0, i32::from(*src.as_ptr().add(end)) << bits);
                    }
                    _ => {}
                }
            }
        }
    }

    fn path(&self) -> &'static str {
        self.path
    }
}

/// Zero bits at the low end of a stored sample (p010).
fn lost_bits(layout: SampleLayout) -> u32 {
    if layout.sample == SampleType::I16 { 0 } else { u32::from(16 - layout.bit_depth - layout.shift) }
}

/// Stores a v16 value, or one of YC48.
fn store(dst: &mut PlaneMut<'_>, x: usize, y: usize, value: i32) {
    match dst.layout().sample {
        SampleType::I16 => dst.set(x, y, value),
        _ => dst.set_v16(x, y, value as u16),
    }
}

pub static FILTERS: &[&Descriptor] = &[&FAULTY];

/// What `check` finds in the cases with `fault`.
fn found(
    fault: &str,
    cases: impl Iterator<Item = Case>,
    check: fn(&Case, &Execs) -> Result<(), String>,
) -> Vec<Result<(), String>> {
    let execs = Execs::new();
    cases.filter(|case| case.args == fault).map(|case| check(&case, &execs)).collect()
}

/// Enough cases that every fault has one that shows it.
fn faulty_cases() -> impl Iterator<Item = Case> {
    sampled_cases(FILTERS, Sample::Third)
}

/// Every case with `fault` fails `check`, with a message that holds `message`.
fn caught(fault: &str, check: fn(&Case, &Execs) -> Result<(), String>, message: &str) {
    // Tiny shapes, which are all corner, and one larger.
    let few = faulty_cases().filter(|case| case.input.width < 20);
    let results = found(fault, few, check);
    assert!(!results.is_empty());
    for result in results {
        let text = result.expect_err(fault);
        assert!(text.contains(message), "{fault}: {text}");
    }
}

#[test]
fn a_right_kernel_passes() {
    for check in [check_kernels, check_history, check_threads] {
        let few = faulty_cases().filter(|case| case.input.width < 20);
        let failures: Vec<_> = found("none", few, check).into_iter().filter_map(Result::err).collect();
        assert!(failures.is_empty(), "{}", report(&failures));
    }
    let neutral = neutral_cases(FILTERS).filter(|case| case.input.width < 20);
    assert!(found("none", neutral, check_neutral).into_iter().all(|result| result == Ok(())));
}

#[test]
fn a_wrong_sample_is_caught_and_placed() {
    caught("off_by_one", check_kernels, "expected");
    caught("one_level", check_kernels, "portable, ");
    let small = faulty_cases().filter(|case| case.input.format.components() == 1 && case.shape() == (17, 5));
    let message = found("off_by_one", small, check_kernels).remove(0).unwrap_err();
    assert!(message.contains("component 0 at (8, 2): expected "), "{message}");
}

#[test]
fn a_wrong_neutral_is_caught() {
    let wrong = faulty_cases().map(|case| Case { src: case.input.format, dst: case.input.format, ..case });
    assert!(found("off_by_one", wrong.filter(|case| case.input.width < 20), check_neutral).iter().all(Result::is_err));
}

#[test]
fn writing_outside_is_caught() {
    caught("before_the_first_row", check_kernels, "was written outside its rows: at byte");
    // After the last sample of Cb in nv12 and of Y in YC48 come samples of other components, but the fault is in the
    // last component, after which there is padding.
    caught("past_the_row", check_kernels, "was written outside its rows: at byte");
}

#[test]
fn a_sample_left_unwritten_is_caught() {
    caught("unwritten", check_kernels, "expected");
}

#[test]
fn a_result_made_of_padding_is_caught() {
    // A padding byte may by chance be the sample that was expected, at one level and in one picture, not in all.
    let few = faulty_cases().filter(|case| case.input.width < 20);
    let results = found("reads_padding", few, check_kernels);
    let passed = results.iter().filter(|result| result.is_ok()).count();
    assert!(passed * 20 < results.len(), "{passed} of {} passed", results.len());
}

#[test]
fn a_slow_path_is_caught() {
    caught("slow", check_kernels, "the kernel takes the path 'reference'");
}

#[test]
fn memory_between_frames_is_caught() {
    caught("remembers", check_history, "after frames [0]");
}

#[test]
fn a_result_that_depends_on_threads_is_caught() {
    caught("counts_threads", check_threads, "3 threads");
}
