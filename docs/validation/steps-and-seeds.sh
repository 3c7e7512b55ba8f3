#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How much the deposit of Piton Marcel depends on the time step and on the blocks that were drawn.
# steps-and-seeds.sh BUILD WORK: runs twelve simulations of 480 irregular blocks in WORK (half an hour; those
# that are there already are kept), prints how well their deposits overlap and draws steps-and-seeds.png.
set -eu
[ $# -eq 2 ] || { echo "usage: steps-and-seeds.sh BUILD WORK" >&2; exit 2; }
bin=$(cd "$1" && pwd)/bin
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
cd "$2"
export OMP_WAIT_POLICY=passive
site=site/site.ini

[ -f $site ] || "$bin/talus-dataset" piton-marcel --out site -q
[ -f surveyed/deposit.tif ] || "$bin/talus-ingest" $site --out surveyed -q --progress none

simulate() { # NAME SEED STEP LAW
    [ ! -f "$1/thickness.tif" ] || return 0
    mkdir -p "$1"
    cp surveyed/* "$1"
    for stage in mesh solve post; do
        "$bin/talus-$stage" $site --out "$1" --overwrite -q --progress none -s "random.seed=$2" \
            -s mesh.block_count=455 -s "solve.dt_s=$3" -s "contact.law=$4" -s contact.friction=0.45 \
            -s solve.until_s="$([ "$4" = acd2 ] && echo 30 || echo 80)"
    done
}

# Deposit: half a metre of rock or more.
covered() { # RUN
    gmt grd2xyz "$1/thickness.tif" -o2 | awk '{ print ($1 != "NaN" && $1 >= 0.5) }' >"$1/covered"
}

overlap() { # RUN RUN: cells covered in both over cells covered in either
    paste "$1/covered" "$2/covered" |
        awk '{ both += $1 * $2; either += ($1 + $2 > 0) } END { printf "%.3f\n", both / either }'
}

panel() { # NUMBER TITLE RUN... with a colour each
    gmt subplot set "$1"
    gmt basemap $region -Bxa200f100 -Bya200f100 -BWSne+t"$2"
    gmt grdimage surveyed/shown.nc -Cgrey.cpt -Q
    shift 2
    rm -f legend
    for line in "$@"; do
        gmt grdcontour "${line%%,*}/shown.nc" -C+0.5 -A- -W0.8p,"${line##*,}"
        name=${line#*,}
        echo "S 0.2c - 0.4c - 0.8p,${line##*,} 0.6c ${name%,*}" >>legend
    done
    gmt legend legend -DjBR+w1.7c+o0.1c --FONT_ANNOT_PRIMARY=7p
}

draw() {
    gmt grdmath surveyed/deposit.tif 0 NAN 0 MUL = surveyed/shown.nc
    for run in $runs; do
        gmt grdmath "$run/thickness.tif" 0 DENAN = "$run/shown.nc"
    done
    gmt makecpt -Cgray85,gray85 -T-1/1/1 >grey.cpt
    region=$(gmt grdinfo surveyed/deposit.tif -I10)
    gmt begin "$here/steps-and-seeds" png E200
    gmt set FONT_ANNOT_PRIMARY 7p FONT_TITLE 10p MAP_TITLE_OFFSET 4p MAP_FRAME_PEN 0.6p FORMAT_FLOAT_OUT %.0f
    gmt subplot begin 1x3 -Fs5.6c/4c -M0.5c/0.4c $region -JX5.6c/4c
    panel 0 "Other blocks" "seed1,seed 1,steelblue" "seed2,seed 2,darkorange" "seed3,seed 3,seagreen" "seed4,seed 4,firebrick"
    panel 1 "Other steps" "coarse,0.1 s,darkorange" "seed1,0.05 s,steelblue" "fine,0.025 s,firebrick"
    panel 2 "Other steps, acd2" "acd2-coarse,0.1 s,darkorange" "acd2,0.05 s,steelblue" "acd2-fine,0.025 s,firebrick"
    gmt subplot end
    gmt end
}

for seed in 1 2 3 4; do
    simulate seed$seed $seed 0.05 acd2+coulomb
done
simulate coarse 1 0.1 acd2+coulomb
simulate fine 1 0.025 acd2+coulomb
for seed in 2 3 4; do
    simulate fine$seed $seed 0.025 acd2+coulomb
done
simulate acd2-coarse 1 0.1 acd2
simulate acd2 1 0.05 acd2
simulate acd2-fine 1 0.025 acd2
runs="seed1 seed2 seed3 seed4 coarse fine fine2 fine3 fine4 acd2-coarse acd2 acd2-fine"
for run in $runs; do
    covered "$run"
done
echo "seeds: $(overlap seed1 seed2) $(overlap seed1 seed3) $(overlap seed1 seed4) $(overlap seed2 seed3) $(overlap seed2 seed4) $(overlap seed3 seed4)"
echo "step halved: $(overlap coarse seed1) $(overlap seed1 fine) $(overlap seed2 fine2) $(overlap seed3 fine3) $(overlap seed4 fine4)"
echo "step halved, acd2: $(overlap acd2-coarse acd2) $(overlap acd2 acd2-fine)"
draw
