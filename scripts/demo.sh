#!/bin/sh
# The main job on a real clip: a debanded 10-bit file with its sound, and stills of before and after.
set -eu
cd "$(dirname "$0")/.."
vramp=${VRAMP:-$(scripts/target_dir.sh)/release/vramp}
mkdir -p out

run() {
    echo "\$ $*"
    "$@"
}

run $vramp -y samples/big-buck-bunny-720p.mp4 out/big-buck-bunny-debanded.mp4 --deband
run $vramp -y samples/banded-gradient.mkv out/banded-gradient-debanded.mkv --deband
run $vramp -y samples/banded-gradient.mkv out/before-after.png --preview 0.5 --deband
run $vramp -y samples/dark-scene-1080p-1frame.mkv out/before-after-dark-scene.png --preview 0 --deband

echo
ffprobe -v error -show_entries stream=codec_name,pix_fmt,width,height -of compact=p=0 out/big-buck-bunny-debanded.mp4
echo "before (left) and after (right), contrast amplified below: out/before-after.png, out/before-after-dark-scene.png"
if [ -n "${DISPLAY:-}" ] && command -v xdg-open >/dev/null; then
    xdg-open out/before-after.png >/dev/null 2>&1 || true
fi
