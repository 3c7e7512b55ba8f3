#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A site file with different mistakes: one message each, exit 2, nothing written. Every program.
set -eu
rm -rf out wrong.ini
cat >wrong.ini <<'SITE'
[site]
befor = a.las
[ingest]
cell_m = -1
ground = trees
[contact]
friction = nan
[solv]
dt_s = 0.1
[pair.rok.ground]
law = foo
friction = 0.4
[pair.rock.ground]
kn_kg = 3
restitution = 0.3
SITE
tried=0
for program in "$TALUS_BIN"/talus-* "$TALUS_TEST_BIN"/talus-echo; do
    [ -x "$program" ] || continue
    "$program" --help | head -n 1 | grep -q 'SITE.ini' || continue # takes no site file
    tried=$((tried + 1))
    status=0
    "$program" wrong.ini --out out >said 2>&1 || status=$?
    [ $status -eq 2 ] || { echo "$program: exit $status"; cat said; exit 1; }
    [ "$(grep -c 'error: ' said)" -eq 9 ] || { echo "$program: not nine messages"; cat said; exit 1; }
    for words in 'wrong.ini:2: .*did you mean before?' 'wrong.ini:4: .*cell_m = -1 must be in \[0.001, 1000\] m' \
        'wrong.ini:5: .*trees is not one of' 'wrong.ini:7: .*friction = nan' 'wrong.ini:8: .*did you mean \[solve\]?' \
        'wrong.ini:11: .*law = foo is not one of' 'wrong.ini:11: \[pair.rok.ground\] does not name two surface classes' \
        'wrong.ini:14: .*kn_kg and (at wrong.ini:15) restitution' 'wrong.ini:14: .*kn_kg but not kt_kg'; do
        grep -q "$words" said || { echo "$program does not say: $words"; cat said; exit 1; }
    done
    [ ! -e out ] || { echo "$program wrote something"; exit 1; }
done
[ $tried -gt 0 ] || { echo "no program was tried"; exit 1; }
echo "$tried programs refused the file"

# Names that only a polygon layer knows: told before any work, with those it has.
cat >ground.geojson <<'JSON'
{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"class": "talus"},
 "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 0]]]}}]}
JSON
touch none.las
printf '[site]\nbefore = none.las\nafter = none.las\n[mesh]\nground_classes = ground.geojson\n[pair.rock.tallus]\nfriction = 0.4\n' >layer.ini
for program in "$TALUS_BIN"/talus-ingest "$TALUS_BIN"/talus-mesh; do
    [ -x "$program" ] || continue
    "$program" layer.ini --out out >said 2>&1 && { echo "$program takes a class that is nowhere"; exit 1; }
    grep -q 'layer.ini:7: \[pair.rock.tallus\] does not name two .*: ground, rock, talus$' said ||
        { echo "$program does not name the classes of the layer"; cat said; exit 1; }
    [ ! -e out ] || { echo "$program wrote something"; exit 1; }
    sed 's/tallus/talus/' layer.ini >right.ini
    "$program" right.ini --out out >said 2>&1 || true
    ! grep -q 'surface classes' said || { echo "$program refuses a class of the layer"; cat said; exit 1; }
    rm -rf out
done
