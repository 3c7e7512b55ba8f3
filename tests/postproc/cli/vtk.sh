#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The files for ParaView: their arrays lie where their headers say, and VTK's own reader (where
# python3-vtk9 is installed) finds the right numbers of blocks, points and time steps.
set -u
post=$TALUS_BIN/talus-post
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

"$TALUS_TEST_BIN/post-make-scene" a blocks=30 frames=21 || exit 1
"$post" a/site.ini --out a --set report.figures=no --progress none 2>err.txt ||
    fail "talus-post failed: $(cat err.txt)"
[ "$(grep -c '<DataSet ' a/blocks.pvd)" -eq 21 ] || fail "blocks.pvd does not list 21 frames"
for file in $(sed -n 's/.*file="\([^"]*\)".*/\1/p' a/blocks.pvd); do
    [ -s "a/$file" ] || fail "$file is listed and missing"
done
# 30 boxes: 240 points of 12 bytes, 720 corners, 180 faces with 4 + 4 + 12 + 4 + 4 bytes each and 4
# for the offsets; eight arrays with a length of 8 bytes before each.
head=$(grep -a -b -o '^_' a/paraview/blocks_00000.vtp | head -n 1 | cut -d: -f1)
tail=$(grep -a -b -o '</AppendedData>' a/paraview/blocks_00000.vtp | head -n 1 | cut -d: -f1)
wanted=$((240 * 12 + 720 * 4 + 180 * 32 + 8 * 8))
[ $((tail - head - 2)) -eq $wanted ] || fail "arrays take $((tail - head - 2)) bytes, not $wanted"
# A smaller limit leaves frames out but keeps the first and the last.
"$post" a/site.ini --out a --overwrite --set report.figures=no --set report.paraview_mb=0.1 \
    --progress none 2>err.txt || fail "talus-post failed: $(cat err.txt)"
kept=$(grep -c '<DataSet ' a/blocks.pvd)
[ "$kept" -gt 1 ] && [ "$kept" -lt 15 ] || fail "$kept frames were kept"
grep -q 'timestep="0"' a/blocks.pvd || fail "the first frame is missing"
grep -q 'timestep="20"' a/blocks.pvd || fail "the last frame is missing"
[ "$(find a/paraview -name 'blocks_*.vtp' | wc -l)" -eq "$kept" ] || fail "old frames were left"

python=${TALUS_PYTHON_VTK:-/usr/bin/python3}
if "$python" -c 'from vtkmodules.vtkIOXML import vtkXMLPolyDataReader' 2>/dev/null; then
    "$python" - <<'END' || fail "VTK does not find what was written"
import xml.etree.ElementTree as tree
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
def read(path):
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()
sets = tree.parse('a/blocks.pvd').getroot().find('Collection').findall('DataSet')
times = [float(s.get('timestep')) for s in sets]
assert times == sorted(times) and times[0] == 0 and times[-1] == 20, times
for s in sets:
    data = read('a/' + s.get('file'))
    assert data.GetNumberOfPoints() == 240 and data.GetNumberOfPolys() == 180
    box = data.GetBounds()
    assert box[0] > 0 and box[1] < 320 and box[3] < 0 and box[2] > -200, box
    ids = data.GetCellData().GetArray('block')
    assert {ids.GetValue(i) for i in range(180)} == set(range(30))
    for name in ('speed_mps', 'velocity_mps', 'energy_kJ', 'volume_m3'):
        assert data.GetCellData().GetArray(name).GetNumberOfTuples() == 180
terrain = read('a/paraview/terrain.vtp')
assert terrain.GetNumberOfPoints() == 41 * 26 and terrain.GetNumberOfPolys() == 2000
box = terrain.GetBounds()
assert box[0] == 0 and box[1] == 320, box
END
else
    echo "SKIPPED: VTK's own reader on the ParaView files needs python3-vtk9"
fi
[ "$failures" -eq 0 ]
