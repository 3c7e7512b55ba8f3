#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the engines that are installed into the present folder and prints their names, talus first; says on
# stderr what is left out. BOX3D_SOURCE=DIR is Box3D's source, built here (Debian has no package).
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
# build NAME COMPILER WORDS...: a peer from its source file, with what its library needs.
build() {
    name=$1 compiler=$2
    shift 2
    $compiler -O2 -w -o "$name" "$@" -lm -lpthread >&2 || { echo "$name cannot be built here" >&2; exit 1; }
    echo "$name"
}
ln -sf "$TALUS_TEST_BIN/solver_bench_talus" talus
echo talus
cc -std=gnu17 -O2 -w -c "$here/peer.c" -o peer.o
# shellcheck disable=SC2046
if pkg-config --exists bullet-float64 2>/dev/null && command -v g++ >/dev/null; then
    build bullet g++ "$here/bullet_peer.cpp" peer.o $(pkg-config --cflags --libs bullet-float64)
else
    echo "Bullet is left out: Debian has it in libbullet-dev" >&2
fi
# shellcheck disable=SC2046
if pkg-config --exists ode 2>/dev/null; then
    build ode cc "$here/ode_peer.c" peer.o $(pkg-config --cflags --libs ode)
else
    echo "ODE is left out: Debian has it in libode-dev" >&2
fi
# shellcheck disable=SC2046
if [ -n "${BOX3D_SOURCE:-}" ]; then
    cmake -S "$BOX3D_SOURCE" -B box3d_build -DCMAKE_BUILD_TYPE=Release -DBOX3D_SAMPLES=OFF \
        -DBOX3D_UNIT_TESTS=OFF >box3d.log 2>&1
    cmake --build box3d_build --target box3d >>box3d.log 2>&1
    build box3d cc "$here/box3d_peer.c" peer.o -I"$BOX3D_SOURCE/include" $(find box3d_build -name libbox3d.a)
else
    echo "Box3D is left out: set BOX3D_SOURCE to its source" >&2
fi
