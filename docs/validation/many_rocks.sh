#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# 10,000 rocks of 1 m from the source of the embedded Piton Marcel, on one thread: what talus-solve and talus-post need, how far
# the mean stops of 25, 100 and 400 rocks in a row scatter, and the maps of 100 rocks against their stored ways by the judge of
# the tests. many_rocks.sh BUILD [SEED] (five minutes of the processor; the judge is built with the tests).
set -eu
[ $# -eq 1 ] || [ $# -eq 2 ] || { echo "usage: many_rocks.sh BUILD [SEED]" >&2; exit 2; }
build=$(cd "$1" && pwd)
seed=${2:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$build/bin/talus-dataset" piton-marcel --out data -q
site() { # the survey of the demo; rocks instead of its blocks
    printf '%s\n' '[site]' 'before = data/before.las' 'after = data/after.las' \
        '[ingest]' 'cell_m = 2' 'source_area_min_m2 = 500' 'deposit_area_min_m2 = 500' 'bed = min' \
        '[contact]' 'friction = 0.46' '[solve]' 'dt_s = 0.01' '[random]' "seed = $seed"
}
site >survey.ini
"$build/bin/talus-ingest" survey.ini --out survey -q --progress none
cp survey/source.tif cells.tif
{
    site
    printf '%s\n' '[mesh]' 'mesh_error_m = 0.3' 'blocks = forms' 'forms = equant' \
        '[release]' 'rocks = 10000' 'from = cells.tif' 'size_m = 1'
} >site.ini
for stage in ingest mesh; do
    "$build/bin/talus-$stage" site.ini --out out -q --progress none
done
cp -r out few
for stage in solve post; do
    /usr/bin/time -f "talus-$stage: %U s of the processor, %S s in the system, %M kB" \
        "$build/bin/talus-$stage" site.ini --out out --threads 1 --progress none
done
ogr2ogr -f CSV /vsistdout/ out/result.gpkg stops -lco GEOMETRY=AS_XY |
    awk -F, 'NR > 1 {n++; p[1, n] = $1; p[2, n] = $2} # in the order of the rocks
    END {
        print n " stops"
        for (axis = 1; axis <= 2; axis++) {
            sum = square = 0
            for (k = 1; k <= n; k++) sum += p[axis, k]
            for (k = 1; k <= n; k++) square += (p[axis, k] - sum / n) ^ 2
            for (size = 25; size <= 400; size *= 4) {
                groups = int(n / size)
                spread = all = 0
                for (g = 0; g < groups; g++) {
                    mean[g] = 0
                    for (k = 1; k <= size; k++) mean[g] += p[axis, g * size + k] / size
                    all += mean[g] / groups
                }
                for (g = 0; g < groups; g++) spread += (mean[g] - all) ^ 2
                printf "%s, groups of %d: deviation of their means over that of rocks, times root n: %.2f\n",
                    axis == 1 ? "east" : "north", size, sqrt(size * spread / (groups - 1) / (square / (n - 1)))
            }
        }
    }'

for stage in solve post; do
    "$build/bin/talus-$stage" site.ini --out few -q --progress none --set release.rocks=100
done
"$build/tests/post-release-judge" few && echo "the maps of 100 rocks are what their ways say"
