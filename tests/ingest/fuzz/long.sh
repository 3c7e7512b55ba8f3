# SPDX-License-Identifier: GPL-3.0-or-later
# Ten million executions each of the readers' fuzz targets, which are built here with clang.
set -u
for program in clang cmake; do
    command -v $program >/dev/null || { echo "SKIPPED: fuzzing needs $program"; exit 0; }
done
cmake -S "$TALUS_SOURCE" --preset fuzz -B build >configure.log 2>&1 || { cat configure.log; exit 1; }
cmake --build build --target ingest_fuzz_las ingest_fuzz_xyz >build.log 2>&1 || { tail -20 build.log; exit 1; }
failed=0
for target in ingest_fuzz_las ingest_fuzz_xyz; do
    mkdir "$target"
    "build/tests/$target" -runs="${TALUS_FUZZ_RUNS:-10000000}" -max_len=4096 -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 "$target" "$TALUS_SOURCE/tests/ingest/fuzz/seeds/${target#ingest_fuzz_}" \
        >"$target.log" 2>&1 || failed=1
    tail -30 "$target.log" | grep 'Done\|ERROR\|SUMMARY\|number_of_executed_units'
done
exit $failed
