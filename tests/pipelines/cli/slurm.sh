#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A real Slurm on this machine (pipelines/engine/slurm-here.sh). The real stages: 3 sites, 4 settings, 12 runs; one
# solver is requeued half-way and another cancelled, and the results have the bytes of the local engine.
# Then stage programs that only leave a trace: failed runs, a second time, a detached batch that collects
# itself, a job that Slurm ends every time. Needs root, and Debian's slurm packages or the right to install
# them.
set -eu
batch=$TALUS_BIN/talus-batch
fail() { echo "$*"; tail -n 20 said; squeue 2>/dev/null || true; exit 1; }
if [ "$(id -u)" -ne 0 ]; then echo "SKIPPED: Slurm needs root"; exit 0; fi
slurm_here="$TALUS_SOURCE/pipelines/engine/slurm-here.sh"
trap 'sh "$slurm_here" stop "$PWD/slurm" >/dev/null 2>&1' EXIT
sh "$slurm_here" start "$PWD/slurm" >said 2>&1 || fail "no Slurm here"
export SLURM_CONF="$PWD/slurm/slurm.conf"
sums() { (cd "$1" && find . -type f ! -path './log/*' ! -path './.cache/*' | sort | xargs sha256sum); }
seconds() { echo $(($(date +%s) - $1)); }

# --- the real stages ---

"$TALUS_BIN/talus-dataset" slope --out slope -q
count=11
for name in one two three; do
    count=$((count + 1))
    sed -e "s/^block_count.*/block_count = $count/" -e 's/= before/= slope\/before/' -e 's/= after/= slope\/after/' \
        -e 's/^until_s.*/until_s = 15\ndt_s = 0.02\ncheckpoint_every_s = 0.5/' slope/site.ini >$name.ini
    printf 'figures = no\nparaview_mb = 0\n' >>$name.ini
done
printf 'name,contact.friction\nslick,0.4\nsmooth,0.5\nplain,0.6\nrough,0.7\n' >table.csv
run() { "$batch" one.ini two.ini three.ini --settings table.csv --progress none "$@"; }
start=$(date +%s)
run --out here/study >said 2>&1 || fail "the local engine"
echo "12 runs here: $(seconds "$start") s"
start=$(date +%s)
mkdir -p there
run --out there/study --engine slurm >said 2>&1 &
study=$!
# A solver under way, with a checkpoint, is requeued: Slurm kills it and starts it again; another one is
# cancelled.
requeued='' cancelled=''
while kill -0 "$study" 2>/dev/null; do
    sleep 0.1
    # Slurm makes a requeued job wait two minutes; a test need not.
    [ -z "$requeued" ] || scontrol update JobId="$requeued" StartTime=now >/dev/null 2>&1 || true
    [ -z "$cancelled" ] || continue
    find there/study -name run.checkpoint 2>/dev/null | grep -q . || continue
    job=$(squeue -h -r -t RUNNING -n talus-solve -o '%i' 2>/dev/null | tail -n 1)
    if [ -z "$job" ]; then
        continue
    elif [ -z "$requeued" ]; then
        scontrol requeue "$job" 2>/dev/null || continue
        requeued=$job
    elif [ "$job" != "$requeued" ]; then
        scancel "$job" 2>/dev/null && cancelled=$job
    fi
done
code=0
wait "$study" || code=$?
[ "$code" -eq 0 ] || fail "the Slurm engine ends with $code"
[ -n "$requeued" ] || fail "no job was requeued"
[ -n "$cancelled" ] || fail "no job was cancelled"
grep 'ended without a result' said || fail "does not say that a job was lost"
echo "12 runs in Slurm: $(seconds "$start") s, job $requeued was requeued, $cancelled cancelled"
sums here/study >here.sums
sums there/study >there.sums
diff here.sums there.sums >different || { head different; fail "Slurm gives other bytes than the local engine"; }
[ "$(grep -c -e ',done,' -e ',doubtful,' there/study/results.csv)" -eq 12 ] || fail "not twelve runs"
# Time and memory were asked for after a first run had been measured.
[ -s there/study/.cache/costs.tsv ] || fail "no costs measured"

# --- stages that leave a trace ---

FAKE_SLEEP=${FAKE_SLEEP:-0.5}
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
echo 1 >a.xyz
echo 2 >b.xyz
for name in one two; do
    printf '[site]\nbefore = a.xyz\nafter = b.xyz\n[mesh]\nblock_count = %d\n' "$(echo $name | wc -c)" >"$name.ini"
done
printf '[random]\nseed = 5\n' >>two.ini
printf 'contact.friction\n0.3\n0.97\n' >table.csv
run() { "$batch" one.ini two.ini --settings table.csv --progress none "$@"; }
rm -rf here there
run --out here/study >said 2>&1 || fail "the local engine"
mkdir -p there
run --out there/study --engine slurm >said 2>&1 || fail "the Slurm engine"
sums here/study >here.sums
sums there/study >there.sums
diff here.sums there.sums >different || { head different; fail "failed runs: other bytes than the local engine"; }
[ "$(grep -c ',failed,' there/study/results.csv)" -eq 2 ] || fail "failed runs are not listed"

# Again: nothing but the failed runs.
: >trace
run --out there/study --engine slurm >said 2>&1 || fail "the second time"
[ "$(grep -c '^solve' trace)" -eq 2 ] && [ "$(grep -c '^post' trace)" -eq 0 ] || fail "the second time runs $(sort trace | uniq -c)"

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

# A solver that Slurm ends every time is listed, with the state that Slurm gives.
FAKE_SLEEP=600 run --out never/study --engine slurm >said 2>&1 &
study=$!
while kill -0 "$study" 2>/dev/null; do
    scancel -n talus-solve -t RUNNING 2>/dev/null || true
    sleep 0.3
done
wait "$study" && fail "a batch without a result is called a success"
grep -q 'one,1,[0-9a-f]*,failed,.*Slurm ended the job before it was done, several times (CANCELLED)' never/study/results.csv ||
    { cat never/study/results.csv; fail "does not say what Slurm did"; }
