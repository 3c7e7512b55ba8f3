// SPDX-License-Identifier: GPL-3.0-or-later
// Contact problems in FCLIB whose parts are edited: other lengths, other numbers, something missing, a call that fails.
// The HDF5 library is a stand-in that holds named lists of numbers; bytes of real files are edited by fclib.c.
#include "core/geo/hdf5_exit.h"
#include "core/geo/hdf5_probe.h"
#include "solver/program/contact/problem.h"
#include "tests/support/mutate.h"

#include <hdf5.h>
#include <math.h>

enum { SETS_MAX = 24, VALUES_MAX = 40, EDIT_BYTES = 5, EDITS_MAX = 16, SEEDS = 3 };

typedef struct {
    const char *name;
    bool is_missing;
    H5T_class_t of;
    int64_t count; // may be more than there are
    double value[VALUES_MAX];
} list;

// Two contacts by columns; the same by rows in a plane; a body of two motions with M and H as triplets.
static const list SEED[SEEDS][SETS_MAX] = {
    {{"/fclib_local/spacedim", .count = 1, .value = {3}},
     {"/fclib_local/W/m", .count = 1, .value = {6}},
     {"/fclib_local/W/n", .count = 1, .value = {6}},
     {"/fclib_local/W/nz", .count = 1, .value = {-1}},
     {"/fclib_local/W/p", .count = 7, .value = {0, 1, 2, 3, 4, 5, 6}},
     {"/fclib_local/W/i", .count = 6, .value = {0, 1, 2, 3, 4, 5}},
     {"/fclib_local/W/x", .count = 6, .value = {1, 1, 1, 1, 1, 1}},
     {"/fclib_local/vectors/q", .count = 6, .value = {-1, 5, 0, -1, 0, 2}},
     {"/fclib_local/vectors/mu", .count = 2, .value = {0.5, 0.5}},
     {"/guesses/1/r", .count = 6, .value = {1, 0, 0, 1, 0, 0}}},
    {{"/fclib_local/spacedim", .count = 1, .value = {2}},
     {"/fclib_local/W/m", .count = 1, .value = {2}},
     {"/fclib_local/W/n", .count = 1, .value = {2}},
     {"/fclib_local/W/nz", .count = 1, .value = {-2}},
     {"/fclib_local/W/p", .count = 3, .value = {0, 1, 2}},
     {"/fclib_local/W/i", .count = 2, .value = {0, 1}},
     {"/fclib_local/W/x", .count = 2, .value = {1, 1}},
     {"/fclib_local/vectors/q", .count = 2, .value = {-1, 5}},
     {"/fclib_local/vectors/mu", .count = 1, .value = {0.5}},
     {"/fclib_local/vectors/kn", .count = 1, .value = {2}},
     {"/fclib_local/vectors/kt", .count = 1, .value = {2}},
     {"/fclib_local/vectors/bound", .count = 1, .value = {0}},
     {"/fclib_local/vectors/before", .count = 2, .value = {-1, 0}}},
    {{"/fclib_global/spacedim", .count = 1, .value = {3}},
     {"/fclib_global/M/m", .count = 1, .value = {2}},
     {"/fclib_global/M/n", .count = 1, .value = {2}},
     {"/fclib_global/M/nz", .count = 1, .value = {2}},
     {"/fclib_global/M/p", .count = 2, .value = {0, 1}},
     {"/fclib_global/M/i", .count = 2, .value = {0, 1}},
     {"/fclib_global/M/x", .count = 2, .value = {3, 3}},
     {"/fclib_global/H/m", .count = 1, .value = {2}},
     {"/fclib_global/H/n", .count = 1, .value = {3}},
     {"/fclib_global/H/nz", .count = 1, .value = {3}},
     {"/fclib_global/H/p", .count = 3, .value = {0, 1, 2}},
     {"/fclib_global/H/i", .count = 3, .value = {0, 1, 1}},
     {"/fclib_global/H/x", .count = 3, .value = {1, 1, 1}},
     {"/fclib_global/vectors/f", .count = 2, .value = {1, 1}},
     {"/fclib_global/vectors/w", .count = 3, .value = {-1, 0, 0}},
     {"/fclib_global/vectors/mu", .count = 1, .value = {0.5}}}};

static list set[SETS_MAX];
static int calls_left; // until one fails; negative: none does

static void take_seed(int number) {
    memcpy(set, SEED[number], sizeof set);
    calls_left = -1;
    for (int k = 0; k < SETS_MAX; k++) {
        set[k].of = H5T_FLOAT;
    }
}

static int count_sets(void) {
    int count = 0;
    while (count < SETS_MAX && set[count].name != NULL) {
        count++;
    }
    return count;
}

static double pick_number(uint8_t kind, uint8_t choice) {
    static const double special[] = {0,         -1,     -2,        2147483647, -2147483648.0,
                                     1e300,     -1e300, NAN,       1e-9,       INFINITY,
                                     -INFINITY, 1e9,    715827883, 5e-324};
    return kind % 2 == 0 ? special[choice % (sizeof special / sizeof *special)]
                         : (int8_t)choice / 2;
}

static void edit(const uint8_t *e) {
    list *l = &set[e[1] % count_sets()];
    switch (e[0] % 6) {
    case 0:
    case 1:
        l->value[l->count > 0 && l->count < VALUES_MAX ? e[2] % l->count : 0] =
            pick_number(e[3], e[4]);
        break;
    case 2:
        l->count = e[3] % 8 == 0 ? (int64_t)1 << (e[4] % 63) : e[4] % VALUES_MAX;
        break;
    case 3:
        l->is_missing = true;
        break;
    case 4:
        l->of = e[4] % 2 == 0 ? H5T_STRING : H5T_INTEGER;
        break;
    default:
        calls_left = e[4] % 128;
    }
}

static bool fails(void) {
    return calls_left >= 0 && calls_left-- == 0;
}

// ---- The library: as far as it is called to read -----------------------------------------------

herr_t H5Eset_auto2(hid_t stack, H5E_auto2_t function, void *data) {
    (void)stack, (void)function, (void)data;
    return 0;
}

hid_t H5Fopen(const char *path, unsigned flags, hid_t access) {
    (void)path, (void)flags, (void)access;
    return fails() ? -1 : 1;
}

herr_t H5Fget_filesize(hid_t file, hsize_t *size) {
    (void)file;
    *size = 4096;
    return 0;
}

herr_t H5Fclose(hid_t file) {
    (void)file;
    return 0;
}

// Folders are there as soon as something in them is.
htri_t H5Lexists(hid_t file, const char *name, hid_t access) {
    (void)file, (void)access;
    const size_t length = strlen(name);
    for (int k = 0; k < count_sets(); k++) {
        if (!set[k].is_missing && strncmp(set[k].name, name, length) == 0 &&
            (set[k].name[length] == '\0' || set[k].name[length] == '/')) {
            return 1;
        }
    }
    return 0;
}

hid_t H5Dopen2(hid_t file, const char *name, hid_t access) {
    (void)file, (void)access;
    for (int k = 0; k < count_sets(); k++) {
        if (!set[k].is_missing && strcmp(set[k].name, name) == 0) {
            return fails() ? -1 : k + 1;
        }
    }
    return -1; // a folder
}

hid_t H5Dget_type(hid_t id) {
    return id;
}

H5T_class_t H5Tget_class(hid_t id) {
    return set[id - 1].of;
}

size_t H5Tget_size(hid_t id) {
    (void)id;
    return 8;
}

hid_t H5Dget_space(hid_t id) {
    return id;
}

hssize_t H5Sget_simple_extent_npoints(hid_t id) {
    return fails() ? -1 : (hssize_t)set[id - 1].count;
}

herr_t H5Dread(hid_t id, hid_t kind, hid_t memory, hid_t file, hid_t transfer, void *values) {
    const list *l = &set[id - 1];
    (void)memory, (void)file, (void)transfer;
    for (int64_t n = 0; n < l->count; n++) {
        const double value = n < VALUES_MAX ? l->value[n] : 0.0;
        if (kind == H5T_NATIVE_DOUBLE) {
            ((double *)values)[n] = value;
        } else {
            ((int32_t *)values)[n] =
                value >= INT32_MIN && value <= INT32_MAX ? (int32_t)value : INT32_MAX;
        }
    }
    return fails() ? -1 : 0;
}

herr_t H5Tclose(hid_t id) {
    (void)id;
    return 0;
}

herr_t H5Sclose(hid_t id) {
    (void)id;
    return 0;
}

herr_t H5Dclose(hid_t id) {
    (void)id;
    return 0;
}

// ---- What would look at the disk -----------------------------------------------------------------

tal_status __wrap_tal_file_check_readable(const char *path, tal_error *err);
tal_status __wrap_tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code,
                                 tal_error *err);
void __wrap_tal_hdf5_init(void);

tal_status __wrap_tal_file_check_readable(const char *path, tal_error *err) {
    (void)path, (void)err;
    return TAL_OK;
}

tal_status __wrap_tal_hdf5_probe(const char *path, tal_trial_reader *reader, int *code,
                                 tal_error *err) {
    (void)path, (void)reader, (void)err;
    *code = 0;
    return TAL_OK;
}

void __wrap_tal_hdf5_init(void) {
}

// ---- The fuzzer --------------------------------------------------------------------------------------

static tal_error err;
static mutant m; // a file that is one of HDF5 by its first bytes

static tal_status read_problem(void) {
    tal_contact_problem problem;
    tal_error_reset(&err);
    TAL_TRY(tal_contact_problem_read(&problem, m.path, &err));
    tal_contact_problem_destroy(&problem);
    return TAL_OK;
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc, (void)argv;
    static char signature[] = "\x89HDF\r\n\x1a\n";
    mutant_begin(&m, "seed.hdf5");
    m.bytes = signature;
    m.length = sizeof signature - 1;
    mutant_write(&m);
    for (int k = 0; k < SEEDS; k++) {
        take_seed(k);
        mutant_need(read_problem(), &err);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) {
        return 0;
    }
    take_seed(data[0] % SEEDS);
    data++;
    size--;
    for (int n = 0; n < EDITS_MAX && size >= EDIT_BYTES; n++) {
        edit(data);
        data += EDIT_BYTES;
        size -= EDIT_BYTES;
    }
    (void)read_problem();
    return 0;
}
