#!/bin/sh
# Hashing and verifying against plain decoding: bench_hash.sh VRAMP CLIP [ROUNDS]. The three take turns, so that a machine
# whose speed wanders leaves their ratios alone; of each the best round counts. Wants a quiet machine and a clip of
# seconds to minutes.
set -eu
vramp=$1
clip=${2:?give a clip: make bench-hash CLIP=FILE}
rounds=${3:-5}
golden=$(mktemp)
trap 'rm -f "$golden"' EXIT
"$vramp" hash "$clip" -o "$golden" -y -q

# The milliseconds that a command takes.
time_of() {
    from=$(date +%s%N)
    "$@" -q --progress none >/dev/null
    echo $((($(date +%s%N) - from) / 1000000))
}

decode=999999999 hash=999999999 verify=999999999
for _ in $(seq "$rounds"); do
    now=$(time_of "$vramp" "$clip" -f null --no-audio --no-subtitles --no-extras)
    [ "$now" -ge "$decode" ] || decode=$now
    now=$(time_of "$vramp" hash "$clip" -o /dev/null)
    [ "$now" -ge "$hash" ] || hash=$now
    now=$(time_of "$vramp" verify "$golden" "$clip")
    [ "$now" -ge "$verify" ] || verify=$now
done
echo "decode $decode ms, hash $hash ms ($((100 * decode / hash)) % of decode's speed), verify $verify ms ($((100 * decode / verify)) %)"
