#!/bin/sh
# Runs the tarball in a root that holds nothing but a shell and what it needs: scripts/package/try_dist.sh TARBALL [ROOT]
# With a ROOT that debootstrap made, in that system.
set -eu
tarball=$(realpath "$1")
root=${2:-$(mktemp -d)}
cd "$(dirname "$0")/../.."

if [ $# -lt 2 ]; then
    # One program, statically linked: there is no library in this root.
    mkdir -p "$root/bin" "$root/tmp" "$root/dev" "$root/proc"
    cp "$(command -v busybox)" "$root/bin/busybox"
    for tool in sh dirname readlink; do ln -sf busybox "$root/bin/$tool"; done
fi
mkdir -p "$root/opt"
tar --extract --file "$tarball" --directory "$root/opt" --strip-components=1
cp samples/banded-gradient.mkv "$root/opt/in.mkv"

run="chroot $root /opt/bin/vramp"
$run --version | head -n 1
$run -y /opt/in.mkv /opt/out.mkv --deband -q
$run -y /opt/in.mkv - -f framemd5 --deband -q > "$root/opt/frames.txt"
[ -s "$root/opt/out.mkv" ]
# A process of its own for the film.
$run batch /opt/in.mkv -o '/opt/batch/{name}.mkv' --deband -q
[ -s "$root/opt/batch/in.mkv" ]
[ "$(grep -vc '^#' "$root/opt/frames.txt")" -gt 0 ]
cat "$root/opt/frames.txt"
