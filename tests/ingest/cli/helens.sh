# SPDX-License-Identifier: GPL-3.0-or-later
# Mount St. Helens, 1980 (USGS, public domain): real DEMs from before and after, one of them in feet.
# Published loss 2.5 to 2.9 km3; epochs in the wrong order and a copy that lost its unit are refused.
set -u
if [ -z "${TALUS_TEST_DATA:-}" ]; then
    echo "SKIPPED: Mount St. Helens needs TALUS_TEST_DATA"
    exit 0
fi
failed=0
data=$TALUS_TEST_DATA/mount-st-helens
gdal_translate -q "/vsizip/$data/mtsthelens_before.zip" before.tif || exit 1
gdal_translate -q "/vsizip/$data/mtsthelens_after.zip" after.tif || exit 1
site() {
    cat >site.ini <<SITE
[site]
before = before.tif
after = $1
crs = EPSG:26710+7968
[ingest]
cell_m = 30
source_area_min_m2 = 100000
deposit_area_min_m2 = 100000
SITE
}
site after.tif
"$TALUS_BIN/talus-ingest" site.ini --out out --progress none || exit 1
awk -F'[:,]' '
    /"source"/ {source = 1}
    source && /"volume_m3"/ {loss = $2 / 1e9; source = 0}
    /"after_fit"/ {fitted = 1}
    fitted && /"median_m"/ {bias = $2 + 0; fitted = 0}
    END {
        printf "loss %.3f km3, bias on stable terrain %.3f m\n", loss, bias
        exit !(loss >= 2.6 && loss <= 2.8 && bias < 0.5 && bias > -0.5)
    }' out/ingest.json || failed=1

sed -e 's/^before = before.tif/before = after.tif/' -e 's/^after = after.tif/after = before.tif/' site.ini >reversed.ini
"$TALUS_BIN/talus-ingest" reversed.ini --out reversed --progress none 2>words && failed=1
grep -q 'fallen upwards.*before and after exchanged' words || { echo "reversed: $(cat words)"; failed=1; }

gdal_translate -q -of AAIGrid after.tif after.asc && rm -f after.asc.aux.xml
site after.asc
"$TALUS_BIN/talus-ingest" site.ini --out stripped --progress none 2>words && failed=1
grep -q 'after_unit = m (or ft' words || { echo "no hint: $(cat words)"; failed=1; }
exit $failed
