#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Stops of single rocks at Authume and Tschamut, real and simulated: prints the tables of grounds.md and draws
# grounds.png. grounds.sh BUILD DATA: DATA holds authume/ and tschamut/ (some minutes).
set -eu
[ $# -eq 2 ] || { echo "usage: grounds.sh BUILD DATA" >&2; exit 2; }
build=$(cd "$1" && pwd)
data=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
quarry=$here/../../examples/quarry
meadow=$here/../../examples/meadow
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

python3 "$quarry/prepare.py" "$data/authume" P1 "$quarry/ground.ini" authume
for stage in ingest mesh solve post; do
    "$build/bin/talus-$stage" authume/site.ini --out authume/out
done
# Along and across the line from the mean of the drops to that of the real stops, as the report has it.
ogr2ogr -f CSV /vsistdout/ authume/out/result.gpkg stops -lco GEOMETRY=AS_XY | cut -d, -f1,2 >simulated.csv
awk -F '[][,: ]+' '/coordinates/ {getline x; getline y; print x + 0, y + 0}' authume/drops.geojson >drops.txt
awk -F '[, ]' 'FILENAME == "drops.txt" {x0 += $1; y0 += $2; n++; next}
    FNR == 1 {next}
    {k++; x[k] = $1 - x0 / n; y[k] = $2 - y0 / n; what[k] = FILENAME ~ /stops/ ? "real" : "simulated"}
    FILENAME ~ /stops/ {sx += x[k]; sy += y[k]}
    END {r = sqrt(sx ^ 2 + sy ^ 2)
        for (i = 1; i <= k; i++) print what[i], (x[i] * sx + y[i] * sy) / r, (y[i] * sx - x[i] * sy) / r}' \
    drops.txt authume/stops.csv simulated.csv >authume.txt

# Tschamut: from the release of each rock; along and across the mean direction of all real runs.
for half in odd even; do
    python3 "$meadow/prepare.py" "$data/tschamut" $half "$meadow/ground.ini" $half
    for stage in ingest mesh solve post; do
        "$build/bin/talus-$stage" $half/site.ini --out $half/out
    done
    ogr2ogr -f CSV /vsistdout/ $half/out/result.gpkg -dialect sqlite -sql "SELECT
        ST_X(ST_EndPoint(geom)) - ST_X(ST_StartPoint(geom)) AS x, ST_Y(ST_EndPoint(geom)) - ST_Y(ST_StartPoint(geom)) AS y
        FROM trajectories" >$half.csv
    awk -F, -v parity="$([ $half = odd ] && echo 1 || echo 0)" 'FNR == 1 {next}
        FILENAME ~ /observed/ {x = $3 - $7; y = $4 - $8; sx += x; sy += y}
        FILENAME !~ /observed/ {x = $1; y = $2}
        {k++; px[k] = x; py[k] = y; what[k] = FILENAME ~ /observed/ ? ((FNR - 1) % 2 == parity ? "real" : "other") : "simulated"}
        END {r = sqrt(sx ^ 2 + sy ^ 2)
            for (i = 1; i <= k; i++) if (what[i] != "other")
                print what[i], (px[i] * sx + py[i] * sy) / r, (py[i] * sx - px[i] * sy) / r}' \
        "$data/tschamut/observed_deposition.csv" $half.csv >tschamut-$half.txt
done
for site in authume tschamut-odd tschamut-even; do
    for what in real simulated; do
        awk -v what=$what '$1 == what {print sqrt($2 ^ 2 + $3 ^ 2)}' $site.txt | sort -g |
            awk -v name="$site $what" '{v[NR] = $1}
                function quantile(p, h) {h = p * (NR - 1) + 1; return v[int(h)] + (h - int(h)) * (v[int(h) + (h < NR)] - v[int(h)])}
                END {printf "%s: 5 %% %.1f, median %.1f, 95 %% %.1f m", name, quantile(0.05), quantile(0.5), quantile(0.95)}'
        awk -v what=$what '$1 == what {n++; s += $3; q += $3 ^ 2} END {printf ", across %.1f m\n", sqrt((q - s * s / n) / (n - 1))}' $site.txt
    done
done

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
panel tschamut-even.txt 2 0/160/0/1 "along, m" "Tschamut, even runs (predicted)"
gmt subplot set 3
panel tschamut-even.txt 3 -40/40/0/1 "across, m" ""
gmt subplot end
gmt end
mv grounds.png "$here/grounds.png"
