#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# in_scratch.sh FOLDER SCRIPT: runs the script in FOLDER, made anew. The scripts themselves delete
# nothing, so that one started by hand in the wrong place does no harm.
set -eu
rm -rf "$1"
mkdir -p "$1"
cd "$1"
exec sh "$2"
