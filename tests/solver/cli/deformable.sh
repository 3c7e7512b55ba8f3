#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks that deform, from files to files: one cube 1 m above the ground and one on it, each a hexahedron.
. "$TALUS_SOURCE/tests/support/common.sh"
command -v ncgen >/dev/null || { echo "SKIPPED: ncgen is not there (Debian: netcdf-bin)"; exit 0; }
. "$TALUS_SOURCE/tests/solver/support/two_blocks.sh"
. "$TALUS_SOURCE/tests/solver/support/same_run.sh"
solve="$TALUS_BIN/talus-solve"
mkdir -p out
write_terrain
write_blocks
change blocks 's/^position.*/position = 0, 0, 1.5, 3, 0, 0.5 ;/'
change blocks 's/class = 1 ;/class = 1 ; mesh_node = 16 ; element = 2 ; eight = 8 ;/'
change blocks 's/^variables:/variables: int mesh_node_start(block_edge) ; int element_start(block_edge) ; double mesh_node(mesh_node, three) ; int element_node(element, eight) ;/'
cube='-0.5, -0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5, 0.5, -0.5, 0.5, 0.5, 0.5, 0.5, -0.5, 0.5, 0.5'
change blocks "s/^vertex_start/mesh_node_start = 0, 8, 16 ;\nelement_start = 0, 1, 2 ;\nmesh_node = $cube, $cube ;\nelement_node = 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7 ;\n&/"
make_files
cat >site.ini <<'INI'
[solve]
dt_s = 0.0003
until_s = 0.9
checkpoint_every_s = 0.2
stop_when_still = no
[contact]
friction = 0.5
[body.rock]
kind = finite-element
young_pa = 1e9
poisson = 0.2
element_m = 1
[break]
tensile_strength_pa = 1e5
INI

# The cube that falls is struck and would break; the one that lies is not.
fresh whole
expect 0 '1 of 2 blocks that deform came above 0.1 MPa' "$solve" site.ini --out whole --threads 1
[ "$(value whole blocks_that_would_have_broken)" = 1 ] || fail "blocks that would have broken"
[ "$(value whole tension_max_block)" = 0 ] || fail "the largest tension is in another block"
[ "$(value whole blocks_with_blows_missed)" = 0 ] || fail "steps of a fifth of the transit miss a blow"
awk "BEGIN { t = $(value whole tension_max_s); exit !(t > 0.44 && t < 0.47) }" || fail "struck at $(value whole tension_max_s)"
ncdump -h whole/run.nc >head
for name in 'float displacement(frame, mesh_node, three)' 'float stress(frame, element, stress_number)' \
    'double tension_max(block)' 'double tension_place(block, three)' 'double strain(step)' 'blocks_that_would_have_broken = 1'; do
    grep -qF "$name" head || fail "run.nc has no $name"
done
awk "BEGIN { exit !($(value whole energy_drift) < 1e-5) }" || fail "the energy book does not close"

# Threads, a stop and a kill change no byte.
same_however_run 0.5

# All kinds run; steps that are too long say which would do, or are cut where a block is struck.
for kind in total-lagrangian corotational small; do
    fresh kind
    "$solve" site.ini --out kind -q --set body.rock.kinematics=$kind || fail "$kind"
done
fresh kind
expect 0 'largest tensile stress' "$solve" site.ini --out kind --set body.rock.kind=pseudo-rigid --set body.rock.damping_mass_per_s=1 --set body.rock.damping_stiffness_s=1e-5
fresh coarse
expect 0 'blows on 1 blocks fell into steps that do not resolve them.*blow_dt_s = 0.00038' "$solve" site.ini --out coarse --set solve.dt_s=0.003
[ "$(value coarse blocks_that_would_have_broken)" = 0 ] || fail "a stress is given that was not resolved"
fresh cut
expect 0 '1 of 2 blocks that deform came above' "$solve" site.ini --out cut --set solve.dt_s=0.003 --set solve.blow_dt_s=0.0003 --set break.length_m=0.3
[ "$(value cut blocks_with_blows_missed)" = 0 ] || fail "cut steps miss a blow"
awk "BEGIN { a = $(value cut tension_max_pa); b = $(value whole tension_max_pa); exit !(a > 0.9 * b && a < 1.1 * b) }" || fail "cut steps find another stress"

# Rigid ones are what they were.
fresh rigid
fresh plain
sed '/^\[body/,$d' site.ini >plain.ini
"$solve" site.ini --out rigid -q --set body.rock.kind=rigid --set break.tensile_strength_pa= || fail "rigid"
"$solve" plain.ini --out plain -q || fail "plain"
ncdump -v x,y,z,orientation,velocity rigid/run.nc | sed '1,/^data:/d' >rigid.txt
ncdump -v x,y,z,orientation,velocity plain/run.nc | sed '1,/^data:/d' >plain.txt
cmp rigid.txt plain.txt || fail "a rigid block is another than before"

# What is wrong is named, with its line, and nothing is written.
refuse() { # CODE WORDS OPTIONS...
    code=$1 words=$2
    shift 2
    expect "$code" "$words" "$solve" site.ini --out refused "$@"
    [ ! -e refused/run.nc ] || fail "run.nc is there after: $words"
}
fresh refused
refuse 2 'poisson = 0.5 must be in \[0, 0.5)' --set body.rock.poisson=0.5
refuse 2 'young_pa = -1' --set body.rock.young_pa=-1
sed 's/^poisson.*/poisson = 0.5/' site.ini >wrong.ini
expect 2 'wrong.ini:11: .*poisson' "$solve" wrong.ini --out refused
sed 's/body.rock/body.stone/' site.ini >wrong.ini
expect 2 'wrong.ini:9: \[body.stone\] names no surface class' "$solve" wrong.ini --out refused
sed '/^element_m/d' site.ini >wrong.ini
expect 2 '\[body.rock\] kind = finite-element needs element_m' "$solve" wrong.ini --out refused
sed '/^kind/d' site.ini >wrong.ini
expect 2 'all blocks are rigid' "$solve" wrong.ini --out refused
with_blocks() { # SED-COMMAND WORDS
    sed "$1" blocks.cdl >changed.cdl
    ncgen -4 -o refused/blocks.nc changed.cdl || fail "the test's own file"
    refuse 1 "$2"
}
with_blocks 's/^element_node = 0, 1, 2, 3, 4, 5, 6, 7/element_node = 0, 3, 2, 1, 4, 7, 6, 5/' 'blocks.nc: solid 0: hexahedron 0 is inverted'
with_blocks 's/^element_node = 0, 1, 2, 3, 4, 5, 6, 7/element_node = 0, 1, 2, 5, -1, -1, -1, -1/' 'blocks.nc: solid 0'
with_blocks 's/^mesh_node = -0.5, -0.5, -0.5/mesh_node = -0.5, -0.5, -0.9/' 'blocks.nc: solid 0'
with_blocks 's/^element_node = 0, 1/element_node = 0, 77/' 'blocks.nc: solid 0'
with_blocks 's/^element_start = 0, 1, 2/element_start = 0, 2, 1/' 'element_start does not rise'
with_blocks 's/^element_start = 0, 1, 2/element_start = 0, 0, 2/' 'block 0 of blocks.nc has no elements'
[ "$failures" -eq 0 ]
