#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The solver as others use it: installed into a folder of its own, the example program built against it with
# what pkg-config says, its numbers against the closed form, and the headers read by a C++ compiler.
set -u
. "$TALUS_SOURCE/tests/support/common.sh"
build=$(CDPATH='' cd -- "$TALUS_BIN/.." && pwd)
example=$TALUS_SOURCE/examples/c/slide.c
command -v pkg-config >/dev/null || { echo "SKIPPED: pkg-config is not installed"; exit 0; }
cmake --install "$build" --prefix "$PWD/prefix" >log 2>&1 || { cat log; exit 1; }
PKG_CONFIG_PATH=$(find "$PWD/prefix" -name pkgconfig -type d)
export PKG_CONFIG_PATH
pkg-config --exists talus-solver || { echo "pkg-config does not know talus-solver"; exit 1; }
[ "$(pkg-config --modversion talus-solver)" = "$(cat "$TALUS_SOURCE/VERSION")" ] || fail "another version than VERSION"
case $(pkg-config --cflags talus-solver) in *"$PWD/prefix"*) ;; *) fail "pkg-config points elsewhere" ;; esac

# The library of a sanitizer build needs the sanitizer where it is linked.
sanitize=$(sed -n 's/^TALUS_SANITIZE:STRING=\(.*\)/\1/p' "$build/CMakeCache.txt" | sed 's/,fuzzer-no-link//')
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
# shellcheck disable=SC2046
"$compiler" -std=c17 -Wall -Wextra -Werror ${sanitize:+-fsanitize=$sanitize} "$example" \
    $(pkg-config --cflags --libs talus-solver) -o slide || fail "the example does not build"
./slide >said || fail "the example does not run: $(cat said)"
# g (sin - mu cos) t^2/2, to the last digit that is printed
awk 'BEGIN { a = atan2(0, -1) / 6; g = 9.81 * (sin(a) - 0.4 * cos(a)) }
    { t = $1; want = g * t * t / 2; d = $4 - want; lines++; if (d > 2e-4 || d < -2e-4) { print "FAILED: " $0 ", not " want; bad = 1 } }
    $6 != 4 { print "FAILED: not four contacts: " $0; bad = 1 }
    END { exit bad || lines != 4 }' said || fail "the example prints something else: $(cat said)"

if command -v g++ >/dev/null; then
    cat >use.cpp <<'CPP'
#include "solver/include/talus_solver.h"
int main() { return tal_solver_settings_default().dt_s > 0.0 ? 0 : 1; }
CPP
    # shellcheck disable=SC2046
    g++ -std=c++17 -fsyntax-only $(pkg-config --cflags talus-solver) use.cpp || fail "the header is not C++"
    if [ -z "$sanitize" ]; then
        # shellcheck disable=SC2046
        g++ -std=c++17 use.cpp $(pkg-config --cflags --libs talus-solver) -o use && ./use || fail "no use from C++"
    fi
else
    echo "SKIPPED: g++ is not installed: the header is not read as C++"
fi
[ "$failures" -eq 0 ] || exit 1
echo "all good"
