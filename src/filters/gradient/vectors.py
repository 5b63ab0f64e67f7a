#!/usr/bin/env python3
"""Writes vectors.txt: what `gradient` makes of small planes, after a plain transcription of its definition.

    src/filters/gradient/vectors.py > src/filters/gradient/vectors.txt

Nothing here is shared with the filter, nor arranged as it is. A line is: width, height, range, bits of a step, other options,
seed, hash of the result.
"""

MASK = (1 << 64) - 1
DEFAULTS = dict(cell=128, slack=64, tol=0, s0=60, s1=900, t1=384, t2=272, t2f=336, tm=640)
SETS = {
    "default": {},
    "film": dict(s0=20, s1=300),
    "anime": dict(tol=13, s0=100, s1=900),
    "dark": dict(cell=144, tol=13, s0=100, s1=900),
    "codec": dict(cell=192, tol=13, s0=60, s1=900, t2=320, t2f=400),
    "gentle": dict(cell=96, slack=32),
}


def clamp(v, low, high):
    return min(max(v, low), high)


def source(width, height, bits, seed):
    """A ramp of `seed`'s slopes, cut to `bits` bits, with an edge, a few dots and noise at the ends of the scale."""
    state = seed

    def draw():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        return state >> 33

    sx, sy, base, edge = draw() % 23, draw() % 19, draw() % 60000, draw() % (width + height)
    rows = []
    for y in range(height):
        row = []
        for x in range(width):
            v = base + x * sx + y * sy
            if x + y > edge:
                v += 3000
            dot = draw() % 97
            if dot == 0:
                v += 300
            elif dot == 1 and seed % 3 == 0:
                v = 65535 if draw() % 2 else 0
            row.append((clamp(v, 0, 65535) >> (16 - bits)) << (16 - bits))
        rows.append(row)
    return rows


def dirs(s, which):
    h, q = (s + 1) >> 1, (s * 887 + 512) >> 10
    return [(s, 0), (h, q), (-h, q)] if which == "A" else [(q, h), (0, s), (-q, h)]


REC = [16384, 8192, 5461, 4096, 3277, 2731, 2341]


def delta(p, x, y, offsets, t, t2):
    w, h = len(p[0]), len(p)
    c = p[y][x]
    total = n = 0
    for dx, dy in offsets:
        while not (0 <= x + dx < w and 0 <= x - dx < w):
            dx -= 1 if dx > 0 else -1
        while not (0 <= y + dy < h and 0 <= y - dy < h):
            dy -= 1 if dy > 0 else -1
        a, b = p[y + dy][x + dx], p[y - dy][x - dx]
        s = a + b - 2 * c
        if abs(a - c) <= t and abs(b - c) <= t and abs(s) <= t2:
            total += s
            n += 1
    return (total * REC[n] + 16384) >> 15


def nearest(a, b):
    return (2 * a + b) // (2 * b)


def windowed(line, m):
    """Weighed means around each value of a line: m in the middle, one less for each step away, of what there is."""
    out = []
    for i in range(len(line)):
        inside = [(m - abs(k - i), line[k]) for k in range(len(line)) if abs(k - i) < m]
        out.append(nearest(sum(w * v for w, v in inside), sum(w for w, _ in inside)))
    return out


def levels(v, p, m):
    """The level of each sample: what p lacks of v around it."""
    w, h = len(v[0]), len(v)
    cells = []
    for top in range(0, h, 16):
        row = []
        for left in range(0, w, 16):
            d = [v[y][x] - p[y][x] for y in range(top, min(top + 16, h)) for x in range(left, min(left + 16, w))]
            row.append(nearest(8 * sum(d), len(d)))
        cells.append(windowed(row, m))
    columns = [windowed([row[x] for row in cells], m) for x in range(len(cells[0]))]

    def between(at, n):
        before = (at - 8) // 16
        return clamp(before, 0, n - 1), clamp(before + 1, 0, n - 1), 2 * (at - 8 - 16 * before) + 1

    def level(x, y):
        left, right, g = between(x, len(columns))
        top, bottom, f = between(y, len(columns[0]))
        a, b = (nearest(c[top] * (32 - f) + c[bottom] * f, 32) for c in (columns[left], columns[right]))
        return nearest(a * (32 - g) + b * g, 256)

    return [[level(x, y) for x in range(w)] for y in range(h)]


def gradient(rows, reach, bits, **given):
    o = {**DEFAULTS, **given}
    u = 1 << (16 - bits)
    cell, slack, t1, t2, t2f, tm = ((o[k] * u + 128) >> 8 for k in ("cell", "slack", "t1", "t2", "t2f", "tm"))
    floor = ((o["cell"] + o["tol"]) * u + 128) >> 8
    w, h = len(rows[0]), len(rows)
    evidence = dirs(6, "A") + dirs(6, "B")
    e = [[min(255, max(0, abs(delta(rows, x, y, evidence, tm, 1 << 30)) - floor) * (256 // u)) for x in range(w)]
         for y in range(h)]
    p = rows
    for i in range(4):
        s = max(1, reach >> i)
        limit = cell + (slack if i == 3 else 0)
        offsets = dirs(s, "A" if i % 2 == 0 else "B")
        bump = t2 if i == 0 else t2f
        up = levels(rows, p, max(5, (3 * reach + 16) // 32)) if i == 3 else [[0] * w] * h
        p = [[clamp(rows[y][x] + clamp(p[y][x] - rows[y][x] + delta(p, x, y, offsets, t1, bump) + up[y][x], -limit, limit),
                    0, 65535) for x in range(w)] for y in range(h)]
    g = (32767 + (o["s1"] - o["s0"]) // 2) // (o["s1"] - o["s0"])
    out = []
    for y in range(h):
        for x in range(w):
            total = sum(e[clamp(y + j, 0, h - 1)][clamp(x + i, 0, w - 1)] for j in range(-3, 4) for i in range(-3, 4))
            weight = clamp((o["s1"] - total) * g, 0, 32767)
            out.append(rows[y][x] + (((p[y][x] - rows[y][x]) * weight + 16384) >> 15))
    return out


def fnv(values):
    h = 0xCBF29CE484222325
    for v in values:
        for byte in (v & 255, v >> 8):
            h = ((h ^ byte) * 0x100000001B3) & MASK
    return h


def main():
    shapes = [(1, 1), (2, 1), (1, 2), (3, 2), (4, 9), (7, 7), (1, 40), (33, 1), (16, 5), (63, 5), (64, 3), (65, 66), (20, 130),
              (97, 31), (50, 140), (35, 150), (190, 21), (17, 170)]
    seed = 0
    for number, (w, h) in enumerate(shapes):
        for name in SETS:
            for reach, bits in ((32, 8), (1 + (seed * 7) % 40, (8, 9, 10, 12)[seed % 4])):
                seed += 1
                if w * h > 3000 and (seed + number) % 3:
                    continue
                rows = source(w, h, bits, seed)
                print(w, h, reach, bits, name, seed, f"{fnv(gradient(rows, reach, bits, **SETS[name])):016x}")


if __name__ == "__main__":
    main()
