#!/usr/bin/env python3
"""Asks in which way 16 bits of `gradient` should become the 10 that an encoder gets.

    scripts/quality/outputs.py --vramp target/release/vramp --seeds 41 42 43 44

A drifting ramp and glow, and frames of a film, are debanded, brought to 10 bits in each way and encoded at several crf. What counts
is LP9 (see docs/QUALITY.md) of what is decoded, at the size that plain rounding has at crf 18, between the two sizes that are
nearest. Prints a table of means over the seeds, and one of the smooth parts of the film.
"""

import argparse
import pathlib
import tempfile

import numpy as np

import frames
import judge

COUNT = 24
# From the smallest size to the largest.
CRFS = (20, 18, 16, 14, 12, 10)
WAYS = {
    "rounded": "gradient,depth=10",
    "`tpdf`": "gradient,depth=10:dither=tpdf",
    "`tpdf`, moving": "gradient,depth=10:dither=tpdf:animate=on",
}
# The dither of "`tpdf`", where `gradient` moved a sample by more than an eighth of a step of 8 bits.
WHERE_MOVED = "`tpdf` where `gradient` moved samples"


def filtered(vramp, sources, chain, depth, folder):
    """What a chain makes of frames of 8 bits, in codes of the depth."""
    return np.frombuffer(judge.by_vramp(vramp, chain, sources, depth, folder), "<u2").reshape(len(sources), *sources[0].shape)


def at_equal_size(points, size):
    """LP9 at a size, between points of LP9 and size that grow; None beyond them."""
    sizes, errors = np.log([size for _, size in points]), [error for error, _ in points]
    return float(np.interp(np.log(size), sizes, errors)) if sizes[0] <= np.log(size) <= sizes[-1] else None


def measured(vramp, sources, wide, truth, where, folder):
    """LP9 before an encoder, and by encoder at crf 18 and at equal size, of each way; `wide` is what `gradient` makes of the sources."""
    made = {way: filtered(vramp, sources, chain, 10, folder) for way, chain in WAYS.items()}
    made[WHERE_MOVED] = np.where(np.abs(wide - np.array(sources)) > 1 / 8, made["`tpdf`"], made["rounded"])
    row = {(way, "before"): judge.low(codes / 4, truth, where) for way, codes in made.items()}
    for encoder, options in judge.ENCODERS:
        size = None
        for way, codes in made.items():
            points = [judge.encoded(codes / 4, truth, options, folder, crf, where) for crf in CRFS]
            error, here = points[CRFS.index(18)]
            size = size or here
            row[way, f"{encoder}, crf 18"], row[way, f"{encoder}, equal bytes"] = error, at_equal_size(points, size)
    return row


def debanded(vramp, sources, folder):
    """What `gradient` makes of frames, in steps of 8 bits."""
    return filtered(vramp, sources, "gradient", 16, folder) / 256


def drifting(vramp, seed, folder):
    """Of a drifting ramp and glow, whose truth is known."""
    made = frames.drifting(seed, COUNT)
    sources = [frame.source for frame in made]
    return measured(vramp, sources, debanded(vramp, sources, folder), [frame.exact for frame in made], ..., folder)


def of_film(vramp, folder):
    """Of the smooth parts of the film, against the 16 bits that `gradient` makes of it."""
    sources = list(judge.film(count=COUNT))
    wide = debanded(vramp, sources, folder)
    return measured(vramp, sources, wide, wide, np.array([frames.is_smooth(frame) for frame in wide]), folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vramp", required=True)
    parser.add_argument("--seeds", type=int, nargs="+", default=[41, 42, 43, 44])
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        show("drifting light", [drifting(args.vramp, seed, folder) for seed in args.seeds])
        show("smooth parts of a film", [of_film(args.vramp, folder)])


def show(name, rows):
    """Prints means of rows."""
    columns = list(dict.fromkeys(column for _, column in rows[0]))
    cell = lambda values: "beyond" if None in values else f"{np.mean(values):.4f}"
    of = lambda way: [cell([row[way, column] for row in rows]) for column in columns]
    print(judge.table([f"LP9, {name}", *columns], [[way, *of(way)] for way in [*WAYS, WHERE_MOVED]]), flush=True)


if __name__ == "__main__":
    main()
