#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Rock that friction holds: talus-solve names a friction that lets it go and one that does not, and both
# are true. On an even plane of 20 degrees the tangent, 0.364, lies between them.
set -u
OMP_NUM_THREADS=1
export OMP_NUM_THREADS
failures=0
fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
# 40 by 40 cells of 2 m; a slab of 3 m on 8 by 8 of them, or a pit of the same size that is filled.
grid() {
    awk -v what="$1" 'BEGIN {
        printf "ncols 40\nnrows 40\nxllcorner 1000\nyllcorner 2000\ncellsize 2\nNODATA_value -9999\n"
        for (r = 0; r < 40; r++) {
            for (c = 0; c < 40; c++) {
                slab = r >= 6 && r < 14 && c >= 16 && c < 24 ? 3 : 0
                printf "%.6f ", what == "slab" ? slab : 200 - 2 * r * (what == "plane" ? 0.36397 : 0)
            }
            print ""
        }
    }'
}
grid plane >plane.asc
grid level >level.asc
grid slab >slab.asc
site() { # site NAME GROUND WHERE [LINE]...
    printf '[site]\nbefore = %s.asc\nbefore_unit = m\ncrs = local\n[ingest]\ncell_m = 2\nthickness = slab.asc\nthickness_is = %s\n' \
        "$2" "$3" >"$1.ini"
    printf '[mesh]\nmesh_error_m = 0.01\nblocks = voronoi\nblock_count = 12\n[solve]\nuntil_s = 20\noutput_every_s = 1\n' >>"$1.ini"
    name=$1
    shift 3
    for line in "$@"; do echo "$line"; done >>"$name.ini"
    for stage in ingest mesh; do
        "$TALUS_BIN/talus-$stage" "$name.ini" --out "$name" --overwrite --progress none -q 2>words || { cat words; exit 1; }
    done
}
solve() { # solve NAME [OPTION]...
    name=$1
    shift
    "$TALUS_BIN/talus-solve" "$name.ini" --out "$name" --overwrite --progress none "$@" 2>"$name.words" || { cat "$name.words"; exit 1; }
}
number() { sed -n "s/.*\"$2\":[^0-9n]*\([0-9.e-]*\).*/\1/p" "$1/run.json"; }
is() { awk "BEGIN {exit !($1)}"; }

site plane plane above '[contact]' 'friction = 0.55'
solve plane
moves=$(number plane moves_at) holds=$(number plane holds_at)
is "$moves < 0.364 && 0.364 < $holds && $holds < 2 * $moves" || fail "a plane of 0.364: moves at $moves, holds at $holds"
grep -q "a friction of $moves lets more than half of the blocks go, $holds does not" plane.words || fail "not said: $(cat plane.words)"
solve plane --set contact.friction="$moves"
is "$(number plane moved_share) >= 0.5" || fail "at $moves only $(number plane moved_share) moves"
grep -q onset plane/run.json && fail "rock that moved has an onset"
solve plane --set contact.friction="$holds" --set solve.try_friction=no
is "$(number plane moved_share) < 0.5" || fail "at $holds $(number plane moved_share) moves"
grep -q onset plane/run.json && fail "tried, though it was not wanted"

# A run in which nothing could have moved by its own size says nothing about friction.
solve plane --set solve.until_s=0.3
grep -q 'the run ended too early to say whether the rock moves' plane.words || fail "0.3 s: $(cat plane.words)"
grep -q 'did not move' plane.words && fail "judged after 0.3 s: $(cat plane.words)"
grep -q onset plane/run.json && fail "frictions tried for 0.3 s"
grep -q '"ended_too_early":.*true' plane/run.json || fail "0.3 s: not said in run.json"
post() {
    "$TALUS_BIN/talus-post" plane.ini --out plane --overwrite --progress none 2>post.words || { cat post.words; exit 1; }
}
post
for file in post.words plane/scores.json plane/report.html; do
    grep -q 'The run ended too early to say whether the rock moves' $file || fail "0.3 s: not said in $file"
    grep -q 'did not move' $file && fail "0.3 s: judged in $file"
    grep -q 'blocks came to rest' $file && fail "0.3 s: at rest in $file"
done
solve plane --set solve.try_friction=no
grep -q '"ended_too_early":.*false' plane/run.json || fail "20 s: run.json says that it ended too early"
post
grep -q 'The rock did not move' plane/report.html || fail "20 s: not judged"

# Frictions that differ keep their ratio: what is named is a share of all.
site pair plane above '[contact]' 'friction = 0.5' '[pair.rock.ground]' 'friction = 0.8'
solve pair
grep -q '"share"' pair/run.json || fail "two frictions and no share: $(cat pair/run.json)"
is "0.8 * $(number pair moves_at) < 0.364 && 0.364 < 0.8 * $(number pair holds_at)" ||
    fail "two frictions: $(number pair moves_at), $(number pair holds_at)"

# What lies in a pit stays there whatever the friction.
site pit level below
solve pit
[ -z "$(number pit moves_at)" ] || fail "out of a pit at $(number pit moves_at)"
grep -q 'even a friction of 0.0[0-9]* holds it' pit.words || fail "a pit: $(cat pit.words)"

# Nothing moves less than 0 m: rock that lies perfectly still moved less than a centimetre. Without gravity nothing moves at all.
solve pit --set solve.try_friction=no --set solve.gravity_mps2=0
"$TALUS_BIN/talus-post" pit.ini --out pit --overwrite --progress none --set solve.gravity_mps2=0 2>post.words || { cat post.words; exit 1; }
grep -q 'half of the blocks moved less than 0.010 m' pit.words || fail "no gravity: $(cat pit.words)"
grep -q 'alf of the blocks moved less than' pit/report.html || fail "no gravity: the report says nothing"
grep -o '[^.]*less than 0 m[^.]*' pit.words post.words pit/report.html pit/scores.json && fail "less than 0 m"

# An end between two steps is told.
solve pit --set solve.dt_s=0.01 --set solve.until_s=0.123
grep -q 'until_s = 0.123 s is no whole number of steps of 0.01 s: 0.12 s are taken' pit.words || fail "0.123 s: $(cat pit.words)"
grep -q 'output_every_s' pit.words && fail "a whole number is told: $(cat pit.words)"
[ "$failures" -eq 0 ]
