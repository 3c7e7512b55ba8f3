#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# slurm-here.sh start|stop|status [FOLDER]: a Slurm of one machine to try --engine slurm with: Debian's
# slurm-wlm and munge, a controller and a node, everything they write in FOLDER (default: slurm-here in
# the build folder's place, ./build/slurm-here). Needs root; installs the packages where they are missing,
# without starting their services. Nothing is left running after `stop`.
#
#   sudo sh pipelines/engine/slurm-here.sh start
#   export SLURM_CONF=$PWD/build/slurm-here/slurm.conf
#   make batch SITES="a.ini b.ini" ENGINE=slurm
#   sudo sh pipelines/engine/slurm-here.sh stop
set -eu
what=${1:-help}
mkdir -p "${2:-build/slurm-here}"
here=$(cd "${2:-build/slurm-here}" && pwd)
say() { echo "slurm-here: $*" >&2; }

install_packages() {
    command -v slurmctld >/dev/null && command -v slurmd >/dev/null && command -v munged >/dev/null &&
        command -v sbatch >/dev/null && return
    say "installing slurm-wlm and munge"
    # 101: the services of the packages are not started.
    policy=/usr/sbin/policy-rc.d
    made=''
    if [ ! -e $policy ]; then
        printf '#!/bin/sh\nexit 101\n' >$policy
        chmod +x $policy
        made=yes
    fi
    code=0
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
        slurmctld slurmd slurm-client munge >"$here/install.log" 2>&1 || code=$?
    [ -z "$made" ] || rm -f $policy
    [ $code -eq 0 ] || { tail -n 5 "$here/install.log" >&2; exit 1; }
}

write_settings() {
    cpus=$(nproc)
    memory=$(awk '/MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
    host=$(hostname -s)
    cat >"$here/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${SLURM_HERE_PORT:-16817}
SlurmdPort=$((${SLURM_HERE_PORT:-16817} + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$here/munge.socket
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
ReturnToService=2
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,batch_sched_delay=0,defer_batch
KillWait=5
MinJobAge=300
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=here Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
}

# The process of a pid file, if it is still the program it was written by.
alive() { # alive NAME
    [ -f "$here/$1.pid" ] || return 1
    process=$(cat "$here/$1.pid")
    [ -n "$process" ] && [ "$(cat "/proc/$process/comm" 2>/dev/null)" = "$1" ]
}

start() {
    [ "$(id -u)" -eq 0 ] || { say "needs root (sudo): Slurm starts jobs for other users"; exit 1; }
    if alive slurmctld && alive slurmd; then say "runs already"; exit 0; fi
    install_packages
    mkdir -p "$here/state" "$here/spool"
    chmod 700 "$here/state"
    chmod 755 "$here"
    write_settings
    if ! alive munged; then
        rm -f "$here/munge.socket"
        [ -s "$here/munge.key" ] || { dd if=/dev/urandom of="$here/munge.key" bs=1024 count=1 2>/dev/null; chmod 600 "$here/munge.key"; }
        munged --force --key-file="$here/munge.key" --socket="$here/munge.socket" --pid-file="$here/munged.pid" \
            --log-file="$here/munged.log" --seed-file="$here/munge.seed"
    fi
    export SLURM_CONF="$here/slurm.conf"
    slurmctld -c
    slurmd -c
    tries=0
    until sinfo -h -o '%t' 2>/dev/null | grep -q '^\(idle\|mix\)$'; do
        tries=$((tries + 1))
        [ $tries -lt 120 ] || { say "the node does not come up:"; tail -n 5 "$here/slurmctld.log" "$here/slurmd.log" >&2; exit 1; }
        sleep 0.25
    done
    say "ready; now say: export SLURM_CONF=$here/slurm.conf"
}

stop() {
    for name in slurmd slurmctld munged; do
        alive $name || continue
        kill "$(cat "$here/$name.pid")"
        tries=0
        while alive $name && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
        if alive $name; then kill -9 "$(cat "$here/$name.pid")"; fi
        rm -f "$here/$name.pid"
    done
    say "stopped"
}

case $what in
    start) start ;;
    stop) stop ;;
    status) for name in munged slurmctld slurmd; do if alive $name; then say "$name runs"; else say "$name does not run"; fi; done ;;
    *) sed -n '3,12s/^# \{0,1\}//p' "$0"; [ "$what" = help ] || exit 2 ;;
esac
