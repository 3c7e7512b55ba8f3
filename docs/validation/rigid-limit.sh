#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws the second figure of deformable.md with GMT 6: rigid-limit.sh BUILD, BUILD a build folder. One block of
# 4 x 3 x 2 m over the ground of Piton Marcel, rigid and ever stiffer, damped so much that it does not rebound.
set -eu
[ $# -eq 1 ] || { echo "usage: rigid-limit.sh BUILD" >&2; exit 2; }
bin=$(cd "$1/bin" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$bin/talus-dataset" piton-marcel --out . -q
cat >block.csv <<'EOF'
x_m,y_m,z_m,length_m,width_m,height_m
693691.42,1638554.82,644.45,4,3,2
EOF
cat >block.ini <<'EOF'
[site]
before = before.las
after = after.las
[ingest]
cell_m = 2
source_area_min_m2 = 500
deposit_area_min_m2 = 500
[mesh]
mesh_error_m = 1
blocks = import
import = block.csv
import_onto_ground = yes
[solve]
dt_s = 5e-4
until_s = 4
output_every_s = 0.05
stop_when_still = no
tolerance = 1e-5
[contact]
law = coulomb
friction = 0.3
restitution = 0
[body.rock]
kind = finite-element
element_m = 2
poisson = 0.2
EOF
"$bin/talus-ingest" block.ini --out out -q
"$bin/talus-mesh" block.ini --out out -q
numbers() { # FOLDER VARIABLE
    ncdump -v "$2" "$1/run.nc" | sed '1,/^data:/d' | tr -d '\n' | sed "s/.* $2 = //; s/;.*//" | tr -d ' ' | tr ',' '\n'
}
run() { # NAME OPTIONS...
    name=$1
    shift
    mkdir "$name"
    cp out/terrain.nc out/blocks.nc "$name"
    "$bin/talus-solve" block.ini --out "$name" -q "$@"
    for axis in time x y z; do numbers "$name" $axis >"$name.$axis"; done
    paste "$name.time" "$name.x" "$name.y" "$name.z" >"$name.way"
}
run rigid --set body.rock.kind=rigid
for young in 1e7 1e8 1e9 1e10; do
    run $young --set body.rock.young_pa=$young \
        --set "body.rock.damping_stiffness_s=$(awk "BEGIN { print 100 * sqrt(2600 / $young) }")"
    paste $young.way rigid.way | awk '$1 > 0 { print $1, sqrt(($2 - $6)^2 + ($3 - $7)^2 + ($4 - $8)^2) }' >$young.off
    tail -1 $young.off
done
gmt set FONT_ANNOT_PRIMARY 8p FONT_LABEL 9p FONT_TITLE 10p MAP_TITLE_OFFSET 4p \
    MAP_FRAME_PEN 0.6p MAP_GRID_PEN_PRIMARY 0.2p,gray80
gmt begin rigid-limit png E200
gmt basemap -R0/4/0.0003/10 -JX11c/7cl -Bxa1g1+l"time, s" -Bya1pg3+l"distance from the rigid block, m" \
    -BWSne+t"One block over the demonstration site, 20 m of way"
rm -f legend
for one in 1e7/darkorange 1e8/goldenrod 1e9/seagreen 1e10/steelblue; do
    gmt plot "${one%/*}.off" -W1.2p,"${one#*/}"
    echo "S 0.3c - 0.5c - 1.2p,${one#*/} 0.8c E = ${one%/*} Pa" >>legend
done
gmt legend legend -DjBR+w3.2c+o0.2c -F+gwhite+p0.3p --FONT_ANNOT_PRIMARY=8p
gmt end
mv rigid-limit.png "$here"
