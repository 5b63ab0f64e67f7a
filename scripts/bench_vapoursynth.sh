#!/bin/sh
# Frames a second of deband at 1920x1080 in VapourSynth, against the command's chain on the same device.
#   bench_vapoursynth.sh [cpu|cuda] [FRAMES]
# `make hosts build plugin` makes what it needs. VRAMP_COMMAND, VRAMP_PLUGIN and VRAMP_VAPOURSYNTH (a folder with
# libvapoursynth.so.4 and include/) name other files.
set -eu
cd "$(dirname "$0")/.."
device=${1:-cpu}
frames=${2:-1000}
vramp=${VRAMP_COMMAND:-$(scripts/target_dir.sh)/release/vramp}
plugin=$(realpath "${VRAMP_PLUGIN:-target/plugin/libvramp.so}")
vapoursynth=${VRAMP_VAPOURSYNTH:-target/vapoursynth/unpacked/vapoursynth}
# 4:2:0 of 8 bits, as VapourSynth counts formats; so many frames of it are more than caches hold.
format=805830913
held=48

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cc -O2 -pthread -I "$vapoursynth/include" -o "$folder/host" plugin-abi/tests/vapoursynth/host.c -ldl

# in_host DEPTH: the best of three rounds of the filter, whose result has so many bits.
in_host() {
    {
        printf 'call\tstd\tBlankClip\twidth=i:1920\theight=i:1080\tformat=i:%s\tlength=i:%s\n' $format $held
        printf 'hold\t%s\t%s\n' $held "$frames"
        printf 'call\tvramp\tDeband\tdevice=s:%s\tdepth=i:%s\ncall\tstd\tSetVideoCache\tmode=i:0\n' "$device" "$1"
        printf 'time\t%s\ntime\t%s\ntime\t%s\n' "$frames" "$frames" "$frames"
    } | "$folder/host" "$vapoursynth/libvapoursynth.so.4" "$plugin" | awk '
        $1 == "error" { print > "/dev/stderr"; exit 1 }
        $1 == "speed" && $2 > speed { speed = $2 }
        END { print speed }'
}

# by_command DEPTH: the best row of the command's report.
by_command() {
    python3 - "$1" "$folder/report.json" <<'PYTHON'
import json, sys

depth, report = sys.argv[1], json.load(open(sys.argv[2]))
formats = ("yuv420p", "yuv420p" + depth.replace("8", ""))
if "gpu" in report:
    rates = [row["fps"] for row in report["gpu"]["pipeline"]["rows"]]
    tables = [(report["gpu"]["pipeline"], rates)]
else:
    tables = [(table, [1000 / row["ms"] for row in table["rows"]]) for table in report["filters"]["formats"]]
print(max((rate for table, rates in tables if (table["src"], table["dst"]) == formats for rate in rates), default=0))
PYTHON
}

"$vramp" bench --device "$device" --filter deband --quick --json > "$folder/report.json"
echo "deband, 1920x1080, 4:2:0 of 8 bits, on $device: frames a second"
for depth in 16 8; do
    awk -v depth=$depth -v ours="$(in_host $depth)" -v theirs="$(by_command $depth)" 'BEGIN {
        printf "to %2d bits: VapourSynth %.1f", depth, ours
        if (theirs > 0) printf ", command %.1f, ratio %.2f", theirs, ours / theirs
        print "" }'
done
