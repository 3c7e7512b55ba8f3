#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Stops of single rocks at Authume and Tschamut, real and simulated: prints the tables of grounds.md and draws
# grounds.png. grounds.sh BUILD DATA: DATA holds authume/ and tschamut/ (some minutes).
set -eu
[ $# -eq 2 ] || { echo "usage: grounds.sh BUILD DATA" >&2; exit 2; }
study=$(cd "$1" && pwd)/tests/solver_law_sites
data=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

authume="law=ground mu=0.55 e=0.15 rough=0.1 blue:rough=0.04 gray:rolling_friction=0.2 red:rolling_friction=0.2"
tschamut="law=ground mu=0.4 e=0.3 rough=0.1 length=0.7"

# shellcheck disable=SC2086
{
    "$study" "$data/authume" starts=4
    "$study" "$data/authume" starts=4 $authume dt=0.01 dt=0.005
    "$study" "$data/authume" starts=4 $authume points >authume.txt
    for half in odd even; do
        "$study" "$data/tschamut" starts=4 half=$half
        "$study" "$data/tschamut" starts=4 half=$half $tschamut
    done
    "$study" "$data/tschamut" starts=4 half=even $tschamut points >tschamut.txt
}

shares() { # FILE WHAT COLUMN: value, share of the stops up to it
    awk -v what="$2" -v c="$3" '$1 == what { print $c }' "$1" | sort -g |
        awk '{ v[NR] = $1 } END { for (n = 1; n <= NR; n++) print v[n], n / NR }'
}
panel() { # FILE COLUMN REGION LABEL TITLE
    gmt basemap -R"$3" -Bxaf+l"$4" -Byaf+l"share of the stops" -BWSne+t"$5"
    shares "$1" simulated "$2" | gmt plot -W1.2p,darkorange
    shares "$1" real "$2" | gmt plot -W1.2p,black
}
gmt begin grounds png
gmt set FONT_TITLE 10p FONT_LABEL 9p FONT_ANNOT 8p
gmt subplot begin 2x2 -Fs8c/5c -M0.4c/1.0c
gmt subplot set 0
panel authume.txt 2 0/90/0/1 "along, m" "Authume, profile 1"
gmt subplot set 1
panel authume.txt 3 -30/30/0/1 "across, m" "black: real, orange: simulated"
gmt subplot set 2
panel tschamut.txt 2 0/160/0/1 "along, m" "Tschamut, even runs (predicted)"
gmt subplot set 3
panel tschamut.txt 3 -40/40/0/1 "across, m" ""
gmt subplot end
gmt end
mv grounds.png "$here/grounds.png"
