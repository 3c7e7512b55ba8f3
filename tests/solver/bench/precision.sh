#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Work and precision: errors of what a user reads off a motion, beside the processor time they cost, for talus
# over tolerance and step and for every engine that is installed over its own iterations and step. The truth is
# talus with a small step and a tight tolerance; every setting runs from several starts, moved by up to a tenth
# of a millimetre, so that what chaos alone does is known. Writes precision.csv (a row per run), precision-errors.csv
# (a row per setting) and, where GMT is installed, precision-SCENE.png.
#   PRECISION_SCENES="S2_1000:2 ..."   which scenes, up to which time
#   PRECISION_STARTS=5                 how many starts
#   PRECISION_SETTINGS="talus:1e-3:0.01 ..."  engine, effort (tolerance, iterations or sub-steps) and step; the
#                                      first of all is the reference
#   BENCH_QUICK=1                      two starts of the first moments of the smallest scenes
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
if [ -n "${BENCH_QUICK:-}" ]; then
    starts=${PRECISION_STARTS:-2} scenes=${PRECISION_SCENES:-S2_300:1.2 S3_wall:0.4}
else
    starts=${PRECISION_STARTS:-5} scenes=${PRECISION_SCENES:-S2_1000:2 S2_3000:1.2 S3_wall:1.2}
fi
sh "$here/build_peers.sh" >/dev/null

settings=${PRECISION_SETTINGS:-talus:1e-5:0.00125
talus:1e-1:0.04 talus:1e-2:0.04 talus:1e-2:0.02 talus:1e-3:0.01 talus:1e-2:0.005 talus:1e-3:0.005 talus:1e-4:0.005 talus:1e-3:0.0025
bullet:10:0.01 bullet:10:0.005 bullet:40:0.005 bullet:10:0.00125
ode:20:0.01 ode:20:0.005 ode:80:0.005 ode:20:0.00125
box3d:4:0.01 box3d:4:0.005 box3d:16:0.005 box3d:4:0.00125}

touch precision.csv # started again in the same folder it goes on where it stopped
for start in $(seq "$starts"); do
    for entry in $scenes; do
        scene=${entry%:*} end=${entry#*:}
        [ -f "$scene.scene" ] || "$TALUS_TEST_BIN/solver_bench" --write "$scene" "$scene.scene"
        for setting in $settings; do
            engine=${setting%%:*} effort=${setting#*:}
            dt=${effort#*:} effort=${effort%:*}
            row="$scene,$end,$engine,$effort,$dt,$start"
            [ -x "$engine" ] || continue
            ! grep -q "^$row," precision.csv || continue
            seconds=$("./$engine" "$scene.scene" "$end" motion.bin "$effort" "$dt" "$start")
            seen=$("$TALUS_TEST_BIN/solver_bench_observe" "$scene" motion.bin)
            echo "$row,${seconds% *},$(echo "$seen" | tr ' ' ,)" | tee -a precision.csv | cut -d , -f 1-16
        done
    done
done
sh "$here/precision_plot.sh"
echo "single runs, errors and figures: $PWD/precision*"
