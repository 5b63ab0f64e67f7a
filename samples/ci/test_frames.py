"""Checks that every frame of out/NAME is what goldens/NAME.hashes says. Runs with pytest, or by itself."""

import json
import os
import subprocess
import sys
from pathlib import Path

VRAMP = os.environ.get("VRAMP", "vramp")
GOLDENS = sorted(Path("goldens").glob("*.hashes"))


def verify(golden):
    """What `vramp verify` finds; None when the video is what it was."""
    video = Path("out") / golden.stem
    ran = subprocess.run([VRAMP, "verify", "--json", "--quiet", golden, video], capture_output=True, text=True)
    if ran.returncode > 1:
        raise RuntimeError(ran.stderr)
    report = json.loads(ran.stdout)
    return None if report["match"] else report


def explain(report):
    """A report in a few lines."""
    lines = [f"{report['input']} differs from frame {report['first']} on"]
    lines += [f"{trait['name']}: {trait['found']} instead of {trait['expected']}" for trait in report["stream"]]
    for difference in report["differences"]:
        planes = f", planes {difference['planes']}" if "planes" in difference else ""
        lines.append(f"{difference['kind']}: expected {difference['expected']}, found {difference['found']}{planes}")
    return "\n".join(lines)


def test_there_are_goldens():
    assert GOLDENS, "no goldens/*.hashes: `vramp hash` makes them"


def test_every_frame_is_what_it_was():
    reports = [report for report in map(verify, GOLDENS) if report]
    assert not reports, "\n".join(map(explain, reports))


if __name__ == "__main__":
    try:
        test_there_are_goldens()
        test_every_frame_is_what_it_was()
    except AssertionError as difference:
        sys.exit(str(difference))
