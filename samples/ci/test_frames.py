"""Checks that every frame of out/NAME is what goldens/NAME.hashes says.

`pytest test_frames.py` has a test a video; `python3 test_frames.py` checks them all without pytest.
"""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

VRAMP = os.environ.get("VRAMP", "vramp")
GOLDENS = Path("goldens")
VIDEOS = Path("out")


def names():
    """Every video that is there or should be."""
    goldens = {golden.stem for golden in GOLDENS.glob("*.hashes")}
    videos = {video.name for video in VIDEOS.glob("*") if video.is_file()}
    return sorted(goldens | videos)


def check(name):
    """What is wrong with a video, in a few lines; None when it is what it was."""
    golden, video = GOLDENS / f"{name}.hashes", VIDEOS / name
    if not golden.exists():
        return f"{video} has no golden. If it is right: vramp hash {video} -o {golden}"
    if not video.exists():
        return f"{video} is missing, and {golden} is there: was it made?"
    ran = subprocess.run([VRAMP, "verify", "--json", "--quiet", golden, video], capture_output=True, text=True)
    if ran.returncode > 1:
        return f"{video} could not be checked: {ran.stderr.strip()}"
    report = json.loads(ran.stdout)
    return None if report["match"] else "\n".join([ran.stderr.strip(), *explain(report)])


def explain(report):
    """The differences that a report of `vramp verify --json` has, a line each."""
    lines = [f"  {trait['name']} is {trait['found']} instead of {trait['expected']}" for trait in report["stream"]]
    lines += [f"  stream {s['index']} ({s['media']} {s['codec']}): {s['kind']}" for s in report["streams"]]
    unit = float(Fraction(report["unit"]))
    lines += [f"  {describe(difference, unit)}" for difference in report["differences"]]
    return lines if len(lines) <= 20 else [*lines[:20], f"  and {len(lines) - 20} more"]


def describe(difference, unit):
    """A difference in one line; `unit` is that of its times, in seconds."""
    kind = difference["kind"]
    expected, found = (frames(difference[side]) for side in ("expected", "found"))
    if kind == "missing":
        return f"missing: frames {expected}"
    if kind in ("extra", "duplicated"):
        return f"{kind}: frames {found} of the video"
    if kind == "pixels":
        planes = ", ".join(map(str, difference["planes"]))
        return f"pixels: frames {expected}" + (f", planes {planes}" if planes else "")
    if kind == "time":
        if "first" not in difference:
            return f"time: frames {expected} have a time in one of the two only"
        first, last = (f"{difference[end] * unit:+.3f} s" for end in ("first", "last"))
        return f"time: frames {expected} are off by {first}" + (f" to {last}" if last != first else "")
    return f"{kind}: frames {expected} are frames {found} of the video"


def frames(span):
    """The first and the last number of a report as "3-5", or "3" when they are one."""
    first, last = span or (None, None)
    return str(first) if first == last else f"{first}-{last}"


def pytest_generate_tests(metafunc):
    """One test a video."""
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", names())


def test_there_are_goldens():
    assert list(GOLDENS.glob("*.hashes")), f"no {GOLDENS}/*.hashes: `vramp hash` makes them"


def test_every_frame_is_what_it_was(name):
    fault = check(name)
    if fault:
        raise AssertionError(fault)


def main():
    try:
        test_there_are_goldens()
    except AssertionError as fault:
        return str(fault)
    return "\n".join(filter(None, map(check, names()))) or None


if __name__ == "__main__":
    sys.exit(main())
