//! Chains that change the size or the number of frames, read frames around their own, or read other clips.

use crate::clips::Clip;
use crate::host::{Folder, Script};
use std::fs;
use vramp::filters::find;
use vramp::params::parse_chain;
use vramp::pipeline::{Target, plan};
use vramp::video::{Format, StreamInfo};

const COUNT: usize = 12;
const SIZE: (usize, usize) = (70, 38);

/// Of `chains` those whose filters there are.
fn there<'c>(chains: &[&'c str]) -> Vec<&'c str> {
    let is_there = |chain: &&&str| parse_chain(chain).unwrap().iter().all(|call| find(&call.name).is_some());
    chains.iter().filter(is_there).copied().collect()
}

/// The stream that `chain` makes of a clip.
fn made(chain: &str, format: Format) -> StreamInfo {
    let info = StreamInfo { frame_count: Some(COUNT as u64), ..StreamInfo::bare(format, SIZE.0, SIZE.1) };
    plan(vramp::filters::chain(chain).unwrap(), &info, Target::default()).unwrap().output
}

/// Holds the host's frames of `chain`, in a mixed order and from several threads, against the command's.
#[track_caller]
fn same_as_command(format: &str, chain: &str) {
    let folder = Folder::new();
    let clip = Clip::new(&folder, format, SIZE, COUNT);
    let output = made(chain, clip.format);
    let count = output.frame_count.unwrap() as usize;
    let expected = clip.by_command(&["--chain", chain], output.format);
    let frame = expected.len() / count;
    assert!(frame > 0 && expected.len() == frame * count, "{chain}: {} bytes, {count} frames", expected.len());
    let mut order: Vec<_> = (0..count).collect();
    // Ends first, then the middle, then everything again.
    order.sort_by_key(|n| n.min(&(count - 1 - n)) * 3 % 5);
    order.extend(0..count);
    let list: Vec<_> = order.iter().map(|n| n.to_string()).collect();
    for threads in ["1", "8"] {
        let path = folder.path("frames");
        let mut script = Script::new();
        clip.open(script.line(&["threads", threads]));
        let lines = script.chain(chain).line(&["info"]).line(&["frames", &path, &list.join(",")]).run();
        let size = format!(" {}x{} {count} {}", output.width, output.height, output.frame_rate);
        assert!(lines.len() == 1 && lines[0].ends_with(&size), "{chain}: {lines:?}, not{size}");
        let wanted: Vec<u8> = order.iter().flat_map(|n| &expected[n * frame..(n + 1) * frame]).copied().collect();
        assert!(fs::read(&path).unwrap() == wanted, "{format}: {chain}, {threads} threads");
    }
}

#[test]
fn other_sizes() {
    for chain in ["pad=w=96:h=64:x=4:y=2", "crop=w=32:h=20:x=6:y=4,deband", "transpose,gauss=1", "rotate=180,crop=x=2"]
    {
        same_as_command("yuv420p", chain);
    }
    same_as_command("yuv422p10", "pad=w=80:h=40,box=2");
}

#[test]
fn windows_and_windows_of_windows() {
    for chain in there(&[
        "tmedian",
        "tmedian=radius=3",
        "deband,tmedian=radius=2",
        "tmedian,gauss=1,tsoften",
        "deband=rand_each_frame=on,tmedian,tmedian=radius=2,depth=10",
    ]) {
        same_as_command("yuv420p", chain);
    }
}

#[test]
fn other_numbers_of_frames() {
    for chain in there(&[
        "separate_fields",
        "separate_fields,weave",
        "select=cycle=5:frames=0+1+2+4",
        "select=cycle=3:frames=1,gauss=1",
        "separate_fields,tmedian,select=cycle=2:frames=1",
    ]) {
        // Of 38 rows a field has 19, which VapourSynth takes of 4:4:4 alone.
        same_as_command("yuv444p", chain);
    }
}

#[test]
fn named_points_of_a_chain() {
    for chain in there(&[
        "keep=sharp,gauss=3,merge=with=sharp",
        "keep=film,tmedian,keep=still,use=film,gauss=2,merge=with=still:weight=0.3",
        "keep=film,tmedian,merge=with=film",
        "keep=film,mask=edges:low=8:soft=20,keep=lines,use=film,tmedian=mask=lines,box=2:mask=lines",
    ]) {
        same_as_command("yuv420p", chain);
    }
}

/// The clips of a script, by either function, and the chain that names a point instead.
#[test]
fn other_clips() {
    if there(&["keep=a,merge=with=a"]).is_empty() {
        println!("skipped: there is no merge");
        return;
    }
    let folder = Folder::new();
    let clip = Clip::new(&folder, "yuv420p", SIZE, COUNT);
    let order: Vec<_> = (0..COUNT).map(|n| n.to_string()).collect();
    let filtered = |each: &dyn Fn(&mut Script)| {
        let path = folder.path("frames");
        let mut script = Script::new();
        clip.open(&mut script);
        each(&mut script);
        assert_eq!(script.line(&["frames", &path, &order.join(",")]).run(), [""; 0]);
        fs::read(path).unwrap()
    };
    let expected = clip.by_command(&["--chain", "keep=a,gauss=3,depth=8,merge=with=a:weight=0.25"], clip.format);
    let by_function = filtered(&|script| {
        script.call("Gauss", "sigma=f:3 ").call("Merge", "with=c:kept weight=f:0.25");
    });
    let by_chain = filtered(&|script| {
        script.call("Gauss", "sigma=f:3");
        script.call("Chain", "chain=s:merge=with=b:weight=0.25 inputs=c:kept names=l:b");
    });
    assert!(by_function == expected, "Merge");
    assert!(by_chain == expected, "Chain");
}

#[test]
fn sizes_that_vapoursynth_does_not_have_are_refused() {
    let mut script = Script::new();
    script.blank("format=i:805830913 width=i:64 height=i:48 length=i:3").call("Crop", "w=i:33 x=i:0");
    let lines = script.run();
    assert_eq!(lines.len(), 1);
    assert!(
        lines[0].starts_with("error Crop: the result would be yuv420p of 33x48, and VapourSynth has no"),
        "{lines:?}"
    );
}

#[test]
fn clips_without_a_name_are_refused() {
    let mut script = Script::new();
    script.blank("width=i:64 height=i:48 length=i:3").line(&["keep"]);
    script.call("Chain", "chain=s:box inputs=c:kept");
    script.call("Chain", "chain=s:box inputs=c:kept names=l:b");
    let lines = script.run();
    assert_eq!(lines[0], "error Chain: 1 inputs have 0 names: give each input one in names");
    assert_eq!(lines[1], "error Chain: nothing in the chain reads the picture 'b'");
}
