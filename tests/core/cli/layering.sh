#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Who may include whom: a stage includes core/ and itself; core/base needs libc only; the solver library
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
    # core/base: its own headers, and of the system only what libc and the kernel have.
    grep -HnE "^$b*#$b*include" "$1"/core/base/*.[ch] 2>/dev/null | grep -vE \
        '#include (<(assert|ctype|errno|fcntl|float|limits|linux/futex|malloc|math|pthread|signal|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|string|time|unistd|sys/[a-z]+)\.h>|"core/base/[a-z_0-9]+\.(h|def)")' || true
    grep -rHnE '#include ([<"]core/(app|geo)/|<(gdal|ogr|cpl|proj|netcdf))' "$1/core/base"/*.[ch] 2>/dev/null || true
    # core/geometry: core/base and itself.
    grep -HnE "^$b*#$b*include$b*\"" "$1"/core/geometry/*.[ch] 2>/dev/null | grep -vE '"core/(base|geometry)/' || true
    # The solver library: no core/app, no core/geo (its program may).
    find "$1/solver" -name '*.[ch]' ! -path '*/solver/program/*' -print0 2>/dev/null |
        xargs -0 grep -nE '#[[:blank:]]*include[[:blank:]]*["<](core/(app|geo)/|gdal|ogr|cpl_|proj|netcdf|cjson)' /dev/null || true
}
probe=$(mktemp -d)
trap 'rm -rf "$probe"' EXIT
mkdir -p "$probe/ingest/read" "$probe/core/base" "$probe/core/geometry" "$probe/solver/law"
echo '#include "solver/step/state.h"' >"$probe/ingest/read/bad.c"
echo '# include <solver/step/state.h>' >"$probe/ingest/read/worse.c"
echo '#include <gdal.h>' >"$probe/core/base/bad.c"
echo '#include "core/geo/grid.h"' >"$probe/solver/law/bad.c"
echo '#include "core/geo/grid.h"' >"$probe/core/geometry/bad.c"
for place in ingest/read/bad.c ingest/read/worse.c core/base/bad.c core/geometry/bad.c solver/law/bad.c; do
    violations "$probe" | grep -q "$place" || { echo "the check does not find $place"; exit 1; }
done
found=$(violations .)
[ -z "$found" ] || { echo "includes that cross a border:"; echo "$found"; exit 1; }
