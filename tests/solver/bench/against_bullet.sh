#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Processor time of 3000 falling boxes against Bullet 3.24 in double precision, in turn, three times.
# Prints the ratios; fails if talus needs more time at the tolerance of a site file.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
scene=${TALUS_TEST_DATA:-}/bench/S1_fall_3000.scene
skip() {
    echo "SKIPPED: the comparison with Bullet needs $1"
    exit 0
}
[ -f "$scene" ] || skip "TALUS_TEST_DATA"
pkg-config --exists bullet-float64 2>/dev/null || skip "the Debian package libbullet-dev"
command -v g++ >/dev/null 2>&1 || skip "g++"
# shellcheck disable=SC2046
g++ -O2 -w "$here/bullet_peer.cpp" -o bullet_peer $(pkg-config --cflags --libs bullet-float64)

talus() {
    "$TALUS_TEST_BIN/solver_bench" S1_fall_3000 1 5 "$1" |
        sed -n 's/^.* steps: \([0-9.]*\) CPU ms.*/\1/p'
}
for round in 1 2 3; do
    echo "$(./bullet_peer "$scene") $(./bullet_peer "$scene" sleep) $(talus 1e-3) $(talus 1e-5)"
done | tee rounds.txt
awk '{ for (k = 1; k <= 4; k++) sum[k] += $k / 3 }
END {
    printf "ms a step: Bullet %.2f, with sleeping %.2f; talus 1e-3 %.2f, 1e-5 %.2f\n", sum[1], sum[2], sum[3], sum[4]
    printf "talus / Bullet: %.2f (1e-3), %.2f (1e-5); Bullet sleeping: %.2f, %.2f\n", sum[3] / sum[1], sum[4] / sum[1], sum[3] / sum[2], sum[4] / sum[2]
    exit sum[3] > sum[1]
}' rounds.txt
