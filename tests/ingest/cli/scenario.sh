# SPDX-License-Identifier: GPL-3.0-or-later
# One survey and a source that the user states: below the ground, on top of it, by planes, as blocks
# alone; whichever of the two words names the survey. All mistakes of a site file come at once.
set -u
ingest=$TALUS_BIN/talus-ingest
failed=0
complain() { echo "$*"; failed=1; }

# A plane that falls by 0.5 to the south, 60 by 40 cells of 2 m; a pile of 3 m on 10 by 10 of them.
grid() {
    awk -v what="$1" 'BEGIN {
        printf "ncols 60\nnrows 40\nxllcorner 1000\nyllcorner 2000\ncellsize 2\nNODATA_value -9999\n"
        for (r = 0; r < 40; r++) {
            for (c = 0; c < 60; c++) {
                pile = r >= 10 && r < 20 && c >= 20 && c < 30 ? 3 : 0
                printf "%s ", what == "pile" ? pile : 200 - r
            }
            print ""
        }
    }'
}
grid ground >ground.asc
grid pile >pile.asc

# site LINE... : lines that begin with a slash go to [ingest].
site() {
    {
        echo '[site]'
        for line in "$@"; do case $line in /*) ;; *) echo "$line" ;; esac; done
        printf '[ingest]\ncell_m = 2\n'
        for line in "$@"; do case $line in /*) echo "${line#/}" ;; esac; done
    } >site.ini
}
run() {
    rm -rf out
    "$ingest" site.ini --out out --progress none >words 2>&1
}
taken() { run || complain "$1: $(cat words)"; }
number() { awk -v name="\"$1\":" '/"source"/ {s = 1} s && $1 == name {gsub(/[^0-9.eE+-]/, "", $2); print $2; exit}' out/ingest.json; }
near() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {d = a - b; exit !(d <= t && d >= -t)}'; }
height() { gdallocationinfo -b 1 -valonly -geoloc "out/$1.tif" "$2" "$3"; }

# 100 cells of 4 m2, 3 m thick.
for word in before after; do
    for where in below above; do
        site "$word = ground.asc" "${word}_unit = m" 'crs = local' '/thickness = pile.asc' "/thickness_is = $where"
        taken "$word, $where"
        near "$(number volume_m3)" 1200 0.1 || complain "$word, $where: $(number volume_m3) m3"
        grep -q '<td class="number">as given</td>\|[0-9] to [0-9]' out/ingest.html || complain "$word, $where: no word on how sure it is"
        grep -q '>\([0-9.]*\) to \1 m' out/ingest.html && complain "$word, $where: a page with an interval without width"
        near "$(number low_m3)" "$(number high_m3)" 0.5 && complain "$word, $where: an interval without width"
        bed=$(height bed 1051 2051) before=$(height before 1051 2051)
        if [ $where = above ]; then
            near "$bed" 186 0.01 && near "$before" 189 0.01 || complain "above: bed $bed, before $before"
        else
            near "$bed" 183 0.01 && near "$before" 186 0.01 || complain "below: bed $bed, before $before"
        fi
    done
done

site 'before = ground.asc' 'before_unit = m' 'crs = local' '/thickness = pile.asc'
run && complain "a thickness that may lie below or above is taken"
grep -q 'thickness_is = below .*thickness_is = above' words || complain "not asked: $(cat words)"

# Two polygons, each with its own plane: level under the first, along the slope under the second.
cat >planes.geojson <<'JSON'
{"type": "FeatureCollection", "features": [
 {"type": "Feature", "properties": {"dip_deg": 0, "dipdir_deg": 180, "depth_m": 4},
  "geometry": {"type": "Polygon", "coordinates": [[[1010, 2040], [1020, 2040], [1020, 2050], [1010, 2050], [1010, 2040]]]}},
 {"type": "Feature", "properties": {"dip_deg": 26.565051177, "dipdir_deg": 180, "depth_m": 2},
  "geometry": {"type": "Polygon", "coordinates": [[[1080, 2020], [1090, 2020], [1090, 2030], [1080, 2030], [1080, 2020]]]}}]}
JSON

ogr2ogr planes.shp planes.geojson 2>/dev/null && rm -f planes.prj
site 'before = ground.asc' 'before_unit = m' 'crs = local' '/source = planes.shp'
taken "two polygons"
# Level: steps of 1 m over five rows of five cells: 4 + 3 + 2 + 1 + 0 m; along the slope: 2 m everywhere.
near "$(number volume_m3)" $((5 * 4 * (4 + 3 + 2 + 1) + 25 * 4 * 2)) 0.5 || complain "planes: $(number volume_m3) m3"
near "$(number max_thickness_m)" 4 0.01 || complain "planes: $(number max_thickness_m) m"
ogr2ogr bare.shp planes.shp -sql 'SELECT 1 AS id FROM planes'
site 'before = ground.asc' 'before_unit = m' 'crs = local' '/source = bare.shp'
run && complain "polygons without planes are taken"
[ "$(grep -c 'polygon [12] has no basal plane' words)" = 2 ] || complain "planes are not asked for: $(cat words)"
site 'before = ground.asc' 'before_unit = m' 'crs = local' '/source = bare.shp' '/plane_dip_deg = 60' \
    '/plane_dip_direction_deg = 180' '/plane_depth_m = 1'
taken "one plane for all"
grep -q 'site.ini:[0-9]*: .*polygon 1: only .* m2 hold rock' words || complain "a plane in the air: $(cat words)"
grep -q 'Answer these before you simulate.*polygon 1: only' out/ingest.html || complain "the page does not warn"

# Blocks of one's own need no source.
printf '[site]\nbefore = ground.asc\nbefore_unit = m\ncrs = local\n[ingest]\ncell_m = 2\n[mesh]\nblocks = import\n' >site.ini
taken "blocks only"
near "$(number volume_m3)" 0 0 || complain "blocks only: $(number volume_m3) m3"

# The user's word on a file's coordinate system is the last: its own is not even looked at.
gdal_translate -q -a_srs EPSG:4326 ground.asc tagged.tif
site 'before = tagged.tif' 'before_unit = m' 'before_crs = local' '/thickness = pile.asc' '/thickness_is = above'
taken "before_crs = local"

# A wrong tag, no unit, no plane, a box of three numbers: told together.
site 'before = tagged.tif' 'bounds_m = 1 2 3' '/source = bare.shp'
run && complain "four mistakes are taken"
for mistake in 'the tag is wrong' 'before_unit = m' 'has no basal plane' 'west south east north'; do
    grep -q "$mistake" words || complain "not told at once: $mistake: $(cat words)"
done

if [ -z "${TALUS_TEST_DATA:-}" ]; then
    echo "SKIPPED: Frank and Fluchthorn need TALUS_TEST_DATA"
    exit $failed
fi
# Frank Slide: the initial pile on its sliding surface, 36.0 million m3.
cp "$TALUS_TEST_DATA/frank/Frankslide_topography.asc" "$TALUS_TEST_DATA/frank/Frankslide_pile.asc" .
for cell in 20 15; do
    site 'before = Frankslide_topography.asc' 'before_unit = m' 'crs = local' \
        '/thickness = Frankslide_pile.asc' '/thickness_is = above'
    sed -i "s/^cell_m.*/cell_m = $cell/" site.ini
    taken "Frank"
    near "$(number volume_m3)" 36.0e6 0.36e6 || complain "Frank, cells of $cell m: $(number volume_m3) m3"
done
# Fluchthorn: metres under a tag of degrees, two scarps 500 m apart.
site "before = $TALUS_TEST_DATA/fluchthorn/fluchthorn.tif" \
    "/source = $TALUS_TEST_DATA/fluchthorn/POLYGONS/scarpFluchthorn_perimeter.shp"
run && complain "Fluchthorn is taken as it is tagged"
for mistake in 'its coordinates (-10805 to -7805, 193395 to 195595) are not degrees' 'before_unit = m' \
    'polygon 1 has no basal plane' 'polygon 2 has no basal plane'; do
    grep -q -e "$mistake" words || complain "Fluchthorn, not told at once: $mistake: $(cat words)"
done
exit $failed
