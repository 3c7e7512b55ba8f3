#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Contact problems of other codes to 1e-8 by both definitions, by the automatic choice; times are told,
# not judged.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
folder=${TALUS_TEST_DATA:-}/fclib
[ -d "$folder" ] || { echo "SKIPPED: TALUS_TEST_DATA has no folder fclib"; exit 0; }
for solver in automatic finisher; do
    "$TALUS_BIN/talus-contact" "$folder"/*.fcp --solver $solver --tolerance 1e-8 >table.txt ||
        fail "$solver does not solve all"
    cat table.txt
    awk 'NR > 1 && !($7 <= 1e-8 && $8 <= 1e-8) { bad = 1 } END { exit bad || NR < 2 }' table.txt ||
        fail "$solver: a residual above 1e-8"
done
[ "$failures" -eq 0 ]
