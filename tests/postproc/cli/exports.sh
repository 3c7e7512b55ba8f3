#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# [report] export: what other programs read of each format; and the rules of CF for our NetCDF files.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
"$TALUS_TEST_BIN/post-make-scene" a blocks=30 frames=21 || exit 1
post() {
    "$TALUS_BIN/talus-post" a/site.ini --out a --overwrite --progress none --set report.figures=no \
        --set report.paraview_mb=0 "$@"
}
expect 2 'gpx is not a format; there are kml, shapefile' post --set report.export=kml,gpx
[ ! -e a/result.gpkg ] || fail "work was done before the setting was looked at"
post --set 'report.export=kml, shapefile dxf,ascii' --set 'report.title=Odd <title> & "all"' 2>err.txt || fail "$(cat err.txt)"

# Shapefiles and drawing: as many features as the GeoPackage has.
features() { ogrinfo -so -ro "$1" "$2" | sed -n 's/^Feature Count: //p'; }
for layer in blocks block_points trajectories source_outline simulated_outline surveyed_outline; do
    wanted=$(features a/result.gpkg $layer)
    got=$(features a/shapefile/$layer.shp $layer)
    [ -n "$wanted" ] && [ "$wanted" = "$got" ] || fail "$layer.shp has $got features, the GeoPackage $wanted"
    drawn=$(ogrinfo -ro -q a/result.dxf entities | grep -c "Layer (String) = $layer\$")
    [ "$drawn" -ge "${wanted:-1}" ] || fail "result.dxf has $drawn entities of $layer, not $wanted"
done

# The same numbers in the ASCII grid as in the GeoTIFF.
for map in thickness velocity_max; do
    gdal_translate -q -of XYZ a/$map.tif tif.xyz && gdal_translate -q -of XYZ a/ascii/$map.asc asc.xyz
    paste -d' ' tif.xyz asc.xyz | awk '$3 == "nan" || $3 == "-nan" {if ($6 != -9999) bad++; next}
        ($3 - $6) ^ 2 > 1e-10 * (1 + $3 ^ 2) || ($1 - $4) ^ 2 + ($2 - $5) ^ 2 > 1e-6 {bad++} {n++}
        END {exit bad > 0 || n < 10}' || fail "$map.asc differs from $map.tif"
done
grep -q 'PROJCS\["WGS_1984_UTM_Zone_20N"' a/ascii/thickness.prj || fail "the .prj is another system: $(cat a/ascii/thickness.prj)"

# KML: well-formed, an animation of blocks, on the spot where the GeoPackage has them.
unzip -p a/result.kmz doc.kml >doc.kml 2>/dev/null || gdal_translate --version >/dev/null
[ -s doc.kml ] || python3 -c 'import zipfile; open("doc.kml", "wb").write(zipfile.ZipFile("a/result.kmz").read("doc.kml"))'
if command -v xmllint >/dev/null; then
    xmllint --noout doc.kml || fail "doc.kml is not well-formed"
fi
grep -q '<name>Odd &lt;title&gt; &amp; &quot;all&quot;</name>' doc.kml || fail "the title is not escaped: $(grep -m 1 '<name>' doc.kml)"
spans=$(grep -c '<TimeSpan>' doc.kml)
[ "$spans" -ge 15 ] || fail "only $spans moments in the KML"
[ "$(grep -c '<Polygon>' doc.kml)" -eq $((30 * spans)) ] || fail "not every block is in every moment"
grep -o '<begin>[^<]*' doc.kml | sort -c || fail "moments are out of order"
middle() { awk '{split($1, p, ","); x += p[1]; y += p[2]; n++} END {printf "%.4f %.4f\n", x / n, y / n}'; }
sed -n '/<name>Simulated deposit/,/<\/Placemark>/p' doc.kml | grep -o '<coordinates>[^<]*' |
    sed 's/<coordinates>//' | tr ' ' '\n' | grep , | middle >kml.txt
ogr2ogr -f CSV -t_srs EPSG:4326 -nlt MULTIPOINT -lco GEOMETRY=AS_WKT out.csv a/result.gpkg simulated_outline 2>/dev/null
grep -o '\-*[0-9][0-9.]* -*[0-9][0-9.]*' out.csv | tr ' ' ',' | middle >gpkg.txt
paste -d' ' kml.txt gpkg.txt | awk '{exit !(($1 - $3) ^ 2 + ($2 - $4) ^ 2 < 1e-7)}' ||
    fail "the deposit is elsewhere in the KML: $(cat kml.txt gpkg.txt)"

# Others read every file. Debian has no schema of KML; libkml, which knows it, reads the archive without a word.
for file in a/*.tif a/ascii/*.asc; do gdalinfo "$file" >read.txt 2>&1 && grep -q '^Size is [1-9]' read.txt || fail "gdalinfo: $file: $(tail -n 2 read.txt)"; done
for file in a/shapefile/*.shp a/result.gpkg a/result.dxf a/result.kmz; do
    ogrinfo -ro -so -al "$file" >read.txt 2>words.txt && grep -q '^Feature Count: [1-9]' read.txt || fail "ogrinfo: $file: $(tail -n 2 read.txt words.txt)"
    grep -i -e error -e warning words.txt && fail "ogrinfo complains of $file"
done
for file in a/*.nc; do ncdump -h "$file" >read.txt 2>&1 || fail "ncdump: $file: $(cat read.txt)"; done
ogrinfo --formats | grep -q LIBKML || echo "SKIPPED: this GDAL has no libkml"

# Without a place on Earth there is no KML, and a word about it.
"$TALUS_TEST_BIN/post-make-scene" b local=1 blocks=8 frames=5 || exit 1
"$TALUS_BIN/talus-post" b/site.ini --out b --progress none --set report.figures=no --set report.export=kml,ascii 2>err.txt ||
    fail "local: $(cat err.txt)"
grep -q 'result.kmz is left out' err.txt || fail "nothing is said about the KML: $(cat err.txt)"
[ ! -e b/result.kmz ] && [ -s b/ascii/thickness.asc ] || fail "local: wrong files"

# CF and UGRID, in the files of a small site's whole chain.
bin=$TALUS_BIN
"$bin/talus-dataset" slope --out slope >out.txt 2>err.txt || fail "$(cat err.txt)"
for stage in ingest mesh 'solve --set solve.until_s=0.5' 'post --set report.figures=no'; do
    # shellcheck disable=SC2086
    set -- $stage
    stage=$1
    shift
    "$bin/talus-$stage" slope/site.ini --out c --progress none -q "$@" >out.txt 2>err.txt || fail "$stage: $(cat err.txt)"
done
for file in c/maps.nc c/run.nc c/blocks.nc c/terrain.nc; do
    ncdump -h $file | awk -v file=$file -f "$TALUS_SOURCE/tests/postproc/cli/cf.awk" || fail "$file breaks a rule of CF"
done
ncdump -h c/run.nc | grep -q 'state:flag_meanings = "on_the_ground left_over_the_rim"' || fail "states have no meanings"
# The rules can be broken: a file without units, with a mesh that names what is not there.
ncdump -h c/terrain.nc | sed -e '/node_z:units/d' -e 's/"node_x node_y"/"node_x nowhere"/' |
    awk -v file=broken -f "$TALUS_SOURCE/tests/postproc/cli/cf.awk" >broken.txt && fail "a broken file passes"
grep -q 'node_z has no units' broken.txt && grep -q 'nowhere, which is not there' broken.txt || fail "$(cat broken.txt)"
[ "$failures" -eq 0 ]
