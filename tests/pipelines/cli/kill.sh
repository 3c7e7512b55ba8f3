#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# kill -9 of a 40-run study at 20 random moments: what is finished stays as it is, and in the end the
# study has the bytes of an undisturbed one.
set -eu
FAKE_SLEEP=0.12
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
calibrate=$TALUS_BIN/talus-calibrate
kills=${KILLS:-20}
fail() { echo "$*"; tail -n 5 said; exit 1; }
echo 1 >a.xyz
echo 2 >b.xyz
printf '[site]\nbefore = a.xyz\nafter = b.xyz\n[contact]\nfriction = 0.8\n[calibrate]\nruns = 40\n' >one.ini
printf '[vary.contact.friction]\nlow = 0.2\nhigh = 0.9\n[vary.contact.restitution]\nlow = 0.1\nhigh = 0.8\n' >>one.ini
run() { "$calibrate" one.ini --out "$1" --threads 2 --progress none; }
begun=$(date +%s.%N)
run calm >said 2>&1 || fail "the undisturbed study failed"
took=$(awk "BEGIN { print $(date +%s.%N) - $begun }")

seed=$(awk 'BEGIN { srand(); print int(1000000 * rand()) }')
echo "random moments from seed $seed"
i=0
: >seen
while [ "$i" -lt "$kills" ]; do
    i=$((i + 1))
    # Right at the start, early and late: all attempts together take longer than the study.
    pause=$(awk -v s="$seed" -v i="$i" -v t="$took" 'BEGIN { srand(s + 7919 * i); printf "%.3f", t / 6 * rand() + 0.01 }')
    "$calibrate" one.ini --out disturbed --threads 2 --progress none >said 2>&1 & # its number, not a shell's
    study=$!
    sleep "$pause"
    kill -9 "$study" 2>/dev/null || true
    wait "$study" 2>/dev/null || true
    # Folder and number of every result that is finished: it must never change from now on.
    for mark in disturbed/runs/*/finished.json disturbed/stages/*/*/finished.json; do
        [ ! -e "$mark" ] || ls -di "${mark%/*}" >>seen
    done
done
sort -u seen >seen.once
[ "$(awk '{ print $2 }' seen.once | sort | uniq -d | wc -l)" -eq 0 ] || fail "a finished result was made twice"
echo "$(grep -c /runs/ seen.once || true) of 41 runs were finished when the last of $kills kills came"
run disturbed >said 2>&1 || fail "the study does not go on after $kills kills"
for mark in disturbed/runs/*/finished.json disturbed/stages/*/*/finished.json; do
    ls -di "${mark%/*}"
done | sort >last
while read -r line; do
    grep -qx "$line" last || fail "a finished result was made again: $line"
done <seen.once
# All files but the words of the programs, what is remembered, and the lock.
sums() { (cd "$1" && find . -type f ! -path './log/*' ! -path './.cache/*' | sort | xargs sha256sum); }
sums calm >calm.sums
sums disturbed >disturbed.sums
cmp calm.sums disturbed.sums || { diff calm.sums disturbed.sums | head; fail "the studies differ"; }
[ -z "$(ls disturbed/work)" ] || fail "unfinished folders are left: $(ls disturbed/work)"
