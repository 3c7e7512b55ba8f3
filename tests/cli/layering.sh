#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Who may include whom: a stage includes core/ and itself; core/ needs libc only; the solver library
# no geodata. The check is first shown to find a violation.
set -eu
cd "$TALUS_SOURCE"
stages="ingest mesher solver postproc pipelines datasets"
b='[[:blank:]]'
violations() { # violations TREE
    for stage in $stages; do
        for other in $stages; do
            [ "$stage" = "$other" ] || grep -rnE "#$b*include$b*[<\"](\.\./)*$other/" "$1/$stage" --include='*.[ch]' 2>/dev/null || true
        done
        grep -rnE "#$b*include$b*[<\"]tests/" "$1/$stage" --include='*.[ch]' 2>/dev/null || true
        grep -rnE '#include "\.\./' "$1/$stage" "$1/core" --include='*.[ch]' 2>/dev/null || true
    done
    # core/ itself: its own headers, and of the system only what libc has.
    grep -HnE "^$b*#$b*include" "$1"/core/*.[ch] 2>/dev/null | grep -vE \
        '#include (<(assert|ctype|errno|fcntl|float|limits|math|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time|unistd|sys/[a-z]+)\.h>|"core/[a-z_0-9]+\.(h|def)")' || true
    grep -rHnE '#include ([<"]core/(app|geo)/|<(gdal|ogr|cpl|proj|netcdf))' "$1/core"/*.[ch] 2>/dev/null || true
    # The solver library: no core/app, no core/geo (its program, main.c and the files it names, may).
    find "$1/solver" -name '*.[ch]' ! -name 'main.c' ! -name 'program_*' -print0 2>/dev/null |
        xargs -0 grep -nE '#[[:blank:]]*include[[:blank:]]*["<](core/(app|geo)/|gdal|ogr|cpl_|proj|netcdf|cjson)' /dev/null || true
}
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
mkdir -p "$probe/ingest" "$probe/core" "$probe/solver"
echo '#include "solver/step.h"' >"$probe/ingest/bad.c"
echo '# include <solver/step.h>' >"$probe/ingest/worse.c"
echo '#include <gdal.h>' >"$probe/core/bad.c"
echo '#include "core/geo/grid.h"' >"$probe/solver/bad.c"
for place in ingest/bad.c ingest/worse.c core/bad.c solver/bad.c; do
    violations "$probe" | grep -q "$place" || { echo "the check does not find $place"; exit 1; }
done
found=$(violations .)
[ -z "$found" ] || { echo "includes that cross a border:"; echo "$found"; exit 1; }
