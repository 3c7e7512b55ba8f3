# SPDX-License-Identifier: GPL-3.0-or-later
# The maps and tables of a release: judged against the stored trajectories by other code, at lines against
# the ground truth of a barrier, and with an error that falls as one over the root of the number of rocks.
. "$TALUS_SOURCE/tests/support/common.sh"
sed '/^good=/,$d' "$TALUS_SOURCE/tests/solver/cli/release.sh" | sed 1,/common.sh/d >functions.sh
. ./functions.sh
release='[release]
rocks = 100
from_m = 1040 2120 1060 2120 1060 2130 1040 2130
from_is = polygon
size_m = uniform 0.4 0.8
[target.road]
line_m = 1000 2032 1100 2032
[target.house]
place = house.geojson
[report]
title = Judge <this>'
cat >house.geojson <<'END'
{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry":
 {"type": "Polygon", "coordinates": [[[1040, 2018], [1060, 2018], [1060, 2028], [1040, 2028], [1040, 2018]]]}}]}
END
write_site "$release"
"$TALUS_BIN/talus-ingest" site.ini -q --out out || fail "ingest"
"$TALUS_BIN/talus-mesh" site.ini -q --out out || fail "mesh"
# What is named in a section that repeats counts as an input, too.
"$TALUS_BIN/talus-post" site.ini --print-inputs | grep -q house.geojson || fail "the house is no input"
expect 1 'rocks.nc does not exist: run talus-solve first' "$TALUS_BIN/talus-post" site.ini --out out
"$TALUS_BIN/talus-solve" site.ini -q --out out || fail "solve"
expect 0 'of 100 rocks reach it' "$TALUS_BIN/talus-post" site.ini --out out
"$TALUS_BIN/../tests/post-release-judge" out || fail "the maps are not what the trajectories say"
# The judge sees what is wrong: other percentiles under the same names.
cp -r out swapped
cp out/energy_p50.tif swapped/energy_p90.tif
sed -i /energy_p90/d swapped/post.sha256
"$TALUS_BIN/../tests/post-release-judge" swapped >judge.txt && fail "the judge sees nothing"
grep -q '^energy_p90: cell' judge.txt || fail "the judge sees something else: $(cat judge.txt)"
# Numbers that no run has.
for wrong in 'unconverged_steps -5' 'unconverged_steps 1e300' 'steps 1e300' 'steps -1'; do
    rm -rf absurd
    cp -r out absurd
    sed -i /rocks.json/d absurd/solve.sha256
    sed -i "s/\"${wrong% *}\":.*,/\"${wrong% *}\": ${wrong#* },/" absurd/rocks.json
    cmp -s out/rocks.json absurd/rocks.json && fail "$wrong changes nothing"
    expect 1 'rocks.json: .* steps of which .* did not converge are impossible' "$TALUS_BIN/talus-post" site.ini --out absurd --overwrite
done
# The table at a line counts the rocks whose way crosses it: those that end beyond, at least.
crossed=$(awk -F, '$1 == "road" && $4 == "energy" {print $2}' out/targets.csv)
[ "$crossed" = "$(grep -c '^road,' out/crossings.csv)" ] || fail "targets.csv and crossings.csv differ"
awk -F, '$1 == "road" && ($5 - 2032) ^ 2 > 1e-6 {exit 1}' out/crossings.csv || fail "a crossing is not on the line"
awk -F, '$1 == "house" && ($4 < 1040 - 1e-3 || $4 > 1060 + 1e-3 || $5 < 2018 - 1e-3 || $5 > 2028 + 1e-3) {exit 1}' out/crossings.csv ||
    fail "a rock enters the house elsewhere"
[ "$(grep -c '^house,' out/crossings.csv)" -le "$crossed" ] || fail "more rocks in the house than on the road above it"
grep -q 'Judge &lt;this&gt;' out/report.html || fail "the title is not in the report"
grep -q '100 rocks were released' out/report.html || fail "no verdict"
# It looks like all other pages.
missing=$(grep -vxFf out/report.html "$TALUS_SOURCE/core/app/page.css") && fail "the style of all pages is not in it: $missing"
for layer in trajectories stops targets crossings barriers; do
    ogrinfo -q out/result.gpkg 2>/dev/null | grep -q "$layer" || fail "no layer $layer"
done
# Percentiles in any order, and twice: as a list that rises.
"$TALUS_BIN/talus-post" site.ini -q --out out --overwrite --set 'report.percentiles=95 50 95' || fail "post with other percentiles"
head -n 1 out/targets.csv | grep -q '^target,rocks,share,quantity,unit,p50,p95,max$' || fail "percentiles: $(head -n 1 out/targets.csv)"
# A barrier on that line meets the same rocks, with the same energies.
write_site "$release" '[barrier.high]' 'line_m = 1000 2032 1100 2032' 'height_m = 90' 'capacity_kj = 1e8'
"$TALUS_BIN/talus-solve" site.ini -q --out out --overwrite || fail "solve with a barrier"
cp out/crossings.csv free.csv
"$TALUS_BIN/talus-post" site.ini -q --out out --overwrite || fail "post with a barrier"
met=$(awk -F, '$1 == "high" {print $4 " " $5 " " $6 " " $7}' out/barriers.csv)
[ "$met" = "$crossed $crossed 0 0" ] || fail "the barrier met, stopped, missed, lost $met instead of $crossed"
[ "$(grep -c '^house' out/crossings.csv)" -eq 0 ] || fail "rocks pass a barrier that holds all"
awk -F, '/^road/ {print $2, $8}' free.csv >a.txt
awk -F, '/^road/ {print $2, $8}' out/crossings.csv >b.txt
paste a.txt b.txt | awk '$1 != $3 || ($2 - $4) ^ 2 > (0.05 * $2 + 0.5) ^ 2 {bad++} END {exit bad > 0}' ||
    fail "rocks bring other energies to a barrier than to a line"
# It is drawn, too, with what it holds: all rocks are lower and weaker.
tr '\n' ' ' <out/report.html >page.txt
grep -q 'of the rocks that meet high, in numbers of rocks. Beyond the scale: its capacity, 1e+08 kJ.' page.txt || fail "no energies at the barrier"
grep -q 'of the rocks that meet high, in numbers of rocks. Beyond the scale: its height, 90 m.' page.txt || fail "no heights at the barrier"
"$TALUS_BIN/talus-solve" site.ini -q --out out --overwrite --set barrier.high.capacity_kj=1 || fail "solve with a weak barrier"
"$TALUS_BIN/talus-post" site.ini -q --out out --overwrite --set barrier.high.capacity_kj=1 || fail "post with a weak barrier"
grep -q 'Dashed: its capacity, 1 kJ' out/report.html || fail "the capacity is not marked"
# The maps are what the trajectories say behind a barrier that breaks and among stems, too.
write_site "$release" '[barrier.weak]' 'line_m = 1000 2032 1100 2032' 'height_m = 4' 'capacity_kj = 20' \
    '[forest]' 'stems_per_ha = 400' 'diameter_cm = 20'
"$TALUS_BIN/talus-solve" site.ini -q --out out --overwrite && "$TALUS_BIN/talus-post" site.ini -q --out out --overwrite || fail "forest"
"$TALUS_BIN/../tests/post-release-judge" out >judge.txt || fail "with obstacles the maps are not what the trajectories say: $(cat judge.txt)"
awk -F, '$1 == "weak" && ($5 == 0 || $7 == 0) {exit 1}' out/barriers.csv || fail "the barrier was to stop some and to break: $(cat out/barriers.csv)"
# Percentiles of one's own choice give files of their names.
"$TALUS_BIN/talus-post" site.ini -q --out out --overwrite --set 'report.percentiles=25 97.5' || fail "percentiles"
[ -f out/energy_p97.5.tif ] && [ -f out/velocity_p25.tif ] || fail "no maps of the percentiles asked for"
# In steps of 0.1 s rocks of at most 0.8 m that run faster than 2 m/s move by more than a quarter of their size;
# in steps of 2 ms those of at least 0.4 m have to be faster than 50 m/s, more than a fall of 100 m gives.
for dt in 0.1 0.002; do
    "$TALUS_BIN/talus-solve" site.ini -q --out out --overwrite --set solve.dt_s=$dt --set release.rocks=20 || fail "steps of $dt s"
    "$TALUS_BIN/talus-post" site.ini -q --out out --overwrite --set solve.dt_s=$dt --set release.rocks=20 || fail "post of steps of $dt s"
    [ $dt = 0.1 ] && said=0 || said=1
    grep -q "moved by more than a quarter of their size in a step of $dt s" out/report.html
    [ $? -eq $said ] || fail "steps of $dt s are wrongly told"
done
# Independent rocks: shares over groups of n scatter by sqrt(p (1 - p) / n). 600 rocks in groups of 10 and 50.
write_site "$(printf '%s' "$release" | sed 's/^rocks.*/rocks = 600/')"
mkdir many
cp out/ingest.json out/before.tif out/bed.tif out/source.tif out/deposit.tif out/terrain.nc out/blocks.nc many/
"$TALUS_BIN/talus-solve" site.ini -q --out many || fail "600 rocks"
"$TALUS_BIN/talus-post" site.ini -q --out many --overwrite || fail "post of 600 rocks"
awk -F, '$1 == "road" {hit[$2] = 1; count++} END {
    p = count / 600
    if (p < 0.05 || p > 0.95) {print "the share " p " tells nothing"; exit 1}
    for (n = 10; n <= 50; n += 40) {
        sum = 0
        groups = 600 / n
        for (g = 0; g < groups; g++) {
            hits = 0
            for (k = 0; k < n; k++) hits += hit[g * n + k]
            sum += (hits / n - p) ^ 2
        }
        ratio = sum / groups / (p * (1 - p) / n)
        # chi squared of that many groups: four standard deviations
        if (ratio < 1 - 4 * sqrt(2 / groups) || ratio > 1 + 4 * sqrt(2 / groups)) {
            print "groups of " n ": variance over its expectation " ratio; exit 1}
        print "groups of " n ": variance over its expectation " ratio
    }
}' many/crossings.csv || fail "shares do not converge as they must"
exit "$failures"
