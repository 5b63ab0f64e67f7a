#!/bin/sh
# A Slurm of three unlike nodes on this machine, without root: n1 has two processors, n2 and n3 one each.
#   cluster.sh up DIR      starts it; afterwards SLURM_CONF=DIR/slurm.conf
#   cluster.sh down DIR    stops all that was started
#   cluster.sh kill DIR N  ends node N with everything on it, as a power failure
#   cluster.sh crash DIR   ends the controller so, and starts it again with what it had saved by then
# It listens on 127.0.0.1 only. scripts/farm/alone.sh gives it a network of its own.
set -eu
what=$1
dir=$2
PATH=$PATH:/usr/sbin:/sbin

# Every process that was started for a node: its daemon, what runs steps, and the tasks below those.
below() {
    for child in $(pgrep -P "$1"); do below "$child"; done
    echo "$1"
}

# The process groups of a node's jobs outlive the daemon that began them: their environment names the node.
of_node() {
    grep -lzx "SLURMD_NODENAME=$1" /proc/[0-9]*/environ 2>/dev/null | while read -r file; do
        if grep -qzx "SLURM_CONF=$dir/slurm.conf" "$file" 2>/dev/null; then echo "${file%/environ}" | cut -d / -f 3; fi
    done
}

kill_node() {
    pids="$(cat "$dir/$1.pid" 2>/dev/null || true) $(of_node "$1")"
    for pid in $pids; do
        # The tasks, and the step daemon above them.
        parent=$(ps -o ppid= -p "$pid" 2>/dev/null | tr -d ' ')
        case $(ps -o comm= -p "${parent:-0}" 2>/dev/null) in slurmstepd*) kill -9 "$parent" 2>/dev/null || true ;; esac
        for each in $(below "$pid"); do kill -9 "$each" 2>/dev/null || true; done
    done
}

up() {
    umask 077
    me=$(id -un)
    host=$(hostname -s)
    mkdir -p "$dir/munge" "$dir/state" "$dir/n1" "$dir/n2" "$dir/n3"
    head -c 128 /dev/urandom >"$dir/munge/key"
    cat >"$dir/slurm.conf" <<END
ClusterName=vramp
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17800
SlurmUser=$me
SlurmdUser=$me
AuthType=auth/munge
AuthInfo=socket=$dir/munge/s,cred_expire=5
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,sched_min_interval=100000,bf_interval=1,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=5
KillWait=2
JobRequeue=1
MpiDefault=none
AccountingStorageType=accounting_storage/none
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17801 CPUs=2 Feature=fast Weight=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17802 CPUs=1 Feature=slow Weight=10
NodeName=n3 NodeHostname=$host NodeAddr=127.0.0.1 Port=17803 CPUs=1 Feature=slow Weight=10
PartitionName=all Nodes=n[1-3] Default=YES MaxTime=INFINITE State=UP
END
    # Without this it looks for a file in /etc.
    echo "CgroupAutomount=no" >"$dir/cgroup.conf"
    export SLURM_CONF="$dir/slurm.conf"
    munged --force --socket="$dir/munge/s" --key-file="$dir/munge/key" --pid-file="$dir/munge/pid" \
        --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" 2>"$dir/munge/start"
    slurmctld -c
    for node in n1 n2 n3; do slurmd -N $node; done
    for _ in $(seq 100); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 3 ] && return
        sleep 0.1
    done
    echo "the nodes do not start: see $dir/*.log" >&2
    sinfo >&2 || true
    return 1
}

down() {
    for node in n1 n2 n3; do kill_node $node; done
    for pid in "$dir/slurmctld.pid" "$dir/munge/pid"; do
        [ ! -e "$pid" ] || kill -9 "$(cat "$pid")" 2>/dev/null || true
    done
}

crash() {
    export SLURM_CONF="$dir/slurm.conf"
    controller=$(cat "$dir/slurmctld.pid")
    kill -9 "$controller"
    while kill -0 "$controller" 2>/dev/null; do sleep 0.1; done
    rm -f "$dir/slurmctld.pid"
    slurmctld
    for _ in $(seq 100); do
        scontrol ping 2>/dev/null | grep -q UP && return
        sleep 0.1
    done
    echo "the controller does not start again: see $dir/slurmctld.log" >&2
    return 1
}

case $what in
up) up ;;
down) down ;;
kill) kill_node "$3" ;;
crash) crash ;;
*) exit 2 ;;
esac
