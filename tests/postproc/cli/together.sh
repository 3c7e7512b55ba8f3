# SPDX-License-Identifier: GPL-3.0-or-later
# Results of talus-post of one run, never of two: after a failure at any write, and after kill -9 at twenty
# random moments, the folder holds the old results or the new ones, and the next run gives the same bytes as one
# that was never disturbed.
. "$TALUS_SOURCE/tests/support/common.sh"
quick="--set report.figures=no --set report.paraview_mb=1 --progress none --overwrite"
post() { "$TALUS_BIN/talus-post" a/site.ini --out a $quick "$@" >said 2>&1; }
sums() { (cd a && find . -type f ! -name '*.part' ! -path '*/.post.*' -exec sha256sum {} + | sort -k 2); }
"$TALUS_TEST_BIN/post-make-scene" a blocks=12 frames=21 columns=60 rows=40 cell=6 || exit 1
post || fail "no results: $(cat said)"
sums >old
post --set report.surface_rays=1 --set report.title=Other || fail "no other results: $(cat said)"
sums >new
cmp -s old new && fail "the two runs do not differ"
differ=$(diff old new | grep -c '^>')
[ "$differ" -ge 4 ] || fail "only $differ files differ"

# A failure leaves the results of the run before.
for fault in write:3 write:12 write:25 sync:2 sync:14 allocation:150 rename:1; do
    TALUS_FAULT=$fault post
    code=$?
    sums >now
    [ $code -eq 0 ] && cmp -s now old || { [ $code -eq 1 ] && cmp -s now new; } ||
        fail "$fault (ended with $code) leaves a mixture: $(diff now new | head -n 3)"
    post --set report.surface_rays=1 --set report.title=Other || fail "after $fault: $(cat said)"
done
# One of the moves into place fails: the results are complete, and the next program puts them there.
TALUS_FAULT=rename:7 post && fail "a failed move is not told"
grep -q 'run the same command again' said || fail "no way out: $(cat said)"
mkdir -p aside && cp -r a aside/ # as a kill would leave it
post || fail "after a failed move: $(cat said)"
sums >now
cmp -s now old || fail "after a failed move: $(diff now old | head -n 3)"

# Killed at twenty random moments of the time it takes. A kill that came after the end does not count.
start=$(date +%s%N)
post || fail "the last but one: $(cat said)"
took=$((($(date +%s%N) - start) / 1000000))
kills=0 tries=0
while [ $kills -lt 20 ] && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    post --set report.surface_rays=1 --set report.title=Other || fail "before kill $tries: $(cat said)"
    "$TALUS_BIN/talus-post" a/site.ini --out a $quick >said 2>&1 &
    pid=$!
    sleep "$(awk -v t="$took" -v s="$tries" 'BEGIN {srand(s); printf "%.3f", rand() * t / 1000}')"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ $? -eq 137 ] || continue
    kills=$((kills + 1))
    # Between the moves, results of both runs lie there: any program that works in the folder ends that.
    "$TALUS_BIN/talus-post" a/site.ini --out a --progress none >said 2>&1 # refused, without --overwrite
    sums >now
    cmp -s now old || cmp -s now new || fail "kill $tries leaves a mixture: $(diff now new | head -n 3)"
done
[ $kills -eq 20 ] || fail "$kills of $tries kills came before the end"
post || fail "the last one: $(cat said)"
sums >now
cmp -s now old || fail "other bytes after the kills: $(diff now old | head -n 3)"
[ -z "$(find a -name '.post.*')" ] || fail "something is left behind"
[ "$failures" -eq 0 ]
