#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The blocks of the embedded site, each way of making them, seen by a judge that does not share the
# mesher's geometry. The rasters come from the exact surfaces; mesher_demo_clouds.sh makes them from
# the clouds.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
program=$TALUS_BIN/talus-mesh
judge=$TALUS_TEST_BIN/mesher_judge

if [ -n "${clouds:-}" ]; then
    "$TALUS_BIN/talus-dataset" piton-marcel --out site -q || exit 1
    "$TALUS_BIN/talus-ingest" site/site.ini --out demo -q || exit 1
    site=site/site.ini
else
    "$TALUS_TEST_BIN/mesher_site" demo piton-marcel || exit 1
    # The clouds the file names are not there, and not needed.
    site=site.ini
    sed -e '/^before = /d' -e '/^after = /d' -e '/^calibration = /d' "$TALUS_SOURCE/datasets/piton-marcel/site.ini" >$site
fi

# mesh_and_judge COUNT SETTINGS...: COUNT blocks are wanted, 0 for any number. Without gaps, so that they fill the rock,
# unless $gap says otherwise: each side of a cube loses that share, and of other forms a little more than a cube's
# three times.
mesh_and_judge() {
    wanted=$1
    shift
    fill=$(awk -v gap="${gap:-0}" 'BEGIN { print 0.97 * (1 - 4 * gap) }')
    set -- --set "mesh.gap_share=${gap:-0}" "$@"
    echo "$*"
    "$program" "$site" --out demo --overwrite --progress none "$@" >out.txt 2>err.txt || {
        fail "$*: $(cat err.txt)"
        return
    }
    "$judge" demo "$fill" >judged.txt || fail "$*: the judge says no"
    cat judged.txt
    count=$(sed -n 's/.*blocks: \([0-9]*\).*/\1/p' err.txt)
    if [ "$wanted" -gt 0 ]; then
        [ $((count * 10)) -ge $((wanted * 9)) ] && [ $((count * 10)) -le $((wanted * 11)) ] ||
            fail "$*: $count blocks instead of $wanted"
    fi
}

asked=$(sed -n 's/^block_count = //p' "$site")
mesh_and_judge "$asked"
gap=$(sed -n 's/^gap_share = //p' "$site")
mesh_and_judge "$asked"
gap=0
mesh_and_judge 435 --set mesh.blocks=bricks --set mesh.brick_m= --set mesh.block_count=435
if [ -n "${clouds:-}" ]; then
    mesh_and_judge 0 --set mesh.size_m=12 --set random.seed=7
    mesh_and_judge 0 --set mesh.size_m=12 --set mesh.size_deviation=0.25
    mesh_and_judge 0 --set mesh.blocks=bricks --set 'mesh.brick_m=10.935 9.636 15.775'
    # A finer ground: at most a quarter of the triangles of the full grid.
    mesh_and_judge 0 --set mesh.size_m=12 --set mesh.mesh_error_m=0.25
    share=$(sed -n 's/.*(\([0-9.]*\) % of the full grid.*/\1/p' judged.txt)
    awk -v s="$share" 'BEGIN { exit !(s > 0 && s <= 25) }' || fail "$share % of all triangles"
fi
mesh_and_judge 0 --set mesh.blocks=joints \
    --set joint.1.dip_deg=70 --set joint.1.dip_direction_deg=80 --set joint.1.spacing_m=12 \
    --set joint.2.dip_deg=80 --set joint.2.dip_direction_deg=350 --set joint.2.spacing_m=12 \
    --set joint.2.spread_deg=5 --set joint.2.persistence=0.8 \
    --set joint.3.dip_deg=25 --set joint.3.dip_direction_deg=100 --set joint.3.spacing_m=12

# The judge is not blind: with a body twice as dense in mind, or a bar out of reach, it says no.
"$judge" demo 0.97 5200 >out.txt && fail "the judge takes a wrong mass"
"$judge" demo 0.9999 >out.txt && fail "the judge takes any fill"

[ "$failures" -eq 0 ] || exit 1
echo "all good"
