#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Pages of odd sites stand: one block, no surveyed deposit, one epoch, rock that does not move, several
# sources, thirty of them, no rock missing at all, a title of odd characters and one that does not end; wide and dark
# screens and a phone. And text is told from its ground.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
# Contrast after WCAG 2.1, for the colours of text in both schemes: at least 4.5.
awk 'function digit(c) {return index("0123456789abcdef", c) - 1}
    function part(hex,    v) {v = (16 * digit(substr(hex, 1, 1)) + digit(substr(hex, 2, 1))) / 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ^ 2.4}
    function light(c) {return 0.2126 * part(substr(c, 2, 2)) + 0.7152 * part(substr(c, 4, 2)) + 0.0722 * part(substr(c, 6, 2))}
    function check(text, ground,    a, b, r) {a = light(colour[text]); b = light(colour[ground]); r = (a > b ? (a + 0.05) / (b + 0.05) : (b + 0.05) / (a + 0.05))
        n++; if (r < 4.5) {printf "FAILED: %s on %s has contrast %.2f in scheme %d\n", text, ground, r, scheme; bad = 1}}
    function all() {check("ink", "ground"); check("ink", "card"); check("soft", "ground"); check("soft", "card"); check("accent", "card")
        check("bad", "bad-ground"); check("doubt", "doubt-ground"); check("good", "good-ground")}
    {line = $0; while (match(line, /--[a-z-]+: #[0-9a-f]+/)) {split(substr(line, RSTART + 2, RLENGTH - 2), p, ": "); colour[p[1]] = p[2]; found++; line = substr(line, RSTART + RLENGTH)}}
    /^ *}/ && found > 7 {scheme++; all(); found = 0}
    END {exit bad || n != 16}' "$TALUS_SOURCE/core/app/page.css" >contrast.txt || fail "text is hard to read: $(cat contrast.txt)"

browser=${TALUS_CHROMIUM:-$(command -v chromium || command -v chromium-browser)}
if [ -z "$browser" ]; then
    echo "SKIPPED: opening pages needs chromium"
    [ "$failures" -eq 0 ]
    exit
fi
# look NAME ARGUMENTS...: opens the report of a scene; no error, a replay that came up, no overflow.
look() {
    name=$1
    shift
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --use-angle=swiftshader --enable-unsafe-swiftshader \
        --user-data-dir="$PWD/profile" --disable-background-networking --virtual-time-budget=5000 "$@" \
        --dump-dom "file://$PWD/$name/${file:-report}.html#width" 2>browser.txt | grep -o '<html [^>]*>' >root.txt
    for wanted in 'data-console-errors="0"' 'data-replay="ok"' 'data-overflow="no"'; do
        grep -q "$wanted" root.txt || fail "$name $*: not $wanted: $(cat root.txt)"
    done
}
# make NAME SCENE...
make_page() {
    name=$1
    shift
    "$TALUS_TEST_BIN/post-make-scene" "$name" "$@" || exit 1
    "$TALUS_BIN/talus-post" "$name/site.ini" --out "$name" --progress none -q --set report.figures=no --set report.paraview_mb=0 \
        --set "report.title=$title" --set "report.remark=$remark" >out.txt 2>err.txt || fail "$name: $(cat err.txt)"
}
title='</script><b>"&amp;'"'"' $(x) %s \u0041 ü 山 <!-- '
remark='fitted to <this> "survey" & no other'
make_page one blocks=1 frames=5
grep -q '<p class="about remark">fitted to &lt;this&gt; &quot;survey&quot; &amp; no other</p>' one/report.html ||
    fail "the remark is not there as it was given"
grep -q '<title>&lt;/script&gt;&lt;b&gt;&quot;&amp;amp;' one/report.html || fail "the title is not escaped"
title=Odd remark=''
make_page bare blocks=12 frames=5 deposit=0
grep -q 'class="about remark"' bare/report.html && fail "a remark that nobody made"
make_page single blocks=12 frames=5 epochs=1
make_page still blocks=12 frames=5 still=1
make_page two blocks=12 frames=5 two=1
title="A long title $(printf '%0120d' 0 | tr 0 W) and on it goes, and on"
make_page thirty blocks=90 frames=5 sources=30 rows=160
grep -q '<h1>A long title W.*and on it goes, and on</h1>' thirty/report.html || fail "the title is not whole"
make_page empty blocks=12 frames=5 empty=1
for page in one bare single still two thirty empty; do look $page --window-size=1400,1000; done
look two --window-size=2560,1400 --blink-settings=preferredColorScheme=0
# A phone, in a frame: Chromium's own window is never below 500 pixels.
for page in one thirty; do
    cat >"$page/phone.html" <<'END'
<!doctype html><html lang="en"><iframe id="phone" src="report.html#width" style="width:390px;height:844px"></iframe>
<script>setInterval(function () {
    var from = document.getElementById('phone').contentDocument.documentElement;
    ['data-console-errors', 'data-replay', 'data-overflow'].forEach(function (name) { document.documentElement.setAttribute(name, from.getAttribute(name)); });
}, 200);</script>
END
    file=phone look $page --allow-file-access-from-files --blink-settings=preferredColorScheme=0
done
[ "$failures" -eq 0 ]
