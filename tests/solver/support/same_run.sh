# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced: runs of site.ini over the files of out/, and what must not change their results by a byte. `solve` is
# the program.
fresh() { rm -rf "$1" && mkdir "$1" && cp out/terrain.nc out/blocks.nc "$1"; }
value() { sed -n "s/.*\"$2\":[[:space:]]*\([^,]*\),*/\1/p" "$1/run.json"; }

# Three threads, a stop at each of the times given, and a kill -9 leave run.nc as that of whole/, one thread.
same_however_run() { # SECONDS...
    fresh shared
    "$solve" site.ini --out shared --threads 3 -q || fail "three threads"
    cmp whole/run.nc shared/run.nc || fail "threads change run.nc"
    for stop in "$@"; do
        fresh part
        "$solve" site.ini --out part --threads 1 -q --until "$stop" || fail "the first part"
        "$solve" site.ini --out part --threads 2 -q --resume || fail "the second part"
        cmp whole/run.nc part/run.nc || fail "a stop at $stop s changes run.nc"
    done
    fresh killed
    "$solve" site.ini --out killed --threads 1 -q &
    pid=$!
    for i in $(seq 1000); do [ -e killed/run.checkpoint ] && break; sleep 0.01; done
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    "$solve" site.ini --out killed --threads 1 -q --resume --overwrite || fail "after kill -9"
    cmp whole/run.nc killed/run.nc || fail "kill -9 changes run.nc"
}
