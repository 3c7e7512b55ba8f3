# SPDX-License-Identifier: GPL-3.0-or-later
# A million executions of every fuzz target, which are built here with clang; TALUS_FUZZ_RUNS says another number.
set -u
for program in clang cmake ninja; do
    command -v $program >/dev/null || { echo "SKIPPED: fuzzing needs $program"; exit 0; }
done
cmake -S "$TALUS_SOURCE" --preset fuzz -B build >configure.log 2>&1 || { cat configure.log; exit 1; }
targets=$(ninja -C build -t targets all | sed -n 's/^\([a-z]*_fuzz_[a-z_]*\): phony.*/\1/p')
[ -n "$targets" ] || { echo "there are no fuzz targets"; exit 1; }
# shellcheck disable=SC2086
cmake --build build --target $targets >build.log 2>&1 || { tail -20 build.log; exit 1; }
failed=0
for target in $targets; do
    seeds=$TALUS_SOURCE/tests/${target%%_fuzz_*}/fuzz/seeds/${target#*_fuzz_}
    [ -d "$seeds" ] || seeds= # it mutates a file of our own writing
    mkdir "$target"
    "build/tests/$target" -runs="${TALUS_FUZZ_RUNS:-1000000}" -max_len=4096 -timeout=60 \
        -rss_limit_mb=2048 -print_final_stats=1 "$target" $seeds >"$target.log" 2>&1 || failed=1
    echo "$target: $(tail -30 "$target.log" | grep 'ERROR\|SUMMARY\|number_of_executed_units')"
done
exit $failed
