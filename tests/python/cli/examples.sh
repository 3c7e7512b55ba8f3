#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The quick examples of docs/python.md run, say what the page says of them, and draw their pictures; with the argument
# `all` the slow ones too.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
"$PYTHON" -c "import numpy" 2>/dev/null || { echo "SKIPPED: numpy is not installed (python3-numpy)"; exit 0; }
TALUS_PICTURES=$PWD
export TALUS_PICTURES
example() {
    "$PYTHON" -B "$TALUS_SOURCE/examples/python/$1.py" >said 2>&1 || { fail "$1: $(cat said)"; return; }
    grep -q "$2" said || fail "$1 does not say '$2': $(cat said)"
    grep -q '</svg>' "$1.svg" || fail "$1 draws nothing"
}
example arch "thickness 0.13 of the radius.*it stands"
grep -q "thickness 0.085 of the radius.*it falls" said || fail "the thin arch stands"
example incline "friction angle 26.6"
example moving_bodies "1.0387 m behind the belt by the formula, 1.0387 m here"
example three_objects "joints are"
if [ "${TALUS_ALL_EXAMPLES:-}" = yes ]; then
    example ball_impact "rebounds with 0.608 of the speed"
    example cradle "the first swings to 0.479 m"
    example gabion "the ball came with 8.4 kJ"
    example layers "mean heights"
    example shaken_wall "1 m/s^2: 0 of 75 bricks have fallen"
fi
[ "$failures" -eq 0 ] || exit 1
echo "all good"
