#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The committed calibration of the embedded site is one that the programs still come to: made again, as the README of the
# site says, it finds a friction that the committed one allows, and the same scores before and after but for what
# another set of blocks would change. Some minutes of a processor.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
committed=$TALUS_SOURCE/datasets/piton-marcel/calibrate.json
command=$(sed -n 's/^    \(talus-calibrate .*\)/\1/p' "$TALUS_SOURCE/datasets/piton-marcel/README.md")
[ -n "$command" ] || fail "the README of the site names no command"
PATH=$TALUS_BIN:$PATH
"$TALUS_BIN/talus-dataset" piton-marcel --out piton-marcel -q || exit 1
eval "$command --progress none" >said.txt 2>&1 || fail "$command: $(tail -n 3 said.txt)"
number() { # number FILE KEY [N]: the N-th number of that key
    sed -n "s/.*\"$2\":[[:blank:]]*\([-0-9.e]*\),*\$/\1/p" "$1" | sed -n "${3:-1}p"
}
best=$(number study/calibrate.json best) low=$(number "$committed" low) high=$(number "$committed" high)
echo "friction $best, committed $(number "$committed" best) ($low to $high)"
awk "BEGIN {exit !($best >= $low && $best <= $high)}" || fail "friction $best is not within $low to $high: is calibrate.json stale?"
# Seeds move the overlap by some hundredths and the toe by some cells of 2 m (docs/validation, "Steps and seeds").
for which in 1 2; do
    for row in 'iou 0.06' 'runout_error_m 30'; do
        key=${row% *}
        now=$(number study/calibrate.json "$key" $which) then=$(number "$committed" "$key" $which)
        echo "$key $([ $which = 1 ] && echo before || echo after): $now, committed $then"
        awk "BEGIN {exit !(($now - $then) ^ 2 <= ${row#* } ^ 2)}" || fail "$key is $now, $then in the committed file: is it stale?"
    done
done
# The site file uses what was found.
used=$(sed -n '/^\[contact\]/,/^\[/s/^friction = //p' "$TALUS_SOURCE/datasets/piton-marcel/site.ini")
awk "BEGIN {exit !($used >= $low && $used <= $high)}" || fail "the site file says friction = $used, the calibration $low to $high"
[ "$failures" -eq 0 ]
