#!/bin/sh
# Runs what gpu_bundle.sh packed, and ends in one table, a list of what did not run, and an exit code: 0 when every row is
# good. A missing device is a failure.
#   run_gpu.sh [PART [FILTER]]    PART: all (default), kernels, cuda, abi, command, clips, bench, vapoursynth, sanitizer; or jobs, which
#   `all` leaves out: runs side by side on one device or, with GPUS=all or GPUS=0,1, on several. JOBS is the curve (1,2,4,7).
# `all` takes less than ten minutes: every part has a limit, so that a hang costs only itself, and kernels run a ninth of their
# cases. FILTER picks the tests, clips or sizes whose name holds it. A part by itself has all the time, runs every case
# (VRAMP_CASES=third: a third), and measures longer.
# PARTS="kernels sanitizer" leaves out the other parts of `all`.
# Logs go to the folder LOGS (default: logs beside this script). LIMIT is the time for everything, in seconds.
set -u
here=$(cd "$(dirname "$0")" && pwd)
logs=${LOGS:-$here/logs}
part=${1:-all}
filter=${2:-}
began=$(date +%s)
ends=$((began + ${LIMIT:-570}))
mkdir -p "$logs"
rm -f "$logs"/*.log

libraries=$here/lib
ldconfig -p 2>/dev/null | grep -q 'libstdc++\.so\.6' || libraries=$libraries:$here/lib/compiler
# The driver's own libraries stay where the system finds them: none is in the bundle.
export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
[ "$part" = all ] || export VRAMP_CASES="${VRAMP_CASES-all}"
export VRAMP_REQUIRE_CUDA="${VRAMP_REQUIRE_CUDA-1}" VRAMP_SAMPLES="$here/samples" VRAMP_PLUGIN="$here/lib/libvramp.so"
vramp=$here/bin/vramp

table=$logs/table.txt
: > "$table"
failures=0
part_ends=$ends

# part_limit SECONDS: the steps that follow end by then.
part_limit() {
    part_ends=$ends
    [ "$part" = all ] || return 0
    part_ends=$(($(date +%s) + $1))
    [ "$part_ends" -le "$ends" ] || part_ends=$ends
}

# row NAME OUTCOME SECONDS DETAIL
row() {
    printf '%-62s %-8s %6s  %s\n' "$1" "$2" "$3" "$4" >> "$table"
    case $2 in ok | absent) ;; *) failures=$((failures + 1)) ;; esac
}

milliseconds() {
    echo $(($(date +%s%N) / 1000000))
}

# step NAME COMMAND...: runs a command with its output in a log, and adds a row with the last line that says something.
step() {
    name=$1
    shift
    log=$logs/$(echo "$name" | tr ' /:' '___').log
    left=$((part_ends - $(date +%s)))
    started=$(milliseconds)
    if [ "$left" -lt 1 ]; then row "$name" "NO TIME" 0 "the part's time was over"; return; fi
    echo "== $name"
    timeout -k 5 "$left" "$@" > "$log" 2>&1
    case $? in 0) outcome=ok ;; 124 | 137) outcome=TIMEOUT ;; *) outcome=FAILED ;; esac
    # A filter that matches no test proves nothing.
    if grep -q '^running 0 tests' "$log"; then outcome=FAILED; fi
    detail=$(grep -E ' cases on |test result:|ERROR SUMMARY:|RACECHECK SUMMARY:|loaded from' "$log" |
        sed 's/^=* *//; s/; 0 ignored; 0 measured;.*//; s/ (device 0, .*//' | tail -n 3 | tr '\n' ' ')
    [ "$outcome" = ok ] || tail -n 30 "$log"
    took=$(($(milliseconds) - started))
    row "$name" "$outcome" "$((took / 1000)).$((took % 1000 / 100))" "$(echo "${detail:-$(tail -n 1 "$log")}" | cut -c1-110)"
}

# The tests of a binary that use a GPU, by name: those of filters and of their harness that do not are for the machine it is
# built on.
tests_of() {
    case $1 in filters) own='::cuda_' ;; kernels) own='^cuda::' ;; *) own='.' ;; esac
    "$here/tests/$1" --list 2> /dev/null | sed -n 's/: test$//p' | grep -e "$own" | grep -F -e "$filter"
}

# The names in their groups: `a::b` and `a::c` are `a::`.
groups() {
    sed 's/::.*/::/' | sort -u
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

# Each rung of all filters, one filter after the other since a test works on all processors; with FILTER each test by itself.
run_kernels() {
    part_limit 300
    for test in $(tests_of kernels); do step "$test" "$here/tests/kernels" --exact "$test" --show-output; done
    if [ -n "$filter" ]; then
        for test in $(tests_of filters); do step "$test" "$here/tests/filters" --exact "$test" --test-threads 1; done
    else
        # Large frames take the longest: last, so that they cost no other rung its time. Each filter has two of them, and so leaves most
        # processors to others.
        rungs=$(tests_of filters | sed 's/.*:://' | sort -u)
        for rung in $(echo "$rungs" | grep -v large_frames); do
            step "$rung" "$here/tests/filters" "::$rung" --test-threads 1
        done
        for rung in $(echo "$rungs" | grep large_frames); do
            step "$rung" "$here/tests/filters" "::$rung" --test-threads "$((($(nproc) + 1) / 2))"
        done
    fi
}

run_cuda() {
    part_limit 80
    if [ -n "$filter" ]; then
        for test in $(tests_of cuda); do step "cuda $test" "$here/tests/cuda" --exact "$test" --show-output; done
    else
        for group in $(tests_of cuda | groups); do step "cuda $group" "$here/tests/cuda" "$group" --show-output; done
    fi
}

run_abi() {
    part_limit 60
    step "C ABI" "$here/tests/c_abi_cuda" --show-output "$filter"
    step "C ABI, resident frames" "$here/tests/c_abi_resident" --show-output "$filter"
    step "OpenFX, images in GPU memory" "$here/bin/openfx_cuda" "$VRAMP_PLUGIN"
    driver=$(vulkan_driver)
    if [ -z "$driver" ]; then
        row "C ABI, frames of Vulkan" absent 0 "NVIDIA's driver of Vulkan is not installed here"
        return
    fi
    step "C ABI, frames of Vulkan" env VULKAN_DRIVER="$driver" "$here/bin/vulkan_frames" "$VRAMP_PLUGIN" \
        "$here/lib/vulkan/libvulkan.so.1" time
}

# NVIDIA's driver of Vulkan; the one that needs no window system first.
vulkan_driver() {
    for name in libEGL_nvidia.so.0 libGLX_nvidia.so.0; do
        find /usr/local/nvidia/lib64 /usr/lib /usr/lib64 -name "$name" 2>/dev/null
    done | head -n 1
}

# The hashes of every frame: of parts side by side on the GPUs, and of one run on the CPU.
same_hashes='
    "$1" -y "$2" "$3.cpu.md5" -f framemd5 --chain deband --device cpu || exit 1
    several=${GPUS:+--gpus=$GPUS}
    "$1" -y "$2" "$3.jobs.md5" -f framemd5 --chain deband --device cuda --segments --segment 4 --jobs 7 $several || exit 1
    cmp "$3.cpu.md5" "$3.jobs.md5" && echo "$(grep -vc "^#" "$3.jobs.md5") frames"
'

same_records='
    "$1" "$2" -y -f null --chain deband,stats --records "$3/cpu.jsonl" --device cpu || exit 1
    "$1" "$2" -v -y -f null --chain deband,stats --records "$3/gpu.jsonl" --device cuda --decoder nvdec 2> "$3/stays" || exit 1
    grep ", 0 of them between chain and encoder" "$3/stays" || exit 1
    cmp "$3/cpu.jsonl" "$3/gpu.jsonl" && echo "$(wc -l < "$3/gpu.jsonl") frames"
'

run_command() {
    part_limit 40
    clip=$here/samples/banded-gradient.mkv
    step "probe" "$vramp" probe
    step "device that is not there" sh -c "$refused" refused 2 "there is no CUDA device 99" \
        "$vramp" "$clip" -f null --chain deband --device cuda:99
    step "budget too small" sh -c "$refused" refused 5 "of a budget of 1 MiB" \
        "$vramp" "$clip" -f null --chain deband --device cuda --gpu-memory 1
    step "budget too small, auto" sh -c "$refused" refused 0 "filtering on the CPU: .*of a budget of 1 MiB" \
        "$vramp" "$clip" -f null --chain deband --gpu-memory 1
    # Where NVDEC decodes, hashes of parts need frames on the host, and what measures alone leaves them on the GPU.
    step "hashes of parts" sh -c "$same_hashes" same_hashes "$vramp" "$here/samples/big-buck-bunny-720p.mp4" "$logs/parts"
    step "records of frames that stay" sh -c "$same_records" same_records "$vramp" "$here/samples/big-buck-bunny-720p.mp4" "$logs"
    for chain in deband box=radius=20 bilateral gauss=sigma=3; do
        step "first start, $chain" env CUDA_CACHE_DISABLE=1 "$vramp" "$clip" -v -f null --frames 1 --chain "$chain" --device cuda
    done
}

run_clips() {
    part_limit 40
    for clip in "$here"/samples/*"$filter"*.mp4 "$here"/samples/*"$filter"*.mkv; do
        [ -e "$clip" ] || continue
        name=$(basename "$clip")
        step "same bytes $name" sh -c "$same_bytes" same_bytes "$vramp" "$clip" "deband=range=16:sample=2" "$logs/$name"
    done
}

run_bench() {
    part_limit 70
    if [ "$part" = all ]; then quick=--quick; else quick=; fi
    case bars in *"$filter"*) [ "$part" = all ] || step "bench bars" "$vramp" bench --bars --device cuda ;; esac
    for size in 1920x1080 3840x2160; do
        case $size in *"$filter"*) step "bench $size" "$vramp" bench --device cuda --size $size $quick ;; esac
    done
    case clip in
    *"$filter"*)
        step "bench clip" "$vramp" bench --device cuda --clip "$here/samples/big-buck-bunny-720p.mp4" \
            --chain deband,depth=10 --preset veryfast $quick
        ;;
    esac
}

# A graph of VapourSynth in GPU memory against the same in host memory.
run_vapoursynth() {
    part_limit 60
    driver=$(vulkan_driver)
    if [ -z "$driver" ]; then
        row "bench vapoursynth" absent 0 "NVIDIA's driver of Vulkan is not installed here"
        return
    fi
    frames=2000
    [ "$part" != all ] || frames=500
    step "bench vapoursynth" env VULKAN_DRIVER="$driver" "$here/vapoursynth/bench_vapoursynth_gpu.sh" $frames
}

# long_clip NAME SIZE TIMES ENCODER...: the sample so many times over, at another size.
long_clip() {
    clip=$logs/clips/$1 list=$logs/clips/$1.ffconcat size=$2 times=$3
    shift 3
    [ ! -e "$clip" ] || return 0
    mkdir -p "$logs/clips"
    echo "ffconcat version 1.0" > "$list"
    for _ in $(seq "$times"); do echo "file '$here/samples/big-buck-bunny-720p.mp4'" >> "$list"; done
    step "make ${clip##*/}" "$vramp" "$list" "$clip" --chain "scale=w=${size%x*}:h=${size#*x}" "$@" --no-audio \
        --preset ultrafast -x g=48
}

# Runs side by side against as many decoders alone, in the same run: one row for each number of jobs.
run_jobs() {
    part_limit 570
    for kind in h264-1080p hevc10-1080p h264-4k hevc10-4k; do
        case $kind in *"$filter"*) ;; *) continue ;; esac
        case $kind in *4k) size=3840x2160 times=4 segment=3 ;; *) size=1920x1080 times=14 segment=10 ;; esac
        case $kind in h264*) encoder="-c libx264" ;; *) encoder="-c libx265 --depth 10" ;; esac
        long_clip "$kind.mkv" $size $times $encoder
        step "bench jobs $kind" "$vramp" bench --clip "$logs/clips/$kind.mkv" --chain deband -c null --device cuda \
            --decoder nvdec --jobs "${JOBS:-1,2,4,7}" ${GPUS:+--gpus="$GPUS"} ${DOWNLOAD:+--download}
        step "parts $kind" "$vramp" "$logs/clips/$kind.mkv" - -f null --chain deband --device cuda --decoder nvdec \
            --segments --segment $segment ${GPUS:+--gpus="$GPUS"}
    done
    case same-hashes in *"$filter"*)
        long_clip h264-1080p.mkv 1920x1080 14 -c libx264
        step "same hashes" sh -c "$same_hashes" same_hashes "$vramp" "$logs/clips/h264-1080p.mkv" "$logs/hashes"
        ;;
    esac
}

# checked TOOL BINARY TESTS STEP: runs tests under compute-sanitizer, with every STEPth case. Tests that make faults on purpose are left
# out: the tool rightly complains.
checked() {
    modules=
    # It follows no barriers of some warps of a block: modules with such have barriers of whole blocks there.
    [ "$1" != racecheck ] || modules=VRAMP_PTX=$here/whole-block
    step "$1 $2 $3" timeout 100 env VRAMP_CASE_STEP="${VRAMP_CASE_STEP:-$4}" ${modules:+"$modules"} compute-sanitizer \
        --tool "$1" --error-exitcode 9 --report-api-errors no --target-processes all "$here/tests/$2" "$3" \
        --test-threads 1 --skip a_fault_in_a_kernel --skip large_frames --skip odd_frames --skip every_candidate
}

# A sample of the kernels' cases, and what decodes and encodes nothing. racecheck takes the longest for a case, so it gets fewer: of
# steps that are prime, filters meet other cases each. Of those whose warps wait for some of their block it gets more.
run_sanitizer() {
    part_limit 300
    if ! command -v compute-sanitizer > /dev/null; then
        row compute-sanitizer absent 0 "not installed here"
        return
    fi
    for tool in memcheck racecheck initcheck; do
        case $tool in racecheck) every=499 ;; *) every=211 ;; esac
        for run in "filters ::cuda_" "cuda chain::" "cuda device::" "cuda graph::"; do
            set -- $run
            checked $tool "$1" "${filter:-$2}" $every
        done
        [ "$tool$filter" = racecheck ] || continue
        for waits in domain rgauss; do checked $tool filters $waits::cuda_ 97; done
    done
}

if command -v nvidia-smi > /dev/null; then
    step "driver" nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
fi
case $part in
all) for each in ${PARTS:-kernels cuda abi command clips bench vapoursynth sanitizer}; do run_$each; done ;;
kernels | cuda | abi | command | clips | bench | vapoursynth | sanitizer | jobs) run_$part ;;
*) echo "run_gpu.sh: there is no part '$part'" >&2; exit 2 ;;
esac

echo
cat "$logs"/bench_*.log 2> /dev/null
grep -h '^skipped: ' "$logs"/*.log 2> /dev/null | sort | uniq -c | sort -rn > "$logs/not_run.txt"
echo
[ ! -s "$logs/not_run.txt" ] || { echo "Not run (tests that met it, and what):"; sed 's/skipped: //' "$logs/not_run.txt"; echo; }
echo "vramp $(cat "$here/VERSION"), $(($(date +%s) - began)) s"
cat "$table"
[ "$failures" -eq 0 ]
