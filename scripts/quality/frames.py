"""Truth frames, in steps of 8 bits, made from a seed."""

import dataclasses
import typing

import numpy as np

SIZE = (960, 540)


@dataclasses.dataclass
class Truth:
    name: str
    kind: str
    exact: np.ndarray
    # Samples near an edge, but not on it.
    near: typing.Optional[np.ndarray] = None
    # What lies on the smooth part.
    texture: typing.Optional[np.ndarray] = None
    smooth: typing.Optional[np.ndarray] = None

    @property
    def source(self):
        return np.clip(np.floor(self.exact + 0.5), 0, 255)


def y4m(path, all_frames, depth=8):
    """Writes frames of codes of 8 or 16 bits."""
    height, width = all_frames[0].shape
    colour, form = ("mono", np.uint8) if depth == 8 else (f"mono{depth}", "<u2")
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C{colour}\n".encode())
        for frame in all_frames:
            file.write(b"FRAME\n" + frame.astype(form).tobytes())


def grid():
    return np.meshgrid(np.arange(SIZE[0], dtype=float), np.arange(SIZE[1], dtype=float))


def ramp(draw, pixels, shift=0.0):
    """A step every so many pixels, in some direction."""
    x, y = grid()
    angle, base = draw.uniform(0, 2 * np.pi), draw.uniform(90, 140)
    return base + ((x - SIZE[0] / 2 + shift) * np.cos(angle) + (y - SIZE[1] / 2) * np.sin(angle)) / pixels


def glow(draw, steps, pixels):
    """A light that falls off with the square of the distance: by so many steps over so many pixels."""
    x, y = grid()
    left, top = draw.uniform(0.3, 0.7, 2) * SIZE
    return draw.uniform(130, 160) - steps * ((x - left) ** 2 + (y - top) ** 2) / pixels**2


def grown(mask, by):
    """The mask with all that lies within so many samples, in a square."""
    for axis in (0, 1):
        sums = np.cumsum(np.pad(mask, [(by + 1, by) if a == axis else (0, 0) for a in (0, 1)]).astype(int), axis)
        low, high = np.arange(mask.shape[axis]), np.arange(mask.shape[axis]) + 2 * by + 1
        mask = np.take(sums, high, axis) - np.take(sums, low, axis) > 0
    return mask


def shapes(draw, smooth):
    """Discs and slanted bars of other brightness on a smooth frame, and what is near them."""
    x, y = grid()
    inside = np.zeros(smooth.shape, bool)
    for _ in range(5):
        left, top = draw.uniform(0.1, 0.9, 2) * SIZE
        inside |= np.hypot(x - left, y - top) < draw.uniform(20, 60)
        angle = draw.uniform(0, np.pi)
        inside |= np.abs((x - left) * np.cos(angle) + (y - top) * np.sin(angle)) < draw.uniform(2, 9)
    edge = grown(inside, 2) & grown(~inside, 2)
    return np.where(inside, smooth + draw.uniform(12, 50), smooth), grown(edge, 24) & ~edge


def soft_noise(draw, sigma):
    """Noise without its finest detail."""
    noise = draw.normal(size=SIZE[::-1])
    for axis in (0, 1):
        noise = (np.roll(noise, 1, axis) + 2 * noise + np.roll(noise, -1, axis)) / 4
    return noise * sigma / noise.std()


def truths(seed):
    draw = np.random.default_rng(seed)
    made = [Truth(f"ramp, {pixels} px a step", "ramp", ramp(draw, pixels)) for pixels in (24, 40, 60, 90)]
    made += [Truth("glow of 9 steps", "glow", glow(draw, 9, 300)), Truth("glow of 26 steps", "glow", glow(draw, 26, 420))]
    for pixels in (30, 60):
        exact, near = shapes(draw, ramp(draw, pixels))
        made.append(Truth(f"edges on {pixels} px", "edges", exact, near=near))
    for name, texture in [("texture .75", soft_noise(draw, 0.75)), ("texture .4", soft_noise(draw, 0.4)),
                          ("grain .3", draw.normal(size=SIZE[::-1]) * 0.3), ("grain .5", draw.normal(size=SIZE[::-1]) * 0.5),
                          ("grain 1", draw.normal(size=SIZE[::-1]))]:
        smooth = ramp(draw, 40)
        made.append(Truth(name, "texture", smooth + texture, texture=texture, smooth=smooth))
    return made


def drifting(seed, count):
    """A ramp and a glow that move, frame by frame."""
    both = []
    for frame in range(count):
        draw = np.random.default_rng(seed + 1)
        light = glow(draw, 14, 380)
        both.append(Truth("drift", "drift", light + ramp(draw, 45, 1.3 * frame) - 60))
    return both


def spread(frame, by):
    """The range of what lies within so many samples, in a square."""
    high = low = frame
    for axis in (0, 1):
        widths = [(by, by) if a == axis else (0, 0) for a in (0, 1)]
        window = lambda values: np.lib.stride_tricks.sliding_window_view(np.pad(values, widths, mode="edge"), 2 * by + 1, axis)
        high, low = window(high).max(-1), window(low).min(-1)
    return high - low


def is_smooth(frame):
    """Where a sample and all that lies within six samples of it are at most 2.5 steps apart."""
    return spread(frame, 6) < 2.5


def natural(frames):
    """Frames of a film at half their size and a third of their contrast: means of 2×2 samples of 8 bits are finer than steps, and a
    third of the contrast makes steps wide. `near` is what is smooth."""
    made = []
    for frame in frames:
        height, width = (size // 2 for size in frame.shape)
        halved = frame[: 2 * height, : 2 * width].reshape(height, 2, width, 2).mean((1, 3))
        exact = 16 + halved / 3
        made.append(Truth("natural", "natural", exact, near=is_smooth(exact)))
    return made
