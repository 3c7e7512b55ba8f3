# SPDX-License-Identifier: GPL-3.0-or-later
# talus-ingest on the small embedded site: every output, as GDAL's own programs see it; the same bytes
# for any number of threads; scenarios with one epoch; clouds through PDAL.
set -u
failed=0
complain() { echo "$*"; failed=1; }
"$TALUS_BIN/talus-dataset" slope --out site -q || exit 1

"$TALUS_BIN/talus-ingest" site/site.ini --out out -q -j 1 || exit 1
for name in before after bed dz lod source deposit; do
    gdalinfo "out/$name.tif" >info 2>&1 || complain "$name.tif cannot be opened"
    for words in 'LAYOUT=COG' 'RGAF09 / UTM zone 20N' 'Martinique 1987 height' 'NoData Value=nan' \
        'Unit Type: m' 'TALUS_PROVENANCE'; do
        grep -q -- "$words" info || complain "$name.tif lacks $words"
    done
    grep 'Size is\|^Origin\|Pixel Size' info >"$name.grid"
    cmp -s before.grid "$name.grid" || complain "$name.tif lies on another grid"
done
for layer in source deposit stable extent; do
    ogrinfo -so out/site.gpkg $layer >info 2>&1 || complain "site.gpkg lacks $layer"
    grep -q 'Geometry: Polygon' info || complain "$layer holds no polygons"
done
# The parts of source and deposit add up to the whole, each inside its own interval.
field() { ogrinfo -q -al -geom=NO out/site.gpkg "$1" | awk -v key="$2" '$1 == key {print $NF}'; }
total() { awk -v name="\"$1\":" '$1 == name {s = 1} s && /"volume_m3"/ {gsub(/[^0-9.eE+-]/, "", $2); print $2; exit}' out/ingest.json; }
for layer in source deposit; do
    for key in area_m2 volume_m3 volume_low_m3 volume_high_m3 mean_thickness_m max_thickness_m; do
        field $layer $key >"parts.$key"
        [ -s "parts.$key" ] || complain "the parts of the $layer lack $key"
    done
    paste parts.volume_low_m3 parts.volume_m3 parts.volume_high_m3 |
        awk -v whole="$(total $layer)" '{ sum += $2; bad = bad || !($1 < $2 && $2 < $3) }
            END { d = sum - whole; exit bad || d > 1e-6 || d < -1e-6 }' ||
        complain "the volumes of the $layer are not those of ingest.json"
done
ogrinfo -q out/site.gpkg layer_styles | grep -q SimpleFill || complain "site.gpkg has no styles"
gdalinfo out/ingest.png | grep -q 'Driver: PNG' || complain "ingest.png is no picture"
# The page: every part has its number, every dropped patch its row and its mark, and the fit is shown.
for part in S1 D1; do grep -q ">$part</text>" out/ingest.html || complain "$part is not on the map of ingest.html"; done
for words in 'Before the fit' 'After the fit' 'class="ramp"' ' m</text>'; do
    grep -q "$words" out/ingest.html || complain "ingest.html lacks $words"
done
listed=$(grep -c '"why":' out/ingest.json)
[ "$(grep -c -E '<tr><td>[0-9]+</td>' out/ingest.html)" = "$listed" ] &&
    [ "$(grep -o 'class="dropped" cx' out/ingest.html | wc -l)" = "$listed" ] || complain "ingest.html does not show all $listed dropped patches"
grep -q '"volume_m3"' out/ingest.json || complain "ingest.json has no volumes"
[ "$(ls -A out | grep -c points)" = 0 ] || complain "points are left beside the results"
grep -q "$PWD" out/ingest.json && complain "ingest.json holds a path of this machine"

"$TALUS_BIN/talus-ingest" site/site.ini --out again -q -j 3 || exit 1
for file in out/*; do
    cmp "$file" "again/${file#out/}" || complain "$file depends on the threads"
done

# One epoch: a plane under the outline that was just found, then the thickness, then the bed.
scenario() {
    {
        printf '[site]\nbefore = site/before.xyz\ncrs = EPSG:5490+5756\n'
        printf '[ingest]\ncell_m = 0.5\nground = none\n'
        printf '%s\n' "$@"
    } >scenario.ini
    rm -rf one
    "$TALUS_BIN/talus-ingest" scenario.ini --out one -q || complain "the scenario fails: $*"
    grep -q '"epochs":	1' one/ingest.json || complain "a scenario has one epoch"
}
volume_of() { awk '/"source"/ {s = 1} s && /volume_m3/ {gsub(/[^0-9.eE+-]/, "", $2); print $2; exit}' "$1"; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {d = a - b; exit !(d <= t && d >= -t)}'; }
ogr2ogr -f GeoJSON source.geojson out/site.gpkg source
scenario 'source = source.geojson' 'plane_dip_deg = 35' 'plane_dip_direction_deg = 180' 'plane_depth_m = 2'
[ -f one/bed.tif ] && [ -f one/source.tif ] || complain "the scenario lacks its rasters"
scenario 'thickness = out/source.tif' 'thickness_is = below'
near "$(volume_of one/ingest.json)" "$(volume_of out/ingest.json)" 0.6 || complain "thickness is not kept"
scenario 'base = out/bed.tif' 'source = source.geojson'
near "$(volume_of one/ingest.json)" "$(volume_of out/ingest.json)" 1.5 || complain "the base is not kept"

# The user's outlines instead of those found.
"$TALUS_BIN/talus-ingest" site/site.ini --out own -q --set ingest.source="$PWD/source.geojson" ||
    complain "the user's outline is refused"
near "$(volume_of own/ingest.json)" "$(volume_of out/ingest.json)" 0.2 || complain "the outline is not used"

# LAZ and a PLY through PDAL.
pdal=${TALUS_PDAL:-$(command -v pdal || echo "$TALUS_BIN/../../pdal/bin/pdal")}
if [ -x "$pdal" ]; then
    "$pdal" translate site/after.las after.laz >/dev/null 2>&1
    "$pdal" translate site/after.las after.ply --writers.ply.precision=4 >/dev/null 2>&1
    for cloud in after.laz after.ply; do
        sed -e "s|^before = .*|before = site/before.xyz|" -e "s|^after = .*|after = $cloud|" \
            site/site.ini >pdal.ini
        rm -rf through
        "$TALUS_BIN/talus-ingest" pdal.ini --out through -q || complain "$cloud is not read"
        near "$(volume_of through/ingest.json)" "$(volume_of out/ingest.json)" 0.3 ||
            complain "$cloud gives another volume"
        [ -f through/pdal_after_1.json ] || complain "the pipeline of $cloud is not kept"
        [ ! -e through/pdal_after_1.las ] || complain "the LAS made by PDAL is left behind"
    done
    if "$pdal" --version | grep -q '2\.2\.0'; then # its cloth filter fills the memory
        "$TALUS_BIN/talus-ingest" site/site.ini --out cloth -q --set ingest.ground=csf 2>words &&
            complain "the broken cloth filter is used"
        grep -q 'cloth filter of PDAL 2.2.0 is broken' words || complain "csf: $(cat words)"
    fi
else
    echo "SKIPPED: clouds through PDAL need pdal"
fi
# Without PDAL a compressed cloud is refused in one sentence, before any work.
cp site/after.las fake.laz && printf '\201' | dd of=fake.laz bs=1 seek=104 conv=notrunc 2>/dev/null
sed -e "s|^before = .*|before = site/before.xyz|" -e "s|^after = .*|after = fake.laz|" site/site.ini >no.ini
TALUS_PDAL=/nothing "$TALUS_BIN/talus-ingest" no.ini --out no -q 2>words && complain "LAZ without PDAL is read"
grep -q 'there is no pdal program here' words || complain "without PDAL: $(cat words)"

exit $failed
