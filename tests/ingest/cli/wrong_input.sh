# SPDX-License-Identifier: GPL-3.0-or-later
# talus-ingest on wrong input: each case fails with its own sentence, and leaves no result behind.
set -u
ingest=$TALUS_BIN/talus-ingest
failed=0

# A rough slope of 60 by 60 m, two points per metre; `lost` metres are missing in the middle.
# make_cloud FILE WEST LOST
make_cloud() {
    awk -v west="$2" -v lost="$3" 'BEGIN {
        for (j = 0; j < 120; j++) for (i = 0; i < 120; i++) {
            x = i / 2 + 0.25; y = j / 2 + 0.25
            z = 100 + 0.4 * y + 1.5 * sin(x / 5) * cos(y / 7) + 0.02 * sin(12.9 * i + 78.2 * j)
            if ((x - 30)^2 + (y - 30)^2 < 64) z -= lost
            printf "%.3f %.3f %.3f\n", west + x, 1638000 + y, z
        }
    }' >"$1"
}

# site KEY=VALUE... : a site file with these lines in [site], [ingest] ones after a slash.
site() {
    {
        echo '[site]'
        for line in "$@"; do case $line in /*) ;; *) echo "$line" ;; esac; done
        echo '[ingest]'
        for line in "$@"; do case $line in /*) echo "${line#/}" ;; esac; done
        printf 'source_area_min_m2 = 20\ndeposit_area_min_m2 = 20\n'
    } >site.ini
}

# refused NAME WORDS [OPTION...]: fails, says WORDS on one line, writes nothing.
refused() {
    name=$1 words=$2
    shift 2
    rm -rf out
    "$ingest" site.ini --out out --progress none "$@" >words 2>&1
    status=$?
    if [ $status = 0 ] || [ $status -gt 2 ]; then
        echo "$name: exit status $status"; cat words; failed=1
    elif ! grep -q -- "$words" words; then
        echo "$name: does not say \"$words\":"; cat words; failed=1
    elif [ -n "$(ls out 2>/dev/null)" ]; then
        echo "$name: left something behind: $(ls out)"; failed=1
    else
        echo "ok: $name ($status)"
    fi
}

crs='crs = EPSG:5490+5756'
make_cloud before.xyz 693000 0
make_cloud after.xyz 693000 6
make_cloud far.xyz 695000 6

site "before = before.xyz" "after = after.xyz" "$crs" '/ground = none'
if ! "$ingest" site.ini --out good --progress none -q; then
    echo "the right input is refused"; failed=1
fi

site "before = nothing.las" "after = after.xyz" "$crs"
refused "a missing file" "nothing.las"

mkdir folder
site "before = folder" "after = after.xyz" "$crs"
refused "a directory" "folder"

printf '# no points\n' >empty.xyz
site "before = empty.xyz" "after = after.xyz" "$crs"
refused "an empty cloud" "empty.xyz holds no points"

site "before = before.xyz" "after = far.xyz" "$crs"
refused "disjoint epochs" "do not overlap"

cat >elsewhere.geojson <<'JSON'
{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:5490"}},
 "features": [{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates":
 [[[600000, 1600000], [600010, 1600000], [600010, 1600010], [600000, 1600000]]]}}]}
JSON
site "before = before.xyz" "after = after.xyz" "$crs" '/stable = elsewhere.geojson' '/ground = none'
refused "no overlap of stable terrain" "site.ini:.*polygon 1 of the stable terrain .* does not overlap"

site "before = before.xyz" "after = after.xyz" 'area = elsewhere.geojson' "$crs"
refused "an area elsewhere" "polygon 1 of the area of interest .* does not overlap"

site "before = before.xyz" "$crs" '/ground = none'
printf '[release]\nrocks = 5\nfrom_m = 693005 1638005 600000 1600000\n[mesh]\nblocks = forms\n' >>site.ini
sed -i '/area_min_m2/d' site.ini
refused "a release outside the terrain" "site.ini:.*point 2 at 600000.00 1600000.00 lies outside the terrain"

site "before = before.xyz" "after = after.xyz" 'crs = EPSG:4326+5756'
refused "a geographic coordinate system" "is not a map projection"

site "before = before.xyz" "after = after.xyz" 'crs = EPSG:2272+5703'
refused "a system in feet" "A study needs metres"

site "before = before.xyz" "after = after.xyz" 'crs = EPSG:5490'
refused "no heights" "says nothing about heights"

site "before = before.xyz" "after = after.xyz"
refused "no coordinate system" "does not say in which coordinate system"

sed '5s/.*/1e30 1638000 100/' before.xyz >wild.xyz
site "before = wild.xyz" "after = after.xyz" "$crs"
refused "1e30 in text" "wild.xyz:5: x = 1e30"

sed '7s/.*/693001 nan 100/' before.xyz >nan.xyz
site "before = nan.xyz" "after = after.xyz" "$crs"
refused "NaN in text" "nan.xyz:7:"

sed 's/\./,/g' before.xyz >comma.xyz
site "before = comma.xyz" "after = after.xyz" "$crs"
refused "decimal commas" "decimal comma"

head -c 300 /dev/zero >zero.las
site "before = zero.las" "after = after.xyz" "$crs"
refused "zeros called LAS" "is not a LAS file"

# GeoTIFF keys of a small LAS file: at byte 303 the code of its projection.
seed=$TALUS_SOURCE/tests/ingest/fuzz/seeds/las/las12-format3-geokeys
cp "$seed" own.las && printf '\377\177' | dd of=own.las bs=1 seek=303 conv=notrunc 2>/dev/null
site "before = own.las" "after = after.xyz"
refused "a projection of its own" "without an EPSG code; name it in the site file"
refused "the way out of it" "write it into the site file, as in crs = "

# The third key says that the map is in US survey feet, the second names a system in metres.
cp "$seed" mixed.las
printf '\004\014\000\000\001\000\053\043' | dd of=mixed.las bs=1 seek=305 conv=notrunc 2>/dev/null
site "before = mixed.las" "after = after.xyz" "$crs"
refused "feet under a metric code" "says that its map unit is 0.3048"

# Another datum is converted, and its accuracy told.
site "before = before.xyz" "after = after.xyz" "$crs" 'before_crs = EPSG:32620+5756' '/ground = none'
"$ingest" site.ini --out datum --progress none >words 2>&1 || { echo "another datum: $(cat words)"; failed=1; }
grep -q 'converted from .* accurate to [0-9.]* m as PROJ states' words ||
    { echo "accuracy is not told: $(cat words)"; failed=1; }

site "before = before.xyz" "after = after.xyz" "$crs" 'bounds_m = 1 2 3'
refused "half a bounding box" "west south east north"

site "before = before.xyz" "$crs"
refused "one epoch without a source" "after = is empty"

# A raster whose heights have no unit is refused; with the unit it is read.
gdal_translate -q -b 1 -of GTiff good/before.tif unit.tif
gdal_translate -q -b 1 -of AAIGrid good/before.tif stripped.asc && rm -f stripped.prj stripped.asc.aux.xml
site "before = stripped.asc" "after = good/after.tif" "$crs"
refused "a raster without unit" "before_unit = m"
site "before = stripped.asc" "after = good/after.tif" "$crs" 'before_unit = m'
"$ingest" site.ini --out units --progress none -q || { echo "before_unit is not heard"; failed=1; }

# One flipped bit in the list of a GeoTIFF's strips (tag 273) moves the cells of one by 16, and GDAL reads on.
gdal_translate -q -b 1 -co BLOCKYSIZE=10 -of GTiff good/after.tif strips.tif
at=$(od -An -v -tu1 -w1 -N 4000 strips.tif | awk '{ b[NR - 1] = $1 } function word(p) { return b[p] + 256 * (b[p + 1] + 256 * b[p + 2]) }
    END { for (p = word(4) + 2; b[p] != 17 || b[p + 1] != 1; p += 12); print word(p + 8) + 8 }')
flipped=$(od -An -tu1 -N 1 -j "$at" strips.tif | awk '{ printf "\\%03o", int($1 / 64) % 2 ? $1 - 64 : $1 + 64 }')
site "before = good/before.tif" "after = strips.tif" "$crs"
"$ingest" site.ini --out strips --progress none -q || { echo "strips are refused"; failed=1; }
printf "$flipped" | dd of=strips.tif bs=1 seek="$at" conv=notrunc 2>/dev/null
refused "a strip of a GeoTIFF that was moved" "strips.tif is damaged: its parts lie over each other"

# Feet are converted: the same raster times 3.28..., said to be in feet, gives the same heights.
awk 'NR <= 6 {print; next} {for (i = 1; i <= NF; i++)
    if ($i == $i + 0 && $i > 0) $i = sprintf("%.6f", $i / 0.3048); print}' stripped.asc >feet.asc
site "before = feet.asc" "after = good/after.tif" "$crs" 'before_unit = ft'
"$ingest" site.ini --out feet --progress none -q
for folder in units feet; do
    gdallocationinfo -b 1 -valonly -geoloc $folder/before.tif 693010.5 1638040.5 >$folder.value
done
awk 'NR == FNR {a = $1; next} {d = a - $1; exit !(d < 0.001 && d > -0.001)}' units.value feet.value ||
    { echo "feet are not metres"; cat units.value feet.value; failed=1; }

# Checks of the surveys, each with the line to change. The table of all is property/wrong_surveys.c.
# warned NAME WORDS: goes on, and says WORDS.
warned() {
    rm -rf out
    "$ingest" site.ini --out out --overwrite --progress none >words 2>&1 ||
        { echo "$1: refused: $(cat words)"; failed=1; }
    grep -q -- "$2" words || { echo "$1: does not say \"$2\": $(cat words)"; failed=1; }
    grep -q -- '"checks":.*\[\]' out/ingest.json && { echo "$1: not in ingest.json"; failed=1; }
}
make_cloud moved.xyz 693003 6
site "before = before.xyz" "after = moved.xyz" "$crs" '/ground = none'
refused "a shift of 3 m" "site.ini.*later survey had to be moved"
site "before = before.xyz" "after = moved.xyz" "$crs" '/ground = none' '/accept_shift = yes'
warned "a shift that is accepted" "later survey had to be moved"
site "before = before.xyz" "after = after.xyz" "$crs" 'after_unit = ft' '/ground = none'
refused "feet that are metres" "site.ini:5: .site. after_unit: .* Set after_unit = m"
site "before = after.xyz" "after = before.xyz" "$crs" '/ground = none'
warned "epochs exchanged" "are before and after exchanged"
site "before = before.xyz" "after = after.xyz" "$crs" '/ground = none' '/source = elsewhere.geojson'
refused "a source elsewhere" "polygon 1 of the source .* does not overlap the ground"
awk '{print $2, $1, $3}' after.xyz >turned.xyz
site "before = before.xyz" "after = turned.xyz" "$crs" '/ground = none'
refused "axes exchanged" "its axes are exchanged"
site "before = before.xyz" "after = after.xyz" "$crs" '/ground = none' '/source_area_min_m2 = 2000'
sed -i '/^source_area_min_m2 = 20$/d' site.ini
warned "a source that is too small" "no source was found. The largest patch of loss that was dropped has .* a smaller minimum area would keep it"
grep -q 'smaller than source_area_min_m2' out/ingest.json || { echo "dropped patches are not listed"; failed=1; }

# Outputs that cannot be written.
site "before = before.xyz" "after = after.xyz" "$crs" '/ground = none'
echo text >file
"$ingest" site.ini --out file/inside --progress none >words 2>&1 && failed=1
grep -q 'file' words || { echo "an unwritable folder: $(cat words)"; failed=1; }
"$ingest" site.ini --out good --progress none >words 2>&1 && failed=1
grep -q -- '--overwrite' words || { echo "existing results: $(cat words)"; failed=1; }
mkdir small
(trap '' XFSZ; ulimit -f 4; "$ingest" site.ini --out small --progress none >words 2>&1) && failed=1
ls small | grep -v '\.tif$\|\.gpkg$\|\.json$' | grep . && { echo "a full disk leaves parts"; failed=1; }
ls small/ingest.json 2>/dev/null && { echo "a full disk leaves a summary"; failed=1; }
grep -q 'error' words || { echo "a full disk: $(cat words)"; failed=1; }
TALUS_FAULT=write:2+ "$ingest" site.ini --out none --progress none >words 2>&1 && failed=1
[ ! -e none/ingest.json ] || { echo "failing writes leave a summary"; failed=1; }

exit $failed
