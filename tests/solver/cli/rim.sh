#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks at the rim of the ground: one whose centre passes it is taken out at that moment, one that lies over a hole
# smaller than itself is not.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
. "$TALUS_SOURCE/tests/solver/support/two_blocks.sh"
command -v ncgen >/dev/null || { echo "SKIPPED: ncgen is not there (Debian: netcdf-bin)"; exit 0; }

# solve UNTIL: the run is in out/run.nc, on ground without friction.
solve() {
    printf '[site]\ncrs = local\n[contact]\nlaw = coulomb\nfriction = 0\n' >site.ini
    "$TALUS_BIN/talus-solve" site.ini --out out -q --overwrite --until "$1" >out.txt 2>err.txt || fail "until $1: $(cat err.txt)"
}
lost() { ncdump -h out/run.nc | sed -n 's/.*:blocks_lost = \([0-9]*\).*/\1/p'; }
deepest() { netcdf_values out/run.nc penetration | sort -g | tail -n 1; }

# The second cube glides at 1 m/s from 19 m to the rim at 20 m. Ground 100 m deeper, elsewhere, must not keep it.
mkdir out
write_terrain
change terrain 's/node = 4/node = 5/; s/face = 2/face = 3/
    s/^node_x.*/node_x = -20, 20, 20, -20, 0 ;/; s/^node_y.*/node_y = -20, -20, 20, 20, -60 ;/
    s/^node_z.*/node_z = 0, 0, 0, 0, -100 ;/
    s/^face_node =.*/face_node = 0, 1, 2, 0, 2, 3, 0, 4, 1 ;/; s/^face_class =.*/face_class = 0, 0, 0 ;/'
write_blocks
change blocks 's/^position.*/position = 0, 0, 0.5, 19, 0, 0.5 ;/; s/^velocity =.*/velocity = 0, 0, 0, 1, 0, 0 ;/'
make_files
solve 0.98
[ "$(lost)" = 0 ] || fail "taken out before its centre is beyond the rim"
solve 1.05
[ "$(lost)" = 1 ] || fail "not taken out when its centre is beyond the rim"
awk -v deep="$(deepest)" 'BEGIN { exit !(deep < 1e-5) }' || fail "found $(deepest) m deep in the ground at the rim"

# Ground with a hole of 0.4 m below the first cube.
cat >terrain.cdl <<'CDL'
netcdf terrain {
dimensions: node = 8 ; face = 8 ; three = 3 ; class = 1 ; name = 64 ;
variables: double node_x(node) ; double node_y(node) ; double node_z(node) ;
  int face_node(face, three) ; int face_class(face) ; char class_name(class, name) ;
  :origin_east_m = 0. ; :origin_north_m = 0. ; :origin_height_m = 0. ; :mesh_error_m = 0. ;
data:
node_x = -20, 20, 20, -20, -0.2, 0.2, 0.2, -0.2 ;
node_y = -20, -20, 20, 20, -0.2, -0.2, 0.2, 0.2 ;
node_z = 0, 0, 0, 0, 0, 0, 0, 0 ;
face_node = 0, 1, 5, 0, 5, 4, 1, 2, 6, 1, 6, 5, 2, 3, 7, 2, 7, 6, 3, 0, 4, 3, 4, 7 ;
face_class = 0, 0, 0, 0, 0, 0, 0, 0 ;
class_name = "ground" ;
}
CDL
write_blocks
make_files
solve 1
[ "$(lost)" = 0 ] || fail "a cube over a hole smaller than itself was taken out"

[ "$failures" -eq 0 ] || exit 1
echo "all good"
