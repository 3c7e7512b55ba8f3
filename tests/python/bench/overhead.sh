#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# 10,000 boxes stepped from Python cost at most 2 % more instructions than from C: what ten steps more cost, counted.
# (The scenes are set up in other ways, which is left out so.) overhead.sh [BOXES]
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
command -v valgrind >/dev/null || { echo "SKIPPED: valgrind is not installed"; exit 0; }
boxes=${1:-10000}
count() {
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" 2>&1 |
        sed -n 's/.*I *refs: *//p' | tr -d ,
}
in_c() { count "$TALUS_TEST_BIN/python_columns" "$boxes" "$1" 1; }
in_python() { count "$PYTHON" -B "$TALUS_SOURCE/tests/python/property/columns.py" "$boxes" "$1" 1; }
c=$(($(in_c 40) - $(in_c 30)))
python=$(($(in_python 40) - $(in_python 30)))
echo "$boxes boxes, ten steps: $c instructions in C, $python in Python"
[ "$c" -gt 0 ] && [ "$((100 * python))" -le "$((102 * c))" ] || fail "more than 2 %"
[ "$failures" -eq 0 ] || exit 1
