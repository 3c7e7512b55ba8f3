#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Calibrations with stage programs whose best friction is known: every method finds it, a setting without
# influence is called unidentifiable, the outputs are there and can be used.
set -eu
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
calibrate=$TALUS_BIN/talus-calibrate
fail() { echo "$*"; cat said; exit 1; }
echo 1 >a.xyz
echo 2 >b.xyz
# From far: the deposit is that of friction 0.5.
printf '[site]\nbefore = a.xyz\nafter = b.xyz\n[contact]\nfriction = 0.85\n[calibrate]\nruns = 40\n' >one.ini
printf '[vary.contact.friction]\nlow = 0.2\nhigh = 0.9\n[vary.contact.restitution]\nlow = 0.1\nhigh = 0.8\n' >>one.ini
number() { # number FILE KEY: first number after the key
    sed -n "s/.*\"$2\":[[:blank:]]*\([-0-9.e]*\),*/\1/p" "$1" | head -n 1
}
for method in sobol lhs grid nelder-mead bobyqa crs; do
    "$calibrate" one.ini --out "study" --set calibrate.method=$method --progress none >said 2>&1 || fail "$method"
    best=$(number study/calibrate.json best) low=$(number study/calibrate.json low) high=$(number study/calibrate.json high)
    echo "$method: friction $best ($low to $high)"
    awk "BEGIN { exit !($best > 0.475 && $best < 0.525) }" || fail "$method finds friction $best, not 0.5"
    # A sample is refined where it promises more: far closer than its points are to each other.
    case $method in
        sobol | lhs | grid) awk "BEGIN { exit !($best > 0.497 && $best < 0.503) }" || fail "$method is not refined: $best" ;;
    esac
    awk "BEGIN { exit !($low <= 0.5 && $high >= 0.5) }" || fail "$method: $low to $high does not hold 0.5"
    grep -q 'contact.restitution cannot be identified from these observations' said || fail "$method does not say what cannot be known"
done
# The sample knows the interval: within 0.05 of the best misfit means friction 0.47 to 0.53.
"$calibrate" one.ini --out study --progress none >said 2>&1 || fail "again"
low=$(number study/calibrate.json low) high=$(number study/calibrate.json high)
awk "BEGIN { exit !($low > 0.44 && $low < 0.5 && $high > 0.5 && $high < 0.56) }" || fail "interval $low to $high"
# equal_misfit = 0.2 allows four times as much: friction 0.38 to 0.62, of which the middle 90 % are told.
"$calibrate" one.ini --out study --progress none --set calibrate.equal_misfit=0.2 >said 2>&1 || fail "equal_misfit"
wide_low=$(number study/calibrate.json low) wide_high=$(number study/calibrate.json high)
awk "BEGIN { exit !($wide_low > 0.36 && $wide_low < 0.43 && $wide_high > 0.57 && $wide_high < 0.64) }" ||
    fail "equal_misfit = 0.2: $wide_low to $wide_high"
# refine = 0: every run but the first is one of the sample, none is placed where more is promised.
"$calibrate" one.ini --out unrefined --progress none --set calibrate.refine=0 >said 2>&1 || fail "refine"
[ "$(wc -l <unrefined/runs.csv)" -eq 41 ] || fail "refine = 0 makes $(wc -l <unrefined/runs.csv) lines"
if grep -q 'promise a better fit' said; then fail "refine = 0 refines"; fi
"$calibrate" one.ini --out study --progress none >said 2>&1 || fail "and again"
grep -q 'at most 10 more where they promise a better fit' said || fail "refine is a quarter by default"
first=$(number study/calibrate.json sensitivity_first)
awk "BEGIN { exit !($first > 0.9) }" || fail "sensitivity of friction is $first"
# Eight runs: digits as the interval supports, and no sensitivity where the polynomial predicts nothing.
"$calibrate" one.ini --out few --progress none --set calibrate.runs=8 >said 2>&1 || fail "eight runs"
sed 's/<svg.*//; /<svg/,/<\/svg>/d; s/href="[^"]*"//g' few/calibrate.html >few.html
if grep -E -o '0\.[0-9]{5,}' few.html; then fail "eight runs are written with more digits than they support"; fi
grep -q 'No sensitivity is given' few.html || fail "a sensitivity that means nothing is not refused"
if grep -q 'sensitivity_first' few/calibrate.json; then fail "a sensitivity that means nothing is written"; fi
for file in runs.csv runs.nc best.ini calibrate.json calibrate.html pairs.svg manifest.json; do
    [ -s "study/$file" ] || fail "no $file"
done
# Start and sample, and as many more as promise something: at most 40.
lines=$(wc -l <study/runs.csv)
[ "$lines" -gt 31 ] && [ "$lines" -le 41 ] || fail "runs.csv has $lines lines"
sha=$(sha256sum a.xyz)
grep -q "${sha%% *}" study/manifest.json || fail "the manifest does not know the inputs"
sha=$(sha256sum study/runs.nc)
grep -q "${sha%% *}" study/manifest.json || fail "the manifest does not know the outputs"
if grep -q "$PWD" study/runs.csv study/best.ini study/calibrate.json study/calibrate.html; then fail "a path of this machine"; fi
[ "$(grep -c "thumbnail.png" study/calibrate.html)" -ge "$(($(wc -l <study/runs.csv) - 1))" ] || fail "not every run has its picture"
[ -s study/compare.html ] || fail "before and after cannot be compared"
# best.ini gives the best run: nothing new has to be simulated.
: >trace
"$TALUS_BIN/talus-batch" study/best.ini --out study --set report.title= >said 2>&1 || fail "best.ini does not run"
if grep -q '^solve' trace; then fail "best.ini is not the best run"; fi

# Each weight pulls towards what its score says; the stand-ins have the best of each elsewhere.
for case in weight_volume:0.4 weight_centroid:0.6 weight_emd:0.7; do
    "$calibrate" one.ini --out weights --progress none --set calibrate.weight_iou=0 --set calibrate.weight_runout=0 \
        --set "calibrate.${case%:*}=1" >said 2>&1 || fail "$case"
    best=$(number weights/calibrate.json best)
    awk "BEGIN { d = $best - ${case#*:}; exit !(d < 0.02 && d > -0.02) }" || fail "${case%:*} finds friction $best"
done

# Several seeds make several runs, each with blocks of its own.
: >trace
"$calibrate" one.ini --out seeds --set calibrate.seeds=3 --set calibrate.runs=12 --progress none >said 2>&1 || fail "seeds"
[ "$(grep -c '^mesh' trace)" -eq 3 ] || fail "not three meshes"
# Further sites, and one held out.
for name in two three; do sed 's/^friction.*/friction = 0.7/' one.ini >$name.ini; done
"$calibrate" one.ini two.ini --hold-out three.ini --out several --set calibrate.runs=20 --progress none >said 2>&1 || fail "several sites"
[ "$(grep -c ',two,' several/runs.csv)" -eq 10 ] || fail "site two takes no part"
if grep -q ',three,' several/runs.csv; then fail "the site held out takes part"; fi
grep -q 'three (held out)' several/calibrate.html || fail "the site held out does not judge"
# Prediction against observation: every site before (hollow) and after, each mark where its numbers say.
grep -o '<circle [^>]* surveyed"' several/calibrate.html | sed 's/[^-0-9.a-z()" ]/ /g' |
    awk -F'"' '{n++; hollow += /"none"/
        match($0, /[0-9.]+ m simulated/); made = substr($0, RSTART) + 0; match($0, /[0-9.]+ m surveyed/); seen = substr($0, RSTART) + 0
        match($0, /cx "[0-9.]+/); x = substr($0, RSTART + 4) - 70; match($0, /cy "[0-9.]+/); y = 440 - substr($0, RSTART + 4)
        if (!(seen > 0) || x * made - y * seen > 0.01 * x * made || y * seen - x * made > 0.01 * x * made) {bad = 1}}
        END {exit bad || n != 6 || hollow != 3}' || fail "prediction against observation: $(grep -o '<circle [^>]* surveyed"' several/calibrate.html)"
# The same said in the site file.
sed 's/^runs = 40/runs = 20\nfit = two.ini\nhold_out = three.ini/' one.ini >held.ini
"$calibrate" held.ini --out held --progress none >said 2>&1 || fail "hold_out"
grep -q 'three (held out)' held/calibrate.html || fail "hold_out in the site file is not heard"
if grep -q ',three,' held/runs.csv; then fail "hold_out takes part"; fi
[ "$(grep -c ',two,' held/runs.csv)" -eq 10 ] || fail "fit in the site file takes no part"
# Runs that fail are told, with a reason, and do not spoil the rest.
"$calibrate" one.ini --out failing --set vary.contact.friction.high=1.1 --set calibrate.runs=24 --progress none >said 2>&1 || fail "failing runs"
grep -q 'failed,.*stick to the sky' failing/runs.csv || fail "no reason in the table"
grep -q 'runs failed; the first one reported: .*stick to the sky' failing/calibrate.html || fail "the page does not tell failed runs"
best=$(number failing/calibrate.json best)
awk "BEGIN { exit !($best > 0.475 && $best < 0.525) }" || fail "failed runs spoil the search: $best"
# Words instead of a range.
"$calibrate" one.ini --out words --set vary.mesh.blocks.values='bricks voronoi' --set calibrate.runs=24 --progress none >said 2>&1 || fail "words"
grep -q ',voronoi,' words/runs.csv || fail "voronoi was not tried"

# Mistakes, all at once, before any work.
: >trace
printf '[vary.contact.frictoin]\nlow = 1\nhigh = 2\n[vary.solve.dt_s]\nlow = 0\nhigh = 9\n[vary.mesh.clip]\nlow = 1\nhigh = 2\n' >wrong.part
(grep -v vary one.ini | grep -v -e low -e high; cat wrong.part) >wrong.ini
if "$calibrate" wrong.ini --out wrong >said 2>&1; then fail "wrong ranges are used"; fi
grep -q 'did you mean friction' said || fail "no hint"
grep -q 'dt_s = 0 must be in' said || fail "no range"
grep -q 'clip is not a number: give values' said || fail "no hint about values"
printf '[site]\nbefore = a.xyz\nafter = b.xyz\n' >nothing.ini
if "$calibrate" nothing.ini --out wrong >said 2>&1; then fail "nothing to vary"; fi
grep -q 'add for instance \[vary.contact.friction\]' said || fail "no example"
[ ! -s trace ] || fail "work was done"
