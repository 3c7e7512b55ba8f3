#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calibration of a release with the real stages: stops of rocks and their passages at a line, made with a
# resistance to rolling of 0.3, are given as observations; it is hidden, and another release, held out, judges.
set -eu
fail() { echo "$*"; tail -n 20 said; exit 1; }
awk 'BEGIN {
    print "ncols 60\nnrows 140\nxllcorner 1000\nyllcorner 2000\ncellsize 1\nNODATA_value -9999"
    for (row = 0; row < 140; row++) {
        y = 139.5 - row
        for (column = 0; column < 60; column++)
            printf "%.3f ", (y > 80 ? (y - 80) * 0.7 : 0) + 0.2 * sin(column * 0.9) * sin(row * 0.7)
        print ""
    }
}' >dem.asc
cat >road.geojson <<'END'
{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry":
 {"type": "LineString", "coordinates": [[1000, 2085], [1060, 2085]]}}]}
END
site() { # EAST RUN RESISTANCE
    printf '%s\n' '[site]' 'before = dem.asc' 'crs = local' '[ingest]' 'cell_m = 1' 'ground = none' '[mesh]' \
        'mesh_error_m = 0.2' 'blocks = forms' 'forms = equant' '[solve]' 'dt_s = 0.02' 'until_s = 40' '[random]' "run = $2" \
        '[contact]' 'law = ground' "rolling_friction = $3" '[release]' 'rocks = 120' "from = start-$1.geojson" 'size_m = 0.6' '[target.road]' 'place = road.geojson'
}
number() { # FILE KEY: first number after the key
    sed -n "s/.*\"$2\":[[:blank:]]*\([-0-9.e]*\),*/\1/p" "$1" | head -n 1
}
for name in a b; do
    east=$([ $name = a ] && echo 1025 || echo 1035)
    sed "s/LineString/Point/; s/\"coordinates.*/\"coordinates\": [$east, 2105]}}]}/" road.geojson >"start-$east.geojson"
    site "$east" 1 0.3 >truth.ini
    for stage in ingest mesh solve post; do
        "$TALUS_BIN/talus-$stage" truth.ini --out "truth-$name" --progress none >said 2>&1 || fail "talus-$stage"
    done
    cp "truth-$name/crossings.csv" "passed-$name.csv"
    # The last place of each rock, from the layer for QGIS.
    ogr2ogr -f CSV /vsistdout/ "truth-$name/result.gpkg" stops -lco GEOMETRY=AS_XY 2>/dev/null | cut -d, -f1,2 >"stops-$name.csv"
    { site "$east" 2 0.05; printf '%s\n' "observed = passed-$name.csv" '[report]' "stops = stops-$name.csv"; } >"$name.ini"
done
printf '%s\n' '[calibrate]' 'runs = 10' '[vary.contact.rolling_friction]' 'low = 0' 'high = 0.8' >>a.ini
# Weights that ask for what nobody gave.
if "$TALUS_BIN/talus-calibrate" a.ini --out study --progress none >said 2>&1; then fail "calibrates against nothing"; fi
grep -q 'a has nothing to compare with' said || fail "does not say what is missing"
printf '%s\n' '[calibrate]' 'weight_iou = 0' 'weight_runout = 0' 'weight_stops = 1' 'weight_passages = 0.5' 'hold_out = b.ini' >>a.ini
"$TALUS_BIN/talus-calibrate" a.ini --out study --progress none >said 2>&1 || fail "talus-calibrate"
best=$(number study/calibrate.json best)
echo "resistance $best, misfit $(number study/calibrate.json misfit_start) before, $(number study/calibrate.json misfit_best) after"
awk "BEGIN {exit !($best > 0.2 && $best < 0.4)}" || fail "resistance $best, not 0.3"
grep -q 'held out' study/calibrate.html || fail "the page does not know the release held out"
# The page shows what was compared, stops and passages, and no column of dashes for a deposit that nobody surveyed.
for words in 'Stops, energy distance, m' 'Stops along (KS)' 'Passages (KS)'; do
    grep -q "<th>$words</th>" study/calibrate.html || fail "the page has no column $words"
done
if grep -q '<th>IoU</th>' study/calibrate.html; then fail "the page has a column of a deposit"; fi
# Prediction against observation: the release held out has its row, with the median distance of the stops that were given.
median=$(awk -F, 'NR > 1 {print sqrt(($1 - 1035) ^ 2 + ($2 - 2105) ^ 2)}' stops-b.csv | sort -g |
    awk '{v[NR] = $1} END {print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2}')
row=$(tr '\n' ' ' <study/calibrate.html | grep -o '<tr><td>b (held out)</td><td class="words">Travel, m</td>.*' | sed 's|</tr>.*||; s|<[^>]*>|;|g; s|;;*|;|g')
echo "the row of the release held out: $row; measured median $median m"
echo "$row" | awk -F';' -v want="$median" '{split($7, measured, " ")} {exit !(NF > 8 && (measured[1] - want) ^ 2 < 0.05 ^ 2)}' ||
    fail "no measured median of $median m on the page: $row"
grep -q '<td>a</td><td class="words">Velocity at road' study/calibrate.html || fail "passages are not on the page"
set -- $(sed -n 's/.*"stops_distance_m":[[:blank:]]*\([0-9.e-]*\),*/\1/p' study/calibrate.json | tail -n 2)
echo "the release held out: energy distance $1 m before, $2 m after"
awk "BEGIN {exit !($2 < 0.5 * $1)}" || fail "the release held out is not explained better"
# Another table is another study: files of sections that repeat count, too.
"$TALUS_BIN/talus-calibrate" a.ini --out study --progress none --collect >said 2>&1 || fail "nothing is remembered"
sed '2,20s/^/#/' passed-a.csv >less.csv && mv less.csv passed-a.csv
if "$TALUS_BIN/talus-calibrate" a.ini --out study --progress none --collect >said 2>&1; then
    fail "other observed passages are taken for the same"
fi
# best.ini runs from where it lies.
for stage in ingest mesh solve post; do
    "$TALUS_BIN/talus-$stage" study/best.ini --out best --progress none >said 2>&1 || fail "best.ini: talus-$stage"
done
