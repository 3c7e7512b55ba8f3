#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages of calibrations and batches in headless Chromium, at the widths of a phone, a desk and a wide screen, light
# and dark: every head sorts, every point lights up in all plots and can be reached by keys, everything has a name,
# nothing is wider than the screen, no error, no request. Stages stand in for the real ones.
set -eu
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
fail() { echo "$*"; exit 1; }
browser=${TALUS_CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
if [ -z "$browser" ]; then
    echo "SKIPPED: opening pages needs chromium"
    exit 0
fi
echo 1 >a.xyz
echo 2 >b.xyz
title='</script><b>"&amp; ü 山 a title that is much too long for any one line of a table on a small screen and goes on'
{
    printf '[site]\nbefore = a.xyz\nafter = b.xyz\n[report]\ntitle = %s\n[contact]\nfriction = 0.85\n' "$title"
    printf '[calibrate]\nruns = 24\n[vary.contact.friction]\nlow = 0.2\nhigh = 0.9\n[vary.contact.restitution]\nlow = 0.1\nhigh = 0.8\n'
} >one.ini
printf '[site]\nbefore = a.xyz\nafter = b.xyz\n' >two.ini
printf 'name,contact.friction\nlow,0.4\nhigh,0.55\nworst,0.97\n' >table.csv
"$TALUS_BIN/talus-calibrate" one.ini --out fitted --progress none >said 2>&1 || fail "the calibration: $(cat said)"
"$TALUS_BIN/talus-batch" one.ini two.ini --settings table.csv --out batch --progress none >said 2>&1 || fail "the batch: $(cat said)"
cp "$TALUS_SOURCE/tests/pipelines/cli/pages.js" .
# look PAGE WIDTH SCHEME (0 dark, 1 light)
look() {
    printf '<!doctype html><html><body style="margin:0"><iframe id="page" src="%s" style="width:%dpx;height:1000px;border:0"></iframe><script src="pages.js"></script>' "$1" "$2" >frame.html
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" --disable-background-networking \
        --allow-file-access-from-files --virtual-time-budget=6000 --window-size="$2,1000" --blink-settings=preferredColorScheme="$3" \
        --enable-logging=stderr --dump-dom "file://$PWD/frame.html" 2>browser.txt | grep -o '<html [^>]*>' >root.txt || fail "$1 does not open"
    for wanted in 'done="yes"' 'wide="no"' 'unnamed="none"' 'sorts="yes"' 'lights="yes"' 'requests="0"' "dark=\"$([ "$3" = 0 ] && echo yes || echo no)\""; do
        grep -q "data-$wanted" root.txt || fail "$1 at $2 ($3): not $wanted: $(cat root.txt)"
    done
    grep -q 'data-shut' root.txt && fail "$1: details do not open"
    grep 'CONSOLE' browser.txt && fail "$1 complains"
    true
}
number() { sed -n "s/.*data-$1=\"\([0-9]*\)\".*/\1/p" root.txt; }
for width in 390 1400 2560; do
    for scheme in 0 1; do
        look fitted/calibrate.html $width $scheme
        [ "$(number heads)" -ge 5 ] && [ "$(number points)" -ge 24 ] || fail "few heads and points: $(cat root.txt)"
        [ "$(number reachable)" -gt 0 ] || fail "no point can be reached by keys: $(cat root.txt)"
        look batch/index.html $width $scheme
        [ "$(number heads)" -ge 3 ] || fail "few heads: $(cat root.txt)"
    done
done
