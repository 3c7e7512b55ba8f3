#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# uninstall.sh MANIFEST DESTDIR: removes what `make install` put there, and its folders once empty.
set -eu
[ -f "$1" ] || { echo "nothing to uninstall: $1 is not there (was it installed from this folder?)" >&2; exit 1; }
while IFS= read -r file || [ -n "$file" ]; do
    rm -f "$2$file"
    echo "removed $2$file"
    folder=${file%/*}
    while case $folder in */talus | */talus/*) true ;; *) false ;; esac; do
        rmdir "$2$folder" 2>/dev/null || break
        folder=${folder%/*}
    done
done <"$1"
