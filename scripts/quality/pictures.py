"""Pictures of before and after, with local contrast amplified."""

import struct
import subprocess
import zlib

import numpy as np

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


def luma(source, size, vramp=None, preset=None, folder=None, start="#0"):
    """The luma of a frame of a file, in steps of 8 bits, filtered or not."""
    result = folder / "luma.raw"
    chain = ["--chain", f"gradient=preset={preset}" if preset else "gradient"] if vramp else []
    program = vramp or luma.vramp
    subprocess.run([program, source, result, "-y", "-q", "-f", "rawvideo", "-c", "rawvideo", "--device", "cpu", "--depth", "16",
                    "--start", start, "--frames", "1", *chain], check=True)
    width, height = size
    return np.fromfile(result, "<u2", width * height).reshape(height, width) / 256


def beside(before, after, times, at):
    (left, top), (width, height) = at, CROP
    cut = (slice(top, top + height), slice(left, left + width))
    gap = np.full((height, 6), 255)
    return np.hstack([amplified(before, times)[cut], gap, amplified(after, times)[cut]])


def drawing(seed):
    """A flat drawing: a sky that fades, hills, a moon, lines around them."""
    x, y = np.meshgrid(np.arange(960.0), np.arange(540.0))
    draw = np.random.default_rng(seed)
    sky = 34 + y / 22
    moon = np.hypot(x - 330, y - 130)
    sky = np.where(moon < 60, 150, sky + 14 * np.exp(-np.maximum(moon - 60, 0) / 110))
    for depth in range(3):
        a, b, c = draw.uniform(0, 6, 3)
        crest = 300 + 70 * depth + 35 * np.sin(x / 130 + a) + 14 * np.sin(x / 47 + b) + 6 * np.sin(x / 21 + c)
        sky = np.where(y > crest, 28 - 6 * depth + (y - crest) / 60, sky)
        sky = np.where(np.abs(y - crest) < 1.3, 8, sky)
    return np.floor(sky + 0.5)


def write(folder, truths, vramp, work, samples):
    folder.mkdir(exist_ok=True)
    luma.vramp = vramp
    by_name = {truth.name: truth for truth in truths}

    def of_frame(frame, preset=None):
        path = work / "picture.y4m"
        height, width = frame.shape
        path.write_bytes(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 Cmono\nFRAME\n".encode() + frame.astype(np.uint8).tobytes())
        return luma(path, (width, height), vramp, preset, work)

    flat = drawing(4)
    grain = by_name["grain .5"].source
    for name, before, preset, times, at in [("drawing", flat, "anime", 16, (180, 20)), ("grain", grain, "film", 16, (200, 100))]:
        png(folder / f"{name}.png", beside(before, of_frame(before, preset), times, at))
    for name, file, size, preset, start, at in [
        ("night", "dark-scene-1080p-1frame.mkv", (1920, 1080), "dark", "#0", (700, 100)),
        ("bunny", "big-buck-bunny-720p.mp4", (1280, 720), None, "#5", (800, 0)),
        ("ramps", "banded-gradient.mkv", None, None, "#12", (0, 0)),
    ]:
        source = samples / file
        shape = size or tuple(map(int, subprocess.run(
            ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0:s=x", source],
            check=True, capture_output=True, text=True).stdout.strip().split("x")))
        before = luma(source, shape, folder=work, start=start)
        after = luma(source, shape, vramp, preset, work, start)
        png(folder / f"{name}.png", beside(before, after, 16, at))
