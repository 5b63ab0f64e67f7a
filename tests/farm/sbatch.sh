#!/bin/sh
# Slurm for tests without Slurm, under the names sbatch and scontrol: three nodes, n1 to n3, whose tasks run at once, one behind the
# other, before sbatch returns. What it was asked for goes to $FAKE/calls, what tasks print to $FAKE/out.
case ${0##*/} in
scontrol)
    case $2 in
    config) echo "MaxArraySize            = ${FAKE_ARRAY_SIZE:-1001}" ;;
    node) case $3 in n1 | n2 | n3) ;; *) exit 1 ;; esac ;;
    esac
    exit
    ;;
esac

echo "$*" >>"$FAKE/calls"
id=$(wc -l <"$FAKE/calls")
array= excluded= script=
while [ $# -gt 0 ]; do
    case $1 in
    --array=*) array=${1#*=} ;;
    --exclude=*) excluded=${1#*=} ;;
    --partition=none)
        echo "sbatch: error: invalid partition specified: none" >&2
        echo "sbatch: error: Batch job submission failed: Invalid partition name specified" >&2
        exit 1
        ;;
    -*) ;;
    *) script=$1 && shift && break ;;
    esac
    shift
done
kept=$FAKE/script$id
cat "${script:--}" >"$kept"

nodes=
for node in n3 n2 n1; do
    case ,$excluded, in *,$node,*) ;; *) nodes="$nodes $node" ;; esac
done
if [ -z "$nodes" ]; then
    echo "sbatch: error: Batch job submission failed: Requested node configuration is not available" >&2
    exit 1
fi

# Tasks take turns on the nodes.
turn=0
run() {
    number=$((turn % $(echo $nodes | wc -w) + 1))
    turn=$((turn + 1))
    SLURMD_NODENAME=$(echo $nodes | cut -d ' ' -f $number) sh "$kept" "$@" >>"$FAKE/out" 2>&1
}
if [ -z "$array" ]; then
    run "$@"
else
    for range in $(echo "$array" | tr , ' '); do
        for task in $(seq "${range%-*}" "${range#*-}"); do
            SLURM_ARRAY_TASK_ID=$task
            export SLURM_ARRAY_TASK_ID
            run "$@"
        done
    done
fi
echo "$id"
