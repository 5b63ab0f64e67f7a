#!/bin/sh
# Runs what gpu_bundle.sh packed: every GPU test (a missing device is a failure), the same under compute-sanitizer where
# that is installed, the command's word on what it cannot do, the CPU's and the GPU's bytes of the sample clips side by
# side, and the benches. One table at the end.
#   run_gpu.sh [quick]    quick leaves out compute-sanitizer, and measures shortly
# Logs go to the folder LOGS (default: logs beside this script). The exit code is 0 when every row is good.
set -u
here=$(cd "$(dirname "$0")" && pwd)
logs=${LOGS:-$here/logs}
mode=${1:-full}
mkdir -p "$logs"

libraries=$here/lib
ldconfig -p 2>/dev/null | grep -q 'libstdc++\.so\.6' || libraries=$libraries:$here/lib/compiler
# The driver's own libraries stay where the system finds them: none is in the bundle.
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export VRAMP_REQUIRE_CUDA=1 VRAMP_SAMPLES="$here/samples" VRAMP_PLUGIN="$here/lib/libvramp.so"
vramp=$here/bin/vramp

table=$logs/table.txt
: > "$table"
failures=0

# row NAME OUTCOME SECONDS DETAIL
row() {
    printf '%-40s %-7s %7s  %s\n' "$1" "$2" "$3" "$4" >> "$table"
    case $2 in ok | absent) ;; *) failures=$((failures + 1)) ;; esac
}

# step NAME COMMAND...: runs a command with its output in a log, and adds a row with the last line that says something.
step() {
    name=$1
    shift
    log=$logs/$(echo "$name" | tr ' /' '__').log
    echo "== $name"
    began=$(date +%s)
    if timeout 900 "$@" > "$log" 2>&1; then outcome=ok; else outcome=FAILED; fi
    detail=$(grep -E 'test result:|ERROR SUMMARY:|RACECHECK SUMMARY:' "$log" | sed 's/^=* *//' | tail -n 2 | tr '\n' ' ')
    [ "$outcome" = ok ] || tail -n 30 "$log"
    row "$name" "$outcome" $(($(date +%s) - began)) "${detail:-$(tail -n 1 "$log" | cut -c1-100)}"
}

# The hashes of every frame, from the CPU and from the GPU: same_bytes BINARY CLIP CHAIN LOG
same_bytes='
    for device in cpu cuda; do
        "$1" -y "$2" "$4.$device.md5" -f framemd5 --chain "$3" --depth 10 --device $device || exit 1
    done
    cmp "$4.cpu.md5" "$4.cuda.md5" && echo "$(grep -vc "^#" "$4.cpu.md5") frames"
'

# A run that must end with exit code $1 and say $2: refused CODE WORDS ARGUMENT...
refused='
    code=$1 words=$2
    shift 2
    said=$("$@" 2>&1)
    got=$?
    echo "$said"
    [ "$got" = "$code" ] && echo "$said" | grep -q "$words"
'

# Of the kernel harness only what runs on the GPU.
selection() {
    case $1 in */kernels) echo cuda ;; esac
}

step "driver" nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
for test in "$here"/tests/*; do
    step "test $(basename "$test")" "$test" $(selection "$test")
done

clip=$here/samples/banded-gradient.mkv
step "probe" "$vramp" probe
step "device that is not there" sh -c "$refused" refused 2 "there is no CUDA device 99" \
    "$vramp" "$clip" -f null --chain deband --device cuda:99
step "budget too small" sh -c "$refused" refused 5 "of a budget of 1 MiB" \
    "$vramp" "$clip" -f null --chain deband --device cuda --gpu-memory 1
step "budget too small, auto" sh -c "$refused" refused 0 "filtering on the CPU: .*of a budget of 1 MiB" \
    "$vramp" "$clip" -f null --chain deband --gpu-memory 1

if [ "$mode" = quick ]; then
    :
elif command -v compute-sanitizer > /dev/null; then
    # Tests that make faults on purpose are left out: the tools rightly complain.
    for tool in memcheck racecheck initcheck; do
        for test in "$here"/tests/*; do
            step "$tool $(basename "$test")" env VRAMP_CASE_STEP=97 compute-sanitizer --tool $tool --error-exitcode 9 --report-api-errors no \
                --target-processes all "$test" $(selection "$test") --test-threads 1 --skip a_fault_in_a_kernel --skip large_frames
        done
    done
else
    row compute-sanitizer absent 0 "not installed here"
fi

for clip in "$here"/samples/*.mp4 "$here"/samples/*.mkv; do
    name=$(basename "$clip")
    step "same bytes $name" sh -c "$same_bytes" same_bytes "$vramp" "$clip" "deband=range=16:sample=2" "$logs/$name"
done

if [ "$mode" = quick ]; then quick=--quick; else quick=; fi
for size in 1920x1080 3840x2160; do
    step "bench $size" "$vramp" bench --device cuda --size $size $quick
done
step "bench clip" "$vramp" bench --device cuda --clip "$here/samples/big-buck-bunny-720p.mp4" \
    --chain deband,depth=10 --preset veryfast $quick

echo
cat "$logs"/bench_*.log 2> /dev/null
echo
echo "vramp $(cat "$here/VERSION"), $(nvidia-smi --query-gpu=name --format=csv,noheader 2> /dev/null | head -n 1)"
cat "$table"
[ "$failures" -eq 0 ]
