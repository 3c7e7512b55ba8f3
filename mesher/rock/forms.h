// SPDX-License-Identifier: GPL-3.0-or-later
// Forms of single rocks: those of barrier tests and natural ones, each with a volume of 1 m3.
#ifndef TALUS_MESHER_ROCK_FORMS_H
#define TALUS_MESHER_ROCK_FORMS_H

#include "mesher/rock/block_set.h"

typedef struct {
    const char *words; // names of forms, by blanks
    int32_t count;     // of each natural form
    uint64_t seed;
    uint32_t run;
    tal_vec3 first; // centre of the first; the others follow in a row to the east
    double density_kg_m3;
} tal_forms_options;

// Adds a message per word that names no form.
tal_status tal_forms_check(const char *words, const char *where, tal_error *err);

// `set` starts as {0}; blocks are in body axes afterwards.
tal_status tal_forms_make(tal_block_set *set, const tal_forms_options *options, tal_error *err);

#endif
