#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The report of 2,000 blocks x 60 s: below 40 MB. Prints how many pictures a second the replay draws
# without a graphics card, which depends on the machine and fails nothing.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
"$TALUS_TEST_BIN/post-make-scene" a blocks=2000 frames=601 duration=60 || exit 1
"$TALUS_BIN/talus-post" a/site.ini --out a --progress none -q --set report.figures=no --set report.paraview_mb=0 2>err.txt ||
    fail "$(cat err.txt)"
size=$(wc -c <a/report.html)
[ "$size" -lt 40000000 ] || fail "the report has $size bytes"
browser=${TALUS_CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
if [ -z "$browser" ]; then
    echo "SKIPPED: the frame rate needs chromium"
    [ "$failures" -eq 0 ]
    exit
fi
seconds() { # seconds FRAMES WHAT: $took is the wall time of opening the page and drawing so many pictures
    begin=$(date +%s%N)
    timeout 300 "$browser" --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader \
        --user-data-dir="$PWD/profile" --disable-background-networking --virtual-time-budget=20000 --window-size=1280,1000 \
        --dump-dom "file://$PWD/a/report.html#selftest&frames=$1&$2" 2>/dev/null | grep -q 'data-test-done="yes"' ||
        fail "the page did not draw $1 pictures"
    took=$(echo "$begin $(date +%s%N)" | awk '{print ($2 - $1) / 1e9}')
}
seconds 1 quick # the first start of the browser takes longer than any other
# What moves is drawn quickly, what stands still in full; both at the resolution of the page.
for what in quick full; do
    seconds 1 $what
    few=$took
    seconds 301 $what
    echo "$few $took" | awk -v what=$what -v mb=$((size / 1000000)) \
        '{printf "2,000 blocks, %d MB, %s: %.1f pictures a second in software\n", mb, what, 300 / ($2 - $1)}'
done
[ "$failures" -eq 0 ]
