#!/bin/sh
# Packs what a machine with an NVIDIA GPU needs to test and measure this tree, and nothing of the tree itself, into
# out/vramp-gpu.tar.xz: the binary, the tests that use a GPU, the libraries they need and a few clips.
# There: tar xf vramp-gpu.tar.xz && vramp-gpu/run_gpu.sh
# PROFILE=dev packs the binary and the library as the tests are built: sooner there, and slower on the host.
set -eu
cd "$(dirname "$0")/.."

# Integration tests that have something to do on a GPU, and those of the plugin library.
tests="cuda kernels filters"
plugin_tests="c_abi_cuda c_abi_resident"
# Large libraries that are loaded and that no test there calls: character sets, a speech codec, vector graphics, and libav's
# filters with all that they need.
unused="libicudata libcodec2 librsvg-2 libavfilter"
limit_mb=58
profile=${PROFILE:-release}
built=$(scripts/target_dir.sh)/$([ "$profile" = dev ] && echo debug || echo "$profile")

out=out/vramp-gpu
rm -rf "$out"
mkdir -p "$out/bin" "$out/tests" "$out/lib/compiler" "$out/samples"

# The test executables in cargo's messages on stdin.
executables() {
    grep -F '"reason":"compiler-artifact"' | grep -F '"kind":["test"]' | grep -o '"executable":"[^"]*"' | cut -d'"' -f4
}

# packed FILE TARGET: a copy without symbols.
packed() {
    install -D --strip --mode=755 "$1" "$2"
}

# A library of the same name whose functions end the program, and which needs no other library: stand_in LIBRARY TARGET
stand_in() {
    soname=$(readelf -d "$1" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
    # The version that programs ask its symbols for, where it states one.
    version=$(readelf -VW "$1" | sed -n 's/.*Index: 2 .* Name: \(.*\)$/\1/p')
    script=
    [ -z "$version" ] || { echo "$version { *; };" > "$2/version.map" && script="-Wl,--version-script=$2/version.map"; }
    {
        nm -D --defined-only "$1" | sed -n 's/.* [TtWi] \([A-Za-z_][A-Za-z0-9_]*\)\(@.*\)*$/void \1(void) { __builtin_trap(); }/p'
        nm -D --defined-only "$1" | sed -n 's/.* [BDRV] \([A-Za-z_][A-Za-z0-9_]*\)\(@.*\)*$/const char \1[64];/p'
    } | cc -w -x c -shared -nostdlib -fno-builtin "-Wl,-soname,$soname" $script -o "$2/$soname" -
    rm -f "$2/version.map"
}

cargo build --profile "$profile" --locked --bin vramp
packed "$built/vramp" "$out/bin/vramp"

# Two commands: in one, the plugin library would need libav.
flags=$(printf -- '--test %s ' $tests)
plugin_flags=$(printf -- '--test %s ' $plugin_tests)
messages=$(cargo test --locked --no-run --message-format=json $flags &&
    cargo test --locked --no-run --message-format=json -p vramp-plugin $plugin_flags)
for test in $(echo "$messages" | executables); do
    # Cargo adds a hash to the name.
    packed "$test" "$out/tests/$(basename "$test" | sed 's/-[0-9a-f]\{16\}$//')"
done
for test in $tests $plugin_tests; do
    [ -x "$out/tests/$test" ] || { echo "gpu_bundle: the test '$test' was not built" >&2; exit 1; }
done

cargo build --profile "$profile" --locked -p vramp-plugin
packed "$built/libvramp_plugin.so" "$out/lib/libvramp.so"

# Modules as racecheck follows them.
make --silent target/nvrtc/ready
mkdir "$out/whole-block"
target/nvrtc/bin/python cuda/make_ptx.py --whole-block-barriers "$out/whole-block"

# A host of OpenFX whose images lie in GPU memory.
scripts/setup_openfx.sh
cc -O1 -D_GNU_SOURCE -pthread -Itarget/openfx/include plugin-abi/tests/openfx/cuda.c -o "$out/bin/openfx_cuda" -lm -ldl

# Frames in Vulkan's memory, and a loader of Vulkan.
[ -d target/vulkan/usr/include ] && [ -d target/vapoursynth/unpacked ] || scripts/setup_hosts.sh
mkdir -p "$out/lib/vulkan"
cc -O1 -Iplugin-abi/include -Itarget/vulkan/usr/include plugin-abi/tests/vulkan/frames.c -o "$out/bin/vulkan_frames" -ldl
cc -O1 -shared -fPIC -Wl,-soname,libvulkan.so.1 plugin-abi/tests/vulkan/loader.c -o "$out/lib/vulkan/libvulkan.so.1" -ldl

# VapourSynth, whose clips may be in GPU memory.
VRAMP_PLUGIN=$out/lib/libvramp.so scripts/bench_vapoursynth_gpu.sh pack "$out/vapoursynth"

# What they load, by the loader's word.
libraries() {
    LD_LIBRARY_PATH="$out/lib" ldd "$out"/bin/* "$out"/tests/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u
}
for name in $unused; do
    libraries | grep "/$name\.so" | while read -r library; do stand_in "$library" "$out/lib"; done
done

# Everything else they load, except the C library, which must be the other machine's. The compiler's own libraries go
# apart: they serve only where that machine has none.
libraries | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libutil|libmvec|libanl|libnsl|ld-[^/]*)\.so' |
    while read -r library; do
        case $library in
        */libgcc_s.so* | */libstdc++.so*) packed "$library" "$out/lib/compiler/$(basename "$library")" ;;
        *) packed "$library" "$out/lib/$(basename "$library")" ;;
        esac
    done

cp samples/*.mp4 samples/*.mkv samples/README.md "$out/samples/"
cp scripts/run_gpu.sh "$out/"
git describe --always --dirty > "$out/VERSION"

# The dictionary spans everything: the tests and the binary hold much that is the same.
tar -C out -cf - --sort=name --owner=0 --group=0 vramp-gpu | xz --x86 --lzma2=preset=9e,dict=128MiB > out/vramp-gpu.tar.xz
du -sm "$out"/* "$out"/lib/* "$out"/tests/* | awk '$1 > 1 { sub(/.*vramp-gpu\//, "", $2); print $1 " MB  " $2 }' | sort -rn
rm -rf "$out"
size_mb=$(($(wc -c < out/vramp-gpu.tar.xz) / 1000000))
echo "out/vramp-gpu.tar.xz: $size_mb MB"
[ "$size_mb" -lt "$limit_mb" ] || { echo "gpu_bundle: more than $limit_mb MB" >&2; exit 1; }
