#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/settings.md is what the table says now (make docs renews it).
set -eu
"$TALUS_TEST_BIN/talus-echo" --help=settings >settings.md
cmp settings.md "$TALUS_SOURCE/docs/settings.md" || { echo "docs/settings.md is old: run make docs"; exit 1; }
