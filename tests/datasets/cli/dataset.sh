#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# talus-dataset as a user meets it: files, messages, exit codes, and what other programs read.
set -u
program=$TALUS_BIN/talus-dataset
. "$TALUS_SOURCE/tests/support/common.sh"

expect 0 'piton-marcel' "$program" --help
expect 2 'which site' "$program"
expect 2 'did you mean slope' "$program" slpoe --out a
expect 2 'one argument too many' "$program" slope again --out a
expect 2 'whole number' "$program" slope --seed 1.5 --out a
expect 2 'whole number' "$program" slope --seed -3 --out a
expect 2 '0.001, 100' "$program" slope --density-scale nan --out a
expect 2 '0.001, 100' "$program" slope --density-scale 0 --out a
"$program" slope --seed x --density-scale y --out a >out.txt 2>err.txt
[ "$(grep -c -e '--seed=x' -e '--density-scale=y' err.txt)" -eq 2 ] ||
    fail "two mistakes are not both reported: $(cat err.txt)"

# All files, none half written, and the site file as committed.
expect 0 'points' "$program" slope --out a --threads 1
for name in before.xyz after.las site.ini truth.json truth.geojson; do
    [ -s "a/$name" ] || fail "a/$name is missing"
done
ls a/*.part >/dev/null 2>&1 && fail "a .part file is left"
cmp a/site.ini "$TALUS_SOURCE/datasets/slope/site.ini" || fail "site.ini differs from the committed one"

# Nothing is overwritten silently, and a refusal changes nothing.
cp -r a kept
expect 1 'already exists' "$program" slope --out a
diff -r a kept || fail "a refused run changed files"
expect 0 'points' "$program" slope --out a --overwrite --threads 2
diff -r a kept || fail "the number of threads changes the files"
expect 0 'points' "$program" slope --out b --seed 2
cmp -s a/after.las b/after.las && fail "another seed gives the same cloud"

# The same for the large site, thinned.
expect 0 'points' "$program" piton-marcel --out p1 --density-scale 0.02 --threads 1
expect 0 'points' "$program" piton-marcel --out p2 --density-scale 0.02 --threads 3
diff -r p1 p2 || fail "the number of threads changes the files"
grep -q -e "$(pwd)" -e "$(uname -n)" p1/truth.json && fail "truth.json tells where it was made"

# A full disk, a failing rename, no memory: a message, exit 1, no file under its final name.
for fault in write:1 write:1000 write:60000 sync:1 rename:1 allocation:1 allocation:3 allocation:5; do
    rm -rf f
    TALUS_FAULT=$fault "$program" slope --out f >out.txt 2>err.txt
    got=$?
    [ "$got" -eq 1 ] || fail "TALUS_FAULT=$fault ends with $got: $(cat err.txt)"
    [ -s err.txt ] || fail "TALUS_FAULT=$fault says nothing"
    [ -e f/truth.json ] && fail "TALUS_FAULT=$fault leaves truth.json"
    ls f/*.part >/dev/null 2>&1 && fail "TALUS_FAULT=$fault leaves a .part file"
done

# Other programs agree on the coordinate system. The text record begins 54 bytes after the header.
size=$(od -A n -t u2 -j 395 -N 2 a/after.las | tr -d ' ')
dd if=a/after.las of=crs.txt bs=1 skip=429 count=$((size - 1)) 2>/dev/null
if command -v gdalsrsinfo >/dev/null; then
    gdalsrsinfo -o wkt1 crs.txt >ours.txt
    gdalsrsinfo -o wkt1 EPSG:5490+5756 >epsg.txt
    cmp ours.txt epsg.txt || fail "GDAL does not read the WKT as EPSG:5490+5756"
    grep -q 'Martinique 1987 height' ours.txt || fail "the heights have no datum"
else
    echo "SKIPPED: gdalsrsinfo is not installed (Debian: gdal-bin)"
fi
if command -v ogrinfo >/dev/null; then
    ogrinfo -ro -al -so a/truth.geojson >ogr.txt 2>&1
    grep -q 'Feature Count: 2' ogr.txt || fail "OGR does not read truth.geojson: $(cat ogr.txt)"
    grep -q '5490' ogr.txt || fail "OGR does not see the coordinate system of truth.geojson"
fi

[ "$failures" -eq 0 ] || exit 1
echo "all passed"
