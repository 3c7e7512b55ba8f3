#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# depends.sh BIN SITE OUT STAGE...: renews OUT/.depends/STAGE, touching it only when it differs.
set -eu
bin=$1 site=$2 out=$3
shift 3
mkdir -p "$out/.depends"
for stage; do
    record=$out/.depends/$stage
    "$bin/talus-$stage" "$site" --print-settings >"$record.part" || exit 1
    "$bin/talus-$stage" "$site" --print-inputs | while IFS= read -r file; do
        stat -c '# input %n %s %Y' "$file"
    done >>"$record.part"
    if cmp -s "$record.part" "$record"; then rm "$record.part"; else mv "$record.part" "$record"; fi
done
