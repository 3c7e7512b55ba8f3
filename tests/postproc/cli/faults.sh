#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that runs out and disks that fail, at many places on the way: talus-post ends with a
# sentence and leaves no half-written file.
set -u
post=$TALUS_BIN/talus-post
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

"$TALUS_TEST_BIN/post-make-scene" a blocks=6 frames=5 columns=40 rows=30 cell=8 || exit 1
struck=0
for fault in allocation:1 allocation:5 allocation:12 allocation:19 allocation:26 allocation:33 \
    allocation:47 allocation:61 allocation:75 allocation:89 allocation:103 allocation:117 \
    allocation:131 allocation:145 write:1 write:2 write:9 write:20 sync:1 sync:7 sync:15 rename:1 \
    rename:6 rename:13 rename:17; do
    TALUS_FAULT=$fault "$post" a/site.ini --out a --overwrite --set report.figures=no \
        --set report.paraview_mb=1 --progress none >out.txt 2>err.txt
    code=$?
    [ $code -le 1 ] || fail "$fault: ended with $code: $(tail -n 3 err.txt)"
    if [ $code -eq 1 ]; then
        struck=$((struck + 1))
        [ -s err.txt ] || fail "$fault: failed without a word"
    fi
    left=$(find a -name '*.part*')
    [ -z "$left" ] || fail "$fault: left $left"
done
[ $struck -ge 15 ] || fail "only $struck faults struck"
"$post" a/site.ini --out a --overwrite --set report.figures=no --progress none 2>err.txt ||
    fail "without a fault it does not work: $(cat err.txt)"
[ "$failures" -eq 0 ]
