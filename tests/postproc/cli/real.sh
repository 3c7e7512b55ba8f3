#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Real events on which a friction of 0.55 holds the rock: the first line of the report says so, and the
# friction that it names sets it in motion. Mount St. Helens 1980 (USGS, public domain), two epochs; Fluchthorn
# (AvaFrame, EUPL-1.2; Land Tirol), one epoch and two sources 400 m apart.
set -u
if [ -z "${TALUS_TEST_DATA:-}" ]; then
    echo "SKIPPED: real events need TALUS_TEST_DATA"
    exit 0
fi
OMP_NUM_THREADS=1
export OMP_NUM_THREADS
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
first_line() { sed -n '/<div class="page">/,$p' "$1/report.html" | sed '1d; /class="skip"/d; s/<[^>]*>//g' | grep -m 1 .; }
stage() { # stage NAME SITE [OPTION]...
    name=$1 site=$2
    shift 2
    "$TALUS_BIN/talus-$name" "$site.ini" --out "$site" --overwrite --progress none --threads 1 "$@" 2>"$site.$name" ||
        { fail "talus-$name of $site: $(cat "$site.$name")"; exit 1; }
}
moved_less_than_half() { sed -n 's/.*"moved_share":[^0-9]*\([0-9.e-]*\).*/\1/p' "$1/run.json" | awk '{exit !($1 < 0.5)}'; }
judge() { # judge SITE
    for name in ingest mesh solve post; do stage "$name" "$1"; done
    first_line "$1" | grep -q '^The rock did not move: .*friction on the ground is 0.55, an angle of 29°.*A friction of 0\.[0-9]* would let it go, 0\.[0-9]* would not' ||
        fail "$1: the first line is $(first_line "$1")"
    sed 's/<script.*//' "$1/report.html" | grep -E 'run out to|toe stops|of 1<' && fail "$1: a runout of rock that did not move"
    grep -q '"moved_share":[^0-9]*0' "$1/run.json" || fail "$1: run.json does not say it"
    moves=$(sed -n 's/.*A friction of \([0-9.]*\) would let it go.*/\1/p' "$1.post")
    holds=$(sed -n 's/.*would let it go, \([0-9.]*\) would not.*/\1/p' "$1.post")
    stage solve "$1" --set "contact.friction=$holds" --set solve.try_friction=no
    moved_less_than_half "$1" || fail "$1: a friction of $holds lets it go"
    stage solve "$1" --set "contact.friction=$moves"
    moved_less_than_half "$1" && fail "$1: a friction of $moves does not let it go: $(cat "$1.solve")"
    stage post "$1"
    grep -q 'did not move\|Most of the rock stayed' "$1/report.html" && fail "$1: the report of a friction of $moves"
    echo "$1 moves at $moves, not at $holds"
}

data=$TALUS_TEST_DATA/mount-st-helens
gdal_translate -q "/vsizip/$data/mtsthelens_before.zip" before.tif || exit 1
gdal_translate -q "/vsizip/$data/mtsthelens_after.zip" after.tif || exit 1
cat >helens.ini <<SITE
[site]
before = before.tif
after = after.tif
crs = EPSG:26710+7968
[ingest]
cell_m = 30
source_area_min_m2 = 100000
deposit_area_min_m2 = 100000
[mesh]
mesh_error_m = 5
blocks = voronoi
block_count = 40
[solve]
dt_s = 0.05
output_every_s = 1
[report]
figures = no
paraview_mb = 0
SITE
judge helens

data=$TALUS_TEST_DATA/fluchthorn
cat >fluchthorn.ini <<SITE
[site]
before = $data/fluchthorn.tif
before_crs = EPSG:31254
before_unit = m
crs = EPSG:31254+5783
[ingest]
cell_m = 10
source = $data/POLYGONS/scarpFluchthorn_perimeter.shp
plane_dip_deg = 30
plane_dip_direction_deg = 200
plane_depth_m = 60
[mesh]
mesh_error_m = 3
blocks = voronoi
block_count = 40
[solve]
dt_s = 0.05
output_every_s = 0.5
[report]
figures = no
paraview_mb = 0
SITE
judge fluchthorn
[ "$(grep -c 'data-source=' fluchthorn/report.html)" -eq 2 ] || fail "fluchthorn has not two sources"
grep -q '([0-9 ]* to [0-9 ]*) ·' fluchthorn/report.html && fail "fluchthorn: an interval without width"
[ "$failures" -eq 0 ]
