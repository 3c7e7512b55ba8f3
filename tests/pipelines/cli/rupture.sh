#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A slide on a base of 15 degrees, 8 m above a slope of 45: friction that weakens with speed holds it for ever, a base that
# has lost its strength lets it go, and only the rock above that base knows of it.
set -eu
fail() { echo "$*"; tail -n 20 said; exit 1; }
raster() { # EXPRESSION of x, from the brink at 0 upwards, and y
    awk 'BEGIN {
        print "ncols 60\nnrows 30\nxllcorner 0\nyllcorner 0\ncellsize 4\nNODATA_value -9999"
        for (row = 0; row < 30; row++) {
            for (column = 0; column < 60; column++) {
                x = 4 * column + 2 - 140
                y = 4 * row + 2 - 60
                value = '"$1"'
                printf "%.3f ", value
            }
            print ""
        }
    }'
}
raster 'x > 0 ? 0.268 * x : (x > -100 ? x : -100)' >bed.asc
raster 'x > 8 && x < 68 && y > -30 && y < 30 ? 8 : 0' >pile.asc
cat >site.ini <<'END'
[site]
before = bed.asc
crs = local
[ingest]
cell_m = 4
ground = none
thickness = pile.asc
thickness_is = above
[mesh]
mesh_error_m = 0.5
blocks = voronoi
block_count = 20
gap_m = 0.2
[contact]
law = speed-weakening
friction = 0.84
friction_fast = 0.11
weakening_speed_mps = 4
restitution = 0
[pair.rock.rock]
friction = 0.2
[solve]
dt_s = 0.05
until_s = 30
output_every_s = 1
try_friction = no
END
moved() { # FOLDER OPTIONS...: how far half of the blocks came
    out=$1
    shift
    for stage in ingest mesh solve; do
        "$TALUS_BIN/talus-$stage" site.ini --out "$out" "$@" >said 2>&1 || fail "talus-$stage $out"
    done
    sed -n 's/.*half of the blocks moved [a-z]* than \([0-9.e-]*\) m.*/\1/p' said
}
held=$(moved held)
grep -q 'source_class in \[mesh\]' said || fail "a slide that does not start is not told of source_class"
freed=$(moved freed --set mesh.source_class=rupture --set pair.rock.rupture.friction=0.11)
awk -v held="$held" -v freed="$freed" 'BEGIN {exit !(held != "" && held < 1 && freed != "" && freed > 80)}' ||
    fail "half of the rock came farther than $held m on a sound base and $freed m on one that has failed"
