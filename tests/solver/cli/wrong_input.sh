#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# talus-solve on wrong files and settings: each case fails with its own sentence and leaves no run.nc.
# Two cubes lie on a flat; one line of the good files is changed at a time.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
. "$TALUS_SOURCE/tests/solver/support/two_blocks.sh"
command -v ncgen >/dev/null || { echo "SKIPPED: ncgen is not there (Debian: netcdf-bin)"; exit 0; }

write_site() { # KEY-LINES of [contact]
    printf '[site]\ncrs = local\n[solve]\nuntil_s = 0.1\n[contact]\n%s\n' "$1" >site.ini
}

# Fresh good files.
begin() {
    rm -rf out
    mkdir out
    write_site 'friction = 0.6'
    write_terrain
    write_blocks
}
solve() { "$TALUS_BIN/talus-solve" site.ini --out out -q "$@"; }
refused() { # WORDS [OPTIONS...]
    words=$1
    shift
    make_files
    expect 1 "$words" solve "$@"
    [ ! -e out/run.nc ] || fail "'$words': run.nc was written"
}

begin
make_files
solve 2>err.txt || fail "the good files: $(cat err.txt)"
[ -e out/run.nc ] || fail "the good files give no run.nc"
# Nothing moves: what is left of sums that are rounded is no drift of its energy.
drift=$(sed -n 's/.*"energy_drift":[^0-9]*\([0-9.e-]*\).*/\1/p' out/run.json)
awk "BEGIN { exit !(\"$drift\" != \"\" && $drift + 0 < 1e-9) }" || fail "cubes at rest drift in energy by $drift"

begin
change blocks 's/^position.*/position = 0, 0, 0.5, 0.9, 0, 0.5 ;/'
refused 'out/blocks.nc: blocks 0 and 1 overlap by 0.1 m (10.0 %'
grep -q 'gap_m in \[mesh\]' err.txt || fail "no way out of overlaps: $(cat err.txt)"

begin
change blocks 's/^mass.*/mass = 2700, 0 ;/'
refused 'out/blocks.nc: block 1: mass = 0 kg must be positive (is its density 0?)'

begin
change blocks 's/^orientation.*/orientation = 1, 0, 0, 0, 1, 1, 0, 0 ;/'
refused 'has length 1.41421, not 1; divide it by its length'

begin # all loops of the second block run the other way
change blocks '/^corner_vertex/,/;/ s/^  0, 4, 6, 2, .*6 ;/  2, 6, 4, 0, 5, 7, 3, 1, 4, 5, 1, 0, 3, 7, 6, 2, 1, 3, 2, 0, 6, 7, 5, 4 ;/'
refused 'inside out'

begin
change blocks 's/^position.*/position = 0, 0, 0.5, 3, 0, -4 ;/'
refused 'block 1 starts below the ground'

begin
change blocks 's/^position.*/position = 0, 0, 0.5, 1e9, 0, 0.5 ;/'
refused 'too far from the origin'

begin
change terrain 's/^node_x.*/node_x = -20, 1e9, 20, -20 ;/'
refused 'too far from the origin'

begin
change terrain 's/^face_node.*/face_node = 0, 1, 2, 0, 2, 7 ;/'
refused 'out/terrain.nc: terrain: triangle 1 names vertex 7; vertices are numbered 0 to 3'

begin
change blocks '/^corner_vertex/,/;/ s/6 ;/9 ;/'
refused 'out/blocks.nc: shape 1: face 5 names vertex 9; vertices are numbered 0 to 7'

begin
change blocks 's/^block_class.*/block_class = 0, 3 ;/'
refused 'is not one of the 1 classes'

begin
change blocks 's/^velocity.*/velocity = 0, 0, 0, NaN, 0, 0 ;/'
refused 'block 1: its velocity'

begin
change blocks 's/block = 2 ; block_edge = 3 ; vertex = 16 ; face = 12 ; face_edge = 13 ; corner = 48 ;/block = UNLIMITED ; block_edge = 1 ; vertex = UNLIMITED ; face = UNLIMITED ; face_edge = 1 ; corner = UNLIMITED ;/
    /^data/,$ { /^[a-z]/ d; /^  / d; }'
printf 'data:\nvertex_start = 0 ;\nface_start = 0 ;\ncorner_start = 0 ;\nclass_name = "rock" ;\n}\n' >tail
sed '/^}/d' blocks.cdl >changed && cat changed tail >blocks.cdl
refused 'out/blocks.nc: the scene has no blocks'

begin
expect_setting() { # WORDS OPTION
    make_files
    "$TALUS_BIN/talus-solve" site.ini --out out -q --set "$2" >out.txt 2>err.txt && fail "$2 was accepted"
    grep -q -e "$1" err.txt || fail "$2 does not say '$1': $(cat err.txt)"
    [ ! -e out/run.nc ] || fail "$2: run.nc was written"
}
expect_setting 'dt_s' solve.dt_s=0
expect_setting 'dt_s = 1e-300 must be in' solve.dt_s=1e-300
expect_setting 'friction' contact.friction=-0.1
expect_setting 'restitution' contact.restitution=1.5

begin # a law for a pair of classes that do not exist; which do, only terrain.nc and blocks.nc know
write_site 'friction = 0.6
[mesh]
ground_classes = layer.gpkg
[pair.rock.snow]
friction = 0.1'
refused 'site.ini:10: \[pair.rock.snow\] does not name two surface classes of this scene, which has: ground, rock'

# The ratios of a pair hold where [contact] is in kg: a cube that drops 0.1 m rebounds the same.
begin
change blocks 's/^position.*/position = 0, 0, 0.6, 3, 0, 0.5 ;/'
drop() { # LINES of [contact] and pairs: kinetic energy of the run's end
    write_site "$1"
    make_files
    solve --overwrite --until 0.5 --stop-when-still no 2>err.txt || fail "$1: $(cat err.txt)"
    ncdump -v kinetic_translation out/run.nc | tr -d ' ;}\n' | sed 's/.*,//'
}
ratio=$(drop 'law = acd2
restitution = 0.5
tangential_restitution = 0.5')
pair=$(drop 'law = acd2
kn_kg = 0
kt_kg = 0
[pair.rock.ground]
restitution = 0.5
tangential_restitution = 0.5')
off=$(drop 'law = acd2
kn_kg = 0
kt_kg = 0')
[ "$pair" = "$ratio" ] || fail "ratios of a pair are not used where [contact] is in kg: $pair, not $ratio"
[ "$off" != "$ratio" ] || fail "the test cannot tell the laws apart"

exit "$failures"
