#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Processor time per 5 ms of motion, which is a step of every engine (talus_10ms: half a step, its default is 10 ms),
# deepest overlap and drift of talus and of every engine that is installed, in turn in one run, one thread each;
# medians of the rounds. Prints a table per scene and writes engines.csv.
#   BENCH_ROUNDS=3    how often all is done
#   BENCH_QUICK=1     one round of the first moments of the smaller scenes, a few minutes
#   BENCH_SCENES="S2_3000:2.5 ..."   which scenes, up to which time
#   BOX3D_SOURCE=DIR  Box3D's source (build_peers.sh)
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

engines=$(sh "$here/build_peers.sh")
engines="talus_1e-3 talus_1e-2 talus_10ms $(echo "$engines" | grep -v talus | tr '\n' ' ')"

# once ENGINE SCENE END: ms per 5 ms of motion; the motion in motion.bin.
once() {
    case $1 in
        talus_10ms) ./talus "$2.scene" "$3" motion.bin 1e-3 0.01 ;;
        talus_*) ./talus "$2.scene" "$3" motion.bin "${1#talus_}" ;;
        *) "./$1" "$2.scene" "$3" motion.bin ;;
    esac | awk -v end="$3" '{ printf "%.4f\n", 5 * $1 / end }'
}
{
    echo "# $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(cc --version | head -n 1), load $(cut -d ' ' -f 1 /proc/loadavg)"
    echo "scene,end_s,engine,round,cpu_ms_per_5ms,overlap_mm,drift_mm"
} >engines.csv
for round in $(seq "$rounds"); do
    for entry in $scenes; do
        scene=${entry%:*} end=${entry#*:}
        [ -f "$scene.scene" ] || "$TALUS_TEST_BIN/solver_bench" --write "$scene" "$scene.scene"
        for engine in $engines; do
            ms=$(once "$engine" "$scene" "$end")
            [ -n "$ms" ] || { echo "$engine failed in $scene" >&2; exit 1; }
            seen=$("$TALUS_TEST_BIN/solver_bench_observe" "$scene" motion.bin | awk '{ print $7 "," $9 }')
            echo "$scene,$end,$engine,$round,$ms,$seen" | tee -a engines.csv
        done
    done
done
echo "CPU ms per 5 ms of motion, median of $rounds; ratio to talus at its site tolerance 1e-3; deepest overlap and drift at the end"
# Sorted by time within each group, so that the middle line of a group is its median.
grep '^S' engines.csv | sort -t , -k 1,1 -k 3,3 -k 5,5g | awk -F , '
    { key = $1 "," $3; n[key]++; ms[key, n[key]] = $5; deep[key, n[key]] = $6; far[key, n[key]] = $7
      if (!($1 in end)) { order[++scenes] = $1; end[$1] = $2 }
      if (!($3 in is_engine)) { engine[++engines] = $3; is_engine[$3] = 1 } }
    function middle(key) { return int((n[key] + 1) / 2) }
    function time(name, who) { return ms[name "," who, middle(name "," who)] }
    END {
        for (s = 1; s <= scenes; s++) {
            name = order[s]
            base = time(name, "talus_1e-3")
            for (e = 1; e <= engines; e++) {
                key = name "," engine[e]
                m = middle(key)
                printf "%-13s %4g s  %-11s %9.2f ms  %6.2f  overlap %8.3g mm  drift %8.4g mm\n", \
                    name, end[name], engine[e], ms[key, m], ms[key, m] / base, deep[key, m], far[key, m]
                if (ms[key, m] < base && engine[e] !~ /^talus/) {
                    lost = lost sprintf("\n  %s: %s takes %.2f of the time, with %.3g mm of overlap", name, \
                        engine[e], ms[key, m] / base, deep[key, m])
                }
            }
        }
        print lost == "" ? "talus is the fastest in all scenes" : "talus is slower than:" lost
        peer = "S1_fall_3000,bullet"
        exit (peer in n) && time("S1_fall_3000", "talus_1e-3") > time("S1_fall_3000", "bullet")
    }' >engines.txt && status=0 || status=1
cat engines.txt
echo "single values: $PWD/engines.csv"
exit "$status"
