# SPDX-License-Identifier: GPL-3.0-or-later
# One height of a survey that cannot be, though it is in range: a raster's cell is bridged and told of, a
# cloud's point is noise. Cliffs, trees and pinnacles are left alone, without a word.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
ingest=$TALUS_BIN/talus-ingest

# heights LOST [ROW COLUMN HEIGHT]...: 80 by 80 heights, row after row from the north. A rough slope with a cliff of
# 40 m, a spruce of 25 m and a needle of rock; a scar of LOST metres, and these cells as given.
heights() {
    awk -v lost="$1" -v odd="$*" 'BEGIN {
        n = split(odd, word, " ")
        for (k = 2; k + 2 <= n; k += 3) wrong[word[k] "," word[k + 1]] = word[k + 2]
        for (j = 0; j < 80; j++) for (i = 0; i < 80; i++) {
            x = i + 0.5; y = 80 - j - 0.5
            z = 500 + 0.4 * y + 1.5 * sin(x / 5) * cos(y / 7) + 0.02 * sin(12.9 * i + 78.2 * j)
            if (x + 0.3 * y > 82) z -= 40
            r = sqrt((x - 15.5)^2 + (y - 20.5)^2); if (r < 3) z += 25 * (1 - r / 3)
            if (i == 20 && j == 20) z += 8
            r = sqrt((x - 40)^2 + (y - 40)^2); if (r < 8) z -= lost
            if ((j "," i) in wrong) z = wrong[j "," i]
            printf "%.3f\n", z
        }
    }'
}

# raster NAME LOST [ROW COLUMN HEIGHT]...
raster() {
    name=$1
    shift
    { printf 'ncols 80\nnrows 80\nxllcorner 693000\nyllcorner 1638000\ncellsize 1\n'; heights "$@"; } >"$name.asc"
    gdal_translate -q -ot Float32 "$name.asc" "$name.tif" 2>words || { cat words; exit 1; }
}

# run NAME BEFORE AFTER [OPTION...]: what it says in NAME.txt
run() {
    name=$1
    printf '[site]\nbefore = %s\nafter = %s\ncrs = EPSG:5490+5756\nbefore_unit = m\nafter_unit = m\n[ingest]\ncell_m = 1\nsource_area_min_m2 = 20\n' \
        "$2" "$3" >site.ini
    shift 3
    "$ingest" site.ini --out "$name" --progress none "$@" >"$name.txt" 2>&1 ||
        fail "$name: $(cat "$name.txt")"
}

# cells FILE: its first band, a height a line
cells() { gdal_translate -q -b 1 -of XYZ "$1" /vsistdout/ | awk '{print $3}'; }
# apart ONE OTHER: the cells in which they differ by more than 0.5 m or one has no height
apart() {
    cells "$1" >one.txt; cells "$2" >other.txt
    paste one.txt other.txt | awk '{ nan = ($1 ~ /nan/) + ($2 ~ /nan/); d = $1 - $2 }
        nan == 1 || (nan == 0 && (d > 0.5 || d < -0.5)) { n++ } END { print n + 0 }'
}

raster before 0
raster after 6
run right before.tif after.tif
grep -q 'single cell' right.txt && fail "a cliff, a spruce or a needle is taken for a mistake: $(cat right.txt)"

raster zero 6 30 25 0
run zero before.tif zero.tif
grep -q 'zero.tif: 1 single cell lies.*row 30, column 25 (from 0) the height is 0, around it 5' zero.txt ||
    fail "a height of 0 m: $(cat zero.txt)"
grep -q '"spike"' zero/ingest.json || fail "ingest.json does not say so"
[ "$(apart right/after.tif zero/after.tif)" = 0 ] || fail "a height of 0 m is taken for ground"

# Others that a flipped bit makes: half, twice, 256 m more; in a corner; two at once in the earlier survey.
raster odd 0 0 0 16384 70 9 250
run odd odd.tif after.tif
grep -q 'odd.tif: 2 single cells lie.*row 0, column 0 (from 0) the height is 16384' odd.txt ||
    fail "two wrong heights: $(cat odd.txt)"
[ "$(apart right/bed.tif odd/bed.tif)" = 0 ] || fail "the bed follows wrong heights"
raster more 6 51 33 770
run more before.tif more.tif
grep -q 'more.tif: 1 single cell lies.*row 51, column 33' more.txt || fail "256 m more: $(cat more.txt)"

# One survey alone, whose source is given as a thickness.
printf 'ncols 80\nnrows 80\nxllcorner 693000\nyllcorner 1638000\ncellsize 1\n' >thickness.asc
awk 'BEGIN { for (j = 0; j < 80; j++) for (i = 0; i < 80; i++) print ((i - 40)^2 + (j - 40)^2 < 64 ? 3 : 0) }' >>thickness.asc
printf '[site]\nbefore = zero.tif\ncrs = EPSG:5490+5756\nbefore_unit = m\n[ingest]\ncell_m = 1\nthickness = thickness.asc\nthickness_is = below\n' >site.ini
"$ingest" site.ini --out alone --progress none >alone.txt 2>&1 || fail "one survey: $(cat alone.txt)"
grep -q 'zero.tif: 1 single cell lies' alone.txt || fail "one survey alone: $(cat alone.txt)"
[ "$(cells alone/bed.tif | grep -c nan)" = 0 ] || fail "the bed of one survey has a hole"

# Points: four a cell, one of which is at 0 m or at 900 m. The ground of no cell follows it.
points() { # LOST HEIGHT
    awk -v lost="$1" -v odd="$2" 'BEGIN {
        for (j = 0; j < 120; j++) for (i = 0; i < 120; i++) {
            x = i / 2 + 0.25; y = j / 2 + 0.25
            z = 500 + 0.4 * y + 1.5 * sin(x / 5) * cos(y / 7) + 0.02 * sin(12.9 * i + 78.2 * j)
            if ((x - 30)^2 + (y - 30)^2 < 64) z -= lost
            if (odd != "" && i == 41 && j == 77) z = odd
            printf "%.3f %.3f %.3f\n", 693000 + x, 1638000 + y, z
        }
    }'
}
points 0 '' >before.xyz
points 6 '' >after.xyz
for ground in none native; do
    run "cloud-$ground" before.xyz after.xyz --set ingest.ground=$ground
    for height in 0 900; do
        points 6 $height >odd.xyz
        run "cloud-$ground-$height" before.xyz odd.xyz --set ingest.ground=$ground
        [ "$(apart "cloud-$ground/after.tif" "cloud-$ground-$height/after.tif")" = 0 ] ||
            fail "ground = $ground follows a point at $height m"
    done
done

[ "$failures" -eq 0 ] || exit 1
echo "all good"
