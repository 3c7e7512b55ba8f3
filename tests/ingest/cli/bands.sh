# SPDX-License-Identifier: GPL-3.0-or-later
# before.tif and after.tif cell by cell, on a cloud made by hand: a plane of 1 in 2, points in pairs
# d above and below it, so that a cell of n points has the height of the plane at its centre and the
# deviation d sqrt(n / (n - 1)).
set -u
failed=0
complain() { echo "$*"; failed=1; }

# 40 by 30 cells of 1 m. Cell (c, r) has 4, 6 or 8 points; (7, 9) has two, (20, 15) none, and there
# are none in the six by six cells from (30, 3) on.
cat >cells.awk <<'EOF'
function open_hole(c, r) { return c >= 30 && c < 36 && r >= 3 && r < 9 }
function points(c, r) {
    if (open_hole(c, r) || (c == 20 && r == 15)) return 0
    return c == 7 && r == 9 ? 2 : 4 + 2 * ((c + 2 * r) % 3)
}
function spread(c, r) { return 0.01 * (1 + (c * r) % 3) }
function plane(x) { return 100 + 0.5 * (x - 1000) }
EOF
{
    cat cells.awk
    cat <<'EOF'
BEGIN {
    split("-0.3 0.3 -0.3 0.3", dx); split("-0.3 0.3 0.3 -0.3", dy)
    for (r = 0; r < 30; r++) for (c = 0; c < 40; c++) for (k = 0; k < points(c, r) / 2; k++) {
        x = 1000.5 + c + dx[k % 4 + 1]; y = 2029.5 - r + dy[k % 4 + 1]
        printf "%.3f %.3f %.6f\n", x, y, plane(x) + spread(c, r)
        printf "%.3f %.3f %.6f\n", x, y, plane(x) - spread(c, r)
    }
}
EOF
} >make.awk
awk -f make.awk >cloud.xyz

ingest() { # FOLDER AFTER
    printf '[site]\nbefore = cloud.xyz\nafter = %s\ncrs = local\n[ingest]\ncell_m = 1\nhole_m2 = 4\n' "$2" >site.ini
    printf 'ground = none\ncoregister = none\nframe = vertical\n' >>site.ini
    "$TALUS_BIN/talus-ingest" site.ini --out "$1" -q 2>words || complain "ingest fails: $(cat words)"
}
band() { gdal_translate -q -b "$2" -of XYZ "$1" band.xyz && awk '{print $3}' band.xyz; }
bands() {
    for number in 1 2 3 4; do band "$1" $number >"band$number"; done
    paste -d ' ' band1 band2 band3 band4
}

# Few points take the median deviation of their slope class; so does a filled hole, or a quarter of
# the slope across the cell where that is more.
{
    cat cells.awk
    cat <<'EOF'
function wrong(what, found, wanted) {
    printf "cell %d %d: %s is %s, not %s\n", c, r, what, found, wanted; bad = 1
}
function check(what, found, wanted, tolerance) {
    if (found == "nan" || found - wanted > tolerance || wanted - found > tolerance) wrong(what, found, wanted)
}
function deviation(c, r, n) { n = points(c, r); return spread(c, r) * sqrt(n / (n - 1)) }
BEGIN {
    for (r = 0; r < 30; r++) for (c = 0; c < 40; c++) if (points(c, r) >= 4) value[count++] = deviation(c, r)
    for (i = 1; i < count; i++) {
        for (k = i; k > 0 && value[k - 1] > value[k]; k--) { t = value[k]; value[k] = value[k - 1]; value[k - 1] = t }
    }
    median = (value[int((count - 1) / 2)] + value[int(count / 2)]) / 2
}
{
    c = (NR - 1) % 40; r = int((NR - 1) / 40); n = points(c, r)
    if (open_hole(c, r)) {
        for (k = 1; k <= 4; k++) if ($k != "nan") wrong("band " k " of an open hole", $k, "nan")
        next
    }
    check("the height", $1, plane(1000.5 + c), 1e-4)
    check("the number of points", $2, n, 0)
    check("the deviation", $3, n == 0 ? 0.125 : n < 4 ? median : deviation(c, r), 1e-5)
    check("the flag", $4, n == 0, 0)
}
END { if (NR != 1200) { print NR " cells, not 1200"; bad = 1 } exit bad }
EOF
} >check.awk
ingest clouds cloud.xyz
for epoch in before after; do
    bands clouds/$epoch.tif | awk -f check.awk || complain "$epoch.tif does not show its cells"
done
gdalinfo clouds/before.tif | grep '^Band\|Description\|Unit' >info
[ "$(grep -c '^Band' info)" = 4 ] || complain "before.tif has not four bands"
for words in 'elevation of the ground before the event' 'number of ground points in the cell' \
    'standard deviation about the local plane' '0 measured, 1 hole filled'; do
    grep -q "Description = $words" info || complain "before.tif does not describe: $words"
done
[ "$(gdalinfo clouds/dz.tif | grep -c '^Band')" = 1 ] || complain "dz.tif has more than its band"

# A raster brings its heights and nothing of what they rest on: the first of its bands is read.
ingest raster clouds/after.tif
band clouds/after.tif 1 >wanted
bands raster/after.tif | awk '{print $1}' | cmp -s - wanted || complain "band 1 of a raster is not taken"
bands raster/after.tif | awk '$2 != "nan" || $3 != "nan" || $4 != ($1 == "nan" ? "nan" : "0") { bad = 1 }
    END { exit bad }' || complain "the raster claims points, or holes that were filled"

exit $failed
