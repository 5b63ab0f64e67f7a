//! Videos that were only put into another container: what is lost there is reported, and ignored when asked.

use crate::command::{Folder, ffmpeg};
use crate::{BUNNY, MISMATCH, clip, hash, refused, verdict, verify};
use serde_json::json;

/// `input` in another container.
fn remuxed(folder: &Folder, input: &str, name: &str, options: &str) -> String {
    let path = folder.path(name);
    ffmpeg(&format!("-i {input} -map 0:v -c copy {options} {path}"));
    path
}

#[test]
fn one_option_passes_over_another_clock() {
    let folder = Folder::new();
    let film = folder.path("film.mp4");
    let source = "-f lavfi -i testsrc2=s=64x48:r=24000/1001:d=4 -pix_fmt yuv420p";
    ffmpeg(&format!("{source} -c:v libx264 -bf 2 {film}"));
    for input in [BUNNY, &film] {
        // The sound stays behind.
        let golden = hash(&folder, input, &["--no-streams"]);
        let ts = remuxed(&folder, input, "a.ts", "");
        let mkv = remuxed(&folder, &ts, "b.mkv", "-output_ts_offset 3.2177");
        let again = remuxed(&folder, &mkv, "c.ts", "");
        let mp4 = remuxed(&folder, &again, "d.mp4", "");
        for other in [&ts, &mkv, &again, &mp4] {
            let json = verdict(&golden, other, &["--times", "offset"]);
            assert_eq!(json["match"], true, "{other}: {json}");
            verify(&golden, other, &["--times", "ignore"]).ok();
        }
        let ran = verify(&golden, &ts, &[]);
        refused(&ran, MISMATCH, &["times differ from frame 0 on", "pixels of all", "--times offset accepts that"]);
        assert_eq!(ran.text().lines().count(), 1, "{}", ran.text());
        refused(&verify(&golden, &ts, &["--times", "exact"]), MISMATCH, &["times differ"]);
    }
}

#[test]
fn an_offset_hides_nothing_else() {
    let folder = Folder::new();
    // Frames that are all alike and differ only in their times.
    let still =
        |name: &str, filters: &str| clip(&folder, name, &format!("loop=loop=-1:size=1,trim=end=0.96,{filters}"));
    let golden = hash(&folder, &still("still.mkv", "null"), &[]);
    let offset = ["--times", "offset"];
    let late = still("late.mkv", "setpts=PTS+1.4/TB");
    assert_eq!(verdict(&golden, &late, &offset)["match"], true);
    let lacks = still("lacks.mkv", "setpts=PTS+1.4/TB,select='not(eq(n,7))'");
    let missing = json!([{"kind": "missing", "expected": [7, 7], "found": null}]);
    assert_eq!(verdict(&golden, &lacks, &offset)["differences"], missing);

    let golden = hash(&folder, &clip(&folder, "clip.mkv", "null"), &[]);
    let slower = clip(&folder, "slower.mkv", "setpts='PTS*2+1.4/TB'");
    refused(&verify(&golden, &slower, &offset), MISMATCH, &["times differ", "--times ignore accepts that"]);
    let jump = clip(&folder, "jump.mkv", "setpts='PTS+1.4/TB+gte(N,20)*0.04/TB'");
    let json = verdict(&golden, &jump, &offset);
    let late = json!([{"kind": "time", "expected": [20, 23], "found": [20, 23], "first": 40, "last": 40}]);
    assert_eq!((&json["differences"], &json["offset"]), (&late, &json!(1400)));
    let changed = clip(&folder, "changed.mkv", "setpts=PTS+1.4/TB,hue=h=90:enable='eq(n,5)'");
    let pixels = json!([{"kind": "pixels", "expected": [5, 5], "found": [5, 5], "planes": [1, 2]}]);
    assert_eq!(verdict(&golden, &changed, &offset)["differences"], pixels);
}

#[test]
fn tags_that_differ_do_not_hide_the_frames() {
    let folder = Folder::new();
    let (tagged, bare) = (folder.path("tagged.mkv"), folder.path("bare.y4m"));
    let tags = "-colorspace bt709 -color_primaries bt709 -color_trc bt709";
    ffmpeg(&format!("-i {} {tags} -c:v ffv1 {tagged}", clip(&folder, "clip.mkv", "null")));
    let golden = hash(&folder, &tagged, &[]);
    ffmpeg(&format!("-i {tagged} {bare}"));

    let ran = verify(&golden, &bare, &[]);
    refused(
        &ran,
        MISMATCH,
        &["tags differ (matrix unspecified instead of bt709", "all 24 frames are the same", "--tags stated accepts"],
    );
    let missing = ["matrix", "transfer", "primaries"].map(|tag| format!("{tag} unspecified instead of bt709"));
    assert!(ran.text().starts_with(&format!("tags: {}", missing.join(", "))), "{}", ran.text());
    assert_eq!(ran.text().lines().count(), 1, "{}", ran.text());
    let json = verdict(&golden, &bare, &[]);
    assert_eq!((&json["same"], &json["found"], &json["differences"]), (&json!(24), &json!(24), &json!([])));
    assert_eq!(json["stream"][0], json!({"name": "matrix", "expected": "1", "found": "2"}));
    verify(&golden, &bare, &["--tags", "stated"]).ok();
    verify(&golden, &bare, &["--tags", "ignore"]).ok();

    // A tag that both state is another thing.
    let other = folder.path("other.mkv");
    ffmpeg(&format!("-i {tagged} {} -c:v ffv1 {other}", tags.replace("colorspace bt709", "colorspace smpte170m")));
    refused(
        &verify(&golden, &other, &["--tags", "stated"]),
        MISMATCH,
        &["matrix smpte170m instead of bt709", "--tags ignore accepts"],
    );
    verify(&golden, &other, &["--tags", "ignore"]).ok();

    ffmpeg(&format!("-i {tagged} -vf hue=h=90:enable='eq(n\\,5)' {bare}"));
    let ran = verify(&golden, &bare, &[]);
    refused(&ran, MISMATCH, &["tags differ, and it differs from frame 5 on", "23 of them the same"]);
    assert!(ran.text().ends_with("\npixels: frames 5 (planes 1, 2)\n"), "{}", ran.text());
    let ran = verify(&golden, &bare, &["--tags", "stated"]);
    assert_eq!((ran.code, ran.text()), (Some(MISMATCH), "pixels: frames 5 (planes 1, 2)\n"));
}
