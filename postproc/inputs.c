// SPDX-License-Identifier: GPL-3.0-or-later
#include "postproc/inputs.h"

#include "core/base/file.h"

void tal_inputs_check(const char *folder, const tal_input_file *file, size_t count,
                      tal_error *err) {
    for (size_t i = 0; i < count; i++) {
        char path[TAL_PATH_SIZE];
        if (file[i].maker != NULL &&
            (!tal_path_join(path, folder, file[i].name) || !tal_file_exists(path))) {
            (void)tal_error_add(err, TAL_NOT_FOUND, "%s/%s does not exist: run %s first", folder,
                                file[i].name, file[i].maker);
        }
    }
}

tal_status tal_inputs_add(tal_provenance *provenance, const char *folder,
                          const tal_input_file *file, size_t count, tal_error *err) {
    for (size_t i = 0; i < count; i++) {
        char path[TAL_PATH_SIZE];
        if (tal_path_join(path, folder, file[i].name) && tal_file_exists(path)) {
            TAL_TRY(tal_provenance_add_input(provenance, path, err));
        }
    }
    return TAL_OK;
}
