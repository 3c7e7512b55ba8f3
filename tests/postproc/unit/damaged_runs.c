// SPDX-License-Identifier: GPL-3.0-or-later
// rocks.nc with a good sum and wrong content: refused with a sentence that names the variable, and no memory taken by it.
#include "postproc/release/rocks.h"
#include "tests/support/check.h"

// What is wrong with the file; 0 and NULL: nothing.
typedef struct {
    double meeting_count, meeting_kind;
    int32_t sample_count;
    const char *wide; // a variable with one dimension too many
    const char *odd;  // one whose second number is `value`
    double value;
} damage;

typedef struct {
    tal_netcdf file;
    const damage *damage;
    int three;
} writer;

static void put(writer *w, const char *name, int dimension, int width, double value) {
    const bool is_wide = w->damage->wide != NULL && strcmp(name, w->damage->wide) == 0;
    const int dimensions[3] = {dimension, w->three, w->three};
    const bool is_odd = w->damage->odd != NULL && strcmp(name, w->damage->odd) == 0;
    const double values[64] = {value, is_odd ? w->damage->value : value,
                               value, value,
                               value, value,
                               value, value,
                               value, value,
                               value, value};
    const int variable = tal_netcdf_variable(&w->file, name, TAL_NC_DOUBLE,
                                             width + (is_wide ? 1 : 0), dimensions, "1", name);
    tal_netcdf_put_doubles(&w->file, variable, values);
}

static void put_whole(writer *w, const char *name, int dimension, int32_t value) {
    const int32_t values[2] = {value, value};
    const int variable = tal_netcdf_variable(&w->file, name, TAL_NC_INT, 1, &dimension, "1", name);
    tal_netcdf_put_ints(&w->file, variable, values);
}

static void write_rocks(const char *path, const damage *d) {
    static writer w;
    w.damage = d;
    check_ok(tal_netcdf_create(&w.file, path, TAL_REPLACE, "Rocks", "{}", &check_error));
    const int rock = tal_netcdf_dimension(&w.file, "rock", 2),
              sample = tal_netcdf_dimension(&w.file, "sample", 4),
              meeting = tal_netcdf_dimension(&w.file, "meeting", 2);
    w.three = tal_netcdf_dimension(&w.file, "three", 3);
    static const char
        *const of_rock[] = {"mass", "size", "duration"},
               *const whole[] = {"end", "stem_count", "block"},
               *const of_sample[] = {"x", "y", "z", "time", "drop", "ground", "rotation_energy"},
               *const of_meeting[] = {"meeting_rock",   "meeting_number", "meeting_outcome",
                                      "meeting_x",      "meeting_y",      "meeting_z",
                                      "meeting_height", "meeting_energy", "meeting_taken"};
    for (size_t k = 0; k < 3; k++) {
        put(&w, of_rock[k], rock, 1, 1);
        put_whole(&w, whole[k], rock, 0);
    }
    for (size_t k = 0; k < sizeof of_sample / sizeof *of_sample; k++) {
        put(&w, of_sample[k], sample, 1, 1);
    }
    for (size_t k = 0; k < sizeof of_meeting / sizeof *of_meeting; k++) {
        put(&w, of_meeting[k], meeting, 1, 1);
    }
    put(&w, "velocity", sample, 2, 1);
    put(&w, "angular_velocity", sample, 2, 1);
    put(&w, "meeting_kind", meeting, 1, d->meeting_kind);
    put_whole(&w, "sample_count", rock, d->sample_count);
    tal_netcdf_real(&w.file, TAL_NC_GLOBAL, "meeting_count", d->meeting_count);
    check_ok(tal_netcdf_commit(&w.file, &check_error));
}

static tal_status look_at(void *count, int64_t rock, const tal_rocks_moment *moment, int32_t length,
                          tal_error *err) {
    (void)rock, (void)moment, (void)err;
    *(int *)count += length;
    return TAL_OK;
}

static tal_status read_rocks(damage d, int *moments) {
    static tal_rocks rocks;
    char path[TAL_PATH_SIZE];
    tal_path_join(path, check_scratch(), "rocks.nc");
    tal_error_reset(&check_error);
    write_rocks(path, &d);
    TAL_TRY(tal_rocks_open(&rocks, path, &(tal_origin){0}, &check_error));
    *moments = 0;
    const tal_status status = tal_rocks_walk(&rocks, look_at, moments, &check_error);
    tal_rocks_close(&rocks);
    return status;
}

static void good_rocks_are_read(void **state) {
    (void)state;
    int moments = 0;
    check_ok(read_rocks((damage){2, 1, 2, .odd = NULL}, &moments));
    assert_int_equal(moments, 4);
    check_ok(
        read_rocks((damage){0, 1, 0, .odd = NULL}, &moments)); // that never moved nor met anything
    assert_int_equal(moments, 0);
}

static void number_of_meetings_that_is_none_is_refused(void **state) {
    (void)state;
    const double wrong[] = {1e300, -1e300, NAN, -1.0, 0.5, 1e10};
    int moments = 0;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        check_fails(read_rocks((damage){wrong[k], 1, 2, .odd = NULL}, &moments), TAL_BAD_INPUT,
                    "meeting_count = ");
    }
    check_fails(read_rocks((damage){3, 1, 2, .odd = NULL}, &moments), TAL_BAD_INPUT,
                "meeting_rock");
}

static void meeting_of_a_kind_that_is_no_number_is_refused(void **state) {
    (void)state;
    const double wrong[] = {1e300, -1e300, NAN, 0.5};
    int moments = 0;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        check_fails(read_rocks((damage){2, wrong[k], 2, .odd = NULL}, &moments), TAL_BAD_INPUT,
                    "meeting_kind = ");
    }
}

static void ways_longer_than_the_file_are_refused_before_memory_is_taken(void **state) {
    (void)state;
    int moments = 0;
    check_fails(read_rocks((damage){2, 1, 1000000000, .odd = NULL}, &moments), TAL_BAD_INPUT,
                "sample_count adds up to 2000000000, and there are 4 samples");
}

// The lengths of its dimensions were taken from beyond those that the reader asked for.
static void variable_with_a_dimension_too_many_is_refused(void **state) {
    (void)state;
    static const char *const wide[] = {"meeting_x", "x", "velocity"};
    int moments = 0;
    for (size_t k = 0; k < 3; k++) {
        check_fails(read_rocks((damage){2, 1, 2, .wide = wide[k]}, &moments), TAL_BAD_INPUT,
                    k == 2 ? "'velocity' has 3 dimensions, but 2 are needed"
                           : "has 2 dimensions, but 1 are needed");
    }
}

// A place, speed or energy of a rock that no rock has gives maps and tables that nobody doubts.
static void numbers_that_no_rock_has_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double value;
        const char *words;
    } odd[] = {{"x", 1e9, "x = 1e+09 of sample 1 is impossible"},
               {"y", -1e9, "y = -1e+09 of sample 1 is impossible"},
               {"z", NAN, "z = nan of sample 1 is impossible"},
               {"velocity", 1e30, "velocity = 1e+30 of sample 0 is impossible"},
               {"angular_velocity", NAN, "angular_velocity = nan of sample 0 is impossible"},
               {"time", 1e300, "time = 1e+300 of sample 1 is impossible"},
               {"drop", 1e9, "drop = 1e+09 of sample 1 is impossible"},
               {"ground", 1e9, "ground = 1e+09 of sample 1 is impossible"},
               {"rotation_energy", 1e300, "rotation_energy = 1e+300 of sample 1 is impossible"},
               {"meeting_x", 1e9, "meeting_x = 1e+09 of meeting 1 is impossible"},
               {"meeting_energy", 1e300, "meeting_energy = 1e+300 of meeting 1 is impossible"},
               {"mass", 1e300, "mass = 1e+300 of rock 1 is impossible"},
               {"size", NAN, "size = nan of rock 1 is impossible"},
               {"duration", 1e300, "duration = 1e+300 of rock 1 is impossible"}};
    int moments = 0;
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        check_fails(
            read_rocks((damage){2, 1, 2, .odd = odd[k].name, .value = odd[k].value}, &moments),
            TAL_BAD_INPUT, odd[k].words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_rocks_are_read),
        cmocka_unit_test(number_of_meetings_that_is_none_is_refused),
        cmocka_unit_test(meeting_of_a_kind_that_is_no_number_is_refused),
        cmocka_unit_test(ways_longer_than_the_file_are_refused_before_memory_is_taken),
        cmocka_unit_test(variable_with_a_dimension_too_many_is_refused),
        cmocka_unit_test(numbers_that_no_rock_has_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
