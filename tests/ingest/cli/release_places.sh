# SPDX-License-Identifier: GPL-3.0-or-later
# Places of a release that come from files are held against the ground by the first stage that knows it, all of
# them at once, each with its line of the site file: nothing is gridded, meshed or thrown for them.
. "$TALUS_SOURCE/tests/support/common.sh"
# A slope of 0.5 in cells of 1 m, 60 m wide and 80 m long, with a hole of 10 m in it: z = (y - 2000) / 2.
awk 'BEGIN {
    print "ncols 60\nnrows 80\nxllcorner 1000\nyllcorner 2000\ncellsize 1\nNODATA_value -9999"
    for (row = 0; row < 80; row++) {
        for (column = 0; column < 60; column++)
            printf "%s ", (row >= 20 && row < 30 && column >= 20 && column < 30 ? "-9999" : 0.5 * (79.5 - row))
        print ""
    }
}' >dem.asc
features() { # FILE GEOMETRY...
    file=$1 comma=
    shift
    {
        printf '{"type": "FeatureCollection", "features": ['
        for geometry in "$@"; do
            printf '%s{"type": "Feature", "properties": {}, "geometry": {"type": %s}}' "$comma" "$geometry"
            comma=', '
        done
        echo ']}'
    } >"$file"
}
write_site() { # LINES OF [release] AND AFTER
    printf '%s\n' '[site]' 'before = dem.asc' 'crs = local' '[ingest]' 'cell_m = 1' 'ground = none' '[mesh]' \
        'mesh_error_m = 0.1' 'blocks = forms' '[solve]' 'until_s = 1' "$@" >site.ini
}
ingest="$TALUS_BIN/talus-ingest"
refused() { # SENTENCE...: all of them, and nothing is left behind
    rm -rf out
    expect 1 "$1" "$ingest" site.ini --out out
    for words in "$@"; do
        grep -q -e "$words" err.txt || fail "not said: $words: $(cat err.txt)"
    done
    [ -z "$(ls out 2>/dev/null)" ] || fail "left behind: $(ls out)"
}
# Outside the rim, in the hole, and 12 m below the ground (22.5 m there); the fourth one is good.
features points.geojson '"Point", "coordinates": [1070, 2050]' '"Point", "coordinates": [1025, 2055, 90]' \
    '"Point", "coordinates": [1010, 2045, 10.5]' '"Point", "coordinates": [1010, 2045, 30]'
write_site '[release]' 'rocks = 4' 'from = points.geojson'
refused 'site.ini:14: \[release\] point 1 at 1070.00 2050.00 lies outside the terrain'
features points.geojson '"Point", "coordinates": [1025, 2055, 90]' '"Point", "coordinates": [1010, 2045, 10.5]' \
    '"Point", "coordinates": [1010, 2045, 30]'
refused 'site.ini:14: \[release\] point 1 at 1025.00 2055.00 lies outside the terrain' \
    'site.ini:14: \[release\] point 2 at 1010.00 2045.00 lies 12.00 m below the terrain (its height is 10.50 m)'
grep -q 'point 3' err.txt && fail "a good point is refused: $(cat err.txt)"
# Lines, polygons, rasters.
features line.geojson '"LineString", "coordinates": [[1010, 2060], [1010, 2099]]'
write_site '[release]' 'rocks = 4' 'from = line.geojson'
refused 'site.ini:14: \[release\] corner of a line 2 at 1010.00 2099.00 lies outside the terrain'
features area.geojson '"Polygon", "coordinates": [[[990, 2060], [1020, 2060], [1020, 2070], [990, 2060]]]'
write_site '[release]' 'rocks = 4' 'from = area.geojson'
refused 'site.ini:14: \[release\] corner of a polygon 1 at 990.00 2060.00 lies outside the terrain'
write_site '[release]' 'rocks = 4' 'from_m = 990 2060 1020 2060' 'from_is = line'
refused 'site.ini:14: \[release\] corner of a line 1 at 990.00 2060.00 lies outside the terrain'
printf 'ncols 2\nnrows 1\nxllcorner 1059\nyllcorner 2070\ncellsize 4\n1 1\n' >cells.asc
write_site '[release]' 'rocks = 4' 'from = cells.asc'
refused 'site.ini:14: \[release\] cell 1 at 1061.00 2072.00 lies outside the terrain' 'cell 2 at 1065.00 2072.00'
printf 'ncols 2\nnrows 1\nxllcorner 1010\nyllcorner 2070\ncellsize 4\n0 0\n' >cells.asc
refused 'site.ini:14: \[release\] from: no cell of the raster is above 0'
# What stands in the way, and where it is counted: all that is wrong at once.
features net.geojson '"LineString", "coordinates": [[1005, 2020], [1055, 2020]]'
features other.geojson '"LineString", "coordinates": [[1030, 2010], [1030, 2030]]'
features far.geojson '"LineString", "coordinates": [[3000, 2010], [3010, 2030]]'
features wood.geojson '"Polygon", "coordinates": [[[3000, 2010], [3010, 2010], [3010, 2030], [3000, 2010]]]'
write_site '[release]' 'rocks = 4' 'from_m = 1010 2060 1099 2060' \
    '[barrier.a]' 'place = net.geojson' 'height_m = 3' 'capacity_kj = 500' \
    '[barrier.b]' 'place = other.geojson' 'height_m = 3' 'capacity_kj = 500' \
    '[barrier.c]' 'place = far.geojson' 'height_m = 3' 'capacity_kj = 500' \
    '[barrier.d]' 'place = points.geojson' 'height_m = 3' 'capacity_kj = 500' \
    '[forest]' 'area = wood.geojson' 'stems_per_ha = 300' 'diameter_cm = 30' '[target.road]' 'place = far.geojson'
refused 'site.ini:14: \[release\] point 2 at 1099.00 2060.00 lies outside the terrain' \
    'site.ini:[0-9]*: \[barrier.b\] overlaps \[barrier.a\]: a rock would hit both' \
    'site.ini:[0-9]*: \[barrier.c\] stands outside the terrain (its first corner is at 3000.00 2010.00)' \
    'site.ini:[0-9]*: \[barrier.d\].* a barrier is a line' \
    'site.ini:[0-9]*: \[forest\].* outside the terrain' \
    'site.ini:[0-9]*: \[target.road\].* outside the terrain'
write_site '[release]' 'rocks = 4' 'from_m = 1010 2060' '[forest]' 'area = wood.geojson' 'diameter_cm = 30'
refused 'site.ini:[0-9]*: \[forest\] area is a layer of polygons: give stems_per_ha too'
# Files that are not there, those of later stages as well.
write_site '[release]' 'rocks = 4' 'from = no1.geojson' '[barrier.a]' 'place = no2.geojson' 'height_m = 3' 'capacity_kj = 500' \
    '[forest]' 'area = no3.tif' 'diameters = no4.tif' '[target.road]' 'place = no5.geojson' 'observed = no6.csv' '[report]' 'stops = no7.csv'
refused 'site.ini:14: \[release\] from: no1.geojson: no such file' 'site.ini:16: \[barrier.a\] place: no2.geojson: no such file' \
    'site.ini:20: \[forest\] area: no3.tif: no such file' 'site.ini:21: \[forest\] diameters: no4.tif' \
    'site.ini:23: \[target.road\] place: no5.geojson' 'site.ini:24: \[target.road\] observed: no6.csv' 'site.ini:26: \[report\] stops: no7.csv'
# Lines that nothing can cross.
write_site '[release]' 'rocks = 4' 'from_m = 1010 2060' '[barrier.a]' 'line_m = 1005 2020 1005 2020' 'height_m = 3' 'capacity_kj = 500' \
    '[target.road]' 'line_m = 1005 2010 1005 2010'
refused 'site.ini:[0-9]*: \[barrier.a\] has no length' 'site.ini:[0-9]*: \[target.road\] has no length'
# A rock of the size of the slope, and one that only a few of its kind reach.
write_site '[release]' 'rocks = 4' 'from_m = 1010 2060' 'size_m = lognormal 60 0.1'
refused 'site.ini:15: a rock of 60 m does not fit on a terrain of 60 by 80 m'
write_site '[release]' 'rocks = 1e15' 'from_m = 1010 2060'
expect 2 'site.ini:13: \[release\] rocks = 1e15 must be in \[0, 10000000\]' "$ingest" site.ini --out out
# Polygons that are lines; stems without diameters, all lines of their table, and a table in another system.
write_site '[release]' 'rocks = 4' 'from_m = 1010 2060 1020 2060 1015 2060' 'from_is = polygon'
refused 'site.ini:14: \[release\] its polygons have almost no area'
printf '%s\n' 'x,y,d' '1010,2040,30' '1010,2041,-5' '1010,2042' '' '1010;2043;31' >stems.txt
write_site '[release]' 'rocks = 4' 'from_m = 1010 2060' '[forest]' 'stems = stems.txt'
refused 'stems.txt:3: a stem is east, north and diameter' 'stems.txt:4: a stem is'
[ "$(grep -c 'stems.txt' err.txt)" -eq 2 ] || fail "good stems are refused: $(cat err.txt)"
printf '%s\n' '10 20 0' '10 21 30' >stems.txt
refused 'stems.txt:1: a stem is'
printf '%s\n' '10 20 30' '10 21 30' >stems.txt
refused 'site.ini:16: \[forest\] none of the 2 stems stands on the terrain'
# Observed stops that lie far away by a mistake in their digits, each with its file and line; a table in another system.
printf '%s\n' 'x,y,mass' '1010,2010,800' '# 10200,2010' '10200,2010,700' '1020,20200' '1030,1990' >stops.csv
write_site '[release]' 'rocks = 4' 'from_m = 1010 2060' '[report]' 'stops = stops.csv'
refused 'stops.csv:4: the stop at 10200.00 2010.00 lies 9140 m away from the terrain' 'stops.csv:5: the stop at 1020.00 20200.00 lies 18120 m'
[ "$(grep -c 'stops.csv' err.txt)" -eq 2 ] || fail "good stops are refused: $(cat err.txt)"
printf '%s\n' '45.1 5.7' '45.2 5.8' >stops.csv
refused 'stops.csv:1: none of its 2 stops lies on the terrain (this one, at 45.10 5.70'
printf '%s\n' 'x y' '1010 2010' 'here 12' >stops.csv
refused "stops.csv:3: 'here 12' does not begin with two numbers"
# One that lies a little outside is told, and the rest goes on; blocks that fall together have stops as well.
printf '%s\n' 'x y' '1010 2010' '1020 2010' '1030 1990' >stops.csv
rm -rf out
expect 0 'site.ini:[0-9]*: \[report\] stops: 1 of 3 observed stops (33 %) lie outside the terrain' "$ingest" site.ini --out out
printf 'ncols 60\nnrows 80\nxllcorner 1000\nyllcorner 2000\ncellsize 1\n' >pile.asc
awk 'BEGIN {for (k = 0; k < 4800; k++) print (k % 60 > 35 && k % 60 < 45 && k > 1200 && k < 2400 ? 3 : 0)}' >>pile.asc
printf '%s\n' '[site]' 'before = dem.asc' 'crs = local' '[ingest]' 'cell_m = 1' 'ground = none' 'thickness = pile.asc' \
    'thickness_is = above' '[report]' 'stops = stops.csv' >site.ini
printf '%s\n' '1 1' >stops.csv
refused 'stops.csv:1: none of its 1 stops lies on the terrain'
# A point that was taken from the map lies a little below or above the triangles: it starts on them.
features on.geojson '"Point", "coordinates": [1010, 2045, 22.45]'
write_site '[release]' 'rocks = 1' 'from = on.geojson'
rm -rf out
"$ingest" site.ini -q --out out || fail "a point on the ground is refused"
"$TALUS_BIN/talus-mesh" site.ini -q --out out || fail "mesh"
expect 0 '1 rocks:\|1 rock' "$TALUS_BIN/talus-solve" site.ini --out out
exit "$failures"
