# SPDX-License-Identifier: GPL-3.0-or-later
# A release from the terrain on: any number of threads, a kill or a stop give the same bytes, more rocks can
# be added, and every mistake is named at once with its line.
. "$TALUS_SOURCE/tests/support/common.sh"
# A slope of 39 degrees that runs out onto flat ground, 100 m wide and 140 m long, in cells of 1 m.
awk 'BEGIN {
    print "ncols 100\nnrows 140\nxllcorner 1000\nyllcorner 2000\ncellsize 1\nNODATA_value -9999"
    for (row = 0; row < 140; row++) {
        y = 139.5 - row
        for (column = 0; column < 100; column++)
            printf "%.3f ", (y > 60 ? (y - 60) * 0.81 : 0) + 0.2 * sin(column * 0.9) * sin(row * 0.7)
        print ""
    }
}' >dem.asc
write_site() { # LINES OF [release] AND AFTER
    printf '%s\n' '[site]' 'before = dem.asc' 'crs = local' '[ingest]' 'cell_m = 1' 'ground = none' '[mesh]' \
        'mesh_error_m = 0.2' 'blocks = forms' 'forms = equant eota' 'form_count = 2' '[solve]' 'dt_s = 0.02' \
        'until_s = 30' "$@" >site.ini
}
good='[release]
rocks = 40
from_m = 1020 2130 1080 2130
from_is = line
size_m = lognormal 0.6 0.2
height_m = uniform 0 2
speed_mps = exponential 1
spin_radps = 1'
write_site "$good"
"$TALUS_BIN/talus-ingest" site.ini -q --out out || fail "ingest"
"$TALUS_BIN/talus-mesh" site.ini -q --out out || fail "mesh"
solve="$TALUS_BIN/talus-solve"
expect 0 '40 rocks:' "$solve" site.ini --out out --threads 1
cp out/rocks.nc whole.nc
expect 1 'exists already' "$solve" site.ini --out out
# Threads and time do not matter.
expect 0 '40 rocks:' "$solve" site.ini --out out --threads 3 --overwrite
cmp out/rocks.nc whole.nc || fail "three threads give other bytes"
# A release that was cut off anywhere goes on with the next rock.
size=$(wc -c <out/rocks.journal)
for share in 0 1 37 62 99; do
    head -c $((size * share / 100)) out/rocks.journal >cut
    [ "$share" -gt 0 ] && { cp cut out/rocks.journal; rm out/rocks.nc; }
    expect 0 '40 rocks:' "$solve" site.ini --out out --resume --overwrite --threads 2
    cmp out/rocks.nc whole.nc || fail "cut at $share %, other bytes"
done
# The first rocks of a larger release are those of a smaller one, and more can be added to it.
expect 0 'starting afresh\|15 rocks:' "$solve" site.ini --out out --overwrite --set release.rocks=15
expect 0 'going on after 15 rocks' "$solve" site.ini --out out --resume
cmp out/rocks.nc whole.nc || fail "added rocks differ"
# Killed at random moments.
for wait in 0.05 0.2 0.5; do
    rm -f out/rocks.nc out/rocks.journal
    "$solve" site.ini -q --out out --overwrite --threads 2 & pid=$!
    sleep "$wait"
    kill -9 "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
    expect 0 '40 rocks:' "$solve" site.ini --out out --resume --overwrite
    cmp out/rocks.nc whole.nc || fail "killed after $wait s, other bytes"
done
# Another seed, other rocks; another friction is another release.
expect 1 'belongs to a release with other settings' "$solve" site.ini --out out --resume --set contact.friction=0.5
expect 0 '40 rocks:' "$solve" site.ini --out out --overwrite --set random.seed=2
cmp -s out/rocks.nc whole.nc && fail "the seed changes nothing"
# Half way down the slope all rocks still have their starts: on the line, spread over it.
netcdf_values whole.nc end | grep -q 0 || fail "no rock came to rest"
# Together: they meet each other.
expect 0 '12 rocks:' "$solve" site.ini --out out --overwrite --set release.rocks=12 --set release.together=yes
cp out/rocks.nc together.nc
expect 0 '12 rocks:' "$solve" site.ini --out out --overwrite --set release.rocks=12
cmp -s out/rocks.nc together.nc && fail "together changes nothing"
# Barriers and forest.
write_site "$good" '[barrier.low]' 'line_m = 1005 2050 1095 2050' 'height_m = 3' 'capacity_kj = 1e6' \
    '[forest]' 'stems_per_ha = 300' 'diameter_cm = normal 30 8' 'strength = 1.5'
expect 0 'forest: ' "$solve" site.ini --out out --overwrite
stopped=$(sed -n 's/.*"stopped_by_barriers":[^0-9]*\([0-9]*\).*/\1/p' out/rocks.json)
hits=$(sed -n 's/.*"stem_hits":[^0-9]*\([0-9]*\).*/\1/p' out/rocks.json)
[ "$stopped" -gt 0 ] || fail "the barrier stops nobody"
[ "$hits" -gt 10 ] || fail "only $hits stems were hit"
# Every mistake of the site file at once, with its line.
write_site '[release]' 'rocks = 10' 'from_m = 1020 2130 1080' 'size_m = lognormal 1' 'height_m = -1' \
    '[barrier.a]' 'line_m = 1000 2050 1090 2060' 'height_m = 3' 'capacity_kj = 500' \
    '[barrier.b]' 'line_m = 1050 2040 1050 2070' 'height_m = 3' \
    '[forest]' 'stems_per_ha = 300' '[target.road]' 'line_m = 1000 2040'
expect 2 'site.ini:17: \[release\] from_m has 3 numbers' "$solve" site.ini --out out --overwrite
for words in 'site.ini:18: \[release\] size_m = lognormal 1 is neither' 'site.ini:19: \[release\] height_m = -1 must be in' \
    'site.ini:25: \[barrier.b\] overlaps \[barrier.a\] of site.ini:21' '\[barrier.b\] must state capacity_kj' \
    'site.ini:28: \[forest\] has stems but no diameters' 'site.ini:30: \[target.road\] line_m has 2 numbers'; do
    grep -q -e "$words" err.txt || fail "not said: $words: $(cat err.txt)"
done
grep -q 'must state height_m' err.txt && fail "a height that is stated is missed: $(cat err.txt)"
# What was refused was stated; what a release has no score for is not taken for an observation.
write_site "$good" '[barrier.b]' 'line_m = 1050 2040 1050 2070' 'height_m = -3' 'capacity_kj = 500' '[report]' 'runout_m = 60' 'fahrboeschung = 0.6'
expect 2 'site.ini:25: .*height_m = -3 must be in' "$solve" site.ini --out out --overwrite
grep -q 'must state' err.txt && fail "what was refused is missed: $(cat err.txt)"
for words in 'site.ini:28: \[report\] runout_m is for blocks that fall together' 'site.ini:29: \[report\] fahrboeschung is for blocks'; do
    grep -q -e "$words" err.txt || fail "not said: $words: $(cat err.txt)"
done
write_site "$good" '[report]' 'percentiles = 50 -5'
expect 2 'site.ini:24: .*percentiles.*-5' "$solve" site.ini --out out --overwrite
grep -q 'percentiles is empty' err.txt && fail "what was refused is missed: $(cat err.txt)"
write_site "$good" '[report]' 'percentiles ='
expect 2 'site.ini: \[report\] percentiles is empty' "$solve" site.ini --out out --overwrite
# Rocks that are to meet do not all start at one place.
write_site '[release]' 'rocks = 3' 'from_m = 1020 2130' 'together = yes'
expect 1 'site.ini:18: \[release\] together = yes: the rocks do not fit where they start (blocks 0 and 1 overlap by' "$solve" site.ini --out out --overwrite
grep -q 'gap_m' err.txt && fail "advice for blocks of a source: $(cat err.txt)"
# An end between two steps is told.
write_site "$good"
expect 0 'until_s = 0.07 s is no whole number of steps of 0.02 s: 0.08 s are taken' "$solve" site.ini --out out --overwrite --set solve.until_s=0.07
grep -q 'still moved after 0.08 s' err.txt || fail "another end is told: $(cat err.txt)"
# A number of rocks that is refused does not hide the rest, and nothing follows from it.
write_site '[release]' 'rocks = -5' 'from_m = 1020 2130' 'size_m = lognormal 0.5' '[forest]' 'stems_per_ha = 100'
expect 2 'site.ini:16: \[release\] rocks = -5 must be' "$solve" site.ini --out out --overwrite
grep -q 'site.ini:18: \[release\] size_m' err.txt && grep -q 'site.ini:20: \[forest\] has stems but no diameters' err.txt ||
    fail "a refused number of rocks hides other mistakes: $(cat err.txt)"
grep -q 'is for the rocks of a release' err.txt && fail "a release is taken for none: $(cat err.txt)"
# Nor does anything follow from other values that are refused.
write_site '[release]' 'rocks = 5' 'from_m = 1020 nan' 'size_m = normal 0.5 1' '[forest]' 'stems_per_ha = 1e9' 'diameter_cm = 30' \
    '[barrier.a]' 'line_m = 1000 2050 1e99 2060' 'height_m = 3' 'capacity_kj = 500'
expect 2 'site.ini:17: .*from_m = 1020 nan must be in' "$solve" site.ini --out out --overwrite
grep -q 'site.ini:18: \[release\] size_m = normal 0.5 1: 31 % of its values' err.txt || fail "sizes below 0: $(cat err.txt)"
grep -q 'does not say where it is\|has diameters but no stems' err.txt && fail "what was refused is missed: $(cat err.txt)"
# What only the terrain can tell: outside it, and below it.
write_site "$(printf '%s' "$good" | sed 's/^from_m.*/from_m = 1020 2130 1180 2130/')" \
    '[barrier.far]' 'line_m = 3000 2050 3090 2060' 'height_m = 3' 'capacity_kj = 500'
expect 1 'site.ini:17: \[release\] corner of a line 2 at 1180.00 2130.00 lies outside the terrain' "$solve" site.ini --out out --overwrite
cat >start.geojson <<'END'
{"type": "FeatureCollection", "features": [
 {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1050, 2130, 20]}},
 {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": [1060, 2130, 90]}}]}
END
write_site "$(printf '%s' "$good" | sed 's/^from_m.*/from = start.geojson/; /^from_is/d')"
expect 1 'point 1 at 1050.00 2130.00 lies 3.*below the terrain' "$solve" site.ini --out out --overwrite
grep -q 'point 2' err.txt && fail "a good point is refused"
# What has no place at all: metres taken for degrees. talus-ingest names it; so does talus-solve, of a file that changed since.
sed "s/^crs.*/crs = EPSG:32633+5773\nbefore_unit = m/" site.ini >metric.ini
expect 1 'start.geojson: its coordinates do not fit its coordinate system' "$TALUS_BIN/talus-ingest" metric.ini --out metric
sed 's/^from = .*/from_m = 1020 2130/' metric.ini >inline.ini
"$TALUS_BIN/talus-ingest" inline.ini -q --out metric && "$TALUS_BIN/talus-mesh" inline.ini -q --out metric || fail "metric"
expect 1 'start.geojson: its coordinates do not fit its coordinate system' "$solve" metric.ini --out metric
grep -q 'nan' err.txt && fail "a place that is not a number is told: $(cat err.txt)"
# Forms without a release, a release without a place.
write_site
expect 2 'blocks = forms is for the rocks of a release' "$solve" site.ini --out out --overwrite
write_site '[release]' 'rocks = 3'
expect 2 '\[release\] does not say where' "$solve" site.ini --out out --overwrite
exit "$failures"
