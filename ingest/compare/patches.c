// SPDX-License-Identifier: GPL-3.0-or-later
// A sorted list of fixed length.
#include "ingest/compare/patches.h"

#include "core/base/memory.h"

tal_status tal_patches_create(tal_patches *patches, tal_error *err) {
    *patches = (tal_patches){0};
    TAL_CREATE(patches->item, TAL_PATCHES_MAX, "patches of change", err);
    return TAL_OK;
}

void tal_patches_destroy(tal_patches *patches) {
    tal_memory_destroy(patches->item);
    *patches = (tal_patches){0};
}

void tal_patches_add(tal_patches *patches, const tal_patch *patch) {
    int at = patches->count;
    if (patches->count == TAL_PATCHES_MAX) {
        patches->left_out++;
        at--;
        if (patches->item[at].volume_m3 >= patch->volume_m3) {
            return;
        }
    } else {
        patches->count++;
    }
    for (; at > 0 && patches->item[at - 1].volume_m3 < patch->volume_m3; at--) {
        patches->item[at] = patches->item[at - 1];
    }
    patches->item[at] = *patch;
}

const tal_patch *tal_patches_largest(const tal_patches *patches, double sign) {
    for (int i = 0; i < patches->count; i++) {
        if (patches->item[i].sign == sign) {
            return &patches->item[i];
        }
    }
    return NULL;
}
