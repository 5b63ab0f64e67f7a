#!/bin/sh
# Packs what a machine with an NVIDIA GPU needs to test and measure this tree, and nothing of the tree itself, into
# out/vramp-gpu.tar.xz: the binary, the tests that use a GPU, the benches, the libraries they need and a few clips.
# There: tar xf vramp-gpu.tar.xz && vramp-gpu/run_gpu.sh
set -eu
cd "$(dirname "$0")/.."

# Integration tests that have something to do on a GPU.
tests="cuda kernels"
limit_mb=60

out=out/vramp-gpu
rm -rf "$out"
mkdir -p "$out/bin" "$out/tests" "$out/benches" "$out/lib" "$out/samples"

# Prints the executables of kind $1 in cargo's messages on stdin.
executables() {
    grep -F '"reason":"compiler-artifact"' | grep -F "\"kind\":[\"$1\"]" | grep -o '"executable":"[^"]*"' | cut -d'"' -f4
}

# Copies the executable $1 to $2 without debugging information and without the hash in its name.
take() {
    name=$(basename "$1" | sed 's/-[0-9a-f]\{16\}$//')
    strip --strip-debug -o "$2/$name" "$1"
}

cargo build --release --locked --bin vramp
take target/release/vramp "$out/bin"

flags=$(for test in $tests; do ls -d tests/$test tests/$test.rs 2>/dev/null | sed 's/.*/--test/;s/$/ '"$test"'/'; done)
cargo test --locked --no-run --message-format=json $flags 2>/dev/null | executables test | while read -r path; do
    take "$path" "$out/tests"
done
cargo bench --locked --no-run --message-format=json 2>/dev/null | executables bench | while read -r path; do
    take "$path" "$out/benches"
done

# Everything they load, except the C library, which must be the other machine's. The compiler's own libraries go apart:
# they serve only where that machine has none.
ldd "$out"/bin/* "$out"/tests/* "$out"/benches/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libutil|libmvec|libanl|libnsl|ld-[^/]*)\.so' |
    while read -r library; do
        case $library in
        */libgcc_s.so* | */libstdc++.so*) folder=$out/lib/compiler ;;
        *) folder=$out/lib ;;
        esac
        mkdir -p "$folder"
        strip --strip-debug -o "$folder/$(basename "$library")" "$library"
    done

cp samples/*.mp4 samples/*.mkv samples/README.md "$out/samples/"
cp scripts/run_gpu.sh "$out/"
git describe --always --dirty > "$out/VERSION"

tar -C out -cf - vramp-gpu | xz -T0 -9 > out/vramp-gpu.tar.xz
rm -rf "$out"
size_mb=$(($(wc -c < out/vramp-gpu.tar.xz) / 1000000))
echo "out/vramp-gpu.tar.xz: $size_mb MB"
[ "$size_mb" -lt "$limit_mb" ] || { echo "gpu_bundle: more than $limit_mb MB" >&2; exit 1; }
