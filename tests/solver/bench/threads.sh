#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Time on the clock with one thread and with two, in turn, at the default tolerance and step; says how many times as fast
# two are, by medians, and fails if the motions differ in a bit. Means something on an idle machine only: beside it stands
# what two programs with one thread each get done at once, which is what this machine can give.
#   BENCH_ROUNDS=3    how often
#   BENCH_THREAD_SCENES="S2_3000:1.5 S2_10000:2.5"   which scenes, up to which time
set -eu
scenes=${BENCH_THREAD_SCENES:-S2_3000:1.5 S2_10000:2.5}
rounds=${BENCH_ROUNDS:-3}
[ -z "${BENCH_QUICK:-}" ] || { rounds=1 scenes=S2_3000:0.8; }
[ "$(nproc)" -ge 2 ] || { echo "SKIPPED: one processor"; exit 0; }

now() {
    date +%s%N
}
# motion THREADS SCENE END FILE
motion() {
    BENCH_THREADS=$1 "$TALUS_TEST_BIN/solver_bench_talus" "$2.scene" "$3" "$4" 1e-3 0.01 >/dev/null
}
# timed COMMAND...: nanoseconds on the clock
timed() {
    begin=$(now)
    "$@"
    echo $(($(now) - begin))
}
both() {
    motion 1 "$1" "$2" motion.a &
    motion 1 "$1" "$2" motion.b
    wait
}
echo "# load $(cut -d ' ' -f 1 /proc/loadavg)" >threads.csv
for round in $(seq "$rounds"); do
    for entry in $scenes; do
        scene=${entry%:*} end=${entry#*:}
        [ -f "$scene.scene" ] || "$TALUS_TEST_BIN/solver_bench" --write "$scene" "$scene.scene"
        one=$(timed motion 1 "$scene" "$end" motion.1)
        two=$(timed motion 2 "$scene" "$end" motion.2)
        side=$(timed both "$scene" "$end")
        cmp motion.1 motion.2 || { echo "two threads give other bits in $scene" >&2; exit 1; }
        echo "$scene,$end,$round,$one,$two,$side" >>threads.csv
    done
done
# middle COLUMN SCENE
middle() {
    grep "^$2," threads.csv | cut -d , -f "$1" | sort -n | sed -n "$(((rounds + 1) / 2))p"
}
for entry in $scenes; do
    scene=${entry%:*}
    awk -v scene="$entry" -v one="$(middle 4 "$scene")" -v two="$(middle 5 "$scene")" -v side="$(middle 6 "$scene")" 'BEGIN {
        printf "%s s: one thread %.2f s, two %.2f s, %.2f times as fast; two programs side by side %.2f times as much\n", \
            scene, one / 1e9, two / 1e9, one / two, 2 * one / side }'
done
echo "single values: $PWD/threads.csv"
