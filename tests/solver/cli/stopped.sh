# SPDX-License-Identifier: GPL-3.0-or-later
# Runs that were stopped, killed or extended give the same bytes as one that never was: Ctrl-C and a closed
# terminal leave a partial run, --resume goes on, a later --until extends, and kill -9 at twenty moments changes nothing.
. "$TALUS_SOURCE/tests/support/common.sh"
command -v ncgen >/dev/null || { echo "SKIPPED: ncgen is not there (Debian: netcdf-bin)"; exit 0; }
# The files of the other test: two cubes, here one of them 40 m above the flat, spinning.
sed '/^begin$/,$d' "$TALUS_SOURCE/tests/solver/cli/wrong_input.sh" >functions.sh
. ./functions.sh
begin
write_site 'friction = 0.6
[solve]
dt_s = 0.0005
checkpoint_every_s = 0.25'
sed -i '1,/until_s/ {/\[solve\]/d; /until_s/d}' site.ini
change blocks 's/^position.*/position = 0, 0, 40, 3, 0, 0.5 ;/'
change blocks 's/^angular_velocity =.*/angular_velocity = 1, 2, 3, 0, 0, 0 ;/'
make_files
mv out whole
solve="$TALUS_BIN/talus-solve"
common="site.ini -q --threads 1 --stop-when-still no"
with() { # FOLDER OPTIONS...
    folder=$1
    shift
    # shellcheck disable=SC2086
    "$solve" $common --out "$folder" "$@"
}
fresh() { mkdir -p "$1" && cp whole/terrain.nc whole/blocks.nc "$1"; }
fresh short
start=$(date +%s%N)
with whole --until 5.01 || fail "the undisturbed run"
took=$((($(date +%s%N) - start) / 1000000))
# Extended: the end of the short run lies between two frames.
with short --until 2.53 || fail "the short run"
cmp -s short/run.nc whole/run.nc && fail "until changes nothing"
cp short/run.nc short.nc
expect 0 'continuing at 2.53' "$solve" site.ini --threads 1 --out short --stop-when-still no --until 5.01 --resume
cmp short/run.nc whole/run.nc || fail "an extended run differs"
expect 0 'continuing at 5.01' "$solve" site.ini --threads 1 --out short --stop-when-still no --until 5.01 --resume
cmp short/run.nc whole/run.nc || fail "a run extended by nothing differs"
# What cannot be gone on from is started over, if that may be: other settings, or an earlier end.
expect 1 'belongs to' "$solve" site.ini --threads 1 --out short --until 5.01 --resume --set contact.friction=0.5
expect 0 'starting at 0 s' "$solve" site.ini --threads 1 --out short --stop-when-still no --until 5.01 --resume --overwrite --set contact.friction=0.61
expect 0 'starting at 0 s' "$solve" site.ini --threads 1 --out short --stop-when-still no --until 5.01 --resume --overwrite
cmp short/run.nc whole/run.nc || fail "a run started over differs"
expect 1 'is at 5.01 s already' "$solve" site.ini --threads 1 --out short --stop-when-still no --until 2.53 --resume
expect 0 'starting at 0 s' "$solve" site.ini --threads 1 --out short --stop-when-still no --until 2.53 --resume --overwrite
cmp short/run.nc short.nc || fail "a run with an earlier end differs"
# A journal that lost its end, or a bit on the way: the results would lack what was lost.
cp short/run.journal journal
truncate -s 1033 short/run.journal
expect 1 'short/run.journal is damaged: it can be read until' "$solve" site.ini --threads 1 --out short --stop-when-still no --until 5.01 --resume
cp journal short/run.journal
printf 'x' | dd of=short/run.journal bs=1 seek=$(($(wc -c <journal) / 2)) conv=notrunc 2>/dev/null
expect 0 'starting at 0 s' "$solve" site.ini --threads 1 --out short --stop-when-still no --until 5.01 --resume --overwrite
cmp short/run.nc whole/run.nc || fail "a run with a damaged journal differs"

# A run at rest is not made longer by asking for more.
fresh rest
calm="site.ini --threads 1 --out rest --set solve.still_s=0.1 --set solve.dt_s=0.01 -q"
sed 's/^position.*/position = 0, 0, 0.5, 3, 0, 0.5 ;/' blocks.cdl >calm.cdl
ncgen -4 -o rest/blocks.nc calm.cdl
# shellcheck disable=SC2086
"$solve" $calm --until 5 || fail "the run at rest"
steps=$(grep '"steps"' rest/run.json)
# shellcheck disable=SC2086
"$solve" $calm --until 9 --resume || fail "the run at rest, extended"
[ "$steps" = "$(grep '"steps"' rest/run.json)" ] || fail "a run at rest goes on: $steps"

# Stopped: exit 130, a partial run that says so, and the same bytes in the end.
fresh part
# shellcheck disable=SC2086
"$solve" $common --out part --until 5.01 >said 2>&1 &
pid=$!
for i in $(seq 1000); do [ -e part/run.checkpoint ] && break; sleep 0.02; done
kill -INT $pid
wait $pid
status=$?
if [ -e part/run.json ] && grep -q '"until"' part/run.json; then
    echo "SKIPPED: the run ended before it was stopped"
else
    [ $status -eq 130 ] || fail "stopped with $status: $(cat said)"
    grep -q 'continue with --resume' said || fail "no way on: $(cat said)"
    ncdump -h part/run.nc | grep -q 'ended_because = "interrupted"' || fail "no partial run.nc"
fi
with part --until 5.01 --resume || fail "after Ctrl-C"
cmp part/run.nc whole/run.nc || fail "a run that was stopped differs"

# The terminal is closed: the same with 129, though there is nowhere left to say so. Its shell ends, and with that
# all that runs in front gets the signal; the inner shell only keeps the status.
fresh closed
env --default-signal=HUP script -qec "(trap : HUP; '$solve' site.ini --threads 1 --stop-when-still no --out closed \
    --until 5.01; echo \$? >closed.part; mv closed.part closed.status); :" /dev/null >said 2>&1 </dev/null &
terminal=$!
for i in $(seq 1000); do [ -e closed/run.checkpoint ] && break; sleep 0.02; done
kill -9 $terminal
wait $terminal 2>/dev/null
for i in $(seq 500); do [ -e closed.status ] && break; sleep 0.02; done
if [ -e closed/run.json ] && grep -q '"until"' closed/run.json; then
    echo "SKIPPED: the run ended before its terminal was closed"
else
    [ "$(cat closed.status)" = 129 ] || fail "a closed terminal: $(cat closed.status)"
    ncdump -h closed/run.nc | grep -q 'ended_because = "interrupted"' || fail "a closed terminal: no partial run.nc"
fi
with closed --until 5.01 --resume || fail "after a closed terminal"
cmp closed/run.nc whole/run.nc || fail "a run whose terminal was closed differs"

# Killed at twenty random moments past the second checkpoint, some of them while a checkpoint or run.nc is
# written. One that came after the end does not count.
kills=0
kill_at() { # SEED FOLDER-OF-THE-WHOLE-RUN OPTIONS...
    seed=$1 undisturbed=$2 first=
    shift 2
    rm -rf killed
    fresh killed
    # shellcheck disable=SC2086
    "$solve" $common --out killed --until 5.01 "$@" 2>/dev/null &
    pid=$!
    for i in $(seq 3000); do
        # The second checkpoint has replaced the first: another file under its name.
        now=$(stat -c %i killed/run.checkpoint 2>/dev/null) || now=
        first=${first:-$now}
        [ -n "$now" ] && [ "$now" != "$first" ] || [ -e killed/run.json ] && break
        sleep 0.01
    done
    sleep "$(awk -v s="$seed" -v t="$took" 'BEGIN {srand(s); printf "%.3f", rand() * t / 1000}')"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ $? -eq 137 ] || return
    kills=$((kills + 1))
    with killed --until 5.01 --resume "$@" || fail "kill $seed: it does not go on"
    cmp killed/run.nc "$undisturbed/run.nc" || fail "kill $seed: other bytes"
    cmp killed/run.json "$undisturbed/run.json" || fail "kill $seed: another run.json"
}
kill_often() { # TIMES FOLDER-OF-THE-WHOLE-RUN OPTIONS...
    often=$1 tries=0
    shift
    while [ "$kills" -lt "$often" ] && [ "$tries" -lt 150 ]; do
        tries=$((tries + 1))
        kill_at $((1000 * often + tries)) "$@"
    done
    [ "$kills" -eq "$often" ] || fail "$kills of $tries kills came before the end"
}
kill_often 20 whole

# The same where the sweeps are kept from solving anything and the finisher does it.
hard="--set solve.tolerance=1e-9 --set solve.iterations_max=2"
fresh hard
# shellcheck disable=SC2086
with hard --until 5.01 $hard || fail "the run with the finisher"
grep -q '"finished_steps":[[:space:]]*[1-9]' hard/run.json || fail "the finisher was not needed: $(grep finished hard/run.json)"
grep -q '"regularisation_max":[[:space:]]*[0-9.]*[1-9]' hard/run.json || fail "what the finisher added to W is not told: $(grep regularisation hard/run.json)"
# shellcheck disable=SC2086
kill_often 23 hard $hard
[ "$failures" -eq 0 ]
