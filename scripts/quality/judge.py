#!/usr/bin/env python3
"""Judges debanding filters against known truth, and writes docs/QUALITY.md with its pictures.

    make quality                     with the seed of the committed figures
    make quality SEED=7              with other frames

Truth frames are made in floating point from the seed, rounded to 8 bits, and given to every filter, which returns 16 bits. An
error is what lies between its result and the truth, in steps of 8 bits. ffmpeg's filters always take part, libplacebo where
this ffmpeg has it and it runs, and neo_f3kdb where vspipe (--vspipe PROGRAM) finds that plugin.
"""

import argparse
import functools
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


def by_vramp(vramp, chain, all_frames, depth, folder):
    """What a chain makes of frames of 8 bits, as bytes of grey of that depth."""
    source, result = folder / "source.y4m", folder / "result.raw"
    frames.y4m(source, all_frames)
    run([vramp, source, result, "-y", "-q", "-f", "rawvideo", "-c", "rawvideo", "--device", "cpu", "--format", f"gray{depth}",
         "--chain", chain])
    return result.read_bytes()


def by_ffmpeg(filter, all_frames, folder):
    """What a filter of ffmpeg's, or none, makes of frames of 8 bits, as bytes of grey of 16 bits."""
    source = folder / "source.y4m"
    frames.y4m(source, all_frames)
    graph = ",".join(["format=gray", *([filter] if filter else []), "format=gray16le"])
    return run(["ffmpeg", "-v", "error", "-i", source, "-vf", graph, "-f", "rawvideo", "-"])


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
    """A filter of any program: its name in the tables, and what makes bytes of grey of 16 bits of frames of 8, in a folder."""

    def __init__(self, name, make, step=256, is_peer=False):
        self.name, self.make, self.step, self.is_peer = name, make, step, is_peer

    def __call__(self, all_frames, folder):
        """What it makes of frames of 8 bits, in steps of 8 bits."""
        try:
            raw = self.make(all_frames, folder)
        except RuntimeError as why:
            if self.is_peer:
                raise DoesNotRun(str(why)) from why
            raise
        return np.frombuffer(raw, "<u2").reshape(len(all_frames), *all_frames[0].shape) / self.step


def filters(vramp, vspipe):
    """The source, our filters, and the peers."""
    # ffmpeg widens full range: 255 becomes 65535. What it made in 16 bits itself came from 257 times the source, too.
    yield Filter("source", functools.partial(by_ffmpeg, None), step=257)
    for chain in OURS:
        yield Filter(f"`{chain}`", lambda all_frames, folder, chain=chain: by_vramp(vramp, chain, all_frames, 16, folder))
    for graph in FFMPEG:
        name = f"ffmpeg `{graph.removeprefix('format=gray16le,')}`"
        yield Filter(name, functools.partial(by_ffmpeg, graph), step=257, is_peer=True)
    for call in VAPOURSYNTH:
        yield Filter(f"`{call}`", functools.partial(by_vapoursynth, vspipe, call), is_peer=True)


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
    frames.y4m(source, [np.clip(np.rint(result * 256), 0, 65535) for result in results], 16)
    run([vramp, source, "-f", "null", "-q", "-y", "--device", "cpu", "--chain", "depth=10:dither=tpdf,banding", "--records", records])
    return float(np.mean(cambi.indices(records)))


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


def judge(filter, vramp, truths, drift, coded, natural, folder):
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
    row["banding"] = banding(vramp, [result for t, result in zip(truths, results) if is_smooth(t)], folder)
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
    natural = frames.natural(film(every=20))
    rows, apart, coded, left_out = [], [], [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pictures.write(args.out.parent / "quality", args.vramp, folder, ROOT / "samples")
        exact = np.array([truth.exact for truth in drift])
        of_truth = banding(args.vramp, [truth.exact for truth in truths if is_smooth(truth)], folder)
        coarse, _ = recoded(np.array([truth.source for truth in drift]), 8, ENCODERS[0][1], 28, folder)
        for filter in filters(args.vramp, args.vspipe):
            try:
                row, each, moving = judge(filter, args.vramp, truths, drift, coarse, natural, folder)
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
