// SPDX-License-Identifier: GPL-3.0-or-later
// Where and how results are written.
#include "postproc/write/output.h"

tal_status tal_output_place_create(tal_output_place *place, const tal_invocation *invocation,
                                   const tal_provenance *provenance, tal_error *err) {
    *place = (tal_output_place){.folder = invocation->out,
                                .overwrite = invocation->overwrite,
                                .settings = &invocation->settings,
                                .provenance = tal_provenance_text(provenance),
                                .provenance_json = tal_provenance_json(provenance)};
    if (place->provenance == NULL || place->provenance_json == NULL) {
        tal_output_place_destroy(place);
        return TAL_FAIL(err, TAL_NO_MEMORY, "no memory for the provenance");
    }
    return TAL_OK;
}

void tal_output_place_destroy(tal_output_place *place) {
    cJSON_free(place->provenance);
    cJSON_Delete(place->provenance_json);
    *place = (tal_output_place){0};
}

tal_status tal_output_path(const tal_output_place *place, const char *name,
                           char path[TAL_PATH_SIZE], tal_error *err) {
    if (!tal_path_join(path, place->folder, name)) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s/%s: the path is too long", place->folder, name);
    }
    return TAL_OK;
}

tal_status tal_output_write_text(const tal_output_place *place, const char *name, const char *text,
                                 size_t length, tal_error *err) {
    char path[TAL_PATH_SIZE];
    tal_output output;
    TAL_TRY(tal_output_path(place, name, path, err));
    TAL_TRY(tal_output_open(&output, path, place->overwrite, err));
    tal_output_write(&output, text, length);
    return tal_output_commit(&output, err);
}

tal_status tal_output_write_made(const tal_output_place *place, const char *name, tal_text *text,
                                 tal_status status, tal_error *err) {
    if (status == TAL_OK && text->failed) {
        status = TAL_FAIL(err, TAL_NO_MEMORY, "no memory for %s", name);
    }
    if (status == TAL_OK) {
        status = tal_output_write_text(place, name, tal_text_string(text), text->length, err);
    }
    tal_text_destroy(text);
    return status;
}
