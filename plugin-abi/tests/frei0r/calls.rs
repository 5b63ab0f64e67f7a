//! The entry points, called as hosts call them and as none should.

use crate::folder::Folder;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::sync::Barrier;

type Instance = *mut c_void;

/// `f0r_plugin_info_t`, from the header.
#[repr(C)]
#[derive(Debug)]
struct PluginInfo {
    name: *const c_char,
    author: *const c_char,
    plugin_type: c_int,
    color_model: c_int,
    frei0r_version: c_int,
    major_version: c_int,
    minor_version: c_int,
    num_params: c_int,
    explanation: *const c_char,
}

/// `f0r_param_info_t`, from the header.
#[repr(C)]
struct ParamInfo {
    name: *const c_char,
    param_type: c_int,
    explanation: *const c_char,
}

/// A loaded effect.
struct Effect(Library);

macro_rules! calls {
    ($($name:ident($($arg:ident: $ty:ty),*) $(-> $ret:ty)?;)*) => {
        impl Effect {
            $(fn $name(&self, $($arg: $ty),*) $(-> $ret)? {
                let name = concat!(stringify!($name), "\0");
                // SAFETY: the header declares the function so.
                unsafe {
                    let function = self.0.get::<unsafe extern "C" fn($($ty),*) $(-> $ret)?>(name.as_bytes()).unwrap();
                    function($($arg),*)
                }
            })*
        }
    };
}

calls! {
    f0r_init() -> c_int;
    f0r_deinit();
    f0r_get_plugin_info(info: *mut PluginInfo);
    f0r_get_param_info(info: *mut ParamInfo, index: c_int);
    f0r_construct(width: u32, height: u32) -> Instance;
    f0r_destruct(instance: Instance);
    f0r_set_param_value(instance: Instance, value: *mut c_void, index: c_int);
    f0r_get_param_value(instance: Instance, value: *mut c_void, index: c_int);
    f0r_update(instance: Instance, time: f64, src: *const u32, dst: *mut u32);
}

impl Effect {
    fn load(path: &Path) -> Effect {
        // SAFETY: our own library, whose start does nothing.
        Effect(unsafe { Library::new(path) }.unwrap())
    }

    fn info(&self) -> (String, PluginInfo) {
        let text = c"".as_ptr();
        let mut info = PluginInfo {
            name: text,
            author: text,
            plugin_type: -1,
            color_model: -1,
            frei0r_version: -1,
            major_version: -1,
            minor_version: -1,
            num_params: -1,
            explanation: text,
        };
        self.f0r_get_plugin_info(&mut info);
        (words(info.name), info)
    }

    fn set_chain(&self, instance: Instance, chain: &CStr) {
        let mut text = chain.as_ptr();
        self.f0r_set_param_value(instance, (&raw mut text).cast(), 0);
    }
}

fn words(text: *const c_char) -> String {
    // SAFETY: the effect's texts end with a NUL and live as long as the library.
    unsafe { CStr::from_ptr(text) }.to_str().unwrap().to_owned()
}

/// A picture of 64×48 noisy pixels.
fn picture(seed: u32) -> Vec<u32> {
    (0..64 * 48u32).map(|i| (i ^ seed).wrapping_mul(2_654_435_761)).collect()
}

fn filtered(effect: &Effect, instance: Instance, src: &[u32], time: f64) -> Vec<u32> {
    let mut dst = vec![0; src.len()];
    effect.f0r_update(instance, time, src.as_ptr(), dst.as_mut_ptr());
    dst
}

#[test]
fn each_file_is_its_own_effect() {
    let folder = Folder::new();
    let (deband, chain) = (Effect::load(&folder.effect("deband")), Effect::load(&folder.effect("chain")));
    let ((first, info), (second, _)) = (deband.info(), chain.info());
    assert_eq!((first.as_str(), second.as_str()), ("vramp deband", "vramp chain"));
    // A filter, RGBA8888, version 1.
    assert_eq!((info.plugin_type, info.color_model, info.frei0r_version), (0, 1, 1));
    assert!(info.num_params > 10 && !words(info.explanation).is_empty() && !words(info.author).is_empty());

    let instance = deband.f0r_construct(64, 48);
    let mut names = Vec::new();
    for index in 0..info.num_params {
        let mut param = ParamInfo { name: c"".as_ptr(), param_type: -1, explanation: c"".as_ptr() };
        deband.f0r_get_param_info(&mut param, index);
        names.push(words(param.name));
        // What hosts read before they set anything: numbers from 0 to 1, and text.
        match param.param_type {
            0 | 1 => {
                let mut number = -1.0f64;
                deband.f0r_get_param_value(instance, (&raw mut number).cast(), index);
                assert!((0.0..=1.0).contains(&number), "{names:?} {number}");
            }
            4 => {
                let mut text: *const c_char = c"".as_ptr();
                deband.f0r_get_param_value(instance, (&raw mut text).cast(), index);
                assert!(!words(text).is_empty(), "{names:?}");
            }
            other => panic!("{names:?}: type {other}"),
        }
    }
    assert_eq!(names[..2], ["range", "threshold"]);
    deband.f0r_destruct(instance);
}

/// GStreamer makes instances to ask them, and counts badly: that starts nothing.
#[test]
fn an_instance_costs_nothing_before_its_first_frame() {
    let folder = Folder::new();
    let effect = Effect::load(&folder.effect("chain"));
    let threads = || std::fs::read_dir("/proc/self/task").unwrap().count();
    let before = threads();
    let instances: Vec<Instance> = (0..20)
        .map(|_| {
            effect.f0r_init();
            let instance = effect.f0r_construct(640, 480);
            effect.set_chain(instance, c"deband > gauss(2)");
            instance
        })
        .collect();
    assert_eq!(threads(), before);
    effect.f0r_deinit();
    instances.into_iter().for_each(|instance| effect.f0r_destruct(instance));
    effect.f0r_deinit();
}

#[test]
fn threads_that_share_an_instance_take_turns() {
    let folder = Folder::new();
    let effect = Effect::load(&folder.effect("chain"));
    let instance = effect.f0r_construct(64, 48) as usize;
    effect.set_chain(instance as Instance, c"deband(range 20, threshold 31) > box(2)");
    let expected: Vec<_> = (0..8).map(|seed| filtered(&effect, instance as Instance, &picture(seed), 0.0)).collect();
    assert_ne!(expected[0], picture(0));
    let start = Barrier::new(8);
    std::thread::scope(|scope| {
        for seed in 0..8 {
            let (effect, start, expected) = (&effect, &start, &expected);
            scope.spawn(move || {
                start.wait();
                for round in 0..20 {
                    // As MLT does before every frame.
                    effect.set_chain(instance as Instance, c"deband(range 20, threshold 31) > box(2)");
                    let got = filtered(effect, instance as Instance, &picture(seed), f64::from(round));
                    assert!(got == expected[seed as usize], "picture {seed}, round {round}");
                }
            });
        }
    });
    effect.f0r_destruct(instance as Instance);
}

#[test]
fn wild_calls_do_nothing() {
    let folder = Folder::new();
    let effect = Effect::load(&folder.effect("deband"));
    for (width, height) in [(0, 0), (0, 48), (64, 0), (u32::MAX, u32::MAX), (1 << 20, 1)] {
        assert!(effect.f0r_construct(width, height).is_null());
    }
    effect.f0r_get_plugin_info(null_mut());
    effect.f0r_destruct(null_mut());
    let instance = effect.f0r_construct(64, 48);
    let (src, mut dst) = (picture(1), picture(2));
    let mut number = 0.5f64;
    let mut text: *const c_char = std::ptr::null();
    for index in [-1, c_int::MIN, c_int::MAX, 99] {
        effect.f0r_get_param_info(null_mut(), index);
        effect.f0r_set_param_value(instance, (&raw mut number).cast(), index);
        effect.f0r_get_param_value(instance, (&raw mut number).cast(), index);
    }
    for handle in [instance, null_mut()] {
        effect.f0r_set_param_value(handle, null_mut(), 0);
        effect.f0r_get_param_value(handle, null_mut(), 0);
        // Index 2 is text.
        effect.f0r_set_param_value(handle, (&raw mut text).cast(), 2);
        effect.f0r_update(handle, 0.0, std::ptr::null(), dst.as_mut_ptr());
        effect.f0r_update(handle, 0.0, src.as_ptr(), null_mut());
    }
    assert_eq!(dst, picture(2));
    assert_eq!(number, 0.5);
    for wild in [f64::NAN, f64::INFINITY, -1e300, 7.0] {
        number = wild;
        effect.f0r_set_param_value(instance, (&raw mut number).cast(), 0);
        dst = filtered(&effect, instance, &src, wild);
        assert!(dst.iter().zip(&src).all(|(dst, src)| dst.to_ne_bytes()[3] == src.to_ne_bytes()[3]), "alpha passes");
    }
    // A source that is the target too cannot be filtered: it stays.
    let mut same = src.clone();
    effect.f0r_update(instance, 0.0, same.as_ptr(), same.as_mut_ptr());
    assert_eq!(same, src);
    effect.f0r_destruct(instance);
}

/// Hosts load effects to look at them and unload them, again and again.
#[test]
fn loading_again_and_again_takes_nothing() {
    let folder = Folder::new();
    let maps = || std::fs::read_to_string("/proc/self/maps").unwrap().lines().filter(|l| l.contains("vramp_")).count();
    let look = || {
        let effect = Effect::load(&folder.effect("chain"));
        let instance = effect.f0r_construct(16, 16);
        effect.f0r_destruct(instance);
        effect.f0r_deinit();
    };
    look();
    let mapped = maps();
    (0..1000).for_each(|_| look());
    assert_eq!(maps(), mapped);
}
