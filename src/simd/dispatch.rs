//! Functions compiled once for each level of vector instructions.

use crate::device::cpu::CpuLevel;

/// Defines `$name(level, arguments)`, which runs the `#[inline(always)]` function `$body` compiled for `level`.
///
/// # Safety
/// Of the function it defines: the processor has `level`.
macro_rules! by_level {
    ($name:ident = $body:ident($($arg:ident: $ty:ty),* $(,)?)) => {
        unsafe fn $name(level: CpuLevel, $($arg: $ty),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,fma")]
                fn avx2($($arg: $ty),*) {
                    $body($($arg),*)
                }
                #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
                fn avx512($($arg: $ty),*) {
                    $body($($arg),*)
                }
                match level {
                    CpuLevel::Portable => $body($($arg),*),
                    // SAFETY: the caller vouches that the processor has the level.
                    CpuLevel::Avx2 => unsafe { avx2($($arg),*) },
                    // SAFETY: as above.
                    CpuLevel::Avx512 => unsafe { avx512($($arg),*) },
                }
            }
            #[cfg(not(target_arch = "x86_64"))]
            {
                let _ = level;
                $body($($arg),*)
            }
        }
    };
}
pub(crate) use by_level;

/// Work of any type that [`at_level`] compiles for each level. Implementations are `#[inline(always)]`.
pub(crate) trait Work {
    /// Does it.
    fn run(self);
}

/// Does `work`, compiled for `level`.
///
/// # Safety
/// The processor has `level`.
pub(crate) unsafe fn at_level<W: Work>(level: CpuLevel, work: W) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,fma")]
        fn avx2<W: Work>(work: W) {
            work.run();
        }
        #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,fma")]
        fn avx512<W: Work>(work: W) {
            work.run();
        }
        match level {
            CpuLevel::Portable => work.run(),
            // SAFETY: the caller vouches that the processor has the level.
            CpuLevel::Avx2 => unsafe { avx2(work) },
            // SAFETY: as above.
            CpuLevel::Avx512 => unsafe { avx512(work) },
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = level;
        work.run();
    }
}
