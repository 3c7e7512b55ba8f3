#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Two people, one study folder: the second is told who works there. Ctrl-C and a closed terminal end cleanly
# and what was finished stays.
set -eu
FAKE_SLEEP=1.5
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
batch=$TALUS_BIN/talus-batch
fail() { echo "$*"; cat said first 2>/dev/null; exit 1; }
echo 1 >a.xyz
echo 2 >b.xyz
printf '[site]\nbefore = a.xyz\nafter = b.xyz\n' >one.ini
printf 'contact.friction\n0.4\n0.5\n0.6\n0.7\n' >table.csv
"$batch" one.ini --settings table.csv --out study --threads 2 >first 2>&1 &
first=$!
until grep -q '^solve' trace; do sleep 0.05; done
if "$batch" one.ini --out study >said 2>&1; then fail "a second one works in the same folder"; fi
grep -q "study is in use by talus-batch, process $first on $(hostname)" said || fail "does not say by whom"
grep -q 'give another folder with --out' said || fail "does not say what to do"

# Ctrl-C after the first two runs.
until [ "$(ls study/runs | wc -l)" -ge 2 ]; do sleep 0.05; done
kill -INT "$first"
code=0
wait "$first" || code=$?
[ "$code" -eq 130 ] || fail "an interrupted study ends with $code"
grep -q 'stopped on request' first || fail "does not say that it stopped"
[ -z "$(find study -name '*.part')" ] || [ -n "$(ls study/work)" ] || fail "half files in finished places"
if pgrep -f "$PWD/bin/fake-stage" >/dev/null; then fail "a stage program was left behind"; fi
finished=$(ls -i study/runs | sort)
"$batch" one.ini --settings table.csv --out study --threads 2 --resume >said 2>&1 || fail "does not go on"
[ "$(ls study/runs | wc -l)" -eq 4 ] || fail "not four runs"
ls -i study/runs | sort >after
echo "$finished" | while read -r line; do
    grep -qx "$line" after || fail "a finished run was done again: $line"
done

# A closed terminal ends the study and its stage programs likewise.
: >trace
FAKE_SLEEP=20 env --default-signal=HUP "$batch" one.ini --settings table.csv --out closed --threads 2 >first 2>&1 &
first=$!
until [ "$(grep -c '^solve' trace)" -ge 2 ]; do sleep 0.05; done
kill -HUP "$first"
code=0
wait "$first" || code=$?
[ "$code" -eq 129 ] || fail "a study whose terminal was closed ends with $code"
grep -q 'stopped on request' first || fail "does not say that it stopped"
if pgrep -f "$PWD/bin/fake-stage" >/dev/null; then fail "a stage program outlives a closed terminal"; fi

# kill -9: the workers and their programs end too, long before their work is done.
: >trace
FAKE_SLEEP=20 "$batch" one.ini --settings table.csv --out killed --threads 2 >first 2>&1 &
first=$!
until [ "$(grep -c '^solve' trace)" -ge 2 ]; do sleep 0.05; done
kill -9 "$first"
wait "$first" 2>/dev/null || true
sleep 1
if pgrep -f "$PWD/bin/fake-stage" >/dev/null; then fail "a stage program outlives a killed study"; fi
