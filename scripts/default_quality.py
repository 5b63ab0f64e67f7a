#!/usr/bin/env python3
"""What is left of a debander's work after encoding, by encoder and crf: default_quality.py VRAMP [CLIP...]

vramp's default crf of each encoder is chosen from this table (docs/ENCODING.md). Of every clip the first frames are debanded,
kept once without a loss (ffv1) and once through each encoder, in 10 bits. In the smooth areas of luma that are debanded,

    kept = 1 - mse(encode, debanded) / mse(source, debanded)

is 1 where the encode shows what the debander made, and 0 where it is as far from that as the bands were. Smooth are the blocks
of 16x16 in which the source spans 4 code values of 8 bits at most; debanded are those of which at least half of the samples
change. The columns behind it: the same after a mean of 5x5, which leaves out the noise that deband adds and looks at the steps
alone; and megabits a second.

Wants python3 with numpy, and ffmpeg. By environment: FRAMES (24), ENCODERS, CRFS, CHAIN (deband), DEPTH (10).
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy

FRAMES = int(os.environ.get("FRAMES", "24"))
ENCODERS = os.environ.get("ENCODERS", "libx265 libx264 libsvtav1").split()
CRFS = {"libsvtav1": "10 14 18 22 26 30 35", "libx264": "8 10 12 14 16 18 20 23", "libx265": "8 10 12 14 16 18 20 24 28"}
BLOCK, SPAN = 16, 4 << 2
CHAIN = os.environ.get("CHAIN", "deband")
DEPTH = os.environ.get("DEPTH", "10")


def luma(path, width, height):
    """The luma of every frame, in 10 bits. Samples of 8 bits are shifted, not stretched."""
    decode = ["ffmpeg", "-v", "error", "-i", path, "-map", "0:v:0", "-frames:v", str(FRAMES), "-fps_mode", "passthrough"]
    pixel_format = probe(path, "pix_fmt")
    deep = pixel_format.endswith("10le")
    raw = subprocess.run([*decode, "-f", "rawvideo", "-"], check=True, capture_output=True).stdout
    samples = numpy.frombuffer(raw, "<u2" if deep else "u1")
    frames = samples.reshape(-1, height * width * 3 // 2)[:, : height * width].reshape(-1, height, width)
    return frames.astype(numpy.float32) * (1 if deep else 4)


def probe(path, entry):
    ask = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", f"stream={entry}", "-of", "csv=p=0", path]
    return subprocess.run(ask, check=True, capture_output=True, text=True).stdout.strip().strip(",")


def blocks(frames):
    """Frames cut into whole blocks: frame, row of blocks, row, column of blocks, column."""
    count, height, width = frames.shape
    rows, columns = height // BLOCK, width // BLOCK
    return frames[:, : rows * BLOCK, : columns * BLOCK].reshape(count, rows, BLOCK, columns, BLOCK)


def smooth(source, debanded):
    """Which samples lie in smooth blocks that are debanded."""
    samples, moved = blocks(source), blocks(source != debanded)
    chosen = (samples.max(axis=(2, 4)) - samples.min(axis=(2, 4)) <= SPAN) & (moved.mean(axis=(2, 4)) >= 0.5)
    mask = numpy.zeros(source.shape, bool)
    chosen = chosen.repeat(BLOCK, axis=1).repeat(BLOCK, axis=2)
    mask[:, : chosen.shape[1], : chosen.shape[2]] = chosen
    return mask


def mean(frames, size=5):
    """The mean of size x size around each sample; a frame's edges wrap around, and weigh nothing here."""
    for axis in (1, 2):
        frames = sum(numpy.roll(frames, shift, axis) for shift in range(-(size // 2), size // 2 + 1)) / size
    return frames


def mse(a, b, mask):
    return float(((a - b)[mask] ** 2).mean())


def measure(vramp, clip, folder):
    width, height = (int(n) for n in probe(clip, "width,height").split(","))
    common = ["--frames", str(FRAMES), "--chain", CHAIN, "-q", "-y", "--no-audio", "--no-subtitles"]

    def encode(name, *options):
        out = str(Path(folder) / name)
        subprocess.run([vramp, clip, out, *common, *options], check=True)
        return out

    source = luma(clip, width, height)
    wanted = luma(encode("debanded.mkv", "-c", "ffv1", "--depth", "10"), width, height)
    mask = smooth(source, wanted)
    steps = mean(source), mean(wanted)
    won, won_steps = mse(source, wanted, mask), mse(*steps, mask)
    print(f"\n{Path(clip).name}: {len(source)} frames, {100 * mask.mean():.0f} % smooth and debanded, ", end="")
    print(f"changed by {won**0.5:.2f} (steps {won_steps**0.5:.2f}) of 1023")
    print("encoder      crf   kept  steps  Mbit/s")
    for encoder in ENCODERS:
        for crf in os.environ.get("CRFS", CRFS[encoder]).split():
            out = encode("encoded.mkv", "-c", encoder, "--crf", crf, "--depth", DEPTH)
            coded = luma(out, width, height)
            kept, kept_steps = 1 - mse(coded, wanted, mask) / won, 1 - mse(mean(coded), steps[1], mask) / won_steps
            rate = os.path.getsize(out) * 8 / 1e6 * 25 / len(coded)
            print(f"{encoder:11} {crf:>4}  {kept:5.2f}  {kept_steps:5.2f}  {rate:6.2f}", flush=True)


def main():
    samples = Path(__file__).parent.parent / "samples"
    names = ["banded-gradient.mkv", "dark-scene-1080p-1frame.mkv", "big-buck-bunny-720p.mp4"]
    clips = sys.argv[2:] or [str(samples / name) for name in names]
    with tempfile.TemporaryDirectory() as folder:
        for clip in clips:
            measure(sys.argv[1], clip, folder)


if __name__ == "__main__":
    main()
