#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# lint.sh: every C file has the shape .clang-format says, and cppcheck finds nothing in the product that
# tests/cppcheck.txt does not explain.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
status=0
if command -v clang-format >/dev/null; then
    git ls-files -z '*.c' '*.h' | xargs -0 clang-format --dry-run --Werror || status=1
else
    echo "SKIPPED: clang-format is not installed"
fi
if command -v cppcheck >/dev/null; then
    git ls-files '*.c' | grep -v '^tests/' >build/cppcheck.files
    cppcheck --quiet -j "$(nproc 2>/dev/null || echo 2)" --std=c11 --language=c --enable=warning,portability \
        --suppressions-list=tests/cppcheck.txt --error-exitcode=1 --inline-suppr -I . \
        --template='{file}:{line}: {severity}: {message} [{id}]' --file-list=build/cppcheck.files || status=1
else
    echo "SKIPPED: cppcheck is not installed"
fi
exit $status
