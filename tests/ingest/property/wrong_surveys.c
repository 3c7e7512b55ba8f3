// SPDX-License-Identifier: GPL-3.0-or-later
// Wrong surveys, made from the embedded sites by the mistakes that people make: each is refused or
// warned of with its own reason. The right ones are taken without a word.
//
//     ingest_property_wrong_surveys             the table
//     ingest_property_wrong_surveys FIRST LAST  right surveys of these seeds
#define _GNU_SOURCE
#include "tests/support/check.h"

#include "core/base/random.h"
#include "ingest/read/format.h"

#include <sys/wait.h>
#include <unistd.h>

// ---- Clouds ------------------------------------------------------------------------------------

typedef struct {
    size_t count, capacity;
    double *x, *y, *z;
    uint8_t *point_class, *is_last;
} cloud;

static cloud kept[3]; // before, after, before by another seed, as the generator made them
static cloud now[2];  // what a mistake made of them
static char folder[512];

static void grow(cloud *c, size_t count) {
    if (c->count + count <= c->capacity) {
        return;
    }
    c->capacity = 2 * (c->count + count);
    c->x = realloc(c->x, c->capacity * sizeof *c->x);
    c->y = realloc(c->y, c->capacity * sizeof *c->y);
    c->z = realloc(c->z, c->capacity * sizeof *c->z);
    c->point_class = realloc(c->point_class, c->capacity);
    c->is_last = realloc(c->is_last, c->capacity);
    assert_true(c->x != NULL && c->y != NULL && c->z != NULL);
    assert_true(c->point_class != NULL && c->is_last != NULL);
}

static void add(cloud *c, const cloud *from, size_t i) {
    grow(c, 1);
    c->x[c->count] = from->x[i];
    c->y[c->count] = from->y[i];
    c->z[c->count] = from->z[i];
    c->point_class[c->count] = from->point_class[i];
    c->is_last[c->count++] = from->is_last[i];
}

static void copy(cloud *to, const cloud *from) {
    to->count = 0;
    for (size_t i = 0; i < from->count; i++) {
        add(to, from, i);
    }
}

static void read_cloud(cloud *c, const char *path) {
    const tal_format *format = tal_format_find(path);
    void *reader = NULL;
    tal_points points;
    c->count = 0;
    check_ok(tal_points_create(&points, &check_error));
    check_ok(format->open(&reader, path, &check_error));
    do {
        check_ok(format->read(reader, &points, &check_error));
        const cloud chunk = {.x = points.x,
                             .y = points.y,
                             .z = points.z,
                             .point_class = points.point_class,
                             .is_last = points.is_last};
        for (size_t i = 0; i < points.count; i++) {
            add(c, &chunk, i);
        }
    } while (points.count > 0);
    format->close(reader);
    tal_points_destroy(&points);
}

static void put(uint8_t *p, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(value >> (8 * i) & 255U);
    }
}

static void put_real(uint8_t *p, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(p, bits, 8);
}

// LAS 1.2, point format 0, in millimetres from the first point.
static void write_cloud(const cloud *c, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    uint8_t header[227] = {0};
    const double offset[3] = {floor(c->x[0]), floor(c->y[0]), 0.0};
    memcpy(header, "LASF", 4);
    header[24] = 1;
    header[25] = 2;
    put(header + 94, sizeof header, 2);
    put(header + 96, sizeof header, 4);
    put(header + 105, 20, 2);
    put(header + 107, c->count, 4);
    for (int axis = 0; axis < 3; axis++) {
        put_real(header + 131 + 8 * axis, 0.001);
        put_real(header + 155 + 8 * axis, offset[axis]);
    }
    fwrite(header, 1, sizeof header, stream);
    for (size_t i = 0; i < c->count; i++) {
        uint8_t record[20] = {0};
        put(record, (uint32_t)(int32_t)lround((c->x[i] - offset[0]) * 1000.0), 4);
        put(record + 4, (uint32_t)(int32_t)lround((c->y[i] - offset[1]) * 1000.0), 4);
        put(record + 8, (uint32_t)(int32_t)lround(c->z[i] * 1000.0), 4);
        record[14] = c->is_last[i] ? 1 | 1 << 3 : 1 | 2 << 3;
        record[15] = c->point_class[i] & 31U;
        fwrite(record, 1, sizeof record, stream);
    }
    assert_int_equal(fclose(stream), 0);
}

// ---- Mistakes ----------------------------------------------------------------------------------

static double middle[3]; // of the earlier cloud

static void find_middle(void) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < kept[0].count; i++) {
        const double p[3] = {kept[0].x[i], kept[0].y[i], kept[0].z[i]};
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        middle[k] = 0.5 * (low[k] + high[k]);
    }
}

static void nothing(double amount) {
    (void)amount;
}

static void scale_heights(cloud *c, double factor) {
    for (size_t i = 0; i < c->count; i++) {
        c->z[i] *= factor;
    }
}

static void after_heights_times(double factor) {
    scale_heights(&now[1], factor);
}

static void before_heights_times(double factor) {
    scale_heights(&now[0], factor);
}

static void exchange_axes(cloud *c) {
    double *x = c->x;
    c->x = c->y;
    c->y = x;
}

static void after_axes(double amount) {
    (void)amount;
    exchange_axes(&now[1]);
}

static void all_axes(double amount) {
    (void)amount;
    exchange_axes(&now[0]);
    exchange_axes(&now[1]);
}

// Metres from a corner, as a scanner has them.
static void make_local(double amount) {
    (void)amount;
    for (int e = 0; e < 2; e++) {
        for (size_t i = 0; i < now[e].count; i++) {
            now[e].x[i] -= middle[0];
            now[e].y[i] -= middle[1];
        }
    }
}

static void local_axes(double amount) {
    make_local(amount);
    exchange_axes(&now[1]);
}

static void map_in_feet(double amount) {
    (void)amount;
    for (size_t i = 0; i < now[1].count; i++) {
        now[1].x[i] /= 0.3048;
        now[1].y[i] /= 0.3048;
    }
}

static void move_after(int axis, double amount) {
    double *value = axis == 0 ? now[1].x : axis == 1 ? now[1].y : now[1].z;
    for (size_t i = 0; i < now[1].count; i++) {
        value[i] += amount;
    }
}

static void shift_east(double amount) {
    move_after(0, amount);
}

static void shift_north(double amount) {
    move_after(1, amount);
}

static void shift_up(double amount) {
    move_after(2, amount);
}

static void turn(double *u, double *v, double angle) {
    const double c = cos(angle), s = sin(angle), a = *u, b = *v;
    *u = c * a - s * b;
    *v = s * a + c * b;
}

static void turn_after(double degrees) {
    for (size_t i = 0; i < now[1].count; i++) {
        double x = now[1].x[i] - middle[0], y = now[1].y[i] - middle[1];
        turn(&x, &y, degrees * 0.017453292519943295);
        now[1].x[i] = middle[0] + x;
        now[1].y[i] = middle[1] + y;
    }
}

static void tilt_after(double degrees) {
    for (size_t i = 0; i < now[1].count; i++) {
        double x = now[1].x[i] - middle[0], z = now[1].z[i] - middle[2];
        turn(&x, &z, degrees * 0.017453292519943295);
        now[1].x[i] = middle[0] + x;
        now[1].z[i] = middle[2] + z;
    }
}

static void mirror_after(double amount) {
    (void)amount;
    for (size_t i = 0; i < now[1].count; i++) {
        now[1].y[i] = 2.0 * middle[1] - now[1].y[i];
    }
}

static void reverse(double amount) {
    (void)amount;
    const cloud first = now[0];
    now[0] = now[1];
    now[1] = first;
}

// Only what lies on one side of the middle, moved by `amount` to the east.
static void half_missing(double amount) {
    cloud *c = &now[1];
    size_t left = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->x[i] < middle[0] + amount) {
            c->x[left] = c->x[i];
            c->y[left] = c->y[i];
            c->z[left] = c->z[i];
            c->point_class[left] = c->point_class[i];
            c->is_last[left++] = c->is_last[i];
        }
    }
    c->count = left;
}

// Shrubs of `height`, four metres wide, on half of the ground; nothing is seen below them.
static void grow_shrubs(cloud *c, double height) {
    const tal_random random = tal_random_stream(1, 0, "test/shrubs");
    for (size_t i = 0; i < c->count; i++) {
        const double column = floor((c->x[i] - middle[0]) / 4.0),
                     row = floor((c->y[i] - middle[1]) / 4.0);
        const uint64_t place =
            (uint64_t)(int64_t)(column + 5000.0) * 10000 + (uint64_t)(int64_t)(row + 5000.0);
        if (tal_random_uniform(random, place) < 0.35) {
            c->z[i] += height * (0.4 + 0.6 * tal_random_uniform(random, place + 100000000));
            c->is_last[i] = 1;
            c->point_class[i] = 2;
        }
    }
}

static void shrubs_after(double height) {
    grow_shrubs(&now[1], height);
}

static void shrubs_before(double height) {
    grow_shrubs(&now[0], height);
}

static void shake(cloud *c, double deviation) {
    const tal_random random = tal_random_stream(1, 0, "test/noise");
    for (size_t i = 0; i < c->count; i++) {
        double sum = 0.0; // of twelve: nearly normal
        for (unsigned k = 0; k < 12; k++) {
            sum += tal_random_uniform(random, 12 * (uint64_t)i + k) - 0.5;
        }
        c->z[i] += deviation * sum;
    }
}

static void noise_after(double deviation) {
    shake(&now[1], deviation);
}

static void noise_before(double deviation) {
    shake(&now[0], deviation);
}

static void no_event(double amount) {
    (void)amount;
    copy(&now[1], &kept[2]);
}

static void same_twice(double amount) {
    (void)amount;
    copy(&now[1], &kept[0]);
}

// ---- The table ---------------------------------------------------------------------------------

typedef struct {
    const char *name;
    void (*make)(double amount);
    double amount;
    const char *lines;   // in [ingest], and after [site] in [site]
    const char *verdict; // "refused" or "warned"
    const char *words;   // one of these, by |
} wrong;

#define CRS        "[site]\ncrs = EPSG:5490+5756\n"
#define OURS       CRS "[ingest]\n"
#define UNFILTERED OURS "ground = none\n"

static const wrong table[] = {
    {"heights from after in feet", after_heights_times, 1.0 / 0.3048, OURS, "refused",
     "feet are read as metres in the later survey"},
    {"heights from before in feet", before_heights_times, 1.0 / 0.3048, OURS, "refused",
     "feet as metres in the earlier one"},
    {"after_unit = ft on metres", nothing, 0, CRS "after_unit = ft\n[ingest]\n", "refused",
     "Set after_unit = m"},
    {"before_unit = us-ft on metres", nothing, 0, CRS "before_unit = us-ft\n[ingest]\n", "refused",
     "Set before_unit = m"},
    {"map from after in feet", map_in_feet, 0, OURS, "refused", "its map is in feet"},
    {"axes of the later survey exchanged", after_axes, 0, OURS, "refused",
     "its axes are exchanged"},
    {"axes of both surveys exchanged", all_axes, 0, OURS, "refused",
     "with its axes exchanged it lies inside"},
    {"axes exchanged in local metres", local_axes, 0, "[site]\ncrs = local\n[ingest]\n", "refused",
     "the axes of one survey are exchanged"},
    {"1 m to the east", shift_east, 1, OURS, "either", "had to be moved by"},
    {"5 m to the east", shift_east, 5, OURS, "refused", "had to be moved by"},
    {"5 m to the east, accepted", shift_east, 5, OURS "accept_shift = yes\n", "warned",
     "had to be moved by"},
    {"50 m to the east", shift_east, 50, OURS, "refused", "m to the east and|had to be moved by"},
    {"1 m to the south", shift_north, -1, OURS, "either", "had to be moved by"},
    {"5 m to the south", shift_north, -5, OURS, "refused", "m to the north|had to be moved by"},
    {"1 m up", shift_up, 1, OURS, "either", "had to be moved by"},
    {"5 m up", shift_up, 5, OURS, "refused", "had to be moved by"},
    {"50 m down, another height datum", shift_up, -50, OURS, "refused", "had to be moved by"},
    {"rotated by 1 degree", turn_after, 1, OURS, "either", "rotated by"},
    {"rotated by 10 degrees", turn_after, 10, OURS, "refused", "rotated by"},
    {"rotated by 90 degrees", turn_after, 90, OURS, "refused", "rotated by about"},
    {"tilted by 1 degree", tilt_after, 1, OURS, "either", "(a tilt)"},
    {"tilted, and only shifted", tilt_after, 0.5, OURS "coregister = shift\n", "either",
     "is tilted relative to"},
    {"rows from the wrong end", mirror_after, 0, OURS, "refused", "its rows are reversed"},
    {"epochs exchanged", reverse, 0, OURS, "refused", "fallen upwards"},
    {"half of the later survey missing", half_missing, 0, OURS, "warned", "overlap on only"},
    {"shrubs in the later survey", shrubs_after, 2, UNFILTERED, "warned",
     "in the later survey that were not filtered"},
    {"shrubs in the earlier survey", shrubs_before, 2, UNFILTERED, "warned",
     "in the earlier survey that were not filtered"},
    {"noise of 1 m in the later survey", noise_after, 1, UNFILTERED, "warned",
     "the points of the survey from after the event scatter"},
    {"noise of 1 m in the earlier survey", noise_before, 1, UNFILTERED, "warned",
     "the points of the survey from before the event scatter"},
    {"no rockfall", no_event, 0, OURS, "warned", "no source was found"},
    {"one survey named twice", same_twice, 0, OURS, "warned", "identical to the last digit"},
    {"a source drawn elsewhere", nothing, 0, OURS "source = far.geojson\n", "refused",
     "polygon 1 of the source"},
    {"a deposit drawn with exchanged axes", nothing, 0, OURS "deposit = turned.geojson\n",
     "refused", "its axes are exchanged"},
    {"an area of interest elsewhere", nothing, 0, CRS "area = far.geojson\n[ingest]\n", "refused",
     "polygon 1 of the area of interest"},
    {"coregister = none on a shift", shift_up, 0.5, OURS "coregister = none\n", "warned",
     "coregister = none, but"},
    {"nothing wrong", nothing, 0, OURS, "right", ""},
};

enum { WRONG = sizeof table / sizeof table[0] };

// ---- Running -----------------------------------------------------------------------------------

static char *answer; // what the program said
static size_t answer_size;

static int run(const char *command) {
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    answer = answer != NULL ? answer : malloc(1 << 20);
    assert_non_null(answer);
    answer_size = fread(answer, 1, (1 << 20) - 1, pipe);
    answer[answer_size] = '\0';
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void read_epoch(cloud *c, const char *site, const char *name) {
    static const char *const endings[2] = {"xyz", "las"};
    char path[1024];
    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s/%s/%s.%s", folder, site, name, endings[k]);
        if (access(path, R_OK) == 0) {
            read_cloud(c, path);
        }
    }
    assert_true(c->count > 0);
}

static void make_site(const char *site, unsigned seed, double density) {
    char command[2048];
    snprintf(command, sizeof command,
             "'%s/talus-dataset' %s --out '%s/%s' --seed %u --density-scale %g -q --overwrite 2>&1",
             getenv("TALUS_BIN"), site, folder, site, seed, density);
    assert_int_equal(run(command), 0);
}

static void write_box(const char *name, double x, double y) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(
        file,
        "{\"type\": \"FeatureCollection\", \"crs\": {\"type\": \"name\", \"properties\": "
        "{\"name\": \"EPSG:5490\"}}, \"features\": [{\"type\": \"Feature\", \"properties\": {}, "
        "\"geometry\": {\"type\": \"Polygon\", \"coordinates\": [[[%f, %f], [%f, %f], [%f, %f], "
        "[%f, %f]]]}}]}\n",
        x - 5, y - 5, x + 5, y - 5, x + 5, y + 5, x - 5, y - 5);
    assert_int_equal(fclose(file), 0);
}

// Lines of the site's own file that matter here.
static void write_site(const char *lines, double cell, double least, bool bare) {
    char path[1024];
    const char *ingest = strstr(lines, "[ingest]");
    snprintf(path, sizeof path, "%s/site.ini", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "%.*sbefore = before.las\nafter = after.las\n%s%scell_m = %g\n"
            "source_area_min_m2 = %g\ndeposit_area_min_m2 = %g\n",
            (int)(ingest - lines), lines, ingest,
            bare && strstr(lines, "ground") == NULL ? "ground = none\n" : "", cell, least, least);
    assert_int_equal(fclose(file), 0);
}

static int ingest_it(void) {
    char command[2048];
    write_cloud(&now[0], "before.las");
    write_cloud(&now[1], "after.las");
    snprintf(command, sizeof command,
             "'%s/talus-ingest' '%s/site.ini' --out '%s/out' --overwrite --progress none 2>&1",
             getenv("TALUS_BIN"), folder, folder);
    return run(command);
}

static bool is_as_expected(const wrong *w, int status) {
    const bool refused = status == 1;
    if (strcmp(w->verdict, "right") == 0) {
        return status == 0 && strstr(answer, "warning") == NULL;
    }
    const bool verdict = strcmp(w->verdict, "either") == 0 ||
                         (strcmp(w->verdict, "refused") == 0 ? refused : status == 0);
    char words[512], *rest = words;
    bool said = false;
    snprintf(words, sizeof words, "%s", w->words);
    for (const char *one; (one = strsep(&rest, "|")) != NULL;) {
        said = said || strstr(answer, one) != NULL;
    }
    return (status == 0 || refused) && verdict && said && strstr(answer, "site.ini") != NULL;
}

static void judge_table(const char *site, double density, double cell, double least, bool bare,
                        int *missed) {
    make_site(site, 2, density);
    read_epoch(&kept[2], site, "before");
    make_site(site, 1, density);
    read_epoch(&kept[0], site, "before");
    read_epoch(&kept[1], site, "after");
    find_middle();
    write_box("far.geojson", middle[0] + 50000.0, middle[1]);
    write_box("turned.geojson", middle[1], middle[0]);
    const char *only = getenv("TALUS_TEST_ONLY");
    for (int k = 0; k < WRONG; k++) {
        const wrong *w = &table[k];
        if (only != NULL && strstr(w->name, only) == NULL) {
            continue;
        }
        copy(&now[0], &kept[0]);
        copy(&now[1], &kept[1]);
        w->make(w->amount);
        write_site(w->lines, cell, least, bare);
        const int status = ingest_it();
        const bool fine = is_as_expected(w, status);
        printf("%s %s: %s: %s\n", fine ? "ok  " : "MISS", site, w->name,
               status == 0 ? "taken" : "refused");
        if (!fine || getenv("TALUS_TEST_TALK") != NULL) {
            printf("%s", answer);
        }
        fflush(stdout);
        *missed += !fine;
    }
}

static void every_mistake_is_told_with_its_reason(void **state) {
    (void)state;
    int missed = 0;
    const char *site = getenv("TALUS_TEST_SITE");
    if (site == NULL || strcmp(site, "slope") == 0) {
        judge_table("slope", 1.0, 0.5, 5.0, true, &missed);
    }
    if (site == NULL || strcmp(site, "piton-marcel") == 0) {
        judge_table("piton-marcel", 0.5, 4.0, 500.0, false, &missed);
    }
    assert_int_equal(missed, 0);
}

static unsigned first_seed, last_seed;

static void right_surveys_are_taken_without_a_word(void **state) {
    (void)state;
    int wrongly = 0;
    for (unsigned seed = first_seed; seed <= last_seed; seed++) {
        char command[2048];
        make_site("slope", seed, 1.0);
        snprintf(command, sizeof command,
                 "'%s/talus-ingest' '%s/slope/site.ini' --out '%s/out' --overwrite --progress none "
                 "2>&1",
                 getenv("TALUS_BIN"), folder, folder);
        if (run(command) != 0 || strstr(answer, "warning") != NULL) {
            printf("seed %u: %s", seed, answer);
            wrongly++;
        }
    }
    assert_int_equal(wrongly, 0);
}

int main(int argc, char **argv) {
    snprintf(folder, sizeof folder, "%s", check_scratch());
    const bool right = argc == 3;
    if (right) {
        first_seed = (unsigned)atoi(argv[1]);
        last_seed = (unsigned)atoi(argv[2]);
    }
    const struct CMUnitTest wrong_ones[] = {
        cmocka_unit_test(every_mistake_is_told_with_its_reason)};
    const struct CMUnitTest right_ones[] = {
        cmocka_unit_test(right_surveys_are_taken_without_a_word)};
    return right ? cmocka_run_group_tests(right_ones, NULL, NULL)
                 : cmocka_run_group_tests(wrong_ones, NULL, NULL);
}
