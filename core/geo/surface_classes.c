// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/geo/surface_classes.h"

#include "core/app/site_check.h"
#include "core/base/file.h"
#include "core/base/memory.h"
#include "core/base/text.h"
#include "core/geo/geopackage.h"

#include <string.h>

// Names as they are printed: ", talus, rock".
static bool holds(const tal_text *names, const char *name, size_t length) {
    const char *at = tal_text_string(names);
    while ((at = strstr(at, ", ")) != NULL) {
        at += 2;
        if (strncmp(at, name, length) == 0 && (at[length] == '\0' || at[length] == ',')) {
            return true;
        }
    }
    return false;
}

static tal_status add_names(tal_text *names, const char *path, tal_error *err) {
    tal_polygons polygons = {0};
    TAL_TRY(tal_polygons_read(&polygons, path, NULL, "class", err));
    for (int32_t p = 0; p < polygons.polygon_count && polygons.text != NULL; p++) {
        const char *name = polygons.text[p];
        if (name != NULL && name[0] != '\0' && !holds(names, name, strlen(name))) {
            tal_text_append(names, ", %s", name);
        }
    }
    tal_polygons_destroy(&polygons);
    return names->failed ? tal_memory_failed(err, "names of classes", 1, names->length) : TAL_OK;
}

static void check_pair(const tal_settings *settings, const tal_pair_settings *pair,
                       const tal_text *names, tal_error *err) {
    const char *dot = strchr(pair->label, '.');
    const char *part[2] = {pair->label, dot != NULL ? dot + 1 : ""};
    const size_t length[2] = {dot != NULL ? (size_t)(dot - pair->label) : 0, strlen(part[1])};
    for (int k = 0; k < 2; k++) {
        if (!tal_site_names_class(settings, part[k], length[k]) &&
            !holds(names, part[k], length[k])) {
            tal_site_refuse_pair(settings, pair, tal_text_string(names), err);
            return;
        }
    }
}

tal_status tal_surface_classes_check(const tal_settings *settings, tal_error *err) {
    char path[TAL_PATH_SIZE];
    const char *cursor = settings->mesh.ground_classes;
    tal_text names = {0};
    tal_status status = TAL_OK;
    if (settings->pair_count == 0 || settings->mesh.import[0] != '\0') {
        return TAL_OK;
    }
    while (status == TAL_OK && tal_settings_next_file(settings, &cursor, path)) {
        status = tal_is_class_raster(path) ? TAL_OK : add_names(&names, path, err);
    }
    const int before = err->message_count;
    for (int i = 0; status == TAL_OK && i < settings->pair_count; i++) {
        check_pair(settings, &settings->pair[i], &names, err);
    }
    tal_text_destroy(&names);
    return err->message_count > before ? TAL_BAD_SETTING : status;
}
