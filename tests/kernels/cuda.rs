//! The harness for CUDA kernels notices what is wrong.

#[path = "../cuda/fixture.rs"]
#[allow(dead_code)]
mod fixture;
#[path = "../cuda/gate.rs"]
#[allow(dead_code)]
mod gate;

use crate::case::{Case, cases};
use crate::data::fill;
use crate::gpu::{ALIGNMENTS, Gpu};
use crate::memory::{Guarded, compare};
use crate::sample::report;
use vramp::device::cuda::Function;
use vramp::filters::{ALL, CudaJob, CudaKernel};

/// A copy on the device, right or wrong, that a right harness distinguishes.
struct Copy {
    copy: Function,
    /// Changes every byte.
    value: u32,
    /// Bytes written after each row.
    beyond: usize,
    /// Whether the last row is written.
    last_row: bool,
}

impl CudaKernel for Copy {
    fn enqueue(&mut self, job: &CudaJob<'_>) -> vramp::error::Result<()> {
        let CudaJob { src, dst, stream, .. } = *job;
        let src = src.here();
        for (from, to) in src.iter().zip(dst.iter()) {
            let (mut from, to) = (*from, *to);
            from.width += self.beyond;
            from.height -= usize::from(!self.last_row);
            if from.height > 0 {
                fixture::xor(&self.copy, from, to, self.value, stream);
            }
        }
        Ok(())
    }
}

#[test]
fn wrong_kernels_on_cuda_are_caught() {
    let Some(device) = gate::device() else { return };
    let gpu = Gpu::new(&device);
    let copy = fixture::function(&gpu.device, "xor_u8");
    let planar = |case: &Case| case.src == case.dst && case.src.planes() == case.src.components() && case.shape().1 > 1;
    let cases: Vec<Case> = cases(ALL).filter(planar).take(20).collect();
    assert!(cases.len() == 20);
    let run = |case: &Case, value, beyond, last_row| {
        let mut kernel = Copy { copy: copy.clone(), value, beyond, last_row };
        let mut expected = Guarded::new(case.src, case.input.width, case.input.height, case.seed);
        fill(&mut expected.planes_mut(), case.content, case.seed(0));
        let caught =
            |align| gpu.run(&mut kernel, case, 0, align, case.seed + 4).and_then(|got| compare(&expected, &got));
        ALIGNMENTS.map(caught)
    };
    for case in &cases {
        assert_eq!(run(case, 0, 0, true), [Ok(()), Ok(())], "{}", report(&[case.to_string()]));
        for (value, beyond, last_row, message) in
            [(1, 0, true, "expected"), (0, 1, true, "outside its rows"), (0, 0, false, "expected")]
        {
            for fault in run(case, value, beyond, last_row) {
                let fault = fault.expect_err(message);
                assert!(fault.contains(message), "{}", report(&[format!("{case}: {fault}")]));
            }
        }
    }
}
