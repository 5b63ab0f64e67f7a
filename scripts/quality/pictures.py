"""Pictures of before and after, with local contrast amplified."""

import struct
import subprocess
import zlib

import numpy as np

import frames

CROP = (480, 270)


def png(path, image):
    height, width = image.shape
    rows = b"".join(b"\0" + row.tobytes() for row in image.astype(np.uint8))

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b""))


def amplified(frame, times):
    """Contrast against means of 65×65."""
    around = np.pad(frame, ((33, 32), (33, 32)), mode="edge").cumsum(0).cumsum(1)
    mean = (around[65:, 65:] - around[:-65, 65:] - around[65:, :-65] + around[:-65, :-65]) / 65**2
    return np.clip(128 + times * (frame - mean), 0, 255)


def luma(vramp, source, size, chain, folder, start="#0"):
    """The luma of a frame of a file, in steps of 8 bits, as a chain leaves it; the file's own without one."""
    result = folder / "luma.raw"
    filtered = ["--chain", chain] if chain else []
    subprocess.run([vramp, source, result, "-y", "-q", "-f", "rawvideo", "-c", "rawvideo", "--device", "cpu", "--depth", "16",
                    "--start", start, "--frames", "1", *filtered], check=True)
    width, height = size
    return np.fromfile(result, "<u2", width * height).reshape(height, width) / 256


def beside(pictures, times, at):
    """A part of each of the pictures, amplified, with a gap between."""
    (left, top), (width, height) = at, CROP
    cut = (slice(top, top + height), slice(left, left + width))
    gap = np.full((height, 6), 255)
    parts = [part for picture in pictures for part in (gap, amplified(picture, times)[cut])]
    return np.hstack(parts[1:])


def drawing(seed, grain=0):
    """A flat drawing: a sky that fades, hills, a moon, lines around them; with grain, in steps of 8 bits."""
    x, y = frames.grid()
    draw = np.random.default_rng(seed)
    sky = 34 + y / 22
    moon = np.hypot(x - 330, y - 130)
    sky = np.where(moon < 60, 150, sky + 14 * np.exp(-np.maximum(moon - 60, 0) / 110))
    for depth in range(3):
        a, b, c = draw.uniform(0, 6, 3)
        crest = 300 + 70 * depth + 35 * np.sin(x / 130 + a) + 14 * np.sin(x / 47 + b) + 6 * np.sin(x / 21 + c)
        sky = np.where(y > crest, 28 - 6 * depth + (y - crest) / 60, sky)
        sky = np.where(np.abs(y - crest) < 1.3, 8, sky)
    return np.floor(sky + grain * draw.standard_normal(sky.shape) + 0.5)


def write(folder, vramp, work, samples):
    """Writes the pictures of docs/QUALITY.md."""
    folder.mkdir(exist_ok=True)
    bunny = (samples / "big-buck-bunny-720p.mp4", (1280, 720), "#5")
    drawn, grainy = work / "drawn.y4m", work / "grainy.y4m"
    for path, picture in (drawn, drawing(4)), (grainy, drawing(4, 0.5)):
        frames.y4m(path, [picture])
    for name, (source, size, start), chains, at in [
        ("drawing", (drawn, frames.SIZE, "#0"), ["", "gradient=preset=anime"], (180, 20)),
        ("night", (samples / "dark-scene-1080p-1frame.mkv", (1920, 1080), "#0"), ["", "gradient=preset=dark"], (700, 100)),
        ("grain", (grainy, frames.SIZE, "#0"), ["", "gradient=preset=film", "deband=preset=nograin"], (180, 20)),
        ("bunny", bunny, ["", "gradient"], (800, 0)),
        ("ramps", (samples / "banded-gradient.mkv", (640, 360), "#12"), ["", "gradient"], (0, 0)),
    ]:
        made = [luma(vramp, source, size, chain, work, start) for chain in chains]
        png(folder / f"{name}.png", beside(made, 16, at))
