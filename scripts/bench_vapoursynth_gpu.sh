#!/bin/sh
# VapourSynth's source > deband > VapourSynth's filter at 3840x2160, filtered on one GPU: frames a second with frames that stay in GPU
# memory, and with frames in host memory. Both must have the bytes of the CPU, and the first be twice as many.
#   bench_vapoursynth_gpu.sh pack FOLDER       what another machine needs, which is an NVIDIA GPU of Vulkan 1.4 besides
#   FOLDER/bench_vapoursynth_gpu.sh [FRAMES]   there
# `make hosts plugin` makes what it packs; VRAMP_PLUGIN names another library. VULKAN_DRIVER names a driver, SIZE another size,
# CHAIN other filters.
set -eu
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1-}" = pack ]; then
    mkdir -p "$2"
    into=$(realpath "$2")
    cd "$here/.."
    cp "${VRAMP_PLUGIN:-target/plugin/libvramp.so}" "$into/libvramp.so"
    cp target/vapoursynth/unpacked/vapoursynth/libvapoursynth.so.4 target/vapoursynth/unpacked/vapoursynth/libvapoursynthfilters*.so "$into"
    strip "$into"/*.so*
    cc -O2 -pthread -Itarget/vapoursynth/unpacked/vapoursynth/include plugin-abi/tests/vapoursynth/host.c -o "$into/host" -ldl
    cc -O1 -shared -fPIC -Wl,-soname,libvulkan.so.1 plugin-abi/tests/vulkan/loader.c -o "$into/libvulkan.so.1" -ldl
    cp "$0" "$into"
    exit
fi

frames=${1:-2000}
size=${SIZE:-3840x2160}
chain=${CHAIN-deband=range=16}
width=${size%x*} height=${size#*x}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The one that needs no window system first.
for name in libEGL_nvidia.so.0 libGLX_nvidia.so.0; do
    find /usr/local/nvidia/lib64 /usr/lib /usr/lib64 -name "$name" 2> /dev/null || :
done > "$work/drivers"
export VULKAN_DRIVER="${VULKAN_DRIVER:-$(head -n 1 "$work/drivers")}"
export LD_LIBRARY_PATH="$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# What the host prints of the lines on standard input, whose words are parted by blanks here.
in_host() {
    tr ' ' '\t' | "$here/host" "$here/libvapoursynth.so.4" "$here/libvramp.so" > "$work/said"
    ! grep '^error' "$work/said" >&2
}

# The lines of vramp's and VapourSynth's filter, whose frames are where $1 says: gpu, cuda (host memory) or cpu.
filters() {
    device=$1
    [ "$device" = cpu ] || device=cuda
    echo "call vramp Chain chain=s:$chain device=s:$device"
    echo "call std SetVideoCache mode=i:0"
    echo "call std Invert"
    echo "call std SetVideoCache mode=i:0"
    echo info
}

# Whether the clip of the last graph was where it should be.
stayed() {
    found=host
    ! grep -q '^info.* gpu$' "$work/said" || found=gpu
    [ $found = "$1" ] || { echo "frames in $found memory, not in $1 memory: $(cat "$work/said")" >&2; exit 1; }
}

# The best of three rounds of frames of so many bits, in gpu or host memory.
speed() {
    {
        id=$((3 << 28 | $2 << 16 | 1 << 8 | 1)) gpu=0
        [ "$1" = host ] || gpu=1
        echo "call std BlankClip width=i:$width height=i:$height format=i:$id length=i:$frames gpu=i:$gpu"
        filters "$1"
        for _ in 1 2 3; do echo "time $frames"; done
    } | in_host
    stayed "$1"
    sed -n 's/^speed //p' "$work/said" | sort -n | tail -n 1
}

# Three frames of noise of so many bits, filtered where $1 says, into a file.
bytes() {
    {
        echo "raw 3 0 $2 1 1 $width $height 3 $work/noise"
        [ "$1" != gpu ] || echo "call std GPUUpload"
        filters "$1"
        [ "$1" != gpu ] || echo "call std GPUDownload"
        echo "frames $work/$1 0,1,2"
    } | in_host
    stayed "$([ "$1" = gpu ] && echo gpu || echo host)"
}

failed=0
for bits in 8 16; do
    head -c $((width * height * 3 / 2 * 3 * ((bits + 7) / 8))) /dev/urandom > "$work/noise"
    for where in cpu cuda gpu; do bytes $where $bits; done
    same="the CPU's bytes"
    cmp "$work/cpu" "$work/cuda" && cmp "$work/cpu" "$work/gpu" || { same="OTHER BYTES than the CPU's"; failed=1; }
    stay=$(speed gpu $bits)
    copied=$(speed host $bits)
    awk -v size="$size" -v bits=$bits -v same="$same" -v a="$stay" -v b="$copied" 'BEGIN {
        printf "%s, %d bits, %s: %.0f frames a second in GPU memory, %.0f in host memory: ratio %.2f\n", size, bits, same, a, b, a / b
        exit a < 2 * b }' || failed=1
done
exit $failed
