#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Draws the figures of the solver's validation with GMT 6 from tables that the tests print.
# figures.sh BUILD [CUBE-TOSSES]: BUILD is a build folder, CUBE-TOSSES the folder with the tracks.
set -eu
[ $# -ge 1 ] || { echo "usage: figures.sh BUILD [CUBE-TOSSES]" >&2; exit 2; }
build=$(cd "$1" && pwd)
tracks=${2:+$(cd "$2" && pwd)}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
gmt set FONT_ANNOT_PRIMARY 8p FONT_LABEL 9p FONT_TITLE 10p MAP_TITLE_OFFSET 4p \
    MAP_FRAME_PEN 0.6p MAP_GRID_PEN_PRIMARY 0.2p,gray80

closed() { "$build/tests/solver_analytic_closed_forms" "$@"; }
tosses() { "$build/tests/solver_tosses" "$tracks" "$@"; }

draw_orders() {
    closed ladders > ladders
    # One file per case; the same motion under two laws gives the same line.
    awk '/^>/ {file = ""; if ($0 ~ /, coulomb/ && $0 !~ /down/) {n++; file = "case" n; sub(/, coulomb/, ""); \
        print substr($0, 3) > (file ".name")} next} file != "" {print > file}' ladders
    gmt begin orders png E200
    gmt basemap -R0.00025/0.0125/1e-10/0.3 -JX11cl/8cl \
        -Bxa1pf3g1+l"time step, s" -Bya1pf3g1+l"relative error" -BWSne+t"Closed forms: error against time step"
    rm -f legend
    k=0
    for colour in steelblue darkorange seagreen firebrick purple gray30; do
        k=$((k + 1))
        [ -f "case$k" ] || break
        gmt plot "case$k" -W1p,$colour
        gmt plot "case$k" -Sc0.12c -G$colour
        echo "S 0.3c - 0.5c - 1p,$colour 0.8c $(cat "case$k.name")" >> legend
    done
    gmt legend legend -DJMR+w3.6c+o0.3c --FONT_ANNOT_PRIMARY=8p
    gmt end
}

draw_bounce_and_cradle() {
    closed bounce 0.001 > exact
    gmt begin bounce-cradle png E200
    gmt subplot begin 1x3 -Fs4.9c/5c -M0.65c/0.5c
    gmt subplot set 0
    gmt basemap -R0/2/0/1.02 -Bxa0.5+l"time, s" -Bya0.2+l"height, m" -BWSne+t"Ball, rebound ratio 0.6"
    gmt plot exact -i0,2 -W2p,gray70
    for line in 0.01,firebrick 0.0025,darkorange 0.000625,steelblue; do
        closed bounce "${line%,*}" | gmt plot -i0,1 -W0.6p,"${line#*,}"
    done
    printf '%s\n' 'S 0.2c - 0.4c - 2p,gray70 0.6c closed form' 'S 0.2c - 0.4c - 0.6p,firebrick 0.6c 10 ms' \
        'S 0.2c - 0.4c - 0.6p,darkorange 0.6c 2.5 ms' 'S 0.2c - 0.4c - 0.6p,steelblue 0.6c 0.625 ms' |
        gmt legend -DjTR+w2.2c+o0.05c --FONT_ANNOT_PRIMARY=7p
    cradle_panel 1 0.01 "Cradle, 1 cm apart"
    cradle_panel 2 0 "Cradle, touching"
    gmt subplot end
    gmt end
}

cradle_panel() {
    closed cradle "$2" > cradle
    gmt subplot set "$1"
    gmt basemap -R0/0.4/-0.4/4.6 -Bxa0.1+l"time, s" -Bya1+l"place of the balls, m" -BWSne+t"$3"
    for column in 1 2 3 4 5; do
        gmt plot cradle -i0,$column -W1p,steelblue
    done
}

band() { # TABLE FIRST-COLUMN: quartiles and median
    awk -v c="$2" '{print $1, $c}' "$1" > low
    awk -v c="$2" '{print $1, $(c + 2)}' "$1" | sort -k1,1gr > high
    cat low high | gmt plot -Glightsteelblue1
    awk -v c="$2" '{print $1, $(c + 1)}' "$1" | gmt plot -W1.2p,steelblue
}

draw_tosses() {
    tosses way | grep -v '#' > way
    tosses way start=2 | grep -v '#' > way_flight
    for mu in 0.14 0.15 0.16 0.17 0.175 0.18 0.185 0.19 0.20 0.21 0.22; do
        tosses median mu=$mu
    done > sweep
    gmt begin cube-tosses png E200
    gmt subplot begin 1x3 -Fs4.9c/5c -M0.65c/0.5c
    gmt subplot set 0
    gmt basemap -R0/0.7/0/0.5 -Bxa0.2+l"time, s" -Bya0.1+l"position error, cube widths" -BWSne
    band way 2
    awk '{print $1, $3}' way_flight | gmt plot -W1.2p,firebrick,3_2
    gmt subplot set 1
    gmt basemap -R0/0.7/0/50 -Bxa0.2+l"time, s" -Bya10+l"orientation error, degrees" -BWSne
    band way 5
    awk '{print $1, $6}' way_flight | gmt plot -W1.2p,firebrick,3_2
    gmt subplot set 2
    gmt basemap -R0.135/0.225/0/0.9 -Bxa0.02+l"friction" -Bya0.2+l"median end error, cube widths" -BWSne
    awk '{print $1, $4}' sweep | gmt plot -W1.2p,steelblue
    awk '{print $1, $4}' sweep | gmt plot -Sc0.12c -Gsteelblue
    gmt subplot end
    gmt end
}

draw_orders
draw_bounce_and_cradle
[ -z "$tracks" ] || draw_tosses
for figure in *.png; do
    cp "$figure" "$here/$figure"
done
