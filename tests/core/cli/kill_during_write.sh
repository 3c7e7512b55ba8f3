#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 at random moments of a write: the file is absent, or whole and of one letter.
set -eu
writer=$TALUS_TEST_BIN/write_slowly
rm -f victim victim.part
whole=0
round=0
while [ $round -lt 40 ]; do
    "$writer" victim &
    pid=$!
    # Moments spread over a few writes: 1 to 40 ms.
    sleep "$(awk -v r=$round 'BEGIN { printf "%.4f", 0.001 + 0.001 * ((r * 17) % 40) }')"
    kill -9 $pid
    wait $pid 2>/dev/null || true
    if [ -e victim ]; then
        whole=$((whole + 1))
        size=$(wc -c <victim)
        [ "$size" -eq 1048576 ] || { echo "round $round: $size bytes under the final name"; exit 1; }
        letters=$(fold -w 4096 victim | sort -u | wc -l)
        [ "$letters" -eq 1 ] || { echo "round $round: a mixture under the final name"; exit 1; }
    fi
    round=$((round + 1))
done
[ $whole -gt 0 ] || { echo "no write was ever finished: the test shows nothing"; exit 1; }
echo "40 kills, $whole times a whole file was there, never a broken one"
