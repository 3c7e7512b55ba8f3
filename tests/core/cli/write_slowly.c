// SPDX-License-Identifier: GPL-3.0-or-later
// Writes FILE again and again, each time 1 MB of one letter and its count at the end, until killed.
#include "core/base/file.h"

#include <string.h>

int main(int argc, char **argv) {
    if (argc != 2) {
        return 2;
    }
    static char block[4096];
    static tal_error err;
    for (int round = 0;; round++) {
        memset(block, 'a' + round % 26, sizeof block);
        tal_output output;
        if (tal_output_open(&output, argv[1], TAL_REPLACE, &err) != TAL_OK) {
            return 1;
        }
        for (int i = 0; i < 256; i++) {
            tal_output_write(&output, block, sizeof block);
        }
        if (tal_output_commit(&output, &err) != TAL_OK) {
            return 1;
        }
    }
}
