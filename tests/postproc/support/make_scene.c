// SPDX-License-Identifier: GPL-3.0-or-later
// Writes a made-up study for the shell tests of post-processing:
//   post-make-scene FOLDER [name=value]...
#include "tests/postproc/support/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool take(const char *argument, const char *name, double *value) {
    const size_t length = strlen(name);
    if (strncmp(argument, name, length) != 0 || argument[length] != '=') {
        return false;
    }
    *value = strtod(argument + length + 1, NULL);
    return true;
}

static bool apply(tal_post_scene *scene, const char *argument) {
    double v;
    if (take(argument, "columns", &v)) {
        scene->columns = (int32_t)v;
    } else if (take(argument, "rows", &v)) {
        scene->rows = (int32_t)v;
    } else if (take(argument, "cell", &v)) {
        scene->cell_m = v;
    } else if (take(argument, "blocks", &v)) {
        scene->block_count = (int32_t)v;
    } else if (take(argument, "frames", &v)) {
        scene->frame_count = (int32_t)v;
    } else if (take(argument, "duration", &v)) {
        scene->duration_s = v;
    } else if (take(argument, "epochs", &v)) {
        scene->epochs = (int)v;
    } else if (take(argument, "local", &v)) {
        scene->is_local = v != 0.0;
    } else if (take(argument, "deposit", &v)) {
        scene->has_deposit = v != 0.0;
    } else if (take(argument, "empty", &v)) {
        scene->survey_is_empty = v != 0.0;
    } else if (take(argument, "still", &v)) {
        scene->stands_still = v != 0.0;
    } else if (take(argument, "two", &v)) {
        scene->two_sources = v != 0.0;
    } else if (take(argument, "sources", &v)) {
        scene->more_sources = (int32_t)v - 1;
    } else if (take(argument, "until", &v)) {
        scene->ended_because = v != 0.0 ? "until" : "still";
    } else if (take(argument, "lost", &v)) {
        scene->all_lost = v != 0.0;
    } else if (take(argument, "unconverged", &v)) {
        scene->unconverged_steps = v;
    } else if (take(argument, "finished", &v)) {
        scene->finished_steps = v;
    } else if (take(argument, "drift", &v)) {
        scene->energy_drift = v;
    } else if (take(argument, "duhem", &v)) {
        scene->clausius_duhem_j = v;
    } else if (take(argument, "partial", &v)) {
        scene->ended_because = v != 0.0 ? "interrupted" : "still";
    } else if (take(argument, "run", &v)) {
        scene->run = (uint32_t)v;
    } else {
        return false;
    }
    return true;
}

int main(int argc, char **argv) {
    tal_post_scene scene = tal_post_scene_default();
    tal_error err = {0};
    for (int i = 2; i < argc; i++) {
        if (!apply(&scene, argv[i])) {
            fprintf(stderr, "%s is not understood\n", argv[i]);
            return 2;
        }
    }
    if (argc < 2 || tal_post_scene_write(&scene, argv[1], &err) != TAL_OK) {
        fprintf(stderr, "%s\n", argc < 2 ? "a folder is needed" : err.text);
        return 1;
    }
    return 0;
}
