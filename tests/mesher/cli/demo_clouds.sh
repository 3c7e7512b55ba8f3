#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# As mesher_demo.sh, from the clouds of the embedded site.
clouds=yes
. "$TALUS_SOURCE/tests/mesher/cli/demo.sh"
