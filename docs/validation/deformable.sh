#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws the figure of deformable.md with GMT 6: deformable.sh BUILD, BUILD a build folder. Two minutes.
set -eu
[ $# -eq 1 ] || { echo "usage: deformable.sh BUILD" >&2; exit 2; }
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
for kinematics in floating-frame total-lagrangian small; do
    "$build/tests/solver_soft_blocks" "$kinematics" 1.2 1e-5 1000 |
        awk '$3 == "contacts" {print $1, $2}' > "$kinematics"
done
cat > prototype << 'EOF'
0.3 0.04530
0.5 0.22582
0.7 0.40763
0.9 0.50804
1.1 0.50437
EOF
gmt set FONT_ANNOT_PRIMARY 8p FONT_LABEL 9p FONT_TITLE 10p MAP_TITLE_OFFSET 4p \
    MAP_FRAME_PEN 0.6p MAP_GRID_PEN_PRIMARY 0.2p,gray80
gmt begin shaken-blocks png E200
gmt basemap -R0.1/1.25/0/0.6 -JX11c/7c -Bxa0.2g0.2+l"time, s" -Bya0.1g0.1+l"top of the upper block, m" \
    -BWSne+t"Three blocks on a shaken floor"
gmt plot small -W1p,darkorange
gmt plot total-lagrangian -W2p,gray60
gmt plot floating-frame -W1p,steelblue
gmt plot floating-frame -Sc0.14c -Gsteelblue
gmt plot prototype -Sx0.25c -W1p,firebrick
cat > legend << 'EOF'
S 0.3c - 0.5c - 1p,steelblue 0.8c floating frame
S 0.3c - 0.5c - 2p,gray60 0.8c total Lagrangian
S 0.3c - 0.5c - 1p,darkorange 0.8c small deformation
S 0.3c x 0.25c - 1p,firebrick 0.8c independent prototype
EOF
gmt legend legend -DjBR+w4.2c+o0.2c -F+gwhite+p0.3p --FONT_ANNOT_PRIMARY=8p
gmt end
mv shaken-blocks.png "$here"
