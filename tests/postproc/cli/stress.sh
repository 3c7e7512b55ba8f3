#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# From clouds to a report with blocks that deform: elements from the mesher, stresses from the solver, and the
# map, the layers, the files for ParaView and the pages that show them.
. "$TALUS_SOURCE/tests/support/common.sh"
command -v ncdump >/dev/null || { echo "SKIPPED: ncdump is not there (Debian: netcdf-bin)"; exit 0; }
"$TALUS_BIN/talus-dataset" slope --out . -q --set mesh.block_count=4 || fail "the site"
sed -i 's/^block_count.*/block_count = 4/; s/^until_s.*/until_s = 0.5\ndt_s = 0.004\nblow_dt_s = 4e-4/' site.ini
cat >>site.ini <<'INI'
figures = no
[body.rock]
kind = finite-element
young_pa = 1e8
element_m = 4
[break]
tensile_strength_pa = 2e5
INI
for stage in ingest mesh solve post; do
    "$TALUS_BIN/talus-$stage" site.ini --out out -q || fail "talus-$stage"
done
value() { sed -n "s/.*\"$1\":[[:space:]]*\([^,]*\),*/\1/p" out/run.json; }
broken=$(value blocks_that_would_have_broken)
largest=$(value tension_max_pa)
[ "$(value blocks_with_blows_missed)" = 0 ] || fail "blows are missed"
awk "BEGIN { exit !($largest > 1e4 && $largest < 1e8) }" || fail "the largest tension is $largest Pa"
[ "$broken" -ge 1 ] || fail "no block would have broken: $largest Pa"

# The map has the largest tension of the run, at one of its cells.
gdalinfo -stats out/tension_max.tif 2>/dev/null | sed -n 's/.*STATISTICS_MAXIMUM=//p' >most
awk -v most="$(cat most)" "BEGIN { d = most / $largest - 1; exit !(d < 1e-6 && d > -1e-6) }" || fail "the map has $(cat most), the run $largest"

# Layers, report and replay say the same.
[ "$(ogrinfo -q -sql 'SELECT SUM(would_have_broken) AS n FROM blocks' out/result.gpkg | sed -n 's/.*n (.*) = //p')" = "$broken" ] || fail "the layer counts other blocks as broken"
grep -q "data-broken=\"$broken\"" out/report.html || fail "the report does not count the broken blocks"
grep -q 'Stresses in the blocks' out/report.html || fail "the report has no stresses"
grep -q '"tension":"' out/report.html || fail "the replay has no tensions"
grep -q '"strength":200000' out/report.html || fail "the replay does not know the strength"

# A file for ParaView per frame, each with all elements.
elements=$(ncdump -h out/run.nc | sed -n 's/.*element = \([0-9]*\) ;/\1/p')
[ "$(grep -c DataSet out/elements.pvd)" = "$(grep -c DataSet out/blocks.pvd)" ] || fail "elements.pvd has other frames"
grep -aq "NumberOfCells=\"$elements\"" out/paraview/elements_00000.vtu || fail "elements are missing"
for name in displacement_m principal_stress_pa von_mises_pa; do
    grep -aq "Name=\"$name\"" out/paraview/elements_00000.vtu || fail "$name is missing"
done

# What breaks is shown in pieces: in the layers, the report and the replay, with all of the volume.
"$TALUS_BIN/talus-solve" site.ini --out out -q --overwrite --set break.cut=yes --set solve.until_s=0.1 || fail "talus-solve, breaking"
"$TALUS_BIN/talus-post" site.ini --out out -q --overwrite || fail "talus-post, breaking"
pieces=$(value blocks)
cracked=$(value blocks_broken)
[ "$cracked" -ge 1 ] && [ "$pieces" = $((4 + cracked)) ] || fail "$pieces blocks after $cracked broke"
[ "$(ogrinfo -q -sql 'SELECT COUNT(*) AS n FROM blocks' out/result.gpkg | sed -n 's/.*n (.*) = //p')" = "$pieces" ] || fail "the layer has other blocks"
grep -q "data-cracked=\"$cracked\"" out/report.html || fail "the report does not say how many broke"
whole=$(netcdf_values out/blocks.nc volume | awk '{ s += $1 } END { printf "%.9f", s }')
[ "$(netcdf_values out/run.nc volume | awk '{ s += $1 } END { printf "%.9f", s }')" = "$whole" ] || fail "pieces have another volume"
[ "$(grep -c DataSet out/blocks.pvd)" -ge 2 ] || fail "no motion for ParaView"

# Rigid blocks have none of it.
for stage in mesh solve post; do
    "$TALUS_BIN/talus-$stage" site.ini --out out -q --overwrite --set body.rock.kind=rigid --set break.tensile_strength_pa= || fail "talus-$stage, rigid"
done
grep -q 'Stresses in the blocks' out/report.html && fail "a report of rigid blocks speaks of stresses"
ncdump -h out/run.nc | grep -q tension && fail "rigid blocks have tensions"
[ "$failures" -eq 0 ]
