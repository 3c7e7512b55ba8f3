#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The report in headless Chromium: no error, no request, a replay that draws and answers its controls,
# and the numbers of scores.json in the table.
set -u
post=$TALUS_BIN/talus-post
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

browser=${TALUS_CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
if [ -z "$browser" ]; then
    echo "SKIPPED: opening the report needs chromium"
    exit 0
fi
open_page() { # open_page ARGUMENTS...
    timeout 200 "$browser" --headless --no-sandbox --disable-gpu --use-angle=swiftshader \
        --enable-unsafe-swiftshader --hide-scrollbars --user-data-dir="$PWD/profile" \
        --disable-background-networking --virtual-time-budget=40000 "$@" 2>browser.txt
}

"$TALUS_TEST_BIN/post-make-scene" a blocks=120 frames=61 || exit 1
"$post" a/site.ini --out a --set report.figures=no --set report.paraview_mb=0 --progress none \
    2>err.txt || fail "talus-post failed: $(cat err.txt)"
page="file://$PWD/a/report.html"

grep -o -E '(src|href)="(https?:)?//[^"]*"' a/report.html && fail "the report refers to the network"
check() { # check ATTRIBUTE VALUE
    grep -q "$1=\"$2\"" root.txt || fail "$screen: $1 is not $2: $(cat root.txt)"
}
number() { sed -n "s/.*data-test-$1=\"\([-0-9]*\)\".*/\1/p" root.txt; }
# check_controls SCREEN: what the page has noted in root.txt when it tried all its controls.
check_controls() {
    screen=$1
    check data-console-errors 0
    check data-replay ok
    check data-replay-blocks 120
    check data-test-requests 0
    check data-test-unnamed 0
    check data-test-slider moves
    # Every colouring and every layer changes the picture, and taking it off brings the picture back.
    for choice in colour-speed colour-energy colour-travel colour-height colour-volume ground-thickness \
        ground-deposit ground-change ground-passages ground-velocity_max ground-energy_max ground-arrival \
        contours paths paths-tenth surveyed; do
        check "data-test-$choice" changes
    done
    check data-test-ground-legend empty
    check data-test-wipe wipes
    for view in slope toe above; do check "data-test-view-$view" turns; done
    check data-test-follow follows
    check data-test-keys work
    check data-test-drag turns
    check data-test-drag-shift moves
    check data-test-wheel-page left
    check data-test-wheel zooms
    check data-test-pinch zooms
    check data-test-speed keeps
    check data-test-play plays
    check data-test-pause pauses
    check data-test-click tells
    check data-test-path shows
    check data-test-chosen 2
    check data-test-section cuts
    check data-test-section-ground right
    check data-test-section-drawn drawn
    # The map: each control changes what it would save as a picture, and undoing all brings it back.
    for step in layer opacity second wipe outlines zoom out pan drag wheel section; do check "data-test-map-$step" changes; done
    check data-test-map-back same
    check data-test-map-read tells
    check data-test-map-key says
    check data-test-map-drawn drawn
    check data-test-map-keys work
    check data-test-map-export saves
    check data-test-record films
    check data-test-untried none
    # The quick pictures of a machine without a graphics card are like the full ones in all but edges, in thousandths
    # of the pixels that blocks and shadows change; those of another moment are not. Without blocks it would be 836,
    # without their shadows 791.
    for what in plain paths survey wipe; do
        [ "$(number quick-$what)" -ge 920 ] || fail "the quick picture ($what) has $(number quick-$what) of 1000 pixels of the full one"
    done
    [ "$(number quick-other)" -lt 700 ] || fail "likeness does not see the blocks: $(number quick-other)"
    check data-test-done yes
    colours=$(sed -n 's/.*data-test-colours="\([0-9]*\)".*/\1/p' root.txt)
    [ "${colours:-0}" -ge 32 ] || fail "the canvas has only ${colours:-no} colours"
}
# A desk; a wide screen at night; a phone, in a frame, since Chromium's own window is never below 500 pixels.
cat >phone.html <<'END'
<!doctype html><html lang="en"><iframe id="phone" src="a/report.html#selftest&width" style="width:390px;height:844px"></iframe>
<script>setInterval(function () {
    var from = document.getElementById('phone').contentDocument.documentElement, to = document.documentElement;
    Array.prototype.forEach.call(from.attributes, function (a) { if (/^data-/.test(a.name)) { to.setAttribute(a.name, a.value); } });
    to.setAttribute('data-seen', from.clientWidth + ' ' + from.getAttribute('data-overflow'));
}, 200);</script>
END
open_page --window-size=1400,1000 --dump-dom "$page#selftest" >page.html
grep -o '<html [^>]*>' page.html >root.txt || fail "the page did not come up: $(tail -n 3 browser.txt)"
check_controls desk
open_page --window-size=2560,1400 --blink-settings=preferredColorScheme=0 --dump-dom "$page#selftest&width" | grep -o '<html [^>]*>' >root.txt
check_controls wide
check data-overflow no
open_page --allow-file-access-from-files --dump-dom "file://$PWD/phone.html" | grep -o '<html [^>]*>' >root.txt
check_controls phone
check data-seen '390 no'

# A photograph, red, green, blue and yellow in its quarters, lies on the ground where its coordinates say, and can be
# taken off.
printf 'P6 2 2 255\n\310\024\024\024\310\024\024\024\310\310\310\024' >quarters.ppm
corners=$(gdalinfo a/bed.tif | awk -F '[(,)]' '/^Upper Left/ {a = $2 " " $3} /^Lower Right/ {print a, $2, $3}')
gdal_translate -q -outsize 80 80 -a_ullr $corners -a_srs "$(gdalsrsinfo --single-line -o wkt2 a/bed.tif)" quarters.ppm photo.tif || fail "no photograph"
"$post" a/site.ini --out a --overwrite -q --set report.figures=no --set report.paraview_mb=0 --progress none \
    --set report.image="$PWD/photo.tif" 2>err.txt || fail "talus-post with a photograph: $(cat err.txt)"
open_page --window-size=1400,1000 --dump-dom "$page#selftest" | grep -o '<html [^>]*>' >root.txt
check_controls photograph
check data-replay-photo ok
check data-test-photo changes
for quarter in 'nw r>1.5*g&&r>1.5*b' 'ne g>1.5*r&&g>1.5*b' 'sw b>1.5*r&&b>1.5*g' 'se r>1.5*b&&g>1.5*b'; do
    sed -n "s/.*data-test-photo-${quarter%% *}=\"\([0-9,]*\)\".*/\1/p" root.txt | tr , ' ' >colour.txt
    awk "{r = \$1; g = \$2; b = \$3} END {exit !(NR == 1 && ${quarter#* })}" colour.txt || fail "the photograph in the ${quarter%% *} is $(cat colour.txt)"
done

# The picture as a user sees it changes with time, and not by itself.
for shot in 'one 0' 'same 0' 'two 8'; do
    name=${shot% *} time=${shot#* }
    open_page --window-size=1280,3000 --screenshot="$PWD/$name.png" "$page#t=$time" >/dev/null
    [ -s "$name.png" ] || fail "no picture at $time s"
done
cmp -s one.png same.png || fail "two pictures of one moment differ"
cmp -s one.png two.png && fail "the picture does not change with time"

# Every number of the table is that of scores.json.
awk '/"by_run"/ {exit} /^\t\t"[a-z_0-9]+":\t\{/ {split($1, k, "\""); key = k[2]}
    /^\t\t\t"value":/ {v = $2; sub(/,$/, "", v); if (key != "") print key, v}' a/scores.json |
    grep -v null >json.txt
sed -n 's/.*data-score="\([^"]*\)" data-value="\([^"]*\)".*/\1 \2/p' page.html | grep ' .' >table.txt
[ "$(wc -l <table.txt)" -ge 15 ] || fail "the table has only $(wc -l <table.txt) numbers"
awk 'NR == FNR {json[$1] = $2; next} !($1 in json) || (json[$1] - $2) ^ 2 > 1e-24 * (1 + $2 ^ 2) \
    {print "FAILED: " $1 " is " $2 " in the table and " json[$1] " in scores.json"; bad = 1}
    END {exit bad}' json.txt table.txt || failures=$((failures + 1))

# A toe is found to a cell of 2 m: no tenths of a metre, unless the error is below one.
grep -o 'Runout error</p><p class="big">[^ ]*' page.html | grep -q -E '>[^0-9]*([1-9][0-9]*|0(\.[0-9])?)$' ||
    fail "the runout error has other digits: $(grep -o 'Runout error</p><p class="big">[^ ]*' page.html)"

# Without JavaScript the scores and the map are still there.
sed -e '/<script/,/<\/script>/d' a/report.html >plain.html
grep -q 'data-score="iou"' plain.html || fail "without JavaScript there is no score sheet"
grep -q '<svg' plain.html || fail "without JavaScript there is no map"
open_page --window-size=1280,1600 --screenshot="$PWD/plain.png" "file://$PWD/plain.html" >/dev/null
[ -s plain.png ] && [ "$(wc -c <plain.png)" -gt 50000 ] || fail "without JavaScript the page is empty"
[ "$failures" -eq 0 ]
