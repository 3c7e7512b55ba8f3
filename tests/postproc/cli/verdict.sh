#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What the report says first: whether the rock moved, came to rest and stayed on the map; and that several
# sources have a line each.
set -u
post=$TALUS_BIN/talus-post
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
analyse() { # analyse FOLDER [SCENE]...
    folder=$1
    shift
    "$TALUS_TEST_BIN/post-make-scene" "$folder" blocks=100 frames=41 "$@" || exit 1
    "$post" "$folder/site.ini" --out "$folder" --set report.figures=no --set report.paraview_mb=0 \
        --progress none 2>"$folder.txt" || fail "talus-post failed: $(cat "$folder.txt")"
}
# The first line of the page that has words in it, but for the link that skips to the scores.
first_line() { sed -n '/<div class="page">/,$p' "$1/report.html" | sed '1d; /class="skip"/d; s/<[^>]*>//g' | grep -m 1 .; }
score() { awk -v key="\"$2\":" '$1 == key {hit = 1} hit && /"value"/ {sub(/,$/, "", $2); print $2; exit}' "$1/scores.json"; }

for epochs in 1 2; do
    analyse "still$epochs" still=1 "epochs=$epochs"
    first_line "still$epochs" | grep -q '^The rock did not move: .*friction on the ground is 0.9, an angle of 42°.*A friction of 0.38 would let it go, 0.45 would not' ||
        fail "the first line is: $(first_line "still$epochs")"
    grep -q '<div class="banner bad"' "still$epochs/report.html" || fail "it is not said in red"
    grep -q 'The rock did not move' "still$epochs.txt" || fail "talus-post does not say it: $(cat "still$epochs.txt")"
    sed 's/<script.*//' "still$epochs/report.html" >plain.txt
    grep -E -i 'run out to|toe stops|surveyed: (goes too far|stops short)' plain.txt "still$epochs.txt" &&
        fail "a runout is told of rock that did not move"
done
# Boxes of 0.02 m of travel; the same in scores.json.
awk -v m="$(score still2 travel_median_m)" -v s="$(score still2 travel_moved)" 'BEGIN {exit !(m > 0.02 && m < 0.04 && s == 0)}' ||
    fail "travel in scores.json is $(score still2 travel_median_m), $(score still2 travel_moved)"

# The slope of the base, by the ground of the scene: 0.42 w (0.62 - t)^1.35 / 0.62^1.35 at t = 0.16 falls by
# 0.42 * 1.35 / 0.62 * (0.46 / 0.62)^0.35 = 0.82.
# An angle of 39 degrees.
grep -q 'slopes at 39°' still2.txt || fail "the slope of the base is not 39°: $(cat still2.txt)"

# One that moved says how far, and nothing of this.
analyse moved epochs=1
grep -q 'The blocks run out to' moved/report.html || fail "no runout of rock that moved"
grep -q 'did not move' moved/report.html moved.txt && fail "rock that moved is said to have stayed"
grep -q 'class="banner' moved/report.html && fail "a good run has a banner"

grep -q '<span class="level open">open</span></td><td>How much the result depends' moved/report.html || fail "what was not looked at is called good"

# What talus-ingest warned of stands on the page as well.
sed '1s/{/{"checks": [{"check": "dome", "text": "one survey bends <0.6 m>"}],/' moved/ingest.json >warned.json && mv warned.json moved/ingest.json
"$post" moved/site.ini --out moved --overwrite --set report.figures=no --set report.paraview_mb=0 --progress none 2>moved.txt || fail "$(cat moved.txt)"
first_line moved | grep -q 'The survey was taken with 1 warning.*one survey bends &lt;0.6 m&gt;' || fail "a warned survey: the first line is $(first_line moved)"

# Unfinished and lost rock stand before everything else, too.
analyse lost lost=1
first_line lost | grep -q 'Do not trust' || fail "lost: the first line is $(first_line lost)"
grep -A2 'class="page"' lost/report.html | grep -q 'left the mapped ground' || fail "lost blocks are not said first"
analyse unfinished until=1
first_line unfinished | grep -q 'Read this result with care' || fail "unfinished: the first line is $(first_line unfinished)"
# So do steps that only the finisher solved, from more than 1 % of them on; fewer are no matter.
analyse finished finished=15
grep -A3 'class="page"' finished/report.html >top.txt
grep -q 'All 1000 steps reached the tolerance, but 15 of them (1.5 %) by the finisher only' top.txt ||
    fail "finished steps are not said first: $(first_line finished)"
grep -q finisher finished.txt || fail "talus-post does not say it: $(cat finished.txt)"
analyse few finished=10
grep -q 'by the finisher only' few/report.html && fail "1 % of finished steps is told"

# Two sources: a line, a toe and a runout each. Their blocks stop at the same eastings, so the runouts are
# alike, and neither has anything of the 75 m that lie between the two: blocks stop between 0.53 and 0.73 of
# the width of 320 m, and the crown lies between 0.10 and 0.22 of it.
analyse two two=1 epochs=1
[ "$(grep -c 'data-source=' two/report.html)" -eq 2 ] || fail "there are not two sources"
[ "$(grep -c 'class="flow"' two/report.html)" -eq 2 ] || fail "there are not two flow lines in the map"
analyse one epochs=1
grep -q 'data-source=' one/report.html && fail "one source has a table of sources"
for runout in $(score two runout_simulated_m) $(sed -n 's/.*data-source.*>\([0-9.]*\) m<.td><td class="number">[0-9.]*<.td><.tr>/\1/p' two/report.html); do
    awk -v r="$runout" 'BEGIN {exit !(r > 100 && r < 0.63 * 320 + 10)}' || fail "a source has a runout of $runout m"
    runouts=$((${runouts:-0} + 1))
done
[ "${runouts:-0}" -eq 3 ] || fail "there are ${runouts:-0} runouts, not the score and one for each source"

# Sensitivity: which runs are asked for, and the interval they put on every score.
variants() { "$post" moved/site.ini --out moved --print-variants --set report.sensitivity=yes "$@"; }
"$post" moved/site.ini --out moved --print-variants | grep . && fail "variants without being asked"
variants --set mesh.blocks=voronoi --set mesh.block_count=40 >list.txt
printf 'half mesh.block_count=20\ndouble mesh.block_count=80\nstep solve.dt_s=0.005\nsecond random.run=1\nthird random.run=2\n' |
    cmp -s - list.txt || fail "the variants are: $(cat list.txt)"
variants --set mesh.blocks=bricks --set 'mesh.brick_m=2 4 8' | awk '$1 == "double" {split($2, k, "="); a = k[2]; v = a * $3 * $4}
    $1 == "half" {split($2, k, "="); w = k[2] * $3 * $4} /random/ {bad = 1}
    END {exit bad || (v - 32) ^ 2 > 1e-9 || (w - 128) ^ 2 > 1e-9}' || fail "bricks are not halved and doubled: $(variants --set 'mesh.brick_m=2 4 8')"
[ "$(variants --set mesh.blocks=import | wc -l)" -eq 1 ] || fail "blocks of one's own are cut"

"$TALUS_TEST_BIN/post-make-scene" sense blocks=100 frames=41 || exit 1
mkdir -p sense/sensitivity
for variant in half step; do
    "$TALUS_TEST_BIN/post-make-scene" "sense/sensitivity/$variant" blocks=60 frames=41 run=3 || exit 1
done
"$post" sense/site.ini --out sense --set report.figures=no --set report.paraview_mb=0 --set report.sensitivity=yes \
    --progress none 2>sense.txt || fail "talus-post failed: $(cat sense.txt)"
grep -q '1 of its runs are not in sense/sensitivity' sense.txt || fail "a missing run is not told: $(cat sense.txt)"
grep -o 'data-variant.*' sense/report.html | grep -q '>100<' || fail "blocks are not counted in whole numbers"
[ "$(grep -c 'data-variant=' sense/report.html)" -eq 3 ] || fail "the runs are not in the report"
grep -q 'depends on the discretisation more than on the survey' sense/report.html || fail "it is not said what the result depends on"
"$post" sense/sensitivity/half/site.ini --out sense/sensitivity/half --set report.figures=no --set report.paraview_mb=0 --progress none 2>/dev/null
awk -F, -v a="$(score sense runout_simulated_m)" -v b="$(score sense/sensitivity/half runout_simulated_m)" '
    $1 == "runout_simulated_m" {low = $11; high = $12}
    END {l = a < b ? a : b; h = a < b ? b : a; exit !(h > l && low == l && high == h)}' sense/scores.csv ||
    fail "the interval is not that of the runs: $(grep runout_simulated sense/scores.csv)"

# Numbers as people write them, everywhere a reader looks.
"$TALUS_TEST_BIN/post-make-scene" odd blocks=100 frames=41 unconverged=460 drift=4.6 || exit 1
"$post" odd/site.ini --out odd --set report.figures=no --set report.paraview_mb=0 --progress none 2>odd.txt
sed -e '/<script/,/<\/script>/d' -e '/<details>/,/<\/details>/d' -e 's/data-value="[^"]*"//g' -e 's/src="[^"]*"//g' -e 's/href="[^"]*"//g' odd/report.html >odd.html
grep -E '[0-9]e[+-][0-9]' odd.html odd.txt && fail "a number is written with an e"
grep -q '460 %' odd.html || fail "an energy drift of 460 % is not written so"
grep -q 'of 1<' odd.html && fail "a ratio is written as 'of 1'"
grep -o '\([0-9.]*\) to \1[ )<]' odd.html && fail "an interval has no width"

# A title that tells the place: of site.ini and of names of a letter, the folder.
mkdir -p Grossgufer && cp -r moved/* Grossgufer && printf '[report]\nfigures = no\nparaview_mb = 0\n' >Grossgufer/b.ini
(cd Grossgufer && "$post" b.ini --out . --overwrite --progress none 2>/dev/null)
grep -q '<h1>Grossgufer</h1>' Grossgufer/report.html || fail "the title is $(grep -o '<h1>.*</h1>' Grossgufer/report.html)"
[ "$failures" -eq 0 ]
