#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The Frank Slide with the set of examples/avalanche: prints runout, H/L and areas and, of what ships, draws avalanche.png,
# the deposit and what was passed over. avalanche.sh BUILD DATA [BLOCKS [SEED [alone]]]: DATA holds frank/; "alone" leaves
# out all but the three published values of the friction that falls with speed (a minute of the processor for 300 blocks).
set -eu
[ $# -ge 2 ] && [ $# -le 5 ] || { echo "usage: avalanche.sh BUILD DATA [BLOCKS [SEED [alone]]]" >&2; exit 2; }
build=$(cd "$1" && pwd)
data=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cp "$data"/frank/*.asc .
cp "$here/../../examples/avalanche/site.ini" .
if [ $# -ge 3 ]; then
    sed -i "s/^block_count.*/block_count = $3/" site.ini
fi
if [ "${5:-}" = alone ]; then
    sed -i '/^source_class/d; /^turbulence/d; /^\[pair/,/^$/d' site.ini
fi
for stage in ingest mesh solve post; do
    "$build/bin/talus-$stage" site.ini --out out -q --progress none --set report.figures=no --set random.seed="${4:-1}"
done
echo "blocks asked for ${3:-as it ships}, seed ${4:-1}, ${5:-the set}:"
python3 "$here/avalanche.py" out
sed -n 's/.*"\(fahrboeschung_simulated\|runout_simulated_m\)":[[:blank:]]*\([0-9.]*\),*$/along the flow line: \1 \2/p' out/scores.json
if [ $# -gt 2 ]; then
    exit 0
fi

gmt begin avalanche png
gmt set FONT_TITLE 10p FONT_LABEL 9p FONT_ANNOT 8p
gmt grdgradient out/bed.tif -A315 -Ne0.8 -Gshade.nc
gmt subplot begin 1x2 -Fs8c/8c -M0.4c/1.0c
panel() { # NUMBER RASTER LEAST TITLE COLOURS
    gmt subplot set "$1"
    gmt grdimage shade.nc -JX8c/0 -Cgray -Bxaf+l"east, m" -Byaf+l"north, m" -BWSne+t"$4"
    gmt grdclip "out/$2.tif" -Sb"$3"/NaN -Gshown.nc
    gmt makecpt -Cturbo -T"$5"
    gmt grdimage shown.nc -Q
    gmt grdcontour out/source.tif -C0.5, -W1p,black
    gmt colorbar -DJBC+w6c/0.25c+o0/1.1c -Bxaf
}
panel 0 thickness 0.5 "deposit: thickness, m" 0/90
panel 1 velocity_max 0.01 "passed over: greatest speed, m/s" 0/90
gmt subplot end
gmt end
cp avalanche.png "$here/"
