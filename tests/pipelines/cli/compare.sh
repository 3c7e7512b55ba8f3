#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The page that shows two runs side by side: lists what is done, draws what differs, says when grids differ.
# Stages stand in for the real ones; the reports are those of made-up scenes.
set -eu
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
fail() { echo "$*"; exit 1; }
echo 1 >a.xyz
echo 2 >b.xyz
printf '[site]\nbefore = a.xyz\nafter = b.xyz\n[report]\ntitle = one\n' >one.ini
printf 'name,contact.friction\nlow,0.4\nhigh,0.55\nworst,0.97\n' >table.csv
"$TALUS_BIN/talus-batch" one.ini --settings table.csv --out study >said 2>&1 || fail "the batch: $(cat said)"
[ "$(grep -o '"key":' study/compare.html | wc -l)" -eq 2 ] || fail "not the two runs that are done can be chosen"
[ "$(grep -o 'src="runs/[0-9a-f]*/thumbnail.png"' study/index.html | wc -l)" -eq 2 ] || fail "no thumbnails"
grep -q 'href="compare.html"' study/index.html || fail "no way to the comparison"
browser=${TALUS_CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [ -z "$browser" ]; then
    echo "SKIPPED: opening pages needs chromium"
    exit 0
fi
# scene NAME ARGUMENTS...: a report of its own
scene() {
    name=$1
    shift
    "$TALUS_TEST_BIN/post-make-scene" "$name" "$@" || exit 1
    "$TALUS_BIN/talus-post" "$name/site.ini" --out "$name" --progress none -q --set report.figures=no \
        --set report.paraview_mb=0 >out.txt 2>err.txt || fail "$name: $(cat err.txt)"
    [ "$(gdalinfo "$name/thumbnail.png" | grep -c '^Size is 200, ')" -eq 1 ] || fail "$name has no thumbnail"
}
# look: the root of the page as the browser leaves it, with the words below the map
look() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader \
        --user-data-dir="$PWD/profile" --disable-background-networking --virtual-time-budget=8000 \
        --window-size=1300,1000 --dump-dom "file://$PWD/study/compare.html" 2>browser.txt >page.txt
    grep -o '<html [^>]*>' page.txt
    grep -o 'id="compare-read"[^<]*' page.txt
}
scene left blocks=12 frames=5
scene right blocks=7 frames=5
set -- study/runs/*
cp left/report.html "$1/report.html"
cp left/report.html "$2/report.html"
look >same.txt
grep -q 'data-compare="ok"' same.txt || fail "the page does not compare: $(cat same.txt)"
grep -q 'data-compare-most="0"' same.txt || fail "a run differs from itself: $(cat same.txt)"
grep -q '100 % of their area' same.txt || fail "a run does not cover itself: $(cat same.txt)"
cp right/report.html "$2/report.html"
look >other.txt
grep -q 'data-compare="ok"' other.txt || fail "the page does not compare: $(cat other.txt)"
if grep -q 'data-compare-most="0"' other.txt; then fail "two runs do not differ: $(cat other.txt)"; fi
# Every control, at the widths of a phone, a desk and a wide screen: pages.js presses them. What
# plays is looked at without a frame around it.
cp "$TALUS_SOURCE/tests/pipelines/cli/pages.js" study/
sed 's|</head>|<script src="pages.js"></script></head>|; s|<html |<html data-wait="4000" |' study/compare.html >study/alone.html
press() { # press PAGE WIDTH WANTED...
    page=$1 width=$2
    shift 2
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader --user-data-dir="$PWD/profile" \
        --disable-background-networking --allow-file-access-from-files --virtual-time-budget=20000 --window-size="$width,1000" \
        --enable-logging=stderr --dump-dom "file://$PWD/study/$page" 2>browser.txt | grep -o '<html [^>]*>' >root.txt || fail "the page does not open"
    for wanted in 'done="yes"' 'wide="no"' 'unnamed="none"' 'start="alike"' 'bar="right"' 'step="keeps"' 'turn="follows"' 'choice="changes"' "$@"; do
        grep -q "data-$wanted" root.txt || fail "$page at $width: not $wanted: $(cat root.txt)"
    done
    grep 'CONSOLE' browser.txt | grep -v 'GPU stall' && fail "compare.html complains"
    true
}
for width in 390 1400 2560; do
    printf '<!doctype html><html data-wait="4000"><body style="margin:0"><iframe id="page" src="compare.html" style="width:%dpx;height:1000px;border:0"></iframe><script src="pages.js"></script>' $width >study/frame.html
    press frame.html $width 'requests="0"'
done
press alone.html 1400 'play="plays"'
