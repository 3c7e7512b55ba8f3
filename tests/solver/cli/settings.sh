#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Settings of talus-solve that have no other test: what each of them says happens.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
. "$TALUS_SOURCE/tests/solver/support/two_blocks.sh"
command -v ncgen >/dev/null || { echo "SKIPPED: ncgen is not there (Debian: netcdf-bin)"; exit 0; }

# begin [SED-COMMAND]: two cubes at rest, blocks.cdl altered.
begin() {
    rm -rf out
    mkdir out
    write_terrain
    write_blocks
    change blocks "${1:-}"
    make_files
}
# solve KEY=VALUE...: the run is in out/run.nc.
solve() {
    printf '[site]\ncrs = local\n[solve]\nuntil_s = 4\n' >site.ini
    sets=
    for pair in "$@"; do sets="$sets --set $pair"; done
    # shellcheck disable=SC2086
    "$TALUS_BIN/talus-solve" site.ini --out out -q --overwrite $sets >out.txt 2>err.txt || fail "$*: $(cat err.txt)"
}
values() { netcdf_values out/run.nc "$1"; }
last() { values "$1" | tail -n 1; }
equal() { # WHAT NUMBER WANTED TOLERANCE
    awk -v a="$2" -v b="$3" -v t="$4" 'BEGIN { exit !(a - b <= t && b - a <= t) }' || fail "$1: $2 instead of $3"
}

# still_s, stop_when_still: cubes at rest end the run after still_s, or never.
begin
solve
equal "still_s, the default" "$(last step_time)" 2 0.011
solve solve.still_s=0.5
equal "still_s = 0.5" "$(last step_time)" 0.5 0.011
solve solve.stop_when_still=no
equal "stop_when_still = no" "$(last step_time)" 4 1e-9

# still_mps: a cube that glides at 0.03 m/s rests for somebody who says 0.05, and moves at 0.01.
begin 's/^velocity.*/velocity = 0, 0, 0, 0.03, 0, 0 ;/'
solve contact.law=coulomb contact.friction=0
equal "still_mps, the default" "$(last step_time)" 2 0.011
solve contact.law=coulomb contact.friction=0 solve.still_mps=0.01
equal "still_mps = 0.01" "$(last step_time)" 4 1e-9

# output_every_s: so many frames.
begin
for every in 0.1 0.5; do
    solve solve.stop_when_still=no solve.output_every_s=$every
    equal "output_every_s = $every" "$(values time | wc -l)" "$(awk "BEGIN { print 4 / $every + 1 }")" 0
done

# iterations_max: one sweep does not solve a cube on a cube; the finisher has to, and that is counted.
begin 's/^position.*/position = 0, 0, 0.5, 0.3, 0.2, 1.5 ;/'
unconverged() { values unconverged_count | awk '{s += $1} END {print s + 0}'; }
solve solve.until_s=0.2 solve.tolerance=1e-8
[ "$(unconverged)" -eq 0 ] || fail "the default of iterations_max leaves $(unconverged) contacts unsolved"
finished() { ncdump -h out/run.nc | sed -n 's/.*:finished_steps = \([0-9]*\).*/\1/p'; }
few=$(finished)
solve solve.until_s=0.2 solve.tolerance=1e-8 solve.iterations_max=1
[ "$(finished)" -gt "$few" ] || fail "iterations_max = 1: $(finished) steps needed the finisher, $few with the default"

# cohesion_pa, of all surfaces and of one pair: the upper cube is thrown along at 1 m/s. Glued, the two stay
# one body whose centroids are 1 m apart; with friction 0.1 alone it slides by v t - mu g t^2/2 in 0.2 s.
begin 's/^position.*/position = 0, 0, 0.5, 0, 0, 1.5 ;/; s/^velocity.*/velocity = 0, 0, 0, 1, 0, 0 ;/'
apart() { for axis in x y z; do values $axis | tail -n 2; done | awk 'NR % 2 {a = $1; next} {s += ($1 - a) ^ 2} END {print sqrt(s)}'; }
for how in none contact.cohesion_pa=1e8 pair.rock.rock.cohesion_pa=1e8; do
    set -- contact.law=coulomb contact.friction=0.1 contact.restitution=0 solve.until_s=0.2
    want=1
    case $how in none) want=$(awk 'BEGIN { print sqrt(1 + (0.2 - 0.05 * 9.80665 * 0.04) ^ 2) }') ;; *) set -- "$@" $how ;; esac
    solve "$@"
    equal "distance with $how" "$(apart)" "$want" 5e-4
done

# The most energy that a contact made (Clausius-Duhem: none), which a loose tolerance leaves: step by step and at
# worst in run.nc, at worst in run.json.
begin 's/^position.*/position = 0, 0, 1.7, 0.3, 0.2, 2.9 ;/; s/^angular_velocity =.*/angular_velocity = 1, 2, 3, 2, 0, 0 ;/'
solve contact.law=acd2 solve.tolerance=0.1 contact.restitution=0.5 solve.dt_s=0.1
worst=$(values clausius_duhem | sort -g | tail -n 1)
awk -v worst="$worst" 'BEGIN { exit !(worst > 1) }' || fail "a loose tolerance made no energy: $worst J"
equal "clausius_duhem_worst_j of run.nc" \
    "$(ncdump -h out/run.nc | sed -n 's/.*:clausius_duhem_worst_j = \([-+0-9.e]*\).*/\1/p')" "$worst" 1e-9
equal "clausius_duhem_worst_j of run.json" \
    "$(sed -n 's/.*"clausius_duhem_worst_j":[^-+0-9]*\([-+0-9.e]*\).*/\1/p' out/run.json)" "$worst" 1e-9

# Two blocks take one thread, unless the user says how many.
begin
# threads WANTED "[VARIABLE=VALUE]" OPTION...: so many while it runs.
threads() {
    wanted=$1 variable=$2
    shift 2
    rm -f out/run.checkpoint
    # shellcheck disable=SC2086
    env -u OMP_NUM_THREADS $variable "$TALUS_BIN/talus-solve" site.ini --out out -q --overwrite --until 3600 --stop-when-still no \
        --set solve.dt_s=1e-3 --set solve.checkpoint_every_s=0.1 "$@" >out.txt 2>err.txt &
    pid=$!
    for i in $(seq 3000); do [ -e out/run.checkpoint ] && break; sleep 0.01; done
    found=$(ls "/proc/$pid/task" | wc -l)
    kill -9 $pid
    wait $pid 2>/dev/null
    [ "$found" -eq "$wanted" ] || fail "$found threads instead of $wanted with $variable $*: $(cat err.txt)"
}
threads 1 ''
threads 2 '' --threads 2
threads 2 OMP_NUM_THREADS=2
threads 1 OMP_NUM_THREADS=2 --threads 1

[ "$failures" -eq 0 ] || exit 1
echo "all good"
