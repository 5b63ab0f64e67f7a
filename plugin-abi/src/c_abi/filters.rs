//! The filters and their parameters, for programs that show them.

use super::abi::{self, FilterInfo, ParameterInfo, PresetInfo};
use super::call::{call, write};
use std::ffi::{CString, c_char};
use std::ptr;
use std::sync::LazyLock;
use vramp::error::{Error, Result};
use vramp::filters::{ALL, Descriptor};
use vramp::params::{Arg, Call, Param, ParamKind, Preset, Spelling, print_chain};

/// Everything as C has it, made when it is first asked for and kept.
static CATALOG: LazyLock<Vec<FilterEntry>> =
    LazyLock::new(|| ALL.iter().map(|filter| FilterEntry::new(filter)).collect());

struct FilterEntry {
    info: FilterInfo,
    parameters: Vec<ParameterInfo>,
    presets: Vec<PresetInfo>,
}

// SAFETY: the pointers are to text that is never freed or changed.
unsafe impl Send for FilterEntry {}
// SAFETY: as above.
unsafe impl Sync for FilterEntry {}

/// `text` with a NUL, for as long as the process lives.
fn forever(text: &str) -> *const c_char {
    CString::new(text).unwrap_or_default().into_raw()
}

impl FilterEntry {
    fn new(filter: &Descriptor) -> FilterEntry {
        let schema = filter.schema;
        FilterEntry {
            info: FilterInfo {
                struct_size: 0,
                parameters: schema.params.len() as u32,
                presets: schema.presets.len() as u32,
                reserved: 0,
                name: forever(filter.name),
                summary: forever(filter.summary),
            },
            parameters: schema.params.iter().map(parameter).collect(),
            presets: schema.presets.iter().map(preset).collect(),
        }
    }
}

fn parameter(param: &Param) -> ParameterInfo {
    let (kind, minimum, maximum, words): (_, _, _, &[&str]) = match param.kind {
        ParamKind::Bool => (abi::BOOL, 0.0, 1.0, &[]),
        ParamKind::Int { min, max } => (abi::INT, min as f64, max as f64, &[]),
        ParamKind::Float { min, max } => (abi::FLOAT, min, max, &[]),
        ParamKind::Choice(words) => (abi::CHOICE, 0.0, 0.0, words),
        ParamKind::Text(_) => (abi::TEXT, 0.0, 0.0, &[]),
        ParamKind::Name => (abi::NAME, 0.0, 0.0, &[]),
    };
    let choices: Vec<_> = words.iter().map(|word| forever(word)).collect();
    ParameterInfo {
        struct_size: 0,
        kind,
        takes_auto: param.auto.into(),
        choices_count: choices.len() as u32,
        minimum,
        maximum,
        name: forever(param.name),
        unit: forever(param.unit),
        doc: forever(param.doc),
        default_value: forever(&(param.default)()),
        choices: if choices.is_empty() { ptr::null() } else { choices.leak().as_ptr() },
    }
}

fn preset(preset: &Preset) -> PresetInfo {
    PresetInfo {
        struct_size: 0,
        reserved: 0,
        name: forever(preset.name),
        doc: forever(preset.doc),
        arguments: forever(&arguments(preset)),
    }
}

/// The arguments of a preset, as a chain writes them behind the filter's name.
fn arguments(preset: &Preset) -> String {
    let arg = |(key, value): &(&str, &str)| Arg { key: Some((*key).to_owned()), value: (*value).to_owned() };
    let call = Call { name: String::new(), args: preset.args.iter().map(arg).collect() };
    print_chain(&[call], Spelling::FFmpeg).trim_start_matches('=').to_owned()
}

/// Number `index` of `list`.
fn at<'l, T>(list: &'l [T], index: u32, what: &str) -> Result<&'l T> {
    let count = list.len();
    list.get(index as usize).ok_or_else(|| Error::bad_argument(format!("there is no {what} {index} of {count}")))
}

/// `vramp_filter_count` of the header.
#[unsafe(no_mangle)]
pub extern "C" fn vramp_filter_count() -> u32 {
    ALL.len() as u32
}

/// `vramp_filter_get` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_filter_get(filter: u32, info: *mut FilterInfo) -> i32 {
    call(|| {
        let filter = at(CATALOG.as_slice(), filter, "filter")?;
        // SAFETY: the caller's promise.
        unsafe { write(info, &filter.info) }.map(|()| abi::OK)
    })
}

/// `vramp_filter_parameter` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_filter_parameter(filter: u32, parameter: u32, info: *mut ParameterInfo) -> i32 {
    call(|| {
        let parameter = at(&at(CATALOG.as_slice(), filter, "filter")?.parameters, parameter, "parameter")?;
        // SAFETY: the caller's promise.
        unsafe { write(info, parameter) }.map(|()| abi::OK)
    })
}

/// `vramp_filter_preset` of the header.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn vramp_filter_preset(filter: u32, preset: u32, info: *mut PresetInfo) -> i32 {
    call(|| {
        let preset = at(&at(CATALOG.as_slice(), filter, "filter")?.presets, preset, "preset")?;
        // SAFETY: the caller's promise.
        unsafe { write(info, preset) }.map(|()| abi::OK)
    })
}
