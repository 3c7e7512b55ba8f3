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
expect 1 'exists already. Say --overwrite' "$echo_program" site.ini
expect 0 'friction 0.7' "$echo_program" --set contact.friction=0.7 site.ini --overwrite
expect 0 'threads 3' "$echo_program" site.ini -j 3 --overwrite
expect 0 'until 12.5' "$echo_program" site.ini -u 12.5 --overwrite
expect 0 'until 7' "$echo_program" site.ini --until=7 --overwrite

expect 2 'which site' "$echo_program"
expect 2 'absent.ini: no such file' "$echo_program" absent.ini
expect 2 'is a folder' "$echo_program" .
expect 2 'did you mean --overwrite' "$echo_program" site.ini --ovewrite
expect 2 'needs a value' "$echo_program" site.ini --until
expect 2 'one argument too many' "$echo_program" site.ini another
expect 2 'whole number in \[1, 1024\]' "$echo_program" site.ini --threads=0
expect 2 'auto, plain, json or none' "$echo_program" site.ini --progress=loud
expect 2 'must be in \[0, 10\]' "$echo_program" site.ini --set contact.friction=-3
expect 2 'write SECTION.KEY=VALUE' "$echo_program" site.ini --set friction=1
# Several mistakes, all at once.
status=0
"$echo_program" site.ini --until --treads 2 --set a.b=c 2>said || status=$?
[ $status -eq 2 ] && [ "$(grep -c error said)" -ge 2 ] || { cat said; fail "not all mistakes at once"; }

expect 0 'Usage: talus-echo SITE.ini' "$echo_program" --help
expect 0 'friction = 0.6' "$echo_program" --help
"$echo_program" --help 2>/dev/null >help.txt
[ -s help.txt ] || fail "--help does not go to standard output"
[ "$(awk '{ if (length($0) > m) m = length($0) } END { print m }' help.txt)" -le 120 ] || fail "help is too wide"
expect 0 '\.TH talus-echo 1' "$echo_program" --help=man
expect 0 'complete -o filenames' "$echo_program" --help=bash
expect 2 'must be text, man' "$echo_program" --help=poem
expect 0 '^talus-echo [0-9]' "$echo_program" --version
bash -n -c "$("$echo_program" --help=bash)" || fail "completion is not bash"

expect 0 '^friction = 0.5' "$echo_program" site.ini --print-settings
"$echo_program" site.ini --print-settings >resolved.ini
expect 0 'friction 0.5' "$echo_program" resolved.ini --overwrite
printf '[site]\nbefore = said\n' >inputs.ini
expect 0 '^said$' "$echo_program" inputs.ini --print-inputs

# Unwritable places (root may write anywhere but not below a file).
expect 1 'in the way\|cannot make the folder' "$echo_program" site.ini --out said/below
# A fault on demand, through the environment.
TALUS_FAULT=write:1 expect 1 'The disk is full' "$echo_program" site.ini --overwrite
[ "$(cat out/echo.txt)" = echo ] || fail "the old output is gone"
TALUS_FAULT=nonsense expect 2 'TALUS_FAULT must be' "$echo_program" site.ini --overwrite

# Ctrl-C ends cleanly; a second one, at once.
"$echo_program" site.ini --wait >said 2>&1 &
pid=$!
while ! grep -q until said; do sleep 0.01; done
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 1 ] && grep -q 'stopped as asked' said || { cat said; fail "no clean end: $status"; }
# NO_COLOR and not-a-terminal: no escape codes.
"$echo_program" absent.ini 2>said || true
if grep -q "$(printf '\033')" said; then fail "escape codes in a file"; fi
