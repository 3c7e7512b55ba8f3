#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Twin experiments with the real stages: deposits made with friction 0.5 are given as surveys, friction is
# hidden, and the calibration starts far away. Two sites are fitted and a third, held out, judges; then one
# site with two settings that decide when something is written and when a run may end: no deposit can tell them.
set -eu
fail() { echo "$*"; tail -n 20 said; exit 1; }
number() { # number FILE KEY: first number after the key
    sed -n "s/.*\"$2\":[[:blank:]]*\([-0-9.e]*\),*/\1/p" "$1" | head -n 1
}
holds() { awk "BEGIN { exit !($1) }"; }
"$TALUS_BIN/talus-dataset" slope --out slope -q
site() { # site BEFORE AFTER SEED FRICTION: a site file
    printf '[site]\nbefore = %s\nafter = %s\ncrs = EPSG:5490+5756\n' "$1" "$2"
    printf '[ingest]\ncell_m = 0.5\nground = none\nsource_area_min_m2 = 5\ndeposit_area_min_m2 = 5\n'
    printf '[mesh]\nmesh_error_m = 0.15\nblocks = voronoi\nblock_count = 20\n[random]\nseed = %s\n' "$3"
    printf '[solve]\ndt_s = 0.02\nuntil_s = 20\n[contact]\nfriction = %s\n' "$4"
    printf '[report]\nfigures = no\nparaview_mb = 0\n'
}
# Three deposits, each of blocks of its own; the surface with them is the survey after the event.
for name in a b c; do
    seed=$(printf '%d' "'$name")
    site slope/before.xyz slope/after.las "$seed" 0.5 >truth.ini
    mkdir -p "truth-$name"
    [ "$name" = a ] || cp truth-a/*.tif truth-a/site.gpkg truth-a/ingest.json "truth-$name"
    for stage in ingest mesh solve post; do
        [ "$stage$name" = ingesta ] || [ "$stage" != ingest ] || continue
        "$TALUS_BIN/talus-$stage" truth.ini --out "truth-$name" --progress none --overwrite >said 2>&1 || fail "talus-$stage"
    done
    # Other blocks than those that made the deposit, and a friction far from theirs.
    site "truth-$name/before.tif" "truth-$name/surface.tif" 5 0.85 | grep -v '^crs' >"$name.ini"
done
printf '[calibrate]\nruns = 40\n[vary.contact.friction]\nlow = 0.3\nhigh = 0.9\n' >>a.ini

judge() { # judge STUDY: friction found and its interval
    best=$(number "$1/calibrate.json" best) low=$(number "$1/calibrate.json" low) high=$(number "$1/calibrate.json" high)
    echo "$1: friction $best ($low to $high), misfit $(number "$1/calibrate.json" misfit_start) before," \
        "$(number "$1/calibrate.json" misfit_best) after"
    holds "$best > 0.475 && $best < 0.525" || fail "$1: friction $best, not 0.5 to 5 %"
    holds "$low <= 0.5 && $high >= 0.5 && $high - $low < 0.2" || fail "$1: $low to $high does not tell 0.5"
}
"$TALUS_BIN/talus-calibrate" a.ini b.ini --hold-out c.ini --out several --progress none >said 2>&1 || fail "two sites"
judge several
set -- $(sed -n 's/.*"iou":[[:blank:]]*\([0-9.e-]*\),*/\1/p' several/calibrate.json | tail -n 2)
echo "the site held out: IoU $1 before, $2 after"
holds "$2 > $1 + 0.2" || fail "the site held out is not explained better"
# The best fit is a site file that runs.
for stage in ingest mesh solve post; do
    "$TALUS_BIN/talus-$stage" several/best.ini --out best --progress none >said 2>&1 || fail "best.ini: talus-$stage"
done

printf '[vary.solve.checkpoint_every_s]\nlow = 1\nhigh = 100\nscale = log\n' >>a.ini
printf '[vary.solve.still_s]\nlow = 2\nhigh = 4\n' >>a.ini
"$TALUS_BIN/talus-calibrate" a.ini --out pair --progress none >said 2>&1 || fail "one site"
judge pair
for setting in checkpoint_every_s still_s; do
    grep -q "solve.$setting cannot be identified from these observations" said || fail "does not say that $setting cannot be known"
done
