#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Piton Marcel with a friction that its calibration allows, 435 and 874 bricks, steps of 0.1 s: when the kinetic energy
# peaks, when the avalanche has settled, where the deposit lies. The published times are those of threefold gravity
# (docs/decisions/0005): they have to come out with it, and scaled by the root of three without it.
set -eu
export OMP_WAIT_POLICY=passive
site=site/site.ini
"$TALUS_BIN/talus-dataset" piton-marcel --out site -q
"$TALUS_BIN/talus-ingest" $site --out surveyed -q --progress none
failures=0

number() { # KEY FILE
    sed -n "s/^[[:space:]]*\"$1\":[[:space:]]*\([-0-9.e+]*\),*$/\1/p" "$2" | head -n 1
}

within() { # WHAT VALUE LOW HIGH
    echo "$1: $2 (wanted $3 to $4)"
    awk -v x="$2" -v low="$3" -v high="$4" 'BEGIN { exit !(x >= low && x <= high) }' || {
        echo "FAILED: $1"
        failures=$((failures + 1))
    }
}

fall() { # BLOCKS GRAVITIES PEAK-LOW PEAK-HIGH
    out=bricks-$1-at-$2g
    mkdir "$out"
    cp surveyed/* "$out"
    set -- "$1" "$2" "$3" "$4" -s mesh.blocks=bricks -s mesh.brick_m= -s "mesh.block_count=$1" \
        -s contact.friction=0.45 -s solve.dt_s=0.1 -s solve.until_s=80 \
        -s "solve.gravity_mps2=$(awk -v g="$2" 'BEGIN { print 9.80665 * g }')"
    what="$1 bricks at $2 g"
    peak_low=$3 peak_high=$4
    shift 4
    "$TALUS_BIN/talus-mesh" $site --out "$out" -q --progress none "$@"
    "$TALUS_BIN/talus-solve" $site --out "$out" -q --progress none "$@"
    within "$what: peak of the kinetic energy, s" "$(number kinetic_peak_s "$out/run.json")" "$peak_low" "$peak_high"
    within "$what: settled, s" "$(number settled_s "$out/run.json")" 0 35
    echo "$what: all slower than 0.05 m/s, s: $(awk -v t="$(number duration_s "$out/run.json")" 'BEGIN { print t - 2 }')"
    within "$what: blocks lost" "$(number blocks_lost "$out/run.json")" 0 0
    within "$what: deepest penetration, m" "$(number penetration_max_m "$out/run.json")" 0 0.5
}

fall 435 3 5 10
fall 435 1 8.66 17.3
fall 874 3 5 10
fall 874 1 8.66 17.3
"$TALUS_BIN/talus-post" $site --out bricks-435-at-1g -q --progress none -s contact.friction=0.45
score() { # NAME: its value
    awk -v name="\"$1\":" '$1 == name { found = 1 } found && $1 == "\"value\":" { print $2 + 0; exit }' \
        bricks-435-at-1g/scores.json
}
within "435 bricks at 1 g: deposit from the surveyed one, centroids, m" "$(score centroid_distance_m)" 0 40
within "435 bricks at 1 g: IoU with the surveyed deposit" "$(score iou)" 0.5 1
[ "$failures" -eq 0 ]
