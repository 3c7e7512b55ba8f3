#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# depends.sh BIN SITE OUT STAGE...: renews OUT/.depends/STAGE, touching it only when it differs.
set -eu
bin=$1 site=$2 out=$3
shift 3
[ $# -gt 0 ] || exit 0
# Every mistake is told before anything is written.
for stage; do
    "$bin/talus-$stage" "$site" --print-settings >/dev/null
done
mkdir -p "$out/.depends"
for stage; do
    record=$out/.depends/$stage
    {
        "$bin/talus-$stage" "$site" --print-settings
        "$bin/talus-$stage" "$site" --print-inputs | while IFS= read -r file; do
            stat -c '# input %n %s %.9Y' -- "$file"
        done
    } >"$record.part"
    if cmp -s "$record.part" "$record"; then rm "$record.part"; else mv "$record.part" "$record"; fi
done
