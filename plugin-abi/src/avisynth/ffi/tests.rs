use super::*;
use std::mem::{offset_of, size_of};

/// As the 64-bit interface states them.
#[test]
fn structs_have_avisynths_layout() {
    assert_eq!((size_of::<VideoInfo>(), offset_of!(VideoInfo, num_audio_samples)), (48, 32));
    assert_eq!((size_of::<Value>(), offset_of!(Value, data)), (16, 8));
    assert_eq!((offset_of!(FilterInfo, vi), offset_of!(FilterInfo, env)), (8, 56));
    assert_eq!((offset_of!(FilterInfo, get_frame), offset_of!(FilterInfo, set_cache_hints)), (64, 88));
    assert_eq!((offset_of!(FilterInfo, error), offset_of!(FilterInfo, user_data)), (104, 112));
}

#[test]
fn a_missing_function_is_no_interface() {
    let mut place = 0u8;
    let any = std::ptr::from_mut(&mut place).cast::<c_void>();
    let without = |missing: &'static CStr| move |name: &CStr| if name == missing { std::ptr::null_mut() } else { any };
    // SAFETY: nothing is called.
    unsafe {
        assert!(Api::found(without(c"avs_copy_frame_props")).is_none(), "before AviSynth+ 3.6");
        assert!(Api::found(without(c"")).is_some());
    }
    assert!(Api::of_process().is_none(), "no AviSynth here");
}
