#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A real Slurm on this machine (pipelines/slurm-here.sh) runs a batch of 3 sites and 4 settings: 12 runs.
# The results have the bytes of the local engine, also when a job is requeued half-way; a detached batch
# collects itself. Needs root, and Debian's slurm packages or the right to install them.
set -eu
FAKE_SLEEP=${FAKE_SLEEP:-0.5}
. "$TALUS_SOURCE/tests/cli/pipelines_fake.sh"
batch=$TALUS_BIN/talus-batch
fail() { echo "$*"; tail -n 20 said; squeue 2>/dev/null || true; exit 1; }
if [ "$(id -u)" -ne 0 ]; then echo "SKIPPED: Slurm needs root"; exit 0; fi
slurm_here="$TALUS_SOURCE/pipelines/slurm-here.sh"
trap 'sh "$slurm_here" stop "$PWD/slurm" >/dev/null 2>&1' EXIT
sh "$slurm_here" start "$PWD/slurm" >said 2>&1 || fail "no Slurm here"
export SLURM_CONF="$PWD/slurm/slurm.conf"

echo 1 >a.xyz
echo 2 >b.xyz
for name in one two three; do
    printf '[site]\nbefore = a.xyz\nafter = b.xyz\n[mesh]\nblock_count = %d\n' "$(echo $name | wc -c)" >"$name.ini"
done
printf '[random]\nseed = 5\n' >>two.ini
printf 'contact.friction\n0.3\n0.4\n0.5\n0.97\n' >table.csv
run() { "$batch" one.ini two.ini three.ini --settings table.csv --progress none "$@"; }
sums() { (cd "$1" && find . -type f ! -path './log/*' ! -path './.cache/*' | sort | xargs sha256sum); }

run --out here/study >said 2>&1 || fail "the local engine"
mkdir -p there
start=$(date +%s)
run --out there/study --engine slurm >said 2>&1 &
study=$!
# A solver job under way is requeued: Slurm kills it and starts it again.
requeued=''
for i in $(seq 300); do
    job=$(squeue -h -r -t RUNNING -n talus-solve -o '%i' 2>/dev/null | tail -n 1)
    if [ -n "$job" ] && scontrol requeue "$job" 2>/dev/null; then
        requeued=$job
        # Slurm makes a requeued job wait two minutes; a test need not.
        for again in $(seq 40); do
            scontrol update JobId="$job" StartTime=now 2>/dev/null || true
            case $(squeue -h -r -j "$job" -o '%t' 2>/dev/null) in PD | CG) sleep 0.5 ;; *) break ;; esac
        done
        break
    fi
    kill -0 "$study" 2>/dev/null || break
    sleep 0.1
done
code=0
wait "$study" || code=$?
[ "$code" -eq 0 ] || fail "the Slurm engine ends with $code"
[ -n "$requeued" ] || fail "no job was requeued"
echo "12 runs in Slurm: $(($(date +%s) - start)) s, job $requeued was requeued"
sums here/study >here.sums
sums there/study >there.sums
diff here.sums there.sums >different || { head different; fail "Slurm gives other bytes than the local engine"; }
grep -q 'done' there/study/results.csv || fail "nothing was done"
[ "$(grep -c ',failed,' there/study/results.csv)" -eq 3 ] || fail "failed runs are not listed"
# Time and memory were asked for after the first run.
grep -l -e '' there/study/.cache/slurm/array-* >/dev/null || fail "no scripts"
[ -s there/study/.cache/costs.tsv ] || fail "no costs measured"

# Again: nothing but the failed runs.
: >trace
run --out there/study --engine slurm >said 2>&1 || fail "the second time"
[ "$(grep -c '^solve' trace)" -eq 3 ] && [ "$(grep -c '^post' trace)" -eq 0 ] || fail "the second time runs $(sort trace | uniq -c)"

# Submit and leave: a last job collects.
mkdir -p later
run --out later/study --engine slurm --detach >said 2>&1 || fail "--detach"
for i in $(seq 600); do
    [ -n "$(squeue -h)" ] || break
    sleep 0.1
done
[ -s later/study/results.csv ] || fail "nobody collected: $(cat later/study/log/slurm-collect 2>/dev/null)"
sums later/study >later.sums
cmp here.sums later.sums || fail "a detached batch gives other bytes"
