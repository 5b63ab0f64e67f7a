#!/usr/bin/env python3
"""Makes HDR clips of SDR ones, has vramp and ffmpeg make SDR of them again, and puts the pictures of docs/HDR.md side by side.

    scripts/hdr_pictures.py --vramp target/release/vramp [--clips FOLDER] [--out docs/hdr] [--libplacebo]

Wants numpy, and an ffmpeg with zscale and libx265. SDR frames are graded up: light stays up to half of white (203 cd/m²), and
what is brighter rises, to a peak of 1000 or 4000 cd/m²; a line of text is white at 203. FOLDER keeps the clips, with the mastering
display and MaxCLL that they have.

--libplacebo makes NAME-libplacebo.png instead: vramp's picture, and that of ffmpeg's libplacebo filter by the same curve, from metadata
alone as well. It wants a Vulkan device; Mesa's lavapipe (mesa-vulkan-drivers) is one on any processor.
"""

import argparse
import pathlib
import subprocess
import tempfile

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
SIZE = (640, 360)
FRAMES = 6
SHOWN = 3
WHITE = 203.0

BUNNY = ["-ss", "4", "-i", str(ROOT / "samples/big-buck-bunny-720p.mp4")]
TEST = ["-f", "lavfi", "-i", "testsrc2=s=640x360:r=25"]
SDR = ["--sdr"]
DESAT = ["--chain", "tonemap=gamut=desat"]
# A name, what is graded up, its peak, its transfer, whether its colours fill BT.2020 instead of BT.709, and what vramp does.
CLIPS = [
    ("bunny-1000", BUNNY, 1000.0, "pq", False, [SDR]),
    ("bunny-4000", BUNNY, 4000.0, "pq", False, [SDR]),
    ("bunny-hlg", BUNNY, 1000.0, "hlg", False, [SDR]),
    ("bt709-1000", TEST, 1000.0, "pq", False, [SDR, DESAT]),
    ("bt2020-1000", TEST, 1000.0, "pq", True, [SDR, DESAT]),
]
TRANSFERS = {"pq": ("smpte2084", "16"), "hlg": ("arib-std-b67", "18")}
BT709_TO_BT2020 = np.array([[0.627404, 0.329283, 0.043313], [0.069097, 0.919540, 0.011362], [0.016391, 0.088013, 0.895595]])
LUMINANCE = np.array([0.2627, 0.6780, 0.0593])
# What everybody copies: docs and questions have this line.
RECIPE = (
    "zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt709,tonemap=tonemap=hable:desat=0,"
    "zscale=t=bt709:m=bt709:r=tv,format=yuv420p"
)
# By BT.2390 and a peak from metadata, as --sdr; its own default measures frames as they pass.
LIBPLACEBO = (
    "hwupload,libplacebo=tonemapping=bt.2390:peak_detect=false:colorspace=bt709:color_primaries=bt709:color_trc=bt709:"
    "range=tv:format=yuv420p10le,hwdownload,format=yuv420p10le"
)
VULKAN = ["-init_hw_device", "vulkan=v", "-filter_hw_device", "v"]
DISPLAY = "G(8500,39850)B(6550,2300)R(35400,14600)WP(15635,16450)L({},50)"


def ffmpeg(*args, **kwargs):
    command = ["ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y", *map(str, args)]
    return subprocess.run(command, check=True, **kwargs)


def frames(source, vf):
    width, height = SIZE
    out = ["-frames:v", FRAMES, "-vf", f"{vf}scale={width}:{height}:flags=lanczos,format=rgb24", "-f", "rawvideo", "-"]
    raw = ffmpeg(*source, *out, stdout=subprocess.PIPE).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, height, width, 3) / 255.0


def text():
    """Where the line of text is, from 0 to 1."""
    draw = "drawtext=text='White at 203 cd/m²':fontcolor=white:fontsize=28:x=(w-tw)/2:y=h-48,"
    return frames(["-f", "lavfi", "-i", "color=black:s=640x360:r=25"], draw)[0]


def graded(sdr, peak, fills_bt2020, mask):
    """Light in cd/m², of BT.2020."""
    light = sdr**2.4
    bright = light @ np.array([0.2126, 0.7152, 0.0722])
    over = np.clip((bright[..., None] - 0.5) / 0.5, 0.0, 1.0)
    light = light * WHITE * (1.0 + (peak / WHITE - 1.0) * over * over)
    light = light if fills_bt2020 else light @ BT709_TO_BT2020.T
    return np.clip(light * (1.0 - mask) + WHITE * mask, 0.0, peak)


def encoded(light, transfer):
    if transfer == "pq":
        power = (light / 10000.0) ** (2610 / 16384)
        return ((3424 / 4096 + 2413 / 128 * power) / (1.0 + 2392 / 128 * power)) ** (2523 / 32)
    shown = light / 1000.0
    scene = shown * np.maximum(shown @ LUMINANCE, 1e-6)[..., None] ** (1.0 / 1.2 - 1.0)
    log = 0.17883277 * np.log(np.maximum(12.0 * scene - 0.28466892, 1e-9)) + 0.55991073
    return np.where(scene <= 1.0 / 12.0, np.sqrt(3.0 * scene), log).clip(0.0, 1.0)


def make(path, codes, light, peak, transfer):
    width, height = SIZE
    name, _ = TRANSFERS[transfer]
    most, mean = int(np.ceil(light.max())), int(np.ceil(light.max(axis=-1).mean(axis=(1, 2)).max()))
    hdr = f":master-display={DISPLAY.format(int(peak * 10000))}:max-cll={most},{mean}:hdr10=1" if transfer == "pq" else ""
    tags = f"colorprim=bt2020:transfer={name}:colormatrix=bt2020nc:range=limited:chromaloc=2"
    raw = np.round(codes * 65535.0).astype("<u2").tobytes()
    ffmpeg(
        "-f", "rawvideo", "-pixel_format", "rgb48le", "-video_size", f"{width}x{height}", "-framerate", "25", "-i", "-",
        "-vf", "zscale=matrixin=gbr:rangein=full:matrix=2020_ncl:range=limited:chromal=topleft,format=yuv420p10le",
        "-c:v", "libx265", "-preset", "fast", "-crf", "8", "-x265-params", f"log-level=error:{tags}{hdr}", path,
        input=raw,
    )  # fmt: skip


def picture(path):
    """The frame that is shown, as R'G'B'."""
    source = ["-i", path, "-vf", f"select=eq(n\\,{SHOWN}),scale=in_color_matrix=bt709:out_range=full,format=rgb24"]
    raw = ffmpeg(*source, "-frames:v", "1", "-f", "rawvideo", "-", stdout=subprocess.PIPE).stdout
    return np.frombuffer(raw, np.uint8).reshape(SIZE[1], SIZE[0], 3)


def save(path, pictures):
    gap = np.full((SIZE[1], 6, 3), 255, np.uint8)
    row = np.concatenate([part for one in pictures for part in (one, gap)][:-1], axis=1)
    ffmpeg(
        "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", f"{row.shape[1]}x{row.shape[0]}", "-i", "-",
        "-vf", "scale=iw/2:-1:flags=lanczos", "-pred", "mixed", "-compression_level", "100", "-frames:v", "1", path,
        input=row.tobytes(),
    )  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vramp", required=True)
    parser.add_argument("--clips", help="keep the clips here")
    parser.add_argument("--libplacebo", action="store_true", help="beside libplacebo")
    parser.add_argument("--out", default=ROOT / "docs/hdr", type=pathlib.Path)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    mask = text()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(args.clips or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, source, peak, transfer, fills, ways in CLIPS:
            sdr = frames(source, "")
            light = graded(sdr, peak, fills, mask)
            clip, theirs = folder / f"{name}.mkv", folder / f"{name}-ffmpeg.mkv"
            make(clip, encoded(light, transfer), light, peak, transfer)
            ours = []
            for i, way in enumerate(ways):
                made = folder / f"{name}-vramp{i}.mkv"
                run = [args.vramp, clip, made, *way, "-y", "--device", "cpu", "-c", "ffv1"]
                subprocess.run(list(map(str, run)), check=True)
                ours.append(picture(made))
            if args.libplacebo:
                ffmpeg(*VULKAN, "-i", clip, "-vf", LIBPLACEBO, "-c:v", "ffv1", theirs)
                save(args.out / f"{name}-libplacebo.png", [ours[0], picture(theirs)])
                continue
            ffmpeg("-i", clip, "-vf", RECIPE, "-c:v", "ffv1", theirs)
            before = np.round((sdr[SHOWN] * (1 - mask) + mask) * 255).astype(np.uint8)
            save(args.out / f"{name}.png", [before, *ours, picture(theirs)])
            print(f"{name}: peak {light.max():.0f} cd/m², written")


if __name__ == "__main__":
    main()
