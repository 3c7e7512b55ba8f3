#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Single rocks on two real slopes, by the examples as they ship (docs/validation/grounds.md): on the meadow of
# Tschamut with the default law, which nobody fitted, and with the set of its odd runs on the even ones; in the
# quarry of Authume with the set of profile P1 on that profile. Rocks have the forms of the real ones.
set -eu
if [ -z "${TALUS_TEST_DATA:-}" ]; then
    echo "SKIPPED: the real slopes need TALUS_TEST_DATA"
    exit 0
fi
failed=0
quantiles() { # lengths, one per line: 5 %, median, 95 %
    sort -g | awk '{v[NR] = $1}
        function quantile(p, h) {h = p * (NR - 1) + 1; return v[int(h)] + (h - int(h)) * (v[int(h) + (h < NR)] - v[int(h)])}
        END {print quantile(0.05), quantile(0.5), quantile(0.95)}'
}
# Travel from the start to the end of each way: a rock that leaves over the rim counts with where it left.
run() { # NAME ROCKS [SETTING]: the site in folder NAME
    for stage in ingest mesh solve post; do
        "$TALUS_BIN/talus-$stage" "$1/site.ini" --out "$1/out" --progress none --set release.rocks="$2" \
            --set report.figures=no ${3:+--set "$3"} >said 2>&1 || { cat said; exit 1; }
    done
    ogr2ogr -f CSV /vsistdout/ "$1/out/result.gpkg" -dialect sqlite -sql "SELECT
        ST_X(ST_EndPoint(geom)) - ST_X(ST_StartPoint(geom)) AS x, ST_Y(ST_EndPoint(geom)) - ST_Y(ST_StartPoint(geom)) AS y
        FROM trajectories" | awk -F, 'NR > 1 {print sqrt($1 ^ 2 + $2 ^ 2)}' | quantiles
}
near() { # WHAT SIMULATED REAL SHARE
    awk -v what="$1" -v a="$2" -v b="$3" -v most="$4" 'BEGIN {
        printf "%s: %.1f, real %.1f (%+.0f %%, at most %.0f)\n", what, a, b, 100 * (a / b - 1), 100 * most
        exit !(a > (1 - most) * b && a < (1 + most) * b)}' || failed=1
}

data=$TALUS_TEST_DATA/tschamut
real() { # FIRST EVERY: travel of these runs
    awk -F, -v first="$1" -v every="$2" 'NR > 1 && (NR - 1 - first) % every == 0 {print $10}' \
        "$data/observed_deposition.csv" | quantiles
}
: >nothing.ini
python3 "$TALUS_SOURCE/examples/meadow/prepare.py" "$data" all nothing.ini default
python3 "$TALUS_SOURCE/examples/meadow/prepare.py" "$data" even "$TALUS_SOURCE/examples/meadow/ground.ini" even
# The median of 40 real runs is known to 4 %, that of 200 simulated ones to 2 %.
simulated=$(run default 200 solve.dt_s=0.01)
set -- $simulated $(real 1 1)
near "meadow, default law, median" "$2" "$5" 0.1
simulated=$(run even 200)
set -- $simulated $(real 2 2)
near "meadow, even runs, median" "$2" "$5" 0.1
near "meadow, even runs, 95 %" "$3" "$6" 0.2

data=$TALUS_TEST_DATA/authume
python3 "$TALUS_SOURCE/examples/quarry/prepare.py" "$data" P1 "$TALUS_SOURCE/examples/quarry/ground.ini" quarry
simulated=$(run quarry 400)
drop=$(awk '/^[-0-9. ]+$/ {x += $1; z += $3; n++} END {print x / n, z / n}' "$data/positions_P1.xyz")
stops=$(awk -v drop="$drop" 'BEGIN {split(drop, d, " ")} NF >= 4 && $1 + 0 != 0 {print sqrt(($1 - d[1]) ^ 2 + ($3 - d[2]) ^ 2)}' \
    "$data/Endpoints_P1.txt" | quantiles)
set -- $simulated $stops
near "quarry, 5 %" "$1" "$4" 0.2
near "quarry, median" "$2" "$5" 0.1
near "quarry, 95 %" "$3" "$6" 0.2
exit $failed
