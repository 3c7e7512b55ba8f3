#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# `pip install --no-build-isolation .` from the tree, without a network, into a folder: what is installed there
# gives the same hash as the package of the build.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
for needed in pip setuptools wheel numpy; do
    "$PYTHON" -c "import $needed" 2>/dev/null || { echo "SKIPPED: $PYTHON has no $needed (python3-$needed)"; exit 0; }
done
mkdir tree
for part in CMakeLists.txt LICENSE README.md VERSION cmake core pyproject.toml python setup.py solver; do
    cp -r "$TALUS_SOURCE/$part" tree/ || exit 1
done
env -u PYTHONPATH "$PYTHON" -m pip install --no-build-isolation --no-index --no-deps --target installed ./tree \
    >log 2>&1 || { cat log; exit 1; }
columns=$TALUS_SOURCE/tests/python/property/columns.py
mine=$("$PYTHON" -B "$columns" 50 50 1) || fail "the package of the build does not run"
pips=$(PYTHONPATH=$PWD/installed "$PYTHON" -B "$columns" 50 50 1) || fail "the package of pip does not run"
[ -n "$mine" ] && [ "$mine" = "$pips" ] || fail "the build says $mine, pip's package $pips"
[ "$failures" -eq 0 ] || exit 1
echo "all good"
