//! What is reported of frames that differ.

use crate::command::{Folder, ffmpeg};
use crate::{BAD_ARGUMENT, MISMATCH, clip, hash, refused, verdict, verify};
use serde_json::json;

#[test]
fn a_video_that_ends_before_the_part_lacks_it() {
    let folder = Folder::new();
    let golden = hash(&folder, &clip(&folder, "clip.mkv", "null"), &["--start", "#15", "--end", "#20"]);
    let short = clip(&folder, "short.mkv", "trim=end_frame=10");
    let missing = json!([{"kind": "missing", "expected": [15, 19], "found": null}]);
    assert_eq!(verdict(&golden, &short, &[])["differences"], missing);
    let ran = verify(&golden, &short, &[]);
    assert_eq!(ran.text(), "missing: frames 15-19\n");
    assert!(ran.stderr.contains("looked at 10 frames"), "{}", ran.stderr);
    refused(&verify(&golden, &short, &["--start", "#15"]), BAD_ARGUMENT, &["no frame lies where --start"]);
}

#[test]
fn every_kind_of_difference_is_reported() {
    let folder = Folder::new();
    let golden = hash(&folder, &clip(&folder, "clip.mkv", "null"), &[]);
    let differs = |filters: &str| {
        let json = verdict(&golden, &clip(&folder, "other.mkv", filters), &[]);
        assert_eq!((&json["expected"], &json["stream"]), (&json!(24), &json!([])));
        json["differences"].clone()
    };
    let lacks = json!([{"kind": "missing", "expected": [7, 8], "found": null}]);
    assert_eq!(differs("select='not(between(n,7,8))'"), lacks);
    let planes = json!([{"kind": "pixels", "expected": [5, 6], "found": [5, 6], "planes": [1, 2]}]);
    assert_eq!(differs("hue=h=90:enable='between(n,5,6)'"), planes);
    let frozen = differs("shuffleframes=0|1|1|3|4|5|6|7");
    let again = |frame| json!({"kind": "duplicated", "expected": [frame, frame], "found": [frame, frame]});
    assert_eq!(frozen, json!([again(2), again(10), again(18)]));
    let late = json!([{"kind": "time", "expected": [4, 23], "found": [4, 23], "first": 40, "last": 40}]);
    assert_eq!(differs("setpts='PTS+gte(N,4)*0.04/TB'"), late);
    let shifted = differs("trim=start_frame=3,setpts=PTS-STARTPTS,tpad=stop=3:color=red");
    assert_eq!(shifted[0]["kind"], "shifted", "{shifted}");
    assert_eq!((&shifted[0]["by"], &shifted[0]["found"]), (&json!(3), &json!([0, 20])));
    let swapped = differs("shuffleframes=0|2|1|3");
    assert_eq!(swapped[0]["kind"], "moved", "{swapped}");
    let more = differs("tpad=stop=2:color=red");
    assert_eq!(more, json!([{"kind": "extra", "expected": null, "found": [24, 25]}]));

    let ran =
        verify(&golden, &clip(&folder, "other.mkv", "select='not(between(n,7,8))',negate=enable='gte(n,20)'"), &[]);
    assert_eq!(ran.text(), "missing: frames 7-8\npixels: frames 22-23 (planes 0, 1, 2)\n");
    refused(&ran, MISMATCH, &["other.mkv is not what", "from frame 7 on", "22 frames instead of 24"]);
    let ran = verify(&golden, &clip(&folder, "other.mkv", "negate"), &[]);
    refused(&ran, MISMATCH, &["no frame is the same", "chain?"]);
}

#[test]
fn another_frame_rate_is_a_few_lines() {
    let folder = Folder::new();
    let long = folder.path("long.mkv");
    ffmpeg(&format!("-f lavfi -i testsrc2=s=160x120:r=25:d=8 -pix_fmt yuv420p -c:v ffv1 {long}"));
    let golden = hash(&folder, &long, &[]);
    let report = |filters: &str| {
        let other = folder.path("other.mkv");
        ffmpeg(&format!("-i {long} -vf {filters} -fps_mode passthrough -c:v ffv1 {other}"));
        verify(&golden, &other, &[]).text().to_owned()
    };
    let missing = "missing: every 5th frame from 4 to 199 (40 frames)\n";
    assert_eq!(report("select='mod(n+1,5)'"), missing);
    let closed_up = report("select='mod(n+1,5)',setpts=N/25/TB");
    let times = "time: 156 frames from 5 to 198 are between 1560 units (1.560 s) earlier and 40 units (0.040 s) earlier \
                 (--json has all 39 ranges)\n";
    assert_eq!(closed_up, format!("{missing}{times}"));
    let repeated = "duplicated: every 6th frame from 3 to 237 (40 frames) of IN show again what comes before them\n";
    let faster = report("fps=30");
    assert!(faster.starts_with(repeated) && faster.lines().count() <= 4, "{faster}");
    assert_eq!(
        report("hue=h=90:enable='eq(mod(n,7),3)'"),
        "pixels: every 7th frame from 3 to 199 (29 frames) (planes 1, 2)\n"
    );

    // At no one distance.
    for filters in ["select='gt(random(3),0.3)',setpts=N/25/TB", "random=30:7", "fps=24000/1001", "fps=60", "telecine"]
    {
        let text = report(filters);
        let widest = text.lines().map(str::len).max().unwrap();
        assert!(text.lines().count() <= 6 && widest < 300, "{filters}: {text}");
    }
}
