#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of talus-post that have no other test: what each of them says happens.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
"$TALUS_TEST_BIN/post-make-scene" study blocks=60 frames=41 duration=8 || exit 1

# post KEY=VALUE...
post() {
    sets=
    for pair in "$@"; do sets="$sets --set $pair"; done
    # shellcheck disable=SC2086
    "$TALUS_BIN/talus-post" study/site.ini --out study --overwrite --progress none -q --set report.figures=no \
        --set report.paraview_mb=0 $sets >out.txt 2>err.txt || fail "$*: $(cat err.txt)"
}
weight() { wc -c <study/report.html; }

# replay_frames_per_s: 41 frames of 8 s are 5 a second. At 1 a second 9 are kept. Every frame of the
# replay has 14 bytes a block, a third more in text.
post
all=$(weight)
post report.replay_frames_per_s=1
few=$(weight)
echo "$all bytes with 41 frames, $few with 9"
[ $((all - few)) -gt $((32 * 60 * 14)) ] && [ $((all - few)) -lt $((32 * 60 * 14 * 2)) ] ||
    fail "replay_frames_per_s = 1 saves $((all - few)) bytes"

# replay_mb: the least that can be asked for is 0.1 MB: a longer motion is thinned to it.
rm -rf study
"$TALUS_TEST_BIN/post-make-scene" study blocks=400 frames=81 duration=8 || exit 1
post
whole=$(weight)
post report.replay_mb=0.11
[ $((whole - $(weight))) -gt 300000 ] || fail "replay_mb saves only $((whole - $(weight))) of $whole bytes"

# image: a photograph is laid into the page; what is none is refused by name.
gdal_translate -q -ot Byte -scale 0 500 0 255 -b 1 -b 1 -b 1 -a_nodata none study/bed.tif photo.tif || fail "no photograph"
plain=$(weight)
post report.image="$PWD/photo.tif"
[ "$(weight)" -gt $((plain + 5000)) ] && grep -q '"photo":"data:image/jpeg' study/report.html || fail "no photograph in the page"
grep -q photo.tif study/report.html || fail "the photograph is not among the inputs"
echo "not a picture" >words.tif
"$TALUS_BIN/talus-post" study/site.ini --out study --overwrite --progress none --set report.figures=no \
    --set report.image="$PWD/words.tif" >out.txt 2>err.txt && fail "words are taken for a photograph"
grep -q 'words.tif is not a picture' err.txt || fail "words.tif is not named: $(cat err.txt)"

# calibration: the report says what was found and how the scores were before; what else differed there is told.
cat >calibrate.json <<'END'
{"points": 14, "runs_per_point": 2, "parameters": [{"setting": "contact.friction", "start": "0.7", "best": 0.4567,
  "low": 0.43, "high": 0.48}], "conclusions": ["friction <is> known"],
 "sites": [{"before": {"iou": 0.3125, "runout_error_m": -77}, "after": {"iou": 0.8125, "runout_error_m": null}}],
 "provenance": {"settings": "[mesh]\nblock_count = 77\n\n[contact]\nfriction = 0.7\n"}}
END
post report.calibration="$PWD/calibrate.json" contact.friction=0.5
for words in 'calibration</a> of 28 runs' '<li>friction &lt;is&gt; known</li>' 'overlap (IoU) was 0.312 and the runout error −77' \
    '<code>mesh.block_count</code> = 77 instead of 400' \
    '<code>contact.friction</code></td><td class="number">0.7</td><td class="number">0.457</td><td class="number">0.5</td>' \
    '<tr data-calibrated="iou"><td>Overlap (IoU)</td><td class="number">0.312</td><td class="number">0.812</td>' \
    'class="number">−77.0 m</td><td class="number">–</td>'; do
    grep -q -F -e "$words" study/report.html || fail "calibration: no '$words': $(grep -A 12 'id="calibration"' study/report.html)"
done
grep -q 'contact.friction</code> = ' study/report.html && fail "what was calibrated is told as a difference"
echo '{"points": 3}' >other.json
cp -r study again && rm again/report.html
for bad in other.json missing.json; do
    "$TALUS_BIN/talus-post" study/site.ini --out again --overwrite --progress none --set report.calibration="$PWD/$bad" 2>err.txt && fail "$bad is taken for a calibration"
    grep -q "$bad" err.txt || fail "$bad is not named: $(cat err.txt)"
    [ ! -e again/report.html ] || fail "work was done before $bad was read"
done

# surface_rays: more looks per cell see other surfaces of the same rock.
for rays in 1 3 9; do
    post report.surface_rays=$rays
    cp study/thickness.tif "thickness$rays.tif" && cp study/solid.tif "solid$rays.tif"
done
if command -v gdalinfo >/dev/null; then
    mean() { gdalinfo -stats "$1" | sed -n 's/.*STATISTICS_MEAN=//p'; }
    echo "mean thickness: $(mean thickness1.tif) $(mean thickness3.tif) $(mean thickness9.tif)"
    awk -v a="$(mean thickness1.tif)" -v b="$(mean thickness3.tif)" -v c="$(mean thickness9.tif)" 'BEGIN {
        exit !(a != b && b != c && (a / c - 1) ^ 2 < 0.01 && (b / c - 1) ^ 2 <= (a / c - 1) ^ 2) }' ||
        fail "more rays do not come nearer to the mean thickness"
    [ "$(mean solid1.tif)" = "$(mean solid9.tif)" ] || fail "surface_rays changes the rock itself"
fi

[ "$failures" -eq 0 ] || exit 1
echo "all good"
