#!/usr/bin/env python3
"""Times two builds of vramp against each other, in turns within one run.

    scripts/bench_pair.py OLD NEW [--rounds N] [--] [arguments of `vramp bench`]

Prints, for every case that both have, the ratio of the new build's time to the old one's (the best of the rounds each), and
ends with the median and the worst. Exit code 1: the median is above 1.00 or one case above 1.03.
"""

import json
import statistics
import subprocess
import sys

MEDIAN, WORST = 1.00, 1.03


def rows(node, path=()):
    """Every time in the report, by the words and sizes that stand around it."""
    if isinstance(node, list):
        for item in node:
            yield from rows(item, path)
    elif isinstance(node, dict):
        words = ("src", "dst", "size", "width", "height", "chain", "level", "threads", "name")
        here = path + tuple(str(node[word]) for word in words if word in node)
        if isinstance(node.get("ms"), (int, float)) and "chain" in node:
            yield here, node["ms"]
        speed = node.get("speed")
        if "chain" in node and isinstance(speed, dict):
            yield here, speed["ms"]
        for key, value in node.items():
            if isinstance(value, (dict, list)) and key not in ("speed", "copy"):
                yield from rows(value, here)


def measure(program, arguments):
    ran = subprocess.run([program, "bench", "--json", *arguments], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"{program}: {ran.stderr.strip()}")
    return dict(rows(json.loads(ran.stdout)))


def main():
    arguments = sys.argv[1:]
    rounds = 2
    if "--rounds" in arguments:
        at = arguments.index("--rounds")
        rounds = int(arguments[at + 1])
        del arguments[at : at + 2]
    if len(arguments) < 2:
        sys.exit(__doc__)
    programs, rest = arguments[:2], [argument for argument in arguments[2:] if argument != "--"]
    best = [{}, {}]
    for turn in range(2 * rounds):
        # The order changes from round to round, so that what warms up helps neither.
        which = turn % 2 if turn // 2 % 2 == 0 else 1 - turn % 2
        for case, ms in measure(programs[which], rest).items():
            best[which][case] = min(ms, best[which].get(case, ms))
    shared = [case for case in best[0] if case in best[1]]
    if not shared:
        sys.exit("the builds have no case in common")
    ratios = sorted((best[1][case] / best[0][case], case) for case in shared)
    for ratio, case in ratios:
        print(f"{ratio:6.3f}  {best[0][case]:9.4f} -> {best[1][case]:9.4f} ms  {' '.join(case)}")
    median, (worst, where) = statistics.median(ratio for ratio, _ in ratios), ratios[-1]
    print(f"{len(ratios)} cases: median {median:.3f} (at most {MEDIAN:.2f}), worst {worst:.3f} (at most {WORST:.2f}): {' '.join(where)}")
    sys.exit(0 if median <= MEDIAN and worst <= WORST else 1)


if __name__ == "__main__":
    main()
