#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The Frank Slide with the set of examples/avalanche, by 300 and 1200 blocks: prints runout, H/L and areas and draws
# avalanche.png. avalanche.sh BUILD DATA: DATA holds frank/ (five minutes of the processor).
set -eu
[ $# -eq 2 ] || { echo "usage: avalanche.sh BUILD DATA" >&2; exit 2; }
build=$(cd "$1" && pwd)
data=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$data"/frank/*.asc .
cp "$here/../../examples/avalanche/site.ini" .
for count in 300 1200; do
    gap=$([ $count = 300 ] && echo 1 || echo 0.6)
    for stage in ingest mesh solve post; do
        "$build/bin/talus-$stage" site.ini --out $count --set mesh.block_count=$count \
            --set mesh.gap_m=$gap --set report.figures=no
    done
done
python3 "$here/avalanche.py" 300 1200

gmt begin avalanche png
gmt set FONT_TITLE 10p FONT_LABEL 9p FONT_ANNOT 8p
gmt grdgradient 300/bed.tif -A315 -Ne0.8 -Gshade.nc
gmt subplot begin 1x2 -Fs8c/8c -M0.4c/1.0c
panel=0
for count in 300 1200; do
    gmt subplot set $panel
    gmt grdimage shade.nc -JX8c/0 -Cgray -Bxaf+l"east, m" -Byaf+l"north, m" -BWSne+t"$count blocks wanted: thickness, m"
    gmt grdclip $count/thickness.tif -Sb0.5/NaN -Gthickness.nc
    gmt makecpt -Cturbo -T0/60
    gmt grdimage thickness.nc -Q
    gmt grdcontour 300/source.tif -C0.5, -W1p,black
    gmt colorbar -DJBC+w6c/0.25c+o0/1.1c -Bxaf
    panel=$((panel + 1))
done
gmt subplot end
gmt end
cp avalanche.png "$here/"
