#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of talus-ingest that have no other test: what each of them says happens.
set -u
ingest=$TALUS_BIN/talus-ingest
. "$TALUS_SOURCE/tests/support/common.sh"
"$TALUS_BIN/talus-dataset" slope --out site -q || exit 1

# A later survey made of the earlier one: a dent of 2 m, a heap of 1 m.
awk '{dent = ($1 - 693631) ^ 2 + ($2 - 1639200) ^ 2 < 16; heap = ($1 - 693630) ^ 2 + ($2 - 1639142) ^ 2 < 25
    printf "%.3f %.3f %.3f\n", $1, $2, $3 - 2 * dent + heap}' site/before.xyz >after.xyz
cp site/before.xyz before.xyz

# run FOLDER BEFORE AFTER [OPTIONS]: words go to err.txt.
run() {
    folder=$1 before=$2 after=$3
    shift 3
    printf '[site]\nbefore = %s\nafter = %s\ncrs = EPSG:5490+5756\n[ingest]\ncell_m = 0.5\n' "$before" "$after" >run.ini
    printf 'ground = none\nsource_area_min_m2 = 5\ndeposit_area_min_m2 = 5\n' >>run.ini
    "$ingest" run.ini --out "$folder" --progress none "$@" >out.txt 2>err.txt
}
height() { gdallocationinfo -b 1 -valonly -geoloc "$1" "$2" "$3"; }
# near WHAT A B TOLERANCE
near() {
    awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN { exit !(a != "" && b != "" && a + 0 == a && b + 0 == b && a - b < t && b - a < t) }' ||
        fail "$1: $2 instead of $3"
}
run plain before.xyz after.xyz || fail "the surveys as they are: $(cat err.txt)"

# after_crs: the later survey in the next zone of another datum is the same survey.
if command -v cs2cs >/dev/null; then
    cs2cs -f %.3f EPSG:5490 EPSG:32621 <after.xyz | awk '{print $1, $2, $3}' >zone21.xyz
    run wrong before.xyz zone21.xyz && fail "a survey from another zone is taken for one of this"
    run zone before.xyz zone21.xyz --set site.after_crs=EPSG:32621+5756 ||
        fail "after_crs is not heard: $(cat err.txt)"
    for place in '693631 1639200' '693620 1639150'; do
        # shellcheck disable=SC2086
        near "after_crs at $place" "$(height zone/after.tif $place)" "$(height plain/after.tif $place)" 0.05
    done
else
    echo "SKIPPED: cs2cs is not installed (Debian: proj-bin)"
fi

# hole_m2: a square of 16 m2 without points is bridged up to 25 m2 (the default), and stays empty where
# only 9 m2 are allowed.
awk '!($1 > 693610 && $1 < 693614 && $2 > 1639120 && $2 < 1639124)' before.xyz >holed.xyz
run filled holed.xyz after.xyz || fail "a hole: $(cat err.txt)"
run empty holed.xyz after.xyz --set ingest.hole_m2=9 || fail "hole_m2: $(cat err.txt)"
near "the bridge over the hole" "$(height filled/before.tif 693612 1639122)" \
    "$(height plain/before.tif 693612 1639122)" 0.2
[ "$(height empty/before.tif 693612 1639122)" = nan ] || fail "a hole larger than hole_m2 is filled"

# outlier_deviations: one bird 1 m above the flat is noise by default, and ground for somebody who allows
# a hundred deviations (cells of 1 m: a deviation needs several points).
place='693645.5 1639125.5'
# shellcheck disable=SC2086
bottom=$(height plain/before.tif $place)
cp before.xyz bird.xyz
echo "$place $bottom" | awk '{print $1, $2, $3 + 1}' >>bird.xyz
run without bird.xyz after.xyz --set ingest.cell_m=1 || fail "a bird: $(cat err.txt)"
run with bird.xyz after.xyz --set ingest.cell_m=1 --set ingest.outlier_deviations=100 ||
    fail "outlier_deviations: $(cat err.txt)"
# shellcheck disable=SC2086
near "the ground below a bird" "$(height without/before.tif $place)" "$bottom" 0.05
# shellcheck disable=SC2086
awk -v a="$(height with/before.tif $place)" -v b="$bottom" 'BEGIN { exit !(a - b > 0.06) }' ||
    fail "outlier_deviations = 100 still drops the bird"

[ "$failures" -eq 0 ] || exit 1
echo "all good"
