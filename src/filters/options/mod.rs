//! Options that filters have in common: `planes`, `mask`, `frames` and `times`.

pub mod masked;
pub mod planes;
pub mod zones;

/// What a filter that wraps its `inner` one says for it: whatever the option does not change.
macro_rules! says_for_inner {
    () => {
        fn descriptor(&self) -> &'static $crate::filters::Descriptor {
            self.inner.descriptor()
        }

        fn wiring(&self) -> $crate::filters::Wiring {
            self.inner.wiring()
        }

        fn survey(&self, input: &$crate::video::StreamInfo) -> Option<Box<dyn $crate::filters::Filter>> {
            self.inner.survey(input)
        }

        fn file(&self) -> Option<&std::path::Path> {
            self.inner.file()
        }

        fn warning(&self) -> Option<String> {
            self.inner.warning()
        }

        #[cfg(feature = "cuda")]
        fn cuda_memory(
            &self,
            setup: &$crate::filters::Setup,
            device: &std::sync::Arc<$crate::device::cuda::CudaDevice>,
        ) -> $crate::error::Result<usize> {
            self.inner.cuda_memory(setup, device)
        }
    };
}
use says_for_inner;
