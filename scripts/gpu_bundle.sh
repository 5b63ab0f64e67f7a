#!/bin/sh
# Packs what a machine with an NVIDIA GPU needs to test and measure this tree, and nothing of the tree itself, into
# out/vramp-gpu.tar.xz: the binary, the tests that use a GPU, the libraries they need and a few clips.
# There: tar xf vramp-gpu.tar.xz && vramp-gpu/run_gpu.sh
set -eu
cd "$(dirname "$0")/.."

# Integration tests that have something to do on a GPU, and those of the plugin library.
tests="cuda kernels"
plugin_tests="c_abi_cuda"
limit_mb=60

out=out/vramp-gpu
rm -rf "$out"
mkdir -p "$out/bin" "$out/tests" "$out/lib/compiler" "$out/samples"

# The test executables in cargo's messages on stdin.
executables() {
    grep -F '"reason":"compiler-artifact"' | grep -F '"kind":["test"]' | grep -o '"executable":"[^"]*"' | cut -d'"' -f4
}

cargo build --release --locked --bin vramp
strip -o "$out/bin/vramp" target/release/vramp

# Two commands: in one, the plugin library would need libav.
flags=$(printf -- '--test %s ' $tests)
plugin_flags=$(printf -- '--test %s ' $plugin_tests)
messages=$(cargo test --locked --no-run --message-format=json $flags &&
    cargo test --locked --no-run --message-format=json -p vramp-plugin $plugin_flags)
for test in $(echo "$messages" | executables); do
    # Cargo adds a hash to the name.
    strip -o "$out/tests/$(basename "$test" | sed 's/-[0-9a-f]\{16\}$//')" "$test"
done
for test in $tests $plugin_tests; do
    [ -x "$out/tests/$test" ] || { echo "gpu_bundle: the test '$test' was not built" >&2; exit 1; }
done

cargo build --release --locked -p vramp-plugin
strip -o "$out/lib/libvramp.so" target/release/libvramp_plugin.so

# Everything they load, except the C library, which must be the other machine's. The compiler's own libraries go apart:
# they serve only where that machine has none.
ldd "$out"/bin/* "$out"/tests/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libutil|libmvec|libanl|libnsl|ld-[^/]*)\.so' |
    while read -r library; do
        case $library in
        */libgcc_s.so* | */libstdc++.so*) folder=$out/lib/compiler ;;
        *) folder=$out/lib ;;
        esac
        strip --strip-unneeded -o "$folder/$(basename "$library")" "$library"
    done

cp samples/*.mp4 samples/*.mkv samples/README.md "$out/samples/"
cp scripts/run_gpu.sh "$out/"
git describe --always --dirty > "$out/VERSION"

tar -C out -cf - --sort=name --owner=0 --group=0 vramp-gpu | xz -T0 -6 > out/vramp-gpu.tar.xz
rm -rf "$out"
size_mb=$(($(wc -c < out/vramp-gpu.tar.xz) / 1000000))
echo "out/vramp-gpu.tar.xz: $size_mb MB"
[ "$size_mb" -lt "$limit_mb" ] || { echo "gpu_bundle: more than $limit_mb MB" >&2; exit 1; }
