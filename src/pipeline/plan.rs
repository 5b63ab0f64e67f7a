//! Negotiation: from a stream, a chain and a wanted output to the kernels that run and the storage between them.

use crate::error::{Error, Result};
use crate::filters::depth::{Depth, Dither};
use crate::filters::{Filter, Setup, planes};
use crate::video::{Format, StreamInfo};

/// What the sink wants of the last picture.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Storage format; `None` keeps the components at the depth the chain ends with, planar.
    pub format: Option<Format>,
    /// How a lower depth is reached; `None` rounds.
    pub dither: Dither,
}

impl Default for Target {
    fn default() -> Self {
        Self { format: None, dither: Dither::None }
    }
}

/// One kernel of a plan.
#[derive(Debug)]
pub struct Stage {
    /// The filter.
    pub filter: Box<dyn Filter>,
    /// What its kernel is built for.
    pub setup: Setup,
}

/// A chain that fits a stream and a target.
#[derive(Debug)]
pub struct Plan {
    /// The stream the chain gets.
    pub input: StreamInfo,
    /// The stream it gives; `format` is the storage the sink gets.
    pub output: StreamInfo,
    /// The kernels in order. None: pictures pass untouched.
    pub stages: Vec<Stage>,
    /// Calls left out because they would change no sample.
    pub skipped: Vec<String>,
    /// The source's frames are in GPU memory, where the first kernel reads them.
    pub resident: bool,
    /// The results stay in GPU memory, where an encoder reads them.
    pub stays: bool,
}

impl Plan {
    /// The same plan for a source whose frames are in GPU memory, stored as `storage`. The stream stays what it is, and
    /// so does every result: only the first kernel reads from another layout. An empty chain gets a kernel that copies.
    ///
    /// # Errors
    /// When `storage` does not hold the components of the source.
    pub fn resident(mut self, storage: Format) -> Result<Plan> {
        let nominal = self.input.format;
        if !storage.holds(nominal) {
            return Err(Error::internal(format!("{nominal} cannot be stored as {storage}")));
        }
        self.fill();
        if let Some(first) = self.stages.first_mut() {
            first.setup.src = storage;
        }
        self.resident = true;
        Ok(self)
    }

    /// The same plan for an encoder that reads the results in GPU memory. An empty chain gets a kernel that copies.
    pub fn staying(mut self) -> Plan {
        self.fill();
        self.stays = true;
        self
    }

    /// Puts a kernel that copies into an empty chain.
    fn fill(&mut self) {
        if self.stages.is_empty() {
            let copy = Box::new(Depth::to(self.input.format.bit_depth(), Dither::None));
            let (input, output) = (self.input.clone(), self.output.clone());
            let setup = Setup { src: input.format, dst: output.format, input, output };
            self.stages.push(Stage { filter: copy, setup });
        }
    }
}

/// Plans `filters` for `input`, ending in `target`.
///
/// Between filters samples are v16 (YC48 stays YC48). The first kernel widens and the last narrows, so no stage is
/// added for storage alone, but one: a `depth` where rounding a shift is not the right narrowing (full range, dither,
/// an empty chain).
///
/// # Errors
/// When a filter does not take the stream, or the target's components are not the chain's.
pub fn plan(filters: Vec<Box<dyn Filter>>, input: &StreamInfo, target: Target) -> Result<Plan> {
    let mut info = input.clone();
    let mut skipped = Vec::new();
    let mut kept: Vec<(Box<dyn Filter>, StreamInfo, StreamInfo)> = Vec::new();
    for filter in filters {
        let descriptor = filter.descriptor();
        if !(descriptor.accepts)(info.format) {
            return Err(Error::unsupported(format!("{} does not take {}", descriptor.name, info.format)));
        }
        let checked = planes::check(&*filter, info.format).and_then(|()| filter.output(&info));
        let output = checked.map_err(|e| e.context(descriptor.name))?;
        if filter.is_identity(&info) {
            skipped.push(crate::params::print_chain(&[filter.call()], crate::params::Spelling::FFmpeg));
        } else {
            kept.push((filter, info, output.clone()));
        }
        info = output;
    }

    let untouched = kept.is_empty() && info.format == input.format;
    let format = match target.format {
        Some(format) => format,
        None if untouched || info.format.is_yc48() => info.format,
        None => info.format.to_planar(info.format.bit_depth())?,
    };
    if needs_depth(&kept, input, &info, format, target.dither)? {
        let filter: Box<dyn Filter> = Box::new(Depth::to(format.bit_depth(), target.dither));
        let output = filter.output(&info)?;
        kept.push((filter, info, output.clone()));
        info = output;
    }

    // What only rounds to the depth of the storage is what the kernel before it does anyway, while it writes.
    while let [.., _, (last, last_input, _)] = kept.as_slice()
        && last.only_rounds(last_input) == Some(format.bit_depth())
    {
        kept.pop();
    }

    let mid = if input.format.is_yc48() { Format::YC48 } else { input.format.to_v16() };
    let last = kept.len().saturating_sub(1);
    let stages = kept.into_iter().enumerate().map(|(i, (filter, input_info, output_info))| {
        let src = if i == 0 { input.format } else { mid };
        let dst = if i == last { format } else { mid };
        Stage { filter, setup: Setup { input: input_info, output: output_info, src, dst } }
    });
    let (stages, output) = (stages.collect(), StreamInfo { format, ..info });
    Ok(Plan { input: input.clone(), stages, output, skipped, resident: false, stays: false })
}

/// Whether a `depth` stage must end the chain to reach `format`.
fn needs_depth(
    kept: &[(Box<dyn Filter>, StreamInfo, StreamInfo)],
    input: &StreamInfo,
    info: &StreamInfo,
    format: Format,
    dither: Dither,
) -> Result<bool> {
    let components = |f: Format| (f.model(), f.subsampling_w(), f.subsampling_h(), f.is_yc48());
    if components(info.format) != components(format) {
        return Err(Error::unsupported(format!("the chain ends in {} and cannot be stored as {format}", info.format)));
    }
    let lower = format.bit_depth() < info.format.bit_depth();
    let depth_changes = format.bit_depth() != info.format.bit_depth();
    let stored_by_shift = !(depth_changes && info.is_full_range()) && (dither == Dither::None || !narrows(kept, lower));
    Ok(if kept.is_empty() { format != input.format } else { !stored_by_shift })
}

/// Whether the end of the chain loses bits: it ends in fewer bits than the stream has, or its filters leave v16
/// values between the stream's codes.
fn narrows(kept: &[(Box<dyn Filter>, StreamInfo, StreamInfo)], lower: bool) -> bool {
    let ends_in_depth =
        kept.last().is_some_and(|(filter, ..)| filter.descriptor().name == crate::filters::depth::DESCRIPTOR.name);
    lower || !ends_in_depth
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filters::chain;
    use crate::video::{ColorInfo, Range};

    /// The stages that `text` becomes, as "filter source-storage>sink-storage".
    fn stages(text: &str, input: &StreamInfo, target: Target) -> Vec<String> {
        let plan = plan(chain(text).unwrap(), input, target).unwrap();
        let name = |s: &Stage| format!("{} {}>{}", s.filter.descriptor().name, s.setup.src, s.setup.dst);
        plan.stages.iter().map(name).collect()
    }

    fn stream(format: &str, range: Range) -> StreamInfo {
        let color = ColorInfo { range, ..ColorInfo::default() };
        StreamInfo { color, ..StreamInfo::bare(format.parse().unwrap(), 8, 8) }
    }

    fn to(format: &str) -> Target {
        Target { format: Some(format.parse().unwrap()), ..Target::default() }
    }

    #[test]
    fn one_filter_is_one_kernel() {
        let limited = stream("yuv420p", Range::Limited);
        assert_eq!(stages("deband", &limited, to("yuv420p10")), ["deband yuv420p>yuv420p10"]);
        assert_eq!(stages("deband,depth=10", &limited, Target::default()), ["deband yuv420p>yuv420p10"]);
        assert_eq!(stages("deband,depth=10", &limited, to("yuv420p10")), ["deband yuv420p>yuv420p10"]);
    }

    #[test]
    fn a_depth_that_does_more_than_round_stays() {
        let (limited, full) = (stream("yuv420p", Range::Limited), stream("yuv420p", Range::Full));
        let two = ["deband yuv420p>yuv420p16", "depth yuv420p16>yuv420p10"];
        assert_eq!(stages("deband,depth=10", &full, to("yuv420p10")), two);
        assert_eq!(stages("deband,depth=10:dither=fs", &limited, to("yuv420p10")), two);
        // Rounded to 10 bits and then to 8 is not rounded to 8.
        let both = ["deband yuv420p>yuv420p16", "depth yuv420p16>yuv420p"];
        assert_eq!(stages("deband,depth=10", &limited, to("yuv420p")), both);
    }

    #[test]
    fn the_sink_decides_the_storage() {
        let (limited, full) = (stream("nv12", Range::Limited), stream("yuv444p", Range::Full));
        assert_eq!(stages("", &limited, Target::default()), [""; 0]);
        assert_eq!(stages("", &limited, to("yuv420p")), ["depth nv12>yuv420p"]);
        // Not one sample changes in 16 bits between filters, but the storage does.
        assert_eq!(stages("depth=16", &limited, Target::default()), ["depth nv12>yuv420p16"]);
        assert_eq!(stages("deband", &limited, to("p010")), ["deband nv12>p010"]);
        assert_eq!(stages("deband", &full, to("yuv444p12")), ["deband yuv444p>yuv444p16", "depth yuv444p16>yuv444p12"]);
        let dithered = Target { dither: Dither::Blue, ..to("yuv444p") };
        assert_eq!(stages("deband", &full, dithered), ["deband yuv444p>yuv444p16", "depth yuv444p16>yuv444p"]);
    }

    #[test]
    fn what_changes_nothing_is_left_out() {
        let plan =
            plan(chain("deband=threshold=0:dither=0,deband").unwrap(), &stream("gray8", Range::Limited), to("gray8"));
        let plan = plan.unwrap();
        assert_eq!((plan.stages.len(), plan.skipped), (1, vec!["deband=threshold=0:dither=0".to_owned()]));
    }

    #[test]
    fn a_source_on_the_device_changes_what_the_first_kernel_reads() {
        let resident = |text: &str, format: &str, storage: &str, target| {
            let plan = plan(chain(text).unwrap(), &stream(format, Range::Limited), target).unwrap();
            let (nominal, end) = (plan.input.clone(), plan.output.clone());
            let plan = plan.resident(storage.parse().unwrap()).unwrap();
            assert_eq!((&plan.input, &plan.output, plan.resident), (&nominal, &end, true));
            let name = |s: &Stage| format!("{} {}>{}", s.filter.descriptor().name, s.setup.src, s.setup.dst);
            plan.stages.iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(resident("deband", "yuv420p", "nv12", to("yuv420p10")), ["deband nv12>yuv420p10"]);
        let two = ["deband yuv444p16>yuv444p16", "deband yuv444p16>yuv444p10"];
        assert_eq!(resident("deband,deband", "yuv444p10", "yuv444p16", Target::default()), two);
        assert_eq!(resident("", "yuv420p10", "p010", Target::default()), ["depth p010>yuv420p10"]);
        assert_eq!(resident("", "yuv420p", "nv12", to("yuv420p12")), ["depth nv12>yuv420p12"]);
        let plan = plan(Vec::new(), &stream("yuv422p", Range::Limited), Target::default()).unwrap();
        let copying = plan.staying();
        assert!(copying.stays && copying.stages.len() == 1);
        let plan = super::plan(Vec::new(), &stream("yuv422p", Range::Limited), Target::default()).unwrap();
        assert!(plan.resident("nv12".parse().unwrap()).is_err());
    }

    #[test]
    fn components_never_change_on_the_way() {
        let error = plan(chain("deband").unwrap(), &stream("yuv420p", Range::Limited), to("yuv444p")).unwrap_err();
        assert_eq!(error.kind(), crate::error::Kind::Unsupported);
    }
}
