# SPDX-License-Identifier: GPL-3.0-or-later
# Sites whose settings belong to files that only one stage reads go through a study as they go through make run:
# names of ground classes in a raster, the unit of heights, a thickness and where it lies.
. "$TALUS_SOURCE/tests/support/common.sh"
grid() { # NAME EXPRESSION of x and y
    awk "BEGIN {
        print \"ncols 40\\nnrows 60\\nxllcorner 693000\\nyllcorner 1638000\\ncellsize 1\\nNODATA_value -9999\"
        for (row = 0; row < 60; row++) {
            y = 59.5 - row
            for (column = 0; column < 40; column++) {x = column + 0.5; printf \"%g \", ($2)}
            print \"\"
        }
    }" >"$1.asc"
}
grid dem 'y > 20 ? 0.8 * (y - 20) : 0'
grid zones 'y > 20 ? 1 : 2'
grid pile 'y > 45 && y < 55 && x > 15 && x < 25 ? 2 : 0'
printf '%s\n' '[site]' 'before = dem.asc' 'crs = EPSG:5490+5756' 'before_unit = m' '[ingest]' 'cell_m = 1' 'ground = none' '[mesh]' \
    'mesh_error_m = 0.2' 'ground_classes = zones.asc' 'ground_class_names = slope meadow' >common.ini
{ cat common.ini; printf '%s\n' 'blocks = forms' '[solve]' 'dt_s = 0.02' 'until_s = 5' '[pair.rock.meadow]' 'friction = 0.7' \
    '[release]' 'rocks = 3' 'from_m = 693020 1638050'; } >rocks.ini
{ sed 's/^ground = none/&\nthickness = pile.asc\nthickness_is = above/' common.ini; printf '%s\n' 'blocks = voronoi' 'block_count = 4' \
    '[solve]' 'dt_s = 0.02' 'until_s = 1'; } >pile.ini
expect 0 . "$TALUS_BIN/talus-batch" rocks.ini pile.ini --out study --progress none
cat err.txt out.txt >said.txt
grep -q '[1-9][0-9]* failed' said.txt && fail "a site fails in a study: $(cat said.txt)"
[ "$(find study/runs -name report.html | wc -l)" -eq 2 ] || fail "not both sites have a report: $(cat said.txt)"
# In a site file of its own such a setting still needs its file.
sed '/^ground_classes/d' rocks.ini >alone.ini
expect 2 'ground_class_names has no effect here: it needs a raster in ground_classes' "$TALUS_BIN/talus-ingest" alone.ini --out alone
exit "$failures"
