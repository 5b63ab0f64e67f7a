#!/usr/bin/env python3
"""Judges debanding filters against known truth, and writes docs/QUALITY.md with its pictures.

    make quality                     with the seed of the committed figures
    make quality SEED=7              with other frames

Truth frames are made in floating point from the seed, rounded to 8 bits, and given to every filter, which returns 16 bits. An
error is what lies between its result and the truth, in steps of 8 bits. ffmpeg's filters always take part, libplacebo where
this ffmpeg has it and it runs, and neo_f3kdb where vspipe (--vspipe PROGRAM) finds that plugin.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np

import cambi
import frames
import pictures

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZE = frames.SIZE

# What a name in the table stands for: our chain, ffmpeg's, or a call of VapourSynth's.
OURS = [
    "gradient", "gradient=preset=film", "gradient=preset=anime", "gradient=preset=dark", "gradient=preset=codec",
    "gradient=preset=gentle", "deband", "deband=sample=2:dither=0",
]
FFMPEG = [
    "format=gray16le,deband", "format=gray16le,deband=1thr=0.006:range=24", "gradfun", "gradfun=1.2:24",
    "format=gray16le,libplacebo=deband=true:deband_iterations=4:deband_threshold=3:deband_grain=0",
]
VAPOURSYNTH = [
    "neo_f3kdb.Deband(clip, grainy=0, output_depth=16)",
    "neo_f3kdb.Deband(clip, range=24, grainy=0, sample_mode=4, blur_first=False, output_depth=16)",
    "neo_f3kdb.Deband(clip, range=24, grainy=0, sample_mode=6, output_depth=16)",
]
ENCODERS = [("x264", ["-c:v", "libx264"]), ("x265", ["-c:v", "libx265", "-x265-params", "log-level=error"])]
FILM, FILM_SIZE = ROOT / "samples/big-buck-bunny-720p.mp4", (1280, 720)


def run(command, data=None):
    try:
        done = subprocess.run(command, input=data, capture_output=True)
    except FileNotFoundError:
        raise RuntimeError(f"{command[0]} is not installed") from None
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return done.stdout


def y4m(path, all_frames, depth=8):
    """Writes frames of codes of 8 or 16 bits."""
    height, width = all_frames[0].shape
    colour, form = ("mono", np.uint8) if depth == 8 else (f"mono{depth}", "<u2")
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C{colour}\n".encode())
        for frame in all_frames:
            file.write(b"FRAME\n" + frame.astype(form).tobytes())


def by_vramp(vramp, chain, all_frames, depth, folder):
    """What a chain makes of frames of 8 bits, as bytes of grey of that depth."""
    source, result = folder / "source.y4m", folder / "result.raw"
    y4m(source, all_frames)
    run([vramp, source, result, "-y", "-q", "-f", "rawvideo", "-c", "rawvideo", "--device", "cpu", "--format", f"gray{depth}",
         "--chain", chain])
    return result.read_bytes()


def samples(raw, count, shape):
    return np.frombuffer(raw, "<u2").reshape(count, *shape).astype(float) / 256


def by_ffmpeg(filter, all_frames, folder):
    """What a filter of ffmpeg's, or none, makes of frames of 8 bits, in steps of 8 bits."""
    source = folder / "source.y4m"
    y4m(source, all_frames)
    graph = ",".join(["format=gray", *([filter] if filter else []), "format=gray16le"])
    raw = run(["ffmpeg", "-v", "error", "-i", source, "-vf", graph, "-f", "rawvideo", "-"])
    # ffmpeg widens full range: 255 becomes 65535. What it made in 16 bits itself came from 257 times the source, too.
    return samples(raw, len(all_frames), all_frames[0].shape) * 256 / 257


def by_vapoursynth(vspipe, call, all_frames, folder):
    """What a filter of VapourSynth's makes of frames of 8 bits, as bytes of grey of 16 bits."""
    source, (height, width) = folder / "source.raw", all_frames[0].shape
    source.write_bytes(b"".join(frame.astype(np.uint8).tobytes() for frame in all_frames))
    known = {"path": source, "width": width, "height": height, "filter": call}
    given = [word for key, value in known.items() for word in ("--arg", f"{key}={value}")]
    return run([vspipe, *given, ROOT / "scripts/quality/peer.vpy", "-"])


class DoesNotRun(RuntimeError):
    """A peer is not here, or refuses to run."""


class Filter:
    """A filter of any program; the source where none is named."""

    def __init__(self, args, ours=None, theirs=None, vapoursynth=None):
        self.args, self.ours, self.theirs, self.vapoursynth = args, ours, theirs, vapoursynth
        named = [(ours, f"`{ours}`"), (theirs, f"ffmpeg `{(theirs or '').removeprefix('format=gray16le,')}`"),
                 (vapoursynth, f"`{vapoursynth}`")]
        self.name = next((name for is_it, name in named if is_it), "source")

    def __call__(self, all_frames, folder):
        """What it makes of frames of 8 bits, in steps of 8 bits."""
        count, shape = len(all_frames), all_frames[0].shape
        if self.ours:
            return samples(by_vramp(self.args.vramp, self.ours, all_frames, 16, folder), count, shape)
        try:
            if self.vapoursynth:
                return samples(by_vapoursynth(self.args.vspipe, self.vapoursynth, all_frames, folder), count, shape)
            return by_ffmpeg(self.theirs, all_frames, folder)
        except RuntimeError as why:
            raise DoesNotRun(str(why)) from why


def box9(error):
    """Means of 9×9."""
    padded = np.pad(error, ((5, 4), (5, 4)), mode="edge").cumsum(0).cumsum(1)
    return (padded[9:, 9:] - padded[:-9, 9:] - padded[9:, :-9] + padded[:-9, :-9]) / 81


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def low(result, truth, where=...):
    """LP9 of frames; of all samples, or of those in a mask."""
    return rms(np.array([box9(frame - exact) for frame, exact in zip(result, truth)])[where])


def banding(vramp, results, folder):
    """The banding index of results in steps of 8 bits, as they are in 10 bits with a dither that is alike for all."""
    source, records = folder / "source.y4m", folder / "records.jsonl"
    y4m(source, [np.clip(np.rint(result * 256), 0, 65535) for result in results], 16)
    run([vramp, source, "-f", "null", "-q", "-y", "--device", "cpu", "--chain", "depth=10:dither=tpdf,banding", "--records", records])
    found = [cambi.find(json.loads(line)) for line in records.read_text().splitlines()]
    return float(np.mean([value for value in found if value is not None]))


def is_smooth(truth):
    return truth.kind in ("ramp", "glow")


def gain(result, truth):
    """How much of a texture is left."""
    texture, kept = truth.texture, result - truth.smooth
    inner = (slice(40, -40), slice(40, -40))
    texture, kept = texture[inner] - texture[inner].mean(), kept[inner] - kept[inner].mean()
    return float((texture * kept).sum() / np.square(texture).sum())


def film(every=1, count=None):
    """Frames of 8 bits of the film: every so many frames, at most so many."""
    until = ["-frames:v", str(count)] if count else []
    raw = run(["ffmpeg", "-v", "error", "-i", FILM, "-vf", f"select=not(mod(n\\,{every})),extractplanes=y", "-fps_mode", "passthrough",
               *until, "-f", "rawvideo", "-pix_fmt", "gray", "-"])
    return np.frombuffer(raw, np.uint8).reshape(-1, *FILM_SIZE[::-1]).astype(float)


def recoded(luma, depth, options, crf, folder):
    """What an encoder leaves of the codes of frames, and its kB."""
    video, (count, height, width) = folder / "coded.mkv", luma.shape
    form, pix_fmt = (np.uint8, "yuv420p") if depth == 8 else ("<u2", f"yuv420p{depth}le")
    grey = np.full((2, height // 2, width // 2), 1 << (depth - 1), form).tobytes()
    raw = b"".join(frame.astype(form).tobytes() + grey for frame in luma)
    planes = ["-f", "rawvideo", "-pix_fmt", pix_fmt]
    run(["ffmpeg", "-v", "error", "-y", *planes, "-s", f"{width}x{height}", "-r", "25", "-i", "-", *options, "-crf", str(crf),
         "-preset", "fast", video], raw)
    back = np.frombuffer(run(["ffmpeg", "-v", "error", "-i", video, *planes, "-"]), form).reshape(count, -1)
    return back[:, : width * height].reshape(count, height, width).astype(float), video.stat().st_size / 1000


def judge(filter, truths, drift, coded, natural, folder):
    """A row of the table."""
    results = filter([truth.source for truth in truths], folder)
    errors = {truth.name: result - truth.exact for truth, result in zip(truths, results)}
    smooth = [truth for truth in truths if is_smooth(truth)]
    border = np.ones(SIZE[::-1], bool)
    border[12:-12, 12:-12] = False
    row = {
        "ramps": rms([errors[t.name] for t in smooth]),
        "LP9": rms([box9(errors[t.name]) for t in smooth]),
        "border": rms([errors[t.name][border] for t in smooth]),
        "near edges": rms(np.concatenate([errors[t.name][t.near] for t in truths if t.near is not None])),
    }
    for truth, result in zip(truths, results):
        if truth.texture is not None:
            row[truth.name] = gain(result, truth)
    moving = filter([truth.source for truth in drift], folder)
    error = moving - np.array([truth.exact for truth in drift])
    row["flicker"] = rms([box9(after - before) for before, after in zip(error, error[1:])])
    row["coded"] = low(filter(coded, folder), [truth.exact for truth in drift])
    smooth_parts = np.array([truth.near for truth in natural])
    row["banding"] = banding(filter.args.vramp, [result for t, result in zip(truths, results) if is_smooth(t)], folder)
    row["natural"] = low(filter([truth.source for truth in natural], folder), [truth.exact for truth in natural], smooth_parts)
    each = {t.name: (rms(errors[t.name]), rms(box9(errors[t.name]))) for t in smooth}
    return row, each, moving


def encoded(result, truth, options, folder, crf=18, where=...):
    """LP9 and kB of what an encoder at 10 bits leaves of frames; of all samples, or of those in a mask."""
    back, size = recoded(np.clip(np.rint(result * 4), 0, 1023), 10, options, crf, folder)
    return low(back / 4, truth, where), size


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=20_011)
    parser.add_argument("--vramp", required=True)
    parser.add_argument("--vspipe", default="vspipe")
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "docs/QUALITY.md")
    args = parser.parse_args()
    truths, drift = frames.truths(args.seed), frames.drifting(args.seed, 8)
    filters = [Filter(args), *(Filter(args, ours=chain) for chain in OURS), *(Filter(args, theirs=chain) for chain in FFMPEG),
               *(Filter(args, vapoursynth=call) for call in VAPOURSYNTH)]
    natural = frames.natural(film(every=20))
    rows, apart, coded, left_out = [], [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pictures.write(args.out.parent / "quality", args.vramp, folder, ROOT / "samples")
        exact = np.array([truth.exact for truth in drift])
        of_truth = banding(args.vramp, [truth.exact for truth in truths if is_smooth(truth)], folder)
        coarse, _ = recoded(np.array([truth.source for truth in drift]), 8, ENCODERS[0][1], 28, folder)
        for filter in filters:
            try:
                row, each, moving = judge(filter, truths, drift, coarse, natural, folder)
            except DoesNotRun as why:
                print(f"left out: {filter.name}: {str(why)[-80:]}")
                left_out.append(filter.name)
                continue
            head, each_head = list(row), list(each)
            rows.append([filter.name, *(f"{value:.3f}" for value in row.values())])
            apart.append([filter.name, *(f"{a:.3f} / {b:.3f}" for a, b in each.values())])
            measured = [encoded(moving, exact, options, folder) for _, options in ENCODERS]
            coded.append([filter.name, *(cell for low, size in measured for cell in (f"{low:.3f}", f"{size:.0f}"))])
            print(" ".join(rows[-1]), "|", " ".join(coded[-1][1:]), flush=True)
    text = (pathlib.Path(__file__).parent / "QUALITY.md.in").read_text()
    of_encoders = [cell for name, _ in ENCODERS for cell in (f"{name}: LP9", "kB")]
    for key, value in {
        "SEED": str(args.seed),
        "TABLE": table(["", *head], rows),
        "APART": table(["rms / LP9", *each_head], apart),
        "CODED": table(["", *of_encoders], coded),
        "TRUTH": f"{of_truth:.3f}",
        "LEFT_OUT": f"Left out, since it does not run here: {', '.join(left_out)}." if left_out else "All peers ran.",
    }.items():
        text = text.replace(f"@{key}@", value)
    args.out.write_text(text)


if __name__ == "__main__":
    main()
