#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What programs say while they work: in a file, on a terminal, and to machines.
set -eu
echo_program=$TALUS_TEST_BIN/talus-echo
escape=$(printf '\033')
fail() { echo "$*"; exit 1; }
says() { grep -qe "$1" said || { cat -v said; fail "does not say '$1'"; }; }
says_not() { if grep -qe "$1" said; then cat -v said; fail "says '$1'"; fi; }
rm -rf out ./*.ini said
printf '[contact]\nfriction = 0.5\n' >site.ini

# In a file: plain lines, at most one per 5 %, silence in the first second, a summary, the warning.
"$echo_program" site.ini --overwrite --work >said 2>&1
says '^counting "sheep":  9[05] %, 9[0-9] sheep, [0-9.]*/s, [0-9]* s left$'
says '^counting "sheep": 100 sheep in [0-9]* s ([0-9.]*/s)$'
says '^talus-echo: warning: one is black$'
says_not 'debug'
says_not "$escape"
lines=$(grep -c ' %, ' said)
[ "$lines" -ge 2 ] && [ "$lines" -le 21 ] || { cat said; fail "$lines lines of progress"; }

# To machines: every line in braces is an object, the last one complete.
"$echo_program" site.ini --overwrite --work --progress json >said 2>&1
says '^{"label": "counting \\"sheep\\"", "unit": "sheep", "done": 100, "total": 100, "elapsed_s": [0-9.]*}$'
says_not ' left'
[ "$(grep -c '^{.*}$' said)" -ge 3 ] || { cat said; fail "too few objects"; }

"$echo_program" site.ini --overwrite --work --progress none --verbose >said 2>&1
says_not 'counting'
says '^talus-echo: debug: it is number 60$'
"$echo_program" site.ini --overwrite --work --quiet >said 2>&1
says_not 'counting'
says_not 'warning'
"$echo_program" absent.ini --quiet >said 2>&1 || true
says 'absent.ini: no such file' # errors are always said

# On a terminal: one line, rewritten and cut to the width; a warning clears it first, NO_COLOR or not.
if script -qec true /dev/null >/dev/null 2>&1; then
    terminal() { script -qec "stty cols 30; $*" /dev/null | tr '\r' '\n' >said; }
    terminal "'$echo_program' site.ini --overwrite --work"
    says "^$escape\\[Kcounting \"sheep\": *[0-9]* %, [0-9]* s"
    says "^$escape\\[Ktalus-echo: $escape\\[33mwarning: $escape\\[0mone is black"
    says "^$escape\\[Kcounting \"sheep\": 100 sheep in [0-9]* s"
    widest=$(sed "s/$escape\\[K//" said | awk '/ %, / { if (length($0) > m) m = length($0) } END { print m }')
    updates=$(grep -c ' %, ' said)
    [ "$updates" -le 60 ] || fail "$updates updates for 120 steps: the terminal is flooded"
    [ "$widest" -le 29 ] || { cat -v said; fail "a line of $widest columns on a terminal of 30"; }
    terminal "NO_COLOR=1 '$echo_program' site.ini --overwrite --work"
    says "^$escape\\[Ktalus-echo: warning: one is black"
    says_not "$escape\\[3"
else
    echo "SKIPPED: what is said on a terminal needs the program script and a pseudo-terminal"
fi
