#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The whole chain on the small site, from clouds to report; then the solver killed half-way and resumed,
# and with another number of threads: the same bytes.
set -eu
fail() { echo "$*"; exit 1; }
rm -rf data out again threads made bin said
"$TALUS_BIN/talus-dataset" slope --out data -q
site=data/site.ini
solve="$TALUS_BIN/talus-solve $site --set solve.until_s=1.2 --set solve.checkpoint_every_s=0.1"
"$TALUS_BIN/talus-solve" "$site" --out out 2>said && fail "solved without blocks"
grep -q 'run talus-mesh first' said || { cat said; fail "does not say what is missing"; }
"$TALUS_BIN/talus-ingest" "$site" --out out -q
"$TALUS_BIN/talus-mesh" "$site" --out out -q
mkdir again threads
cp out/terrain.nc out/blocks.nc again
cp out/terrain.nc out/blocks.nc threads

$solve --out out -j 1 2>said
grep -q 'energy drift' said || { cat said; fail "no summary"; }
[ -e out/run.journal ] && [ -e out/run.checkpoint ] || fail "a later end cannot be asked for"
ncdump -h out/run.nc | grep -q 'cf_role = "trajectory_id"' || fail "run.nc is not a CF trajectory file"
[ "$(ncdump -v step_time out/run.nc | grep -c '1.2 ;')" -eq 1 ] || fail "does not end at 1.2 s"
$solve --out out 2>said && fail "overwrites without being asked"
grep -q 'Use --overwrite' said || { cat said; fail "no way out"; }

$solve --out threads -j 2 -q
cmp out/run.nc threads/run.nc || fail "the result depends on the number of threads"

# Killed as soon as there is a checkpoint, three times.
kills=0
while [ $kills -lt 3 ]; do
    $solve --out again -j 1 -q --resume &
    pid=$!
    before=$(stat -c %Y%s%i again/run.checkpoint 2>/dev/null || echo none)
    while kill -0 $pid 2>/dev/null && [ "$(stat -c %Y%s%i again/run.checkpoint 2>/dev/null || echo none)" = "$before" ]; do
        sleep 0.02
    done
    kill -9 $pid 2>/dev/null || break
    wait $pid 2>/dev/null || true
    kills=$((kills + 1))
done
[ $kills -gt 0 ] || fail "it was over before it could be killed: the test shows nothing"
[ -e again/run.checkpoint ] || fail "no checkpoint"
# Other settings may not go on with it.
$solve --out again -q --resume --set contact.friction=0.9 2>said && fail "goes on with other settings"
$solve --out again -j 1 -q --resume
cmp out/run.nc again/run.nc || fail "resumed after $kills kills: other bytes"

# `make run` goes on with a run that was killed, and with a finished one that is to last longer.
mkdir bin
for stage in ingest mesh; do ln -s "$TALUS_BIN/talus-$stage" bin; done
printf '#!/bin/sh\necho $$ >pid\nexec "%s" "$@"\n' "$TALUS_BIN/talus-solve" >bin/talus-solve
chmod +x bin/talus-solve
lasting() { sed "s/^until_s.*/until_s = $1\ncheckpoint_every_s = 0.1/" "$site" >data/made.ini; }
run() { make -f "$TALUS_SOURCE/pipelines/run.mk" DEPENDS="$TALUS_SOURCE/pipelines/depends.sh" BIN=bin \
    SITE=data/made.ini OUT=made THREADS=1 >said 2>&1; }
lasting 12
run &
while [ ! -e made/run.checkpoint ] && kill -0 $! 2>/dev/null; do sleep 0.01; done
kill -9 "$(cat pid)"
wait $! && fail "it was over before it could be killed: the test shows nothing"
run || { cat said; fail "make run after a kill"; }
grep -q 'continuing at [0-9.]* s' said || { cat said; fail "make run starts over after a kill"; }
lasting 13
run || { cat said; fail "make run with a later end"; }
grep -q 'continuing at 12 s' said || { cat said; fail "make run starts over to last longer"; }
"$TALUS_BIN/talus-solve" data/made.ini --out again -j 1 -q --overwrite
cmp made/run.nc again/run.nc || fail "make run after a kill and with a later end: other bytes"

"$TALUS_BIN/talus-post" "$site" --out out -q --set report.figures=no
[ -s out/report.html ] && [ -s out/scores.json ] && [ -s out/result.gpkg ] || fail "no report"
echo "whole chain done; $kills kills, same bytes"
