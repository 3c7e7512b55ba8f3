#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Blocks that break, from files to files: of two cubes one falls on a corner, breaks, and its pieces
# break again.
. "$TALUS_SOURCE/tests/support/common.sh"
command -v ncgen >/dev/null || { echo "SKIPPED: ncgen is not there (Debian: netcdf-bin)"; exit 0; }
. "$TALUS_SOURCE/tests/solver/support/two_blocks.sh"
. "$TALUS_SOURCE/tests/solver/support/same_run.sh"
same_motion() { # FOLDER FOLDER
    for run in "$@"; do ncdump -v x,y,z,orientation,tension_max "$run/run.nc" | sed '1,/^data:/d' >"$run.txt"; done
    cmp "$1.txt" "$2.txt"
}
solve="$TALUS_BIN/talus-solve"
mkdir -p out
write_terrain
write_blocks
change blocks 's/^position.*/position = 0, 0, 3.5, 3, 0, 0.5 ;/'
change blocks 's/^orientation.*/orientation = 0.898877104990060, 0.299625701663353, 0.249688084719461, 0.199750467775569, 1, 0, 0, 0 ;/'
make_files
cat >site.ini <<'INI'
[solve]
dt_s = 0.00025
until_s = 1
checkpoint_every_s = 0.1
stop_when_still = no
[contact]
friction = 0.5
[body.rock]
kind = pseudo-rigid
young_pa = 1e9
poisson = 0.2
[break]
tensile_strength_pa = 3e4
cut = yes
smallest_m = 0.5
energy_j_m2 = 20
pieces_max = 20
INI

fresh whole
expect 0 'blocks and pieces broke: cracks of' "$solve" site.ini --out whole --threads 1
broken=$(value whole blocks_broken)
blocks=$(value whole blocks)
[ "$broken" -ge 2 ] || fail "only $broken broke"
[ "$blocks" = $((2 + broken)) ] || fail "$blocks blocks after $broken broke"
awk "BEGIN { d = $(value whole crack_energy_j) / $(value whole crack_area_m2) - 20; exit !(d * d < 1e-18) }" || fail "the cracks took $(value whole crack_energy_j) J"
awk "BEGIN { exit !($(value whole energy_drift) < 1e-6) }" || fail "the energy book does not close: $(value whole energy_drift)"

# Volumes and masses are those of the two cubes; until they break, pieces move with the whole.
netcdf_values whole/run.nc volume | awk '{ s += $1 } END { exit !(s > 2 - 1e-12 && s < 2 + 1e-12) }' || fail "the volume changed"
netcdf_values whole/run.nc mass | awk '{ s += $1 } END { exit !(s > 5400 - 1e-9 && s < 5400 + 1e-9 || s > 5200 - 1e-9 && s < 5200 + 1e-9) }' || fail "the mass changed"
netcdf_values whole/run.nc part_of | sort -u | tr '\n' ' ' >origins
[ "$(cat origins)" = '0 1 ' ] || fail "pieces are parts of $(cat origins)"
[ "$(netcdf_values whole/run.nc born | awk '$1 > 0.7 && $1 < 1' | wc -l)" = $((blocks - 1)) ] || fail "pieces are born at other times"
first=$(netcdf_values whole/run.nc z | head -n "$blocks" | awk '{ s += $1 } END { print (s / NR > 0.5) }')
[ "$first" = 1 ] || fail "pieces do not start in the cube"

# Threads, stops (before the first break and between two) and a kill change no byte.
same_however_run 0.7 0.745

# Along joints: the cube stands on edge, the joints are as weak as they have to be, and all cracks lie in them. A
# vertical plane that strikes north has an eastern normal: pieces of it touch along that.
cp site.ini rock.ini
cat >>site.ini <<'INI'
[joint.1]
dip_deg = 90
dip_direction_deg = 90
tensile_strength_pa = 100
block_class = rock
INI
mv whole rock
fresh whole
expect 0 'of them along joints' "$solve" site.ini --out whole --threads 1
[ "$(value whole broken_along_joints)" -ge 1 ] || fail "nothing broke along a joint"
[ "$(value rock broken_along_joints)" = 0 ] || fail "without joints, $(value rock broken_along_joints) broke along them"
awk "BEGIN { exit !($(value whole energy_drift) < 1e-6) }" || fail "joints: the energy book does not close: $(value whole energy_drift)"
ncdump -h whole/run.nc | grep -q 'double joint_use(block)' || fail "run.nc does not say how much of the joints' strength was used"
ncdump -h rock/run.nc | grep -q joint_use && fail "blocks without joints have a use of them"
same_however_run 0.7
# Weak joints that nobody asks to cut along are counted.
fresh off
"$solve" site.ini --out off -q --set break.cut=no --set break.tensile_strength_pa=1e9 || fail "joints, not cut"
[ "$(value off blocks_that_would_have_broken)" -ge 1 ] || fail "blocks above the strength of a joint are not counted"
# A joint as strong as rock changes nothing but what is said of it.
fresh strong
"$solve" site.ini --out strong -q --set joint.1.tensile_strength_pa=1e12 || fail "a strong joint"
same_motion strong rock || fail "a joint that holds changes the run"
sed '/^dip_deg/d' site.ini >wrong.ini
expect 2 'wrong.ini:2[0-9]: \[joint.1\] tensile_strength_pa needs dip_deg and dip_direction_deg' "$solve" wrong.ini --out off
sed 's/^block_class.*/block_class = chalk/' site.ini >wrong.ini
expect 2 'wrong.ini:2[0-9]: \[joint.1\] block_class = chalk names no surface class' "$solve" wrong.ini --out off
sed '/^tensile_strength_pa = 3e4/d; s/^cut.*/cut = no/' site.ini >wrong.ini
expect 2 'wrong.ini:2[0-9]: \[joint.1\] tensile_strength_pa needs \[break\] tensile_strength_pa' "$solve" wrong.ini --out off
sed 's/^kind.*/kind = rigid/' site.ini >wrong.ini
expect 2 'wrong.ini:2[0-9]: \[joint.1\] tensile_strength_pa asks for stresses, but all blocks are rigid' "$solve" wrong.ini --out off
mv rock.ini site.ini

# A journal of another run is not gone on with, and with both options the run begins again.
fresh other
"$solve" site.ini --out other --threads 1 -q --until 0.8 || fail "another run"
expect 1 'belongs to a' "$solve" site.ini --out other --resume --set break.energy_j_m2=1
"$solve" site.ini --out other --threads 1 -q --resume --overwrite --set break.energy_j_m2=0 || fail "begin again"
[ "$(value other crack_energy_j)" = 0 ] || fail "cracks that cost nothing took $(value other crack_energy_j) J"

# No more pieces than are allowed; none where breaking is off, whatever else is said.
fresh few
"$solve" site.ini --out few -q --set break.pieces_max=2 || fail "two pieces"
[ "$(value few blocks_broken)" = 1 ] || fail "$(value few blocks_broken) broke, one may"
fresh off
fresh plain
"$solve" site.ini --out off -q --set break.cut=no || fail "off"
sed '/^cut/,$d' site.ini >plain.ini
"$solve" plain.ini --out plain -q || fail "plain"
same_motion off plain || fail "breaking changes a run while it is off"

# What is wrong is named, with its line.
sed '/^tensile/d' site.ini >wrong.ini
expect 2 'wrong.ini:1[0-9]: \[break\] cut = yes needs tensile_strength_pa' "$solve" wrong.ini --out off
sed 's/^kind.*/kind = finite-element/' site.ini >wrong.ini
expect 2 'needs element_m' "$solve" wrong.ini --out off
[ "$failures" -eq 0 ]
