#!/bin/sh
# Installs the wheel beside VapourSynth from PyPI, in a Python of its own, and filters a frame:
#   scripts/package/try_wheel.sh WHEEL [PYTHON]     (Python 3.12 or newer)
set -eu
wheel=$(realpath "$1")
cd "$(dirname "$0")/../.."
venv=$(mktemp -d)
trap 'rm -rf "$venv"' EXIT

"${2:-python3}" -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check --requirement plugin-abi/tests/vapoursynth/requirements.txt "$wheel"
"$venv/bin/python" - <<'EOF'
from vapoursynth import core, GRAY8

slope = core.std.BlankClip(format=GRAY8, width=256, height=64, length=1).std.Expr("x 60 +")
frame = slope.vramp.Deband(preset="strong", depth=16).get_frame(0)
samples = set(frame[0][0, x] for x in range(256))
assert frame.format.bits_per_sample == 16 and len(samples) > 1, samples
print("VapourSynth", core.core_version.release_major, "loads vramp from", core.vramp.plugin_path)
EOF
