#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# How a study behaves with many runs: both cores busy and little besides the stages; ten thousand finished
# runs do not make the next command slow. Prints what it measures.
set -eu
. "$TALUS_SOURCE/tests/pipelines/cli/fake.sh"
batch=$TALUS_BIN/talus-batch
fail() { echo "$*"; tail -n 3 said; exit 1; }
now() { date +%s.%N; }
echo 1 >a.xyz
echo 2 >b.xyz
printf '[site]\nbefore = a.xyz\nafter = b.xyz\n' >one.ini
table() { awk -v n="$1" 'BEGIN { print "contact.friction"; for (i = 0; i < n; i++) printf "%.6f\n", 0.2 + 0.7 * i / n }'; }

# Processor time, not the clock: other work on the machine must not decide.
seconds() { # of the children so far, from the words of `times` in this shell, not in another
    tail -n 1 "$1" | tr -d s | awk '{ split($1, u, "m"); split($2, s, "m"); print 60 * u[1] + u[2] + 60 * s[1] + s[2] }'
}

# Time besides the stages: a worker each way, stages that take a known time.
cat >bin/fake-quick <<'STUB'
#!/bin/sh
out=''
while [ $# -gt 0 ]; do [ "$1" != --out ] || out=$2; shift; done
echo x >"$out/${0##*-}"
echo '{"scores": {}}' >"$out/scores.json"
sleep 0.1
STUB
chmod +x bin/fake-quick
mkdir quick
for stage in ingest mesh solve post; do ln bin/fake-quick "quick/talus-$stage"; done
table 40 >forty.csv
# The same 82 programs, two at a time, without any study around them.
start=$(now)
times >before
seq 82 | xargs -P 2 -n 1 sh -c 'mkdir "bare-$0"; quick/talus-solve --out "bare-$0"'
times >between
end=$(now)
bare=$(awk "BEGIN { print $end - $start }")
start=$(now)
TALUS_BIN_DIR=$PWD/quick "$batch" one.ini --settings forty.csv --out forty --threads 2 --progress none >said 2>&1 || fail "forty"
times >after
end=$(now)
extra=$(awk "BEGIN { print 1000 * ($(seconds after) - 2 * $(seconds between) + $(seconds before)) / 40 }")
awk "BEGIN { t = $end - $start; printf \"40 runs: %.2f s, the same programs alone %.2f s: %.1f ms per run besides the stages (%.1f ms of processor time), workers busy %.0f %%\\n\", t, $bare, 1000 * (t - $bare) * 2 / 40, $extra, 100 * $bare / t }"
awk "BEGIN { exit !($extra < 50) }" || fail "$extra ms of processor time per run besides the stages"

# Ten thousand finished runs, made by copying one: the folders are those the settings ask for. Every fourth of their settings
# is a study of its own, so that what a command takes is known to grow with the runs and not with their square.
count=${RUNS:-10000}
few=$((count / 4))
table "$count" >many.csv
table "$few" >few.csv
one=$(ls forty/runs | head -n 1)
# finished STUDY: its folder, with all of its runs
finished() {
    "$batch" one.ini --settings "$1.csv" --out "$1" --collect --progress none >said 2>&1 || true # lists all keys
    tail -n +2 "$1/results.csv" | cut -d, -f3 | while read -r key; do
        cp -rl "forty/runs/$one" "$1/runs/$key"
    done
}
# started STUDY: processor seconds of a command with nothing left to do
started() {
    times >before
    "$batch" one.ini --settings "$1.csv" --out "$1" --progress none >said 2>&1 || fail "$1"
    times >after
    awk "BEGIN { print $(seconds after) - $(seconds before) }"
}
finished few
finished many
: >trace
started few >/dev/null # the first time its results are read
started many >/dev/null
of_few=0 of_many=0
for round in 1 2 3; do # in turn: the machine may get slower meanwhile
    of_few=$(awk "BEGIN { print $of_few + $(started few) }")
    of_many=$(awk "BEGIN { print $of_many + $(started many) }")
done
echo "$few finished runs: $of_few s of processor time for three commands; $count: $of_many s"
[ ! -s trace ] || fail "finished runs were done again"
awk "BEGIN { exit !($of_many < 8 * $of_few) }" || fail "four times the runs take more than eight times as long to start"
