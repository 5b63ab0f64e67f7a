#!/bin/sh
# A film in parts by Slurm, on three nodes one of which dies in mid-run:
#   run.sh VRAMP PLAN PARTS [ARGS of vramp submit]
# The node n2 dies when so many parts are there. Run it by alone.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vramp=$1 plan=$2 parts=$3
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

"$vramp" submit "$plan" --engine slurm "$@"
while [ "$(there)" -lt "$parts" ] || [ -z "$(squeue -h -t R -w n2)" ]; do
    [ "$(jobs_left)" -gt 0 ] || { echo "the parts were done before a node could die" >&2; exit 1; }
    sleep 0.1
done
echo "n2 dies at work on task $(squeue -h -t R -w n2 -o %K), with $(there) parts there" >&2
"$here/cluster.sh" kill "$dir" n2
while [ "$(jobs_left)" -gt 0 ]; do sleep 0.2; done
"$vramp" status "$plan" >&2
