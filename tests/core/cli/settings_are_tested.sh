#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every setting of the table occurs in some test. It need not occur by its section's name, but a key that no
# test ever sets is a promise that nobody keeps.
set -eu
"$TALUS_BIN/talus-dataset" --help=settings >settings.md
missing() { # missing FOLDER: keys of settings.md that no file below it holds
    sed -n 's/^| `\([a-z_0-9]*\)` |.*/\1/p' settings.md | sort -u | while read -r key; do
        grep -rqw --include='*.c' --include='*.sh' --include='*.h' --exclude=settings_are_tested.sh -e "$key" "$1" || echo "$key"
    done
}
[ "$(sed -n 's/^| `\([a-z_0-9]*\)` |.*/\1/p' settings.md | sort -u | wc -l)" -gt 80 ] || { echo "the table is not read"; exit 1; }
mkdir probe # the check finds what is missing
echo 'cell_m friction' >probe/test.sh
missing probe | grep -qx restitution || { echo "the check finds nothing"; exit 1; }
if missing probe | grep -qx cell_m; then echo "the check does not look"; exit 1; fi
found=$(missing "$TALUS_SOURCE/tests")
[ -z "$found" ] || { echo "no test sets: $found"; exit 1; }
