#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws the figure of Hertz contact in deformable.md with GMT 6: hertz.sh BUILD, BUILD a build folder. A minute.
set -eu
[ $# -eq 1 ] || { echo "usage: hertz.sh BUILD" >&2; exit 2; }
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for cells in 8 12 16; do "$build/tests/solver_analytic_hertz" $cells 0.06 $((cells / 4)) >$cells; done
# x'' = -5/4 x^(3/2) from x = 0, x' = 1: depth over the largest, time over depth/speed.
awk 'BEGIN { h = 1e-4; v = 1; for (t = 0; x >= 0; t += h) { v -= 0.5 * h * 1.25 * x ^ 1.5; x += h * v
    if (x >= 0) { v -= 0.5 * h * 1.25 * x ^ 1.5; if (n++ % 100 == 0) print t / 2.943275184, x ^ 1.5 } } }' >hertz
gmt set FONT_ANNOT_PRIMARY 8p FONT_LABEL 9p FONT_TITLE 10p MAP_TITLE_OFFSET 4p \
    MAP_FRAME_PEN 0.6p MAP_GRID_PEN_PRIMARY 0.2p,gray80
gmt begin hertz png E200
gmt basemap -R0/1.2/0/1.3 -JX11c/7c -Bxa0.2g0.2+l"time over contact time" -Bya0.2g0.2+l"force over peak force" \
    -BWSne+t"A rounded block on a rigid plane"
gmt plot hertz -W3p,gray70
echo 'S 0.3c - 0.5c - 3p,gray70 0.8c Hertz' >legend
for one in 8/darkorange 12/seagreen 16/steelblue; do
    gmt plot "${one%/*}" -W1p,"${one#*/}"
    echo "S 0.3c - 0.5c - 1p,${one#*/} 0.8c ${one%/*} cells a side" >>legend
done
gmt legend legend -DjTR+w3.4c+o0.2c -F+gwhite+p0.3p --FONT_ANNOT_PRIMARY=8p
gmt end
mv hertz.png "$here"
