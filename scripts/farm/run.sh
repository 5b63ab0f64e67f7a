#!/bin/sh
# A film in parts by Slurm, on three nodes, with an event in mid-run:
#   run.sh node|cancel|controller VRAMP PLAN [ARGS of vramp submit]
# node: n2 dies. cancel: all is cancelled, and submitted again. controller: Slurm's controller dies, and starts again with a
# state in which jobs that run are not yet begun; what heals that is to cancel, and to submit again.
# Run it by alone.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
event=$1 vramp=$2 plan=$3
shift 3
PATH=$PATH:/usr/sbin:/sbin
for tool in sbatch slurmctld slurmd munged; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not installed (apt-get install slurm-wlm munge)" >&2; exit 77; }
done
dir=$(mktemp -d)
trap '"$here/cluster.sh" down "$dir"; rm -rf "$dir"' EXIT
trap 'exit 130' INT TERM
"$here/cluster.sh" up "$dir"
export SLURM_CONF="$dir/slurm.conf"

there() { find "$plan/parts" -name '[0-9]*' | wc -l; }
jobs_left() { squeue -h | wc -l; }
submit() { "$vramp" submit "$plan" --engine slurm "$@"; }
# Again and again: a controller that has just started may learn of a job after it was asked to end all.
cancel() {
    while [ "$(jobs_left)" -gt 0 ]; do
        scancel --user="$(id -un)" 2>/dev/null || true
        sleep 0.2
    done
}
# Refused of nodes that are well.
resume() {
    for node in n1 n2 n3; do scontrol update nodename=$node state=resume 2>/dev/null || true; done
}

# A controller that lost its state gives numbers of jobs again. A node that knows one of them refuses it, and Slurm holds such a
# task until somebody looks. A busy machine answers late, and is taken out.
heal() {
    resume
    if squeue -h -o %r | grep -q held; then
        cancel
        submit "$@"
    fi
}

submit "$@"
# The middle: two parts more are there, and n2 is at work.
middle=$(($(there) + 2))
while [ "$(there)" -lt $middle ] || [ -z "$(squeue -h -t R -w n2)" ]; do
    [ "$(jobs_left)" -gt 0 ] || { echo "the parts were done before anything could happen" >&2; exit 1; }
    sleep 0.1
done
echo "$event: n2 is at work on task $(squeue -h -t R -w n2 -o %i), and $(there) parts are there" >&2
case $event in
node) "$here/cluster.sh" kill "$dir" n2 ;;
cancel)
    cancel
    submit "$@"
    ;;
controller)
    "$here/cluster.sh" crash "$dir"
    cancel
    resume
    submit "$@"
    ;;
esac
waited=0
while [ "$(jobs_left)" -gt 0 ]; do
    sleep 0.2
    waited=$((waited + 1))
    [ $event != controller ] || [ $((waited % 50)) -ne 0 ] || heal "$@"
    [ $waited -lt 1000 ] || { squeue >&2; sinfo -R >&2; echo "the jobs do not end" >&2; exit 1; }
done
"$vramp" status "$plan" >&2
