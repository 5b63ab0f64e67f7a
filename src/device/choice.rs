//! Which device a run asks for, and which it gets.

#[cfg(feature = "cuda")]
use crate::device::cuda::{self, CudaDevice};
use crate::error::{Error, Result};
#[cfg(feature = "cuda")]
use log::Level;
#[cfg(not(feature = "cuda"))]
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// A wish for a device: `auto`, `cpu`, `cuda` or `cuda:N`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// The first CUDA device if it can be used, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// The CUDA device that the driver gives this number, and no other.
    Cuda(usize),
}

impl FromStr for DeviceChoice {
    type Err = Error;

    fn from_str(text: &str) -> Result<DeviceChoice> {
        let ordinal = text.strip_prefix("cuda").map(|rest| match rest.strip_prefix(':') {
            Some(number) => number.parse().ok(),
            None => rest.is_empty().then_some(0),
        });
        match (text, ordinal) {
            ("auto", _) => Ok(DeviceChoice::Auto),
            ("cpu", _) => Ok(DeviceChoice::Cpu),
            (_, Some(Some(ordinal))) => Ok(DeviceChoice::Cuda(ordinal)),
            _ => Err(Error::bad_argument(format!("device '{text}' is not known: use auto, cpu, cuda or cuda:N"))),
        }
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceChoice::Auto => f.write_str("auto"),
            DeviceChoice::Cpu => f.write_str("cpu"),
            DeviceChoice::Cuda(ordinal) => write!(f, "cuda:{ordinal}"),
        }
    }
}

#[cfg(feature = "cuda")]
impl DeviceChoice {
    /// Opens the CUDA device of this choice, or shares it with those in this process that have it open; `None` is the CPU.
    ///
    /// # Errors
    /// When a CUDA device was asked for by name and cannot be used.
    pub fn open(self) -> Result<Option<Arc<CudaDevice>>> {
        self.ordinal().map_or(Ok(None), |ordinal| self.or_cpu(CudaDevice::shared(ordinal)))
    }

    /// The driver's number of the CUDA device that is tried.
    pub fn ordinal(self) -> Option<usize> {
        match self {
            DeviceChoice::Cpu => None,
            DeviceChoice::Auto => Some(0),
            DeviceChoice::Cuda(ordinal) => Some(ordinal),
        }
    }

    /// What was made for the CUDA device. Where that failed, `auto` means `None`, the CPU, and a note that says why:
    /// for all to see where there is a GPU, and else for those who want details, since that is nothing new to them.
    ///
    /// # Errors
    /// The error and the remedy, when a CUDA device was asked for by name.
    pub fn or_cpu<T>(self, made: Result<T>) -> Result<Option<T>> {
        match (made, self) {
            (Ok(made), _) => Ok(Some(made)),
            (Err(error), DeviceChoice::Auto) => {
                let level = if cuda::is_present() { Level::Info } else { Level::Debug };
                log::log!(level, "filtering on the CPU: {error}");
                Ok(None)
            }
            (Err(error), _) => Err(Error::new(error.kind(), format!("{error}; use --device cpu"))),
        }
    }
}

#[cfg(not(feature = "cuda"))]
impl DeviceChoice {
    /// `None`, the CPU: this build knows no other device.
    ///
    /// # Errors
    /// When a CUDA device was asked for by name.
    pub fn open(self) -> Result<Option<Infallible>> {
        match self {
            DeviceChoice::Cuda(_) => Err(Error::unsupported("this build has no CUDA; use --device cpu")),
            DeviceChoice::Auto | DeviceChoice::Cpu => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "cuda")]
    use crate::error::Kind;

    #[test]
    fn choices_round_trip() {
        for (text, choice) in
            [("auto", DeviceChoice::Auto), ("cpu", DeviceChoice::Cpu), ("cuda:3", DeviceChoice::Cuda(3))]
        {
            assert_eq!(text.parse::<DeviceChoice>().unwrap(), choice);
            assert_eq!(choice.to_string(), text);
        }
        assert_eq!("cuda".parse::<DeviceChoice>().unwrap(), DeviceChoice::Cuda(0));
        for text in ["", "gpu", "cuda:", "cuda:x", "cuda:-1", "cuda0", "Auto"] {
            let error = text.parse::<DeviceChoice>().unwrap_err();
            assert!(error.message().contains("use auto, cpu, cuda or cuda:N"), "{error}");
        }
    }

    #[cfg(feature = "cuda")]
    #[test]
    fn only_auto_falls_back() {
        let failed = || Err::<(), _>(Error::unsupported("no NVIDIA driver"));
        assert_eq!(DeviceChoice::Auto.or_cpu(failed()), Ok(None));
        let error = DeviceChoice::Cuda(0).or_cpu(failed()).unwrap_err();
        assert_eq!((error.kind(), error.message()), (Kind::Unsupported, "no NVIDIA driver; use --device cpu"));
        assert_eq!(DeviceChoice::Auto.or_cpu(Ok(1)), Ok(Some(1)));
        assert!(DeviceChoice::Cpu.open().unwrap().is_none());
    }
}
