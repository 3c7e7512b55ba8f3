# SPDX-License-Identifier: GPL-3.0-or-later
# talus-post that is told to stop while a program of others draws for it: it
# ends with the status of the signal, takes that program along, and leaves the results of the run before.
. "$TALUS_SOURCE/tests/support/common.sh"
"$TALUS_TEST_BIN/post-make-scene" a blocks=6 frames=5 columns=40 rows=30 cell=8 || exit 1
"$TALUS_BIN/talus-post" a/site.ini --out a --set report.figures=no --progress none 2>said || fail "$(cat said)"
sums() { (cd a && find . -type f ! -path '*/.post.*' -exec sha256sum {} + | sort -k 2); }
sums >old

# Stands in for gmt: starts something that lasts, as gmt starts ghostscript.
cat >gmt <<'STUB'
#!/bin/sh
sleep 300 &
echo $! >"$HERE/pid"
wait
STUB
chmod +x gmt
export TALUS_GMT="$PWD/gmt" HERE="$PWD"

# stopped SIGNAL STATUS
stopped() {
    rm -f pid
    env --default-signal=HUP "$TALUS_BIN/talus-post" a/site.ini --out a --overwrite --set report.title=Other --progress none >said 2>&1 &
    started=$!
    for i in $(seq 300); do [ -s pid ] && break; sleep 0.1; done
    kill -"$1" $started
    (sleep 20; kill -9 $started) >/dev/null 2>&1 & # else it would wait for the drawing
    guard=$!
    wait $started
    status=$?
    kill $guard 2>/dev/null
    [ $status -eq "$2" ] || fail "SIG$1: exit status $status, not $2: $(cat said)"
    [ "$1" = KILL ] || grep -q 'stopped on request' said || fail "SIG$1: $(cat said)"
    for i in $(seq 30); do kill -0 "$(cat pid)" 2>/dev/null || break; sleep 0.1; done
    if [ "$1" != KILL ] && kill -0 "$(cat pid)" 2>/dev/null; then fail "SIG$1: what drew is left behind"; fi
    kill "$(cat pid)" 2>/dev/null
    sums >now
    cmp -s now old || fail "SIG$1: other results: $(diff now old | head -n 3)"
}
stopped TERM 143
stopped INT 130
stopped HUP 129
stopped KILL 137
[ "$failures" -eq 0 ]
