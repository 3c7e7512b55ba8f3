#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Values of the default law on two real slopes, with rocks of the real forms (default-law.md).
# law-scan.sh BUILD DATA WORK [ROCKS]: prints site, law, friction, restitution, tangential restitution, resistance to
# rolling, and mean, 5 %, median and 95 % of the travel in plan, m. Steps of 10 ms; about two minutes.
set -eu
[ $# -ge 3 ] || { echo "usage: law-scan.sh BUILD DATA WORK [ROCKS]" >&2; exit 2; }
bin=$(cd "$1" && pwd)/bin
data=$(cd "$2" && pwd)
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
rocks=${4:-150}
mkdir -p "$3"
cd "$3"
stage() { # STAGE SITE [OPTION...]
    name=$1 site=$2
    shift 2
    "$bin/talus-$name" "$site/site.ini" --out "$site/out" --progress none --overwrite --set release.rocks="$rocks" \
        --set solve.dt_s=0.01 --set report.figures=no "$@" >said 2>&1 || { cat said; exit 1; }
}
travel() { # SITE: from the start to the end of each way
    ogr2ogr -f CSV /vsistdout/ "$1/out/result.gpkg" -dialect sqlite -sql "SELECT
        ST_X(ST_EndPoint(geom)) - ST_X(ST_StartPoint(geom)) AS x, ST_Y(ST_EndPoint(geom)) - ST_Y(ST_StartPoint(geom)) AS y
        FROM trajectories" | awk -F, 'NR > 1 {print sqrt($1 ^ 2 + $2 ^ 2)}' | sort -g | awk '{v[NR] = $1; sum += $1}
        function quantile(p, h) {h = p * (NR - 1) + 1; return v[int(h)] + (h - int(h)) * (v[int(h) + (h < NR)] - v[int(h)])}
        END {printf "%.1f %.1f %.1f %.1f\n", sum / NR, quantile(0.05), quantile(0.5), quantile(0.95)}'
}
try() { # LAW FRICTION RESTITUTION TANGENTIAL ROLLING
    for place in meadow quarry; do
        for name in solve post; do
            stage $name $place --set contact.law="$1" --set contact.friction="$2" --set contact.restitution="$3" \
                --set contact.tangential_restitution="$4" --set contact.rolling_friction="$5"
        done
        echo "$place $* $(travel $place)"
    done
}
: >nothing.ini
python3 "$examples/meadow/prepare.py" "$data/tschamut" all nothing.ini meadow
python3 "$examples/quarry/prepare.py" "$data/authume" P1 nothing.ini quarry
for place in meadow quarry; do
    stage ingest $place
    stage mesh $place
done
for friction in 0.45 0.55 0.65; do
    for restitution in 0.1 0.3; do
        for tangential in 0 0.3; do
            try acd2+coulomb $friction $restitution $tangential 0
        done
    done
done
try acd2+coulomb 0.55 0 0 0
for friction in 0.4 0.55; do
    for rolling in 0.05 0.1 0.2; do
        try rolling $friction 0.1 0 $rolling
    done
done
