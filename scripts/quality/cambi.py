#!/usr/bin/env python3
"""Holds `banding` against libvmaf's CAMBI, and prints the table of docs/COMPARE.md.

    scripts/quality/cambi.py --vramp target/release/vramp --ffmpeg FFMPEG

FFMPEG must have the filter libvmaf, of libvmaf 3.0 or later. Every clip is made once, losslessly, and both programs measure
the same file, frame by frame. It fails where the means of a clip differ by more than 2 %, or by 0.002 where there is hardly any.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / "samples"
BUNNY = ["-i", SAMPLES / "big-buck-bunny-720p.mp4"]
NIGHT = ["-i", SAMPLES / "dark-scene-1080p-1frame.mkv"]


def made(size, luma):
    return ["-f", "lavfi", "-i", f"nullsrc=s={size}:r=25,format=gray16le,geq=lum='{luma}'"]


RAMP = made("1280x720", "(30+X/60+Y/90)*256")
GLOW = made("1920x1080", "(24+40*exp(-(pow(X-960,2)+pow(Y-540,2))/300000))*256")

# A name, what ffmpeg makes it of, its format, how many frames, the chain that it goes through first, and options that both take.
CLIPS = [
    ("bunny", BUNNY, "yuv420p", 10, None, {}),
    ("bunny, gradient", BUNNY, "yuv420p", 5, "gradient,depth=10", {}),
    ("bunny, x264 crf 36", BUNNY + ["-c:v", "libx264", "-crf", "36"], "yuv420p", 10, None, {}),
    ("night", NIGHT, "yuv420p", 1, None, {}),
    ("night, deband", NIGHT, "yuv420p", 1, "deband,depth=10", {}),
    ("night, gradient", NIGHT, "yuv420p", 1, "gradient,depth=10:dither=tpdf", {}),
    ("night, stored in 10 bits", NIGHT, "yuv420p10le", 1, None, {}),
    ("ramp", RAMP, "yuv420p", 1, None, {}),
    ("ramp, gradient", RAMP, "yuv420p", 1, "gradient,depth=10:dither=tpdf", {}),
    ("ramp, 10 bits", RAMP, "yuv420p10le", 1, None, {}),
    ("glow", GLOW, "yuv420p", 1, None, {}),
    ("glow, 12 bits", GLOW, "yuv420p12le", 1, None, {}),
    ("test picture", ["-f", "lavfi", "-i", "testsrc2=s=640x360:r=25"], "yuv420p", 3, None, {}),
    ("fractal", ["-f", "lavfi", "-i", "mandelbrot=s=854x480:r=25"], "yuv420p", 3, None, {}),
    ("noise", ["-f", "lavfi", "-i", "color=gray:s=640x360,noise=alls=8:all_seed=7"], "yuv420p", 2, None, {}),
    ("bunny, other options", BUNNY, "yuv420p", 3, None,
     {"window_size": 127, "topk": 0.1, "max_log_contrast": 4, "cambi_vis_lum_threshold": 0.06}),
    ("ramp, PQ", RAMP, "yuv420p10le", 1, None, {"eotf": "pq", "tvi_threshold": 0.01}),
]


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()[-500:]}")


def by_libvmaf(ffmpeg, clip, options, folder):
    log = folder / "libvmaf.json"
    feature = "\\:".join(["name=cambi", *(f"{name}={value}" for name, value in options.items())])
    graph = f"split[a][b];[a][b]libvmaf=feature='{feature}':log_fmt=json:log_path={log}"
    run(ffmpeg, "-v", "error", "-i", clip, "-lavfi", graph, "-f", "null", "-")
    frames = json.loads(log.read_text())["frames"]
    return [next(value for name, value in frame["metrics"].items() if name.startswith("cambi")) for frame in frames]


def by_vramp(vramp, clip, options, folder):
    records = folder / "records.jsonl"
    chain = "banding=" + ":".join(f"{name}={value}" for name, value in options.items())
    run(vramp, clip, "-f", "null", "--chain", chain.rstrip("="), "--records", records, "-y", "--device", "cpu")
    return indices(records)


def indices(records):
    """The index of each frame in a file of records."""
    found = [find(json.loads(line)) for line in records.read_text().splitlines()]
    return [value for value in found if value is not None]


def find(value):
    """The index in a line of records, wherever it stands."""
    if isinstance(value, dict):
        inner = (find(part) for part in value.values())
        return value["cambi"] if "cambi" in value else next((part for part in inner if part is not None), None)
    if isinstance(value, list):
        return next((part for part in map(find, value) if part is not None), None)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vramp", required=True)
    parser.add_argument("--ffmpeg", default="ffmpeg", help="one that has libvmaf")
    args = parser.parse_args()
    print("| clip | frames | libvmaf | `banding` | difference |\n|---|---|---|---|---|")
    beyond = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for clip, source, pixels, count, chain, options in CLIPS:
            path = folder / "clip.mkv"
            coded = folder / "coded.mkv"
            if "libx264" in source:
                run(args.ffmpeg, "-v", "error", "-y", *source, "-an", "-frames:v", count, coded)
                source = ["-i", coded]
            run(args.ffmpeg, "-v", "error", "-y", *source, "-an", "-frames:v", count, "-pix_fmt", pixels, "-c:v", "ffv1", path)
            if chain:
                filtered = folder / "filtered.mkv"
                run(args.vramp, path, filtered, "-y", "--chain", chain, "-c", "ffv1", "--device", "cpu")
                path = filtered
            theirs, ours = by_libvmaf(args.ffmpeg, path, options, folder), by_vramp(args.vramp, path, options, folder)
            assert len(theirs) == len(ours) == count, f"{clip}: {len(theirs)} and {len(ours)} frames"
            a, b = sum(theirs) / count, sum(ours) / count
            share = f"{abs(a - b) / a:.4%}" if a > 0 else "–"
            print(f"| {clip} | {count} | {a:.5f} | {b:.5f} | {share} |", flush=True)
            if abs(a - b) > max(0.02 * a, 0.002):
                beyond.append(clip)
    if beyond:
        sys.exit(f"beyond 2 %: {', '.join(beyond)}")


if __name__ == "__main__":
    main()
