#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run.sh BUILD-DIR --exclude LABEL | --only LABEL | --named REGEX: runs ctest and names every skipped test.
# Benchmarks run one after the other, and what they print is what they are for.
set -eu
build=$1
case $2 in
    --exclude) select=-LE ;;
    --only) select=-L ;;
    --named) select=-R ;;
    *) echo "run.sh: --exclude, --only or --named" >&2; exit 2 ;;
esac
jobs=$(nproc 2>/dev/null || echo 2)
if [ "$select" = -R ] && ctest --test-dir "$build" -N -R "$3" | grep -q '^Total Tests: 0$'; then
    echo "No test is named like $3; ctest --test-dir $build -N lists them." >&2
    exit 1
fi
if [ "$select" = -L ] && ctest --test-dir "$build" -N -L "$3" | grep -q '^Total Tests: 0$'; then
    echo "There is no test with the label $3 in $build yet." >&2
    exit 1
fi
rm -rf "$build/tests/tmp" # what earlier runs left behind
mkdir -p "$build/tests/tmp"
status=0
how=--output-on-failure
[ "$3" != bench ] || { how=--verbose jobs=1; }
ctest --test-dir "$build" "$select" "$3" $how --parallel "$jobs" --no-tests=error || status=$?
log=$build/Testing/Temporary/LastTest.log
skipped=$(sed -n 's/^.*SKIPPED: /  skipped: /p' "$log" 2>/dev/null | sort | uniq -c | sed 's/^ *1  */  /' || true)
if [ -n "$skipped" ]; then
    echo "Left out on this machine:"
    echo "$skipped"
fi
exit $status
