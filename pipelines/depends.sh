#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# depends.sh BIN SITE OUT STAGE...: renews OUT/.depends/STAGE, touching it only when it differs; and
# OUT/.depends/variants, the further runs that [report] sensitivity asks for. $SETS are further options.
set -eu
bin=$1 site=$2 out=$3
shift 3
[ $# -gt 0 ] || exit 0
ask() { # ask STAGE OPTION
    eval "\"\$bin/talus-\$1\" \"\$site\" ${SETS:-} \$2"
}
renew() { # renew FILE: takes FILE.part
    if cmp -s "$1.part" "$1"; then rm "$1.part"; else mv "$1.part" "$1"; fi
}
# Every mistake is told before anything is written.
for stage; do
    ask "$stage" --print-settings >/dev/null
done
mkdir -p "$out/.depends"
: >"$out/.depends/variants.part"
for stage; do
    record=$out/.depends/$stage
    {
        ask "$stage" --print-settings
        ask "$stage" --print-inputs | while IFS= read -r file; do
            stat -c '# input %n %s %.9Y' -- "$file"
        done
    } >"$record.part"
    renew "$record"
    if [ "$stage" = post ] && grep -q '^sensitivity = yes' "$record"; then
        "$bin/talus-post" "$site" --out "$out" --print-variants >"$out/.depends/variants.part"
    fi
done
renew "$out/.depends/variants"
