#!/bin/sh
# A sample on one machine, and on three nodes of Slurm one of which dies: the same file.
set -eu
cd "$(dirname "$0")/../.."
vramp=$(realpath "${VRAMP:-$(scripts/target_dir.sh)/release/vramp}")
out=out/farm
rm -rf $out
mkdir -p $out

film() {
    $vramp "$@" --deband -c libx264 --preset veryfast --segment 0.5
}
film samples/big-buck-bunny-720p.mp4 $out/here.mkv --segments
film plan samples/big-buck-bunny-720p.mp4 $out/farm.mkv
scripts/farm/alone.sh scripts/farm/run.sh node "$vramp" $out/farm.mkv.vramp -- --cpus-per-task=1
sha256sum $out/here.mkv $out/farm.mkv
cmp $out/here.mkv $out/farm.mkv && echo "the same bytes"
