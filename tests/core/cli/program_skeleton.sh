#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The command line all programs share.
set -eu
echo_program=$TALUS_TEST_BIN/talus-echo
fail() { echo "$*"; exit 1; }
expect() { # expect STATUS WORDS COMMAND...
    want=$1 words=$2
    shift 2
    status=0
    "$@" >said 2>&1 || status=$?
    [ $status -eq "$want" ] || { cat said; fail "exit $status, not $want: $*"; }
    grep -qe "$words" said || { cat said; fail "does not say '$words': $*"; }
}
rm -rf out ./*.ini said
printf '[contact]\nfriction = 0.5\n' >site.ini

expect 0 'friction 0.5' "$echo_program" site.ini
[ "$(cat out/echo.txt)" = echo ] || fail "no output"
expect 1 'already exists. Use --overwrite' "$echo_program" site.ini
expect 0 'friction 0.7' "$echo_program" --set contact.friction=0.7 site.ini --overwrite
expect 0 'threads 3' "$echo_program" site.ini -j 3 --overwrite
expect 0 'until 12.5' "$echo_program" site.ini -u 12.5 --overwrite
expect 0 'until 7' "$echo_program" site.ini --until=7 --overwrite

expect 0 "threads $(nproc)" env -u OMP_NUM_THREADS "$echo_program" site.ini --overwrite
expect 0 'threads 5' env OMP_NUM_THREADS=5 "$echo_program" site.ini --overwrite
expect 0 'threads 3' env OMP_NUM_THREADS=5 "$echo_program" site.ini --threads 3 --overwrite
if command -v taskset >/dev/null; then
    expect 0 'threads 1' taskset -c 0 "$echo_program" site.ini --overwrite
fi

expect 2 'never is too long' "$echo_program" site.ini --until never --overwrite
expect 2 'friction' "$echo_program" site.ini --until never --set contact.friction=x
if grep -q never said; then fail "the program's own check runs on settings that were refused"; fi
expect 2 'which site' "$echo_program"
expect 2 'option --overwrite takes no value' "$echo_program" site.ini --overwrite=yes
expect 2 'option -x is not known' "$echo_program" site.ini -qx
expect 2 'begin with two hyphens' "$echo_program" site.ini –overwrite
expect 2 'more than 256' "$echo_program" site.ini $(seq -f '--set=contact.friction=0.%g' 257)
expect 1 'not converged' "$echo_program" site.ini --forget --overwrite
TALUS_FAULT=allocation:2 expect 1 'no memory' "$echo_program" site.ini --overwrite
expect 2 'absent.ini: no such file' "$echo_program" absent.ini
expect 2 'is a folder' "$echo_program" .
# A pipe that nobody writes to would be waited for for ever.
mkfifo pipe.ini && expect 2 'is a pipe or a device' timeout -k 1 10 "$echo_program" pipe.ini
expect 2 'did you mean --overwrite' "$echo_program" site.ini --ovewrite
expect 2 'needs a value' "$echo_program" site.ini --until
expect 2 'one argument too many' "$echo_program" site.ini another
expect 2 'whole number in \[1, 1024\]' "$echo_program" site.ini --threads=0
expect 2 'auto, plain, json or none' "$echo_program" site.ini --progress=loud
expect 2 'whole number in \[1, 1024\]' "$echo_program" site.ini --threads=1025
expect 2 'must be in \[0, 10\]' "$echo_program" site.ini --set contact.friction=-3
expect 2 'gone.las: no such file' "$echo_program" site.ini --set site.before=gone.las
expect 0 'friction' "$echo_program" site.ini --set mesh.import=gone.obj --set mesh.blocks=import --overwrite # another stage's
expect 2 'is too long a path' "$echo_program" site.ini --set "site.before=$(printf '%04100d' 0)"
expect 2 'write SECTION.KEY=VALUE' "$echo_program" site.ini --set friction=1
# Several mistakes, all at once.
status=0
"$echo_program" site.ini --until --treads 2 --set a.b=c 2>said || status=$?
[ $status -eq 2 ] && [ "$(grep -c error said)" -ge 2 ] || { cat said; fail "not all mistakes at once"; }

# More of them than a person reads: the rest is counted.
{ echo '[contact]'; seq -f 'unknown_%g = 1' 500; } >many.ini
expect 2 'error: and [0-9]* more$' "$echo_program" many.ini

expect 0 'Usage: talus-echo SITE.ini' "$echo_program" --help
expect 0 'friction = 0.55' "$echo_program" --help
expect 0 '^  --overwrite$' "$echo_program" --help
expect 0 '^Examples:$' "$echo_program" --help
"$echo_program" --help 2>/dev/null >help.txt
[ -s help.txt ] || fail "--help does not go to standard output"
[ "$(awk '{ if (length($0) > m) m = length($0) } END { print m }' help.txt)" -le 80 ] || fail "help is too wide"
expect 0 '\.TH talus-echo 1' "$echo_program" --help=man
expect 0 '^\\-u, \\-\\-until=SECONDS$\|^\.B \\-u, \\-\\-until=SECONDS$' "$echo_program" --help=man
expect 0 '^\.SS \[contact\]$' "$echo_program" --help=man
expect 0 '^\.B friction = 0.55$' "$echo_program" --help=man
expect 0 '^| `ground` | `auto` | auto \\| classes' "$echo_program" --help=settings
if [ -w /dev/full ]; then
    status=0
    "$echo_program" --help >/dev/full 2>said || status=$?
    [ $status -eq 1 ] && grep -q 'cannot write to standard output' said || fail "a full disk is not noticed"
fi
expect 0 'complete -o filenames' "$echo_program" --help=bash
expect 2 'must be text, man' "$echo_program" --help=poem
expect 0 '^talus-echo [0-9]' "$echo_program" --version
bash -n -c "$("$echo_program" --help=bash)" || fail "completion is not bash"

# In bash itself: options are offered, and file names with blanks stay whole.
touch 'a b.ini' && bash -c 'eval "$("$0" --help=bash)"
    COMP_WORDS=(talus-echo --ov) COMP_CWORD=1; _talus_echo; echo "${COMPREPLY[*]}"
    COMP_WORDS=(talus-echo a) COMP_CWORD=1; _talus_echo; echo "${#COMPREPLY[@]} ${COMPREPLY[0]}"' \
    "$echo_program" >said
printf -- '--overwrite\n1 a b.ini\n' | cmp - said || { cat said; fail "completion does not complete"; }

expect 0 '^friction = 0.5' "$echo_program" site.ini --print-settings
"$echo_program" site.ini --print-settings >resolved.ini
expect 0 'friction 0.5' "$echo_program" resolved.ini --overwrite
printf '[site]\nbefore = said\n[mesh]\nblocks = import\nimport = rocks.obj\n' >inputs.ini
expect 0 '^said$' "$echo_program" inputs.ini --print-inputs
if grep -q rocks said; then fail "--print-inputs names a file of another stage"; fi

# Unwritable places (root may write anywhere but not below a file).
expect 1 'in the way\|cannot make the folder' "$echo_program" site.ini --out said/below
# A fault on demand, through the environment.
TALUS_FAULT=write:1 expect 1 'The disk is full' "$echo_program" site.ini --overwrite
[ "$(cat out/echo.txt)" = echo ] || fail "the old output is gone"
TALUS_FAULT=write:0 expect 2 'TALUS_FAULT must be' "$echo_program" site.ini --overwrite
TALUS_FAULT=nonsense expect 2 'TALUS_FAULT must be' "$echo_program" site.ini --overwrite

# Ctrl-C, SIGTERM and a terminal that closes end cleanly, with the status a shell gives (130, 143, 129); a second
# signal ends at once. These tests may run under nohup themselves.
begin_waiting() { # begin_waiting OPTION...
    : >said
    env --default-signal=HUP "$echo_program" site.ini --overwrite "$@" >said 2>&1 &
    pid=$!
    while ! grep -q until said; do sleep 0.01; done
}
for signal in INT:130 TERM:143 HUP:129; do
    begin_waiting --wait
    kill -"${signal%:*}" $pid
    status=0
    wait $pid || status=$?
    [ $status -eq "${signal#*:}" ] && grep -q 'stopped on request' said || { cat said; fail "$signal: no clean end: $status"; }
done
begin_waiting --work # looks at no signal
kill -INT $pid
sleep 0.1
kill -0 $pid || fail "the first signal was not left to the program"
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 143 ] || { cat said; fail "the second signal does not end it: $status"; }
# The kernel and the shell both tell of a closed terminal: the second time is nobody's impatience.
begin_waiting --work
for signal in HUP HUP; do
    kill -$signal $pid
    sleep 0.1
    kill -0 $pid || fail "SIGHUP was not left to the program"
done
kill -INT $pid
status=0
wait $pid || status=$?
[ $status -eq 130 ] || { cat said; fail "Ctrl-C after SIGHUP does not end it: $status"; }
# nohup: it goes on.
: >said
env --ignore-signal=HUP "$echo_program" site.ini --overwrite --wait >said 2>&1 &
pid=$!
while ! grep -q until said; do sleep 0.01; done
kill -HUP $pid
sleep 0.1
kill -0 $pid || fail "SIGHUP ends it under nohup"
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 143 ] || { cat said; fail "SIGTERM under nohup: $status"; }

# NO_COLOR and not-a-terminal: no escape codes.
escape=$(printf '\033')
"$echo_program" absent.ini 2>said || true
if grep -q "$escape" said; then fail "escape codes in a file"; fi
