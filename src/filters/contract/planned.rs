//! The contract of filters of planes whose kernels are all built from one plan.

/// Implements [`Filter`](crate::filters::Filter) for a filter with its `params`, in a module that has
/// `DESCRIPTOR`, a `Plan` of parameters and a stream that says which components it `blurs`, and kernels that are made of that plan:
/// `reference::Reference`, `fast::Fast` and `cuda::Kernel`.
macro_rules! planned {
    ($filter:ident) => {
        impl $crate::filters::Filter for $filter {
            fn descriptor(&self) -> &'static $crate::filters::Descriptor {
                &DESCRIPTOR
            }

            fn call(&self) -> $crate::params::Call {
                $crate::params::Params::to_call(&self.params, DESCRIPTOR.name)
            }

            fn spec(&self, inputs: &[$crate::video::StreamInfo]) -> $crate::error::Result<$crate::filters::Spec> {
                let plan = Plan::new(&self.params, &inputs[0]);
                Ok($crate::filters::Spec::copying(inputs[0].clone(), |component| !plan.blurs(component)))
            }

            fn reference(
                &self,
                setup: &$crate::filters::Setup,
            ) -> $crate::error::Result<Box<dyn $crate::filters::CpuKernel>> {
                Ok(Box::new(reference::Reference::new(Plan::new(&self.params, &setup.input))))
            }

            fn cpu(
                &self,
                setup: &$crate::filters::Setup,
                level: $crate::device::cpu::CpuLevel,
            ) -> $crate::error::Result<Box<dyn $crate::filters::CpuKernel>> {
                Ok(Box::new(fast::Fast::new(Plan::new(&self.params, &setup.input), setup, level)?))
            }

            #[cfg(feature = "cuda")]
            fn cuda_memory(
                &self,
                setup: &$crate::filters::Setup,
                device: &std::sync::Arc<$crate::device::cuda::CudaDevice>,
            ) -> $crate::error::Result<usize> {
                Ok(cuda::Kernel::memory(&Plan::new(&self.params, &setup.input), setup, device))
            }

            #[cfg(feature = "cuda")]
            fn cuda(
                &self,
                setup: &$crate::filters::Setup,
                device: &std::sync::Arc<$crate::device::cuda::CudaDevice>,
            ) -> $crate::error::Result<Box<dyn $crate::filters::CudaKernel>> {
                Ok(Box::new(cuda::Kernel::new(Plan::new(&self.params, &setup.input), setup, device)?))
            }
        }
    };
}
pub(crate) use planned;
