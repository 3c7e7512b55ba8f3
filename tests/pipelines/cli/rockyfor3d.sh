# SPDX-License-Identifier: GPL-3.0-or-later
# A project of Rockyfor3D becomes a site, runs through the whole chain by make, and its results come back
# under Rockyfor3D's names.
. "$TALUS_SOURCE/tests/support/common.sh"
mkdir project
# grid NAME EXPRESSION: 40 x 70 cells of 2 m; y grows to the north, x to the east. Coordinates have seven digits, as those of a
# country have.
grid() {
    awk "BEGIN {
        print \"ncols 40\\nnrows 70\\nxllcorner 2600500\\nyllcorner 1200800\\ncellsize 2\\nNODATA_value -9999\"
        for (row = 0; row < 70; row++) {
            y = 139 - 2 * row
            for (column = 0; column < 40; column++) {x = 2 * column + 1; printf \"%g \", ($2)}
            print \"\"
        }
    }" >"project/$1.asc"
}
grid dem '(y > 60 ? 0.8 * (y - 60) : 0) + 0.3 * sin(x) * sin(y)'
grid rockdensity '(y > 120 && y < 126 && x > 30 && x < 50) ? 2700 : 0'
grid d1 '(y > 120 && y < 126 && x > 30 && x < 50) ? 1.2 : 0'
grid d2 '(y > 120 && y < 126 && x > 30 && x < 50) ? 0.8 : 0'
grid d3 '(y > 120 && y < 126 && x > 30 && x < 50) ? 0.6 : 0'
grid blshape '(y > 120 && y < 126 && x > 30 && x < 50) ? 1 : 0'
grid soiltype 'y > 60 ? 4 : 1'
grid rg70 'y > 60 ? 0.2 : 0'
grid rg20 'y > 60 ? 0.3 : 0'
grid rg10 'y > 60 ? (x < 40 ? 0.4 : 0.6) : 0'
grid nrtrees '(y > 70 && y < 90) ? 400 : 0'
grid dbhmean '(y > 70 && y < 90) ? 30 : 0'
grid dbhstd '(y > 70 && y < 90) ? 5 : 0'
grid conif_percent '80'
# Two nets side by side: one across the west, one cell thick, one aslant and two cells thick. Two more below that follow one another.
net='(y > 20 && y < 22) ? (x < 40 ? 7 : 8) : (x < 50 ? (y > 44 && y < 46 ? 3 : 0) : (y > 44 + (x - 50) / 3 && y < 48 + (x - 50) / 3 ? 5 : 0))'
grid net_number "$net"
grid net_energy "$net > 0 ? 1000 : 0"
grid net_height "$net > 0 ? 4 : 0"
convert="$TALUS_BIN/talus-rockyfor3d"
expect 0 'wrote site/site.ini' "$convert" project --out site --rocks-per-cell 1
expect 1 'already exists' "$convert" project --out site
# With a coordinate system, as the guide has it.
expect 0 'wrote swiss/site.ini' "$convert" project --out swiss --crs EPSG:2056+5728
"$TALUS_BIN/talus-ingest" swiss/site.ini -q --out swiss/out || fail "a project with a coordinate system is refused"
# The help says what becomes of obstacles (checked below).
"$convert" --help | tr '\n' ' ' | grep -q 'rg10 become bumps' || fail "the help does not say what becomes of rg70"
for line in 'rocks = 30' 'forms = cube' 'density_kg_m3 = 2700' 'ground_class_names = soil1 soil2 soil3 soil4' \
    'restitution = 0.38' 'restitution = 0.23' 'strength = 1.1' 'height_m = 4' 'capacity_kj = 1000' 'rockyfor3d = yes' 'title = project' 'dt_s = 0.008'; do
    grep -q -e "$line" site/site.ini || fail "site.ini does not say $line: $(cat site/site.ini)"
done
# Soil 4 has obstacles of 0.7 0.2 + 0.2 0.3 + 0.1 0.5 = 0.25 m on average, soil 1 has none.
grep -A 1 '^\[ground.soil4\]' site/site.ini | grep -qx 'roughness_m = 0.125' || fail "roughness of soil 4: $(cat site/site.ini)"
grep -q '^\[ground.soil1\]' site/site.ini && fail "soil 1 is rough: $(cat site/site.ini)"
# The first net is a line through its cells, rim to rim; the second one begins where it ends, goes on to the east without turning
# back, and keeps to the middle of its two cells: 2 m up in 6.
[ "$(sed -n 's/^3,//p' site/net3.csv | tr -d '"')" = "$(awk 'BEGIN {printf "LINESTRING (2600500.001 1200845.000"
    for (x = 1; x < 50; x += 2) printf ", %.3f 1200845.000", 2600500 + x
    print ", 2600549.999 1200845.000)"}')" ] || fail "net 3: $(cat site/net3.csv)"
sed -n 's/^5,//p' site/net5.csv | tr -d '"LINESTRG()' | tr ',' '\n' | awk '
    NR > 1 && $1 <= last {exit 1}
    {off = $2 - 1200846 - ($1 - 2600550) / 3; if (off > 1.7 || off < -1.7) exit 1; last = $1}
    NR == 1 && ($1 - 2600550) ^ 2 > 0.3 {exit 1}
    END {if (NR < 12) exit 1}' || fail "net 5: $(cat site/net5.csv)"
run() {
    make -f "$TALUS_SOURCE/pipelines/run.mk" DEPENDS="$TALUS_SOURCE/pipelines/depends.sh" BIN="$TALUS_BIN" \
        SITE=site/site.ini OUT=out THREADS=2 >make.txt 2>&1 || { fail "make: $(cat make.txt)"; cat make.txt; }
}
run
grep -q 'barrier net3: ' make.txt || fail "no word about the net: $(cat make.txt)"
for name in E_mean E_50 E_90 E_95 E_98 E_99 Ph_50 Ph_90 Nr_passages Nr_deposited Nr_tree_impacts Reach_probability; do
    [ -s "out/rockyfor3d/$name.asc" ] || fail "no $name.asc"
done
# Each of the 30 rocks is deposited once or left: the sum says how many.
deposited=$(awk 'NR > 6 {for (i = 1; i <= NF; i++) sum += $i} END {print sum}' out/rockyfor3d/Nr_deposited.asc)
ended=$(sed -n 's/.*"\(at_rest\|stopped_by_barriers\)":[^0-9]*\([0-9]*\).*/\2/p' out/rocks.json | awk '{sum += $1} END {print sum}')
[ "$deposited" = "$ended" ] || fail "$deposited rocks are deposited, $ended ended"
# The rocks are boxes of 1.2 x 0.8 x 0.6 m.
netcdf_values out/rocks.nc mass | awk '{if (($1 / (2700 * 1.2 * 0.8 * 0.6) - 1) ^ 2 > 1e-8) exit 1}' || fail "masses are not those of d1 d2 d3"
# Nothing is done again without a reason; another net redoes the fall, another percentile only what follows.
run
grep -q talus- make.txt && fail "something was done again: $(cat make.txt)"
sed -i 's/^capacity_kj.*/capacity_kj = 1/' site/site.ini
run
grep -q 'rocks: ' make.txt || fail "another net does not let the rocks fall again"
sed -i 's/^rockyfor3d.*/&\npercentiles = 80/' site/site.ini
run
grep -q 'rocks: ' make.txt && fail "another percentile lets the rocks fall again"
[ -f out/energy_p80.tif ] || fail "the percentile asked for is not there"
# All that is wrong, at once.
rm project/d2.asc project/dbhmean.asc
grid soiltype '9'
grid net_height '99'
expect 1 'there is no d2.asc' "$convert" project --out other
for words in 'nrtrees.asc is given without dbhmean.asc' 'soiltype.asc: 2800 cells lie outside \[0, 7\]' 'net_height.asc: 2800 cells lie outside \[0, 15\] m'; do
    grep -q -e "$words" err.txt || fail "not said: $words: $(cat err.txt)"
done
# Sources, trees and nets without their sizes; a density in other units; soil that is nowhere. The nets have 40 + 25 cells, and 2 or, where their rims meet the centres, 1 in each of 15 columns: 25.
grid d2 '0.8'
grid dbhmean '(y > 80 && y < 90) ? 30 : 0'
grid soiltype '-9999'
grid rockdensity '(y > 120 && y < 126 && x > 30 && x < 50) ? 2.7 : 0'
grid net_energy '0'
grid net_height "$net > 0 ? 4 : 0"
grid d1 '0'
expect 1 'd1: 30 cells of rockdensity have no diameter' "$convert" project --out other
for words in 'dbhmean: 200 cells of nrtrees have no diameter' 'net_energy: 90 cells of net_number have no energy' \
    'rockdensity: a source has 2.7 kg/m3' 'soiltype: 2800 cells of the dem have none'; do
    grep -q -e "$words" err.txt || fail "not said: $words: $(cat err.txt)"
done
expect 2 'which folder' "$convert"
expect 2 'rocks-per-cell must be' "$convert" project --rocks-per-cell none
exit "$failures"
