#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Processor time per step, deepest overlap and drift of talus and of every engine that is installed, in turn
# in one run, one thread each; medians of the rounds. Prints a table per scene and writes engines.csv.
#   BENCH_ROUNDS=3    how often all is done
#   BENCH_QUICK=1     one round of the first moments of the smaller scenes, a few minutes
#   BENCH_SCENES="S2_3000:2.5 ..."   which scenes, up to which time
#   BOX3D_SOURCE=DIR  Box3D's source, built here (Debian has no package)
# Fails if talus needs more time than Bullet where blocks fall and lie apart.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ -n "${BENCH_QUICK:-}" ]; then
    rounds=${BENCH_ROUNDS:-1}
    scenes=${BENCH_SCENES:-S1_fall_3000:2 S2_1000:2.5 S2_3000:1.5 S3_wall:1}
else
    rounds=${BENCH_ROUNDS:-3}
    scenes=${BENCH_SCENES:-S1_fall_3000:5 S2_1000:5 S2_3000:5 S2_10000:5 S3_wall:5}
fi

engines="talus_1e-3 talus_1e-2"
cc -std=gnu17 -O2 -w -c "$here/peer.c" -o peer.o
# build NAME COMPILER WORDS...: a peer from its source file, with what its library needs.
build() {
    name=$1 compiler=$2
    shift 2
    $compiler -O2 -w -o "$name" "$@" -lm -lpthread || { echo "$name cannot be built here"; exit 1; }
    engines="$engines $name"
}
# shellcheck disable=SC2046
if pkg-config --exists bullet-float64 2>/dev/null && command -v g++ >/dev/null; then
    build bullet g++ "$here/bullet_peer.cpp" peer.o $(pkg-config --cflags --libs bullet-float64)
else
    echo "Bullet is left out: Debian has it in libbullet-dev"
fi
# shellcheck disable=SC2046
if pkg-config --exists ode 2>/dev/null; then
    build ode cc "$here/ode_peer.c" peer.o $(pkg-config --cflags --libs ode)
else
    echo "ODE is left out: Debian has it in libode-dev"
fi
# shellcheck disable=SC2046
if [ -n "${BOX3D_SOURCE:-}" ]; then
    cmake -S "$BOX3D_SOURCE" -B box3d_build -DCMAKE_BUILD_TYPE=Release -DBOX3D_SAMPLES=OFF \
        -DBOX3D_UNIT_TESTS=OFF >box3d.log 2>&1
    cmake --build box3d_build --target box3d >>box3d.log 2>&1
    build box3d cc "$here/box3d_peer.c" peer.o -I"$BOX3D_SOURCE/include" $(find box3d_build -name libbox3d.a)
else
    echo "Box3D is left out: set BOX3D_SOURCE to its source"
fi

# once ENGINE SCENE END: ms per step; poses at the end in poses.txt.
once() {
    case $1 in
        talus_*) "$TALUS_TEST_BIN/solver_bench" --time "$2" "$3" "${1#talus_}" poses.txt ;;
        *) "./$1" "$2.scene" "$3" poses.txt ;;
    esac
}
{
    echo "# $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(cc --version | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg)"
    echo "scene,end_s,engine,round,cpu_ms_per_step,overlap_mm,drift_mm"
} >engines.csv
for round in $(seq "$rounds"); do
    for entry in $scenes; do
        scene=${entry%:*} end=${entry#*:}
        [ -f "$scene.scene" ] || "$TALUS_TEST_BIN/solver_bench" --write "$scene" "$scene.scene"
        for engine in $engines; do
            ms=$(once "$engine" "$scene" "$end")
            seen=$("$TALUS_TEST_BIN/solver_bench_overlap" "$scene" poses.txt)
            echo "$scene,$end,$engine,$round,$ms,${seen% *},${seen#* }" | tee -a engines.csv
        done
    done
done
echo "CPU ms per step, median of $rounds; ratio to talus at its site tolerance 1e-3; deepest overlap and drift at the end"
# Sorted by time within each group, so that the middle line of a group is its median.
grep '^S' engines.csv | sort -t , -k 1,1 -k 3,3 -k 5,5g | awk -F , '
    { key = $1 "," $3; n[key]++; ms[key, n[key]] = $5; deep[key, n[key]] = $6; far[key, n[key]] = $7
      if (!($1 in end)) { order[++scenes] = $1; end[$1] = $2 }
      if (!($3 in is_engine)) { engine[++engines] = $3; is_engine[$3] = 1 } }
    function middle(key) { return int((n[key] + 1) / 2) }
    END {
        for (s = 1; s <= scenes; s++) {
            name = order[s]
            base = ms[name ",talus_1e-3", middle(name ",talus_1e-3")]
            for (e = 1; e <= engines; e++) {
                key = name "," engine[e]
                m = middle(key)
                printf "%-13s %4g s  %-11s %9.2f ms  %6.2f  overlap %8.3g mm  drift %8.4g mm\n", \
                    name, end[name], engine[e], ms[key, m], ms[key, m] / base, deep[key, m], far[key, m]
            }
        }
        peer = "S1_fall_3000,bullet"
        exit (peer in n) && ms["S1_fall_3000,talus_1e-3", middle("S1_fall_3000,talus_1e-3")] > ms[peer, middle(peer)]
    }'
