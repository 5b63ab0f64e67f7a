#!/usr/bin/env python3
"""Packs the plugin as a Python wheel, which pip puts where VapourSynth looks for plugins.

    scripts/package/wheel.py LIBRARY FOLDER
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import zipfile

ROOT = pathlib.Path(__file__).parents[2]
NAME = "vapoursynth_vramp"
METADATA = """\
Metadata-Version: 2.4
Name: vapoursynth-vramp
Version: {version}
Summary: vramp's video filters for VapourSynth: debanding and more, on CPUs and NVIDIA GPUs with the same bytes
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Requires-Python: >=3.12
Requires-Dist: vapoursynth>=76
"""
WHEEL = """\
Wheel-Version: 1.0
Generator: vramp
Root-Is-Purelib: false
Tag: {tag}
"""


def version() -> str:
    """The workspace's version."""
    return re.search(r'^version = "(.*)"', (ROOT / "Cargo.toml").read_text(), re.MULTILINE)[1]


def tag(library: pathlib.Path) -> str:
    """Which systems load the library: any Python, and the glibc that its newest symbol needs; or 64-bit Windows."""
    if library.suffix == ".dll":
        return "py3-none-win_amd64"
    symbols = subprocess.run(["readelf", "-W", "--dyn-syms", library], check=True, capture_output=True, text=True).stdout
    newest = max((int(a), int(b)) for a, b in re.findall(r"@GLIBC_(\d+)\.(\d+)", symbols))
    machine = subprocess.run(["uname", "-m"], check=True, capture_output=True, text=True).stdout.strip()
    return f"py3-none-manylinux_{newest[0]}_{newest[1]}_{machine}"


def pack(library: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    """Writes the wheel to the folder, and returns its path."""
    name, label = f"{NAME}-{version()}", tag(library)
    info = f"{name}.dist-info"
    files = {
        f"vapoursynth/plugins/libvramp{library.suffix}": library.read_bytes(),
        f"{info}/METADATA": METADATA.format(version=version()).encode(),
        f"{info}/WHEEL": WHEEL.format(tag=label).encode(),
    }
    for licence in ("LICENSE-MIT", "LICENSE-APACHE"):
        files[f"{info}/licenses/{licence}"] = (ROOT / licence).read_bytes()

    def line(path: str, content: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(content)}\n"

    record = "".join(line(path, content) for path, content in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()

    folder.mkdir(parents=True, exist_ok=True)
    wheel = folder / f"{name}-{label}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            # A date of its own would make another file of the same library.
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return wheel


if __name__ == "__main__":
    print(pack(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
