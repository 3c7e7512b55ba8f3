#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# result.qgz as QGIS itself opens it: every layer valid, in order and styled, the map drawn where the
# deposit is, with hillshade, thickness and outlines in their colours.
set -u
post=$TALUS_BIN/talus-post
. "$TALUS_SOURCE/tests/support/common.sh"

python=${TALUS_PYTHON_QGIS:-/usr/bin/python3}
if ! "$python" -c 'import qgis.core' 2>/dev/null; then
    echo "SKIPPED: opening result.qgz in QGIS needs python3-qgis (too large to be installed for one test)"
    exit 0
fi
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR="$PWD" HOME="$PWD"
quick="--set report.figures=no --set report.paraview_mb=0 --progress none"
"$TALUS_TEST_BIN/post-make-scene" full blocks=60 frames=41
"$TALUS_TEST_BIN/post-make-scene" local blocks=60 frames=41 local=1
"$TALUS_TEST_BIN/post-make-scene" bare blocks=40 frames=41 deposit=0
"$TALUS_TEST_BIN/post-make-scene" lost blocks=40 frames=41 lost=1
for study in full local bare lost; do
    # shellcheck disable=SC2086
    "$post" $study/site.ini --out $study $quick 2>err.txt || fail "talus-post: $(cat err.txt)"
done
# Layers are found from the project's own folder, wherever it is moved.
mkdir moved && mv full local bare lost moved

cat >look.py <<'END'
import sys
from qgis.core import (QgsApplication, QgsMapRendererSequentialJob, QgsMapSettings, QgsProject,
                       QgsRasterLayer)
from qgis.PyQt.QtCore import QSize
from qgis.PyQt.QtGui import QColor

ORDER = ['Blocks, centroids', 'Flow line', 'Surveyed deposit', 'Simulated deposit', 'Source',
         'Trajectories', 'Blocks at rest', 'Simulated thickness (m)', 'Surveyed thickness (m)',
         'Greatest energy (kJ)', 'Hillshade of the bed']
SHOWN = [ORDER[i] for i in (1, 2, 3, 4, 6, 7, 10)]
SURVEYED = {'Surveyed deposit', 'Surveyed thickness (m)'}
COUNT = {'Blocks, centroids': 60, 'Trajectories': 60, 'Blocks at rest': 60, 'Flow line': 1}
LINE = {'Surveyed deposit': '#0072b2', 'Simulated deposit': '#d55e00'}
failures = 0


def check(is_right, words):
    global failures
    if not is_right:
        failures += 1
        print('FAILED:', words)


def draw(project, layers):
    settings = QgsMapSettings()
    settings.setLayers(layers)
    settings.setDestinationCrs(project.crs())
    settings.setBackgroundColor(QColor('white'))
    settings.setOutputSize(QSize(400, 300))
    settings.setExtent(project.viewSettings().defaultViewExtent())
    job = QgsMapRendererSequentialJob(settings)
    job.start()
    job.waitForFinished()
    check(not job.errors(), [e.message for e in job.errors()])
    return job.renderedImage()


def colours(image):
    return [QColor(image.pixel(x, y)) for x in range(image.width()) for y in range(image.height())]


def look(study):
    project = QgsProject.instance()
    check(project.read(f'moved/{study}/result.qgz'), f'{study}: {project.error()}')
    nodes = project.layerTreeRoot().findLayers()
    names = [n.name() for n in nodes]
    check(all(n.layer() and n.layer().isValid() for n in nodes),
          f'{study}: layers that are not valid: '
          f'{[n.name() for n in nodes if not (n.layer() and n.layer().isValid())]}')
    wanted = [n for n in ORDER if n in names]
    check(names == wanted, f'{study}: the layers are in the order {names}')
    check(study == 'lost' or [n.name() for n in nodes if n.isVisible()] ==
          [n for n in SHOWN if n in names], f'{study}: other layers are shown')
    layer = {n.name(): n.layer() for n in nodes}
    check(layer['Hillshade of the bed'].renderer().type() == 'hillshade', f'{study}: no hillshade')
    grey = [c for c in colours(draw(project, [layer['Hillshade of the bed']]))]
    check(len({c.name() for c in grey}) > 10, f'{study}: the hillshade is blank')
    check(all(c.red() == c.green() == c.blue() for c in grey), f'{study}: the hillshade has colours')
    return project, layer, nodes


application = QgsApplication([], False)
application.initQgis()
project, layer, nodes = look('full')
check(list(layer) == ORDER, f'full: {list(layer)}')
check(project.crs().authid() == 'EPSG:32620', f'full: the project is in {project.crs().authid()}')
for name in ORDER:
    check(layer[name].crs() == project.crs(), f'{name} is in {layer[name].crs().authid()}')
    if not isinstance(layer[name], QgsRasterLayer):
        check(name not in COUNT or layer[name].featureCount() == COUNT[name], f'{name}: features')
for name, colour in LINE.items():
    symbol = layer[name].renderer().symbol().symbolLayer(0)
    check(symbol.strokeColor().name() == colour, f'{name} is drawn in {symbol.strokeColor().name()}')
    check(symbol.color().alpha() == 0, f'{name} hides what is below')
check(layer['Simulated thickness (m)'].renderer().type() == 'singlebandpseudocolor', 'no ramp')
image = draw(project, [n.layer() for n in nodes if n.isVisible()])
image.save('full.png')
seen = colours(image)
near = lambda c, r, g, b: abs(c.red() - r) + abs(c.green() - g) + abs(c.blue() - b) < 30
check(sum(near(c, 0, 114, 178) for c in seen) > 100, 'the surveyed outline is not on the map')
check(sum(near(c, 213, 94, 0) for c in seen) > 100, 'the simulated outline is not on the map')
warm = lambda c: c.red() > c.blue() + 40
check(sum(warm(c) for c in seen) > 1000, 'the thickness is not on the map')

project, layer, nodes = look('local')
check(list(layer) == ORDER, f'local: {list(layer)}')
project, layer, nodes = look('bare')
check(not SURVEYED & set(layer), f'bare: {SURVEYED & set(layer)} without a survey')
look('lost')
print(failures, 'failures')
sys.stdout.flush()
application.exitQgis()
sys.exit(failures > 0)
END
"$python" look.py >look.txt 2>&1 || fail "QGIS: $(cat look.txt)"
grep -q '^0 failures$' look.txt || fail "QGIS did not come to the end: $(cat look.txt)"
[ "$failures" -eq 0 ]
