#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The n-th allocation, write, sync or rename of a batch or a calibration fails, or all from the n-th on (a full
# disk): it ends with a reason, never by a signal, and the next one goes on to the bytes of an undisturbed one.
set -eu
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
fail() { echo "$*"; tail -n 5 said; exit 1; }
echo 1 >a.xyz
echo 2 >b.xyz
printf '[site]\nbefore = a.xyz\nafter = b.xyz\n' >one.ini
printf 'contact.friction\n0.4\n0.6\n' >table.csv
printf '[calibrate]\nruns = 6\n[vary.contact.friction]\nlow = 0.3\nhigh = 0.9\n' | cat one.ini - >search.ini
batch() { "$TALUS_BIN/talus-batch" one.ini --settings table.csv --out study --threads 1 --progress none >said 2>&1; }
calibrate() { "$TALUS_BIN/talus-calibrate" search.ini --out study --threads 1 --progress none >said 2>&1; }
sums() { (cd study && find . -type f ! -path './log/*' ! -path './.cache/*' | sort | xargs sha256sum); }
tried=0
# strike PROGRAM FAULT...: each in a new study, or in the finished one where only its tables are to be made.
strike() {
    run=$1
    shift
    for fault; do
        [ -n "${keep:-}" ] || rm -rf study
        code=0
        TALUS_FAULT=$fault $run || code=$?
        [ "$code" -lt 128 ] || fail "$fault ends the $run by signal $((code - 128))"
        [ "$code" -eq 0 ] || grep -q 'error:' said || fail "$fault gives no reason"
        # Without an error everything must be there already.
        [ "$code" -ne 0 ] || { sums >after.sums; cmp -s calm.sums after.sums || fail "$fault is not noticed by the $run"; }
        $run || fail "no way on after $fault"
        sums >after.sums
        cmp -s calm.sums after.sums || { diff calm.sums after.sums; fail "other bytes after $fault"; }
        tried=$((tried + 1))
    done
}
files="write:1 write:2 write:3 write:5 write:8 write:3+ sync:1 sync:2 sync:3 sync:4 sync:6 sync:2+
    rename:1 rename:2 rename:3 rename:4 rename:6 rename:2+"
batch || fail "undisturbed"
sums >calm.sums
strike batch $(seq -f allocation:%g 1 100) $files
rm -rf study
calibrate || fail "undisturbed"
sums >calm.sums
# The runs are there: what fails now is reading, concluding and writing.
keep=yes
strike calibrate $(seq -f allocation:%g 1 3 190) $files
echo "$tried faults"
