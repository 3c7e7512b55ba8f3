// SPDX-License-Identifier: GPL-3.0-or-later
// Pairs of surveys as they come from elsewhere: snow, rivers, glaciers, mines, forests, drones, other
// resolutions, units and datums. The ground is a formula, so each pair is exactly what its name says. What
// is wrong is told with its reason; what is only unusual is not refused.
//
//     ingest_property_other_pairs        all
//     TALUS_TEST_ONLY='snow|mine' ...    those whose names have one of these
#define _GNU_SOURCE
#include "tests/support/check.h"

#include "core/base/random.h"

#include <sys/wait.h>
#include <unistd.h>

static char folder[512];

// ---- The ground --------------------------------------------------------------------------------

static const double side = 480.0, west = 652000.0, south = 5206000.0; // m

static double lattice(const char *stream, double x, double y) {
    const tal_random random = tal_random_stream(7, 0, stream);
    return 2.0 * tal_random_uniform(random, (uint64_t)(int64_t)(x + 4096.0) * 8192 +
                                                (uint64_t)(int64_t)(y + 4096.0)) -
           1.0;
}

// Between -1 and 1, with bumps as wide as `width`.
static double bumps(const char *stream, double x, double y, double width) {
    const double u = floor(x / width), v = floor(y / width);
    double a = x / width - u, b = y / width - v;
    a *= a * (3.0 - 2.0 * a);
    b *= b * (3.0 - 2.0 * b);
    const double low = lattice(stream, u, v) * (1.0 - a) + lattice(stream, u + 1.0, v) * a;
    const double high =
        lattice(stream, u, v + 1.0) * (1.0 - a) + lattice(stream, u + 1.0, v + 1.0) * a;
    return low * (1.0 - b) + high * b;
}

// A mountain side of 40 degrees above, flat below, with ribs and gullies.
static double ground(double x, double y) {
    const double up = fmax(0.0, y - 150.0);
    return 1400.0 + 0.9 * up * up / (up + 60.0) + 0.06 * y + 14.0 * bumps("large", x, y, 120.0) +
           5.0 * bumps("middle", x, y, 37.0) + 1.2 * bumps("small", x, y, 11.0);
}

static double bowl(double x, double y, double east, double north, double half_x, double half_y) {
    const double u = (x - east) / half_x, v = (y - north) / half_y;
    return fmax(0.0, 1.0 - u * u - v * v);
}

// Its volume is half of the ellipse times the depth; the deposit holds 1.3 times as much.
static double lost(double x, double y) {
    return 9.0 * bowl(x, y, 240.0, 350.0, 32.0, 26.0);
}

static double gained(double x, double y) {
    return 9.0 * 1.3 * 32.0 * 26.0 / (60.0 * 42.0) * bowl(x, y, 245.0, 160.0, 60.0, 42.0);
}

static double noise(const char *stream, double x, double y) { // deviation 1
    const tal_random random = tal_random_stream(11, 0, stream);
    const uint64_t place =
        (uint64_t)(int64_t)((x + 4000.0) * 8.0) * 1000000 + (uint64_t)(int64_t)((y + 4000.0) * 8.0);
    double sum = 0.0;
    for (unsigned k = 0; k < 12; k++) {
        sum += tal_random_uniform(random, 12 * place + k) - 0.5;
    }
    return sum;
}

static double middle_of(double x, double y, double *from_x, double *from_y) {
    *from_x = x - 0.5 * side;
    *from_y = y - 0.5 * side;
    return hypot(*from_x, *from_y) / (0.5 * side);
}

// ---- What is special about a pair --------------------------------------------------------------

enum { BEFORE, AFTER };

typedef struct {
    const char *name;
    double (*height)(int epoch, double x, double y, double z); // as surveyed; NULL: as it is
    void (*look)(int epoch, double *x, double *y); // the ground that a place of the map shows
    double cell[2];                                // of the rasters; 0: 2 m
    double away[2];    // corner of the later map from where it should be
    const char *lines; // in the site file
    const char
        *verdict; // right: no word; taken; warned: taken with these words; refused; told: either
    const char *words; // one of these, by |
} pair;

static double snow(int epoch, double x, double y, double z) {
    const double patches = fmax(0.0, 0.4 + bumps("snow", x, y, 45.0));
    return epoch == AFTER && y < 300.0 ? z + 2.0 * patches : z;
}

static double thin_snow(int epoch, double x, double y, double z) {
    return epoch == AFTER ? z + 0.5 + 0.2 * bumps("snow", x, y, 45.0) : z;
}

static double river(int epoch, double x, double y, double z) {
    const double bed = fmax(0.0, 1.0 - fabs(y - 40.0 - 12.0 * sin(x / 60.0)) / 12.0);
    return epoch == AFTER ? z - 3.5 * bed : z;
}

static double glacier(int epoch, double x, double y, double z) {
    return epoch == AFTER ? z - 25.0 * bowl(x, y, 90.0, 240.0, 75.0, 200.0) : z;
}

static double mine(int epoch, double x, double y, double z) {
    return epoch == BEFORE ? z
                           : ground(x, y) - 20.0 * bowl(x, y, 120.0, 100.0, 60.0, 60.0) +
                                 16.0 * bowl(x, y, 340.0, 330.0, 70.0, 70.0);
}

static double forest(int epoch, double x, double y, double z) {
    return epoch == AFTER && bumps("stand", x, y, 60.0) > 0.1
               ? z + 14.0 + 6.0 * bumps("crowns", x, y, 7.0)
               : z;
}

static double clear_cut(int epoch, double x, double y, double z) {
    return forest(epoch == BEFORE ? AFTER : BEFORE, x, y, z);
}

static double landslide(int epoch, double x, double y, double z) { // 3 m towards the valley
    return epoch == AFTER && x > 250.0 ? z + ground(x, y + 3.0) - ground(x, y) : z;
}

static double dome(int epoch, double x, double y, double z) {
    double u, v;
    const double r = middle_of(x, y, &u, &v);
    return epoch == AFTER ? z + 0.6 * (1.0 - r * r) : z;
}

static double slight_dome(int epoch, double x, double y, double z) {
    double u, v;
    const double r = middle_of(x, y, &u, &v);
    return epoch == AFTER ? z + 0.04 * (1.0 - r * r) : z;
}

static double tilt(int epoch, double x, double y, double z) {
    (void)y;
    return epoch == AFTER ? z + 0.005 * x : z;
}

static double strip_step(int epoch, double x, double y, double z) {
    (void)y;
    return epoch == AFTER && x > 200.0 ? z + 0.5 : z;
}

static double waves(int epoch, double x, double y, double z) {
    (void)y;
    return epoch == AFTER ? z + 0.5 * sin(x / 9.0) : z;
}

static double integers(int epoch, double x, double y, double z) {
    (void)x;
    (void)y;
    return epoch == AFTER ? round(z) : z;
}

static double whole_fives(int epoch, double x, double y, double z) {
    (void)x;
    (void)y;
    return epoch == AFTER ? 5.0 * round(z / 5.0) : z;
}

static double times(int epoch, double z, double factor) {
    return epoch == AFTER ? factor * z : z;
}

static double centimetres(int epoch, double x, double y, double z) {
    (void)x;
    (void)y;
    return times(epoch, z, 100.0);
}

static double decimetres(int epoch, double x, double y, double z) {
    (void)x;
    (void)y;
    return times(epoch, z, 10.0);
}

static double millimetres_before(int epoch, double x, double y, double z) {
    (void)x;
    (void)y;
    return epoch == BEFORE ? 1000.0 * z : z;
}

static double depths(int epoch, double x, double y, double z) {
    (void)x;
    (void)y;
    return times(epoch, z, -1.0);
}

static double survey_feet(int epoch, double x, double y, double z) { // as metres: 2 millionths
    (void)x;
    (void)y;
    return times(epoch, z, 1.000002);
}

static double geoid(int epoch, double x, double y, double z) {
    return epoch == AFTER ? z + 48.7 + 1e-5 * x + 2e-5 * y : z;
}

static double zero_holes(int epoch, double x, double y, double z) {
    return epoch == AFTER && bowl(x, y, 400.0, 80.0, 60.0, 60.0) > 0.0 ? 0.0 : z;
}

static double zero_holes_before(int epoch, double x, double y, double z) {
    return zero_holes(epoch == BEFORE ? AFTER : BEFORE, x, y, z);
}

static double spikes(int epoch, double x, double y, double z) {
    return epoch == AFTER && noise("spikes", x, y) > 2.6 ? z + 60.0 : z;
}

static double low_spikes(int epoch, double x, double y, double z) {
    return epoch == AFTER && noise("spikes", x, y) > 2.6 ? z + 8.0 : z;
}

static double rough(int epoch, double x, double y, double z) {
    return epoch == AFTER ? z + 0.8 * noise("rough", x, y) : z;
}

static double only_loss(int epoch, double x, double y, double z) {
    return epoch == AFTER ? z - gained(x, y) : z;
}

static double small_event(int epoch, double x, double y, double z) { // a fifth of the height
    return epoch == AFTER ? z + 0.8 * (lost(x, y) - gained(x, y)) : z;
}

static double reversed(int epoch, double x, double y, double z) {
    const double change = gained(x, y) - lost(x, y);
    return epoch == BEFORE ? z + change : z - change;
}

static double reversed_small(int epoch, double x, double y, double z) {
    const double change = 0.2 * (gained(x, y) - lost(x, y));
    return epoch == BEFORE ? z + change : ground(x, y);
}

static double reversed_in_snow(int epoch, double x, double y, double z) {
    return snow(epoch, x, y, reversed(epoch, x, y, z));
}

static double reversed_feet(int epoch, double x, double y, double z) {
    return times(epoch, reversed(epoch, x, y, z), 1.0 / 0.3048);
}

static double river_at_foot(int epoch, double x, double y, double z) { // as much as the deposit
    (void)x;
    return epoch == AFTER ? z - 6.0 * fmax(0.0, 1.0 - fabs(y - 40.0) / 14.0) : z;
}

static void stretch(int epoch, double *x, double *y) {
    if (epoch == AFTER) {
        *x = 0.5 * side + 1.01 * (*x - 0.5 * side);
        *y = 0.5 * side + 1.01 * (*y - 0.5 * side);
    }
}

static void scale_of_map(int epoch, double *x, double *y) { // 0.9996, about the middle
    if (epoch == AFTER) {
        *x = 0.5 * side + (*x - 0.5 * side) / 0.9996;
        *y = 0.5 * side + (*y - 0.5 * side) / 0.9996;
    }
}

static void mirror(int epoch, double *x, double *y) {
    (void)y;
    *x = epoch == AFTER ? side - *x : *x;
}

static void upside_down(int epoch, double *x, double *y) {
    (void)x;
    *y = epoch == AFTER ? side - *y : *y;
}

static void exchanged(int epoch, double *x, double *y) {
    if (epoch == AFTER) {
        const double east = *x;
        *x = *y;
        *y = east;
    }
}

static void half_pixel(int epoch, double *x, double *y) {
    *x += epoch == AFTER ? 1.0 : 0.0;
    *y -= epoch == AFTER ? 1.0 : 0.0;
}

static void six_metres(int epoch, double *x, double *y) {
    (void)y;
    *x += epoch == AFTER ? 12.0 : 0.0;
}

static void other_valley(int epoch, double *x, double *y) {
    *x += epoch == AFTER ? 1700.0 : 0.0;
    *y += epoch == AFTER ? 20.0 : 0.0;
}

static void turned(int epoch, double *x, double *y) {
    if (epoch == AFTER) {
        const double u = *x - 0.5 * side, v = *y - 0.5 * side, a = 0.035; // 2 degrees
        *x = 0.5 * side + cos(a) * u - sin(a) * v;
        *y = 0.5 * side + sin(a) * u + cos(a) * v;
    }
}

#define MOVED  "had to be moved by"
#define PLANTS "Plants or snow in the later survey|plants or snow in the later survey"

static const pair pairs[] = {
    {"nothing special", .verdict = "right"},
    {"after in cells of 5 m", .cell = {2, 5}, .verdict = "taken"},
    {"before in cells of 10 m", .cell = {10, 2}, .verdict = "warned", .words = "is thinner than"},
    {"cells of 1 and 2 m", .cell = {1, 2}, .verdict = "taken"},
    {"half a pixel", .look = half_pixel, .verdict = "right"},
    {"scale of the map", .look = scale_of_map, .verdict = "right"},
    {"small event", small_event, .verdict = "taken"},
    {"snow in patches", snow, .verdict = "warned", .words = PLANTS "|the deposit has"},
    {"snow all over", thin_snow, .verdict = "told", .words = MOVED},
    {"river", river, .verdict = "taken"},
    {"river that took as much as fell", river_at_foot, .verdict = "taken"},
    {"glacier", glacier, .verdict = "warned", .words = "the deposit has only"},
    {"mine", mine, .verdict = "told", .words = "fallen upwards"},
    {"forest in the later raster", forest, .verdict = "told", .words = PLANTS "|the deposit has"},
    {"forest in the earlier raster", clear_cut, .verdict = "told",
     .words = "lants or snow in the earlier survey|the deposit has only"},
    {"landslide of half of the ground", landslide, .verdict = "warned",
     .words = "depends on the terrain|changed by more than|the deposit has"},
    {"doming", dome, .verdict = "warned", .words = "bends against"},
    {"doming below the noise", slight_dome, .verdict = "right"},
    {"tilt", tilt, .verdict = "warned", .words = "is tilted relative to"},
    {"strip that lies higher", strip_step, .verdict = "warned", .words = "nearly all over"},
    {"waves", waves, .verdict = "warned", .words = "in waves or swathes"},
    {"heights in whole metres", integers, .verdict = "taken"},
    {"heights in steps of 5 m", whole_fives, .verdict = "warned", .words = "is thinner than"},
    {"heights in centimetres", centimetres, .verdict = "refused", .words = "centimetres"},
    {"heights in decimetres", decimetres, .verdict = "refused", .words = "decimetres"},
    {"heights before in millimetres", millimetres_before, .verdict = "refused",
     .words = "millimetres"},
    {"depths instead of heights", depths, .verdict = "refused", .words = "depths"},
    {"survey feet", survey_feet, .away = {1.3, 10.4}, .verdict = "refused", .words = MOVED},
    {"geoid against ellipsoid", geoid, .verdict = "refused", .words = MOVED},
    {"zeros for no data", zero_holes, .verdict = "refused", .words = "a value for no data"},
    {"zeros for no data before", zero_holes_before, .verdict = "refused",
     .words = "a value for no data"},
    {"spikes", spikes, .verdict = "warned", .words = "single cells lie far"},
    {"low spikes", low_spikes, .verdict = "warned", .words = "single cells stand"},
    {"rough", rough, .verdict = "warned", .words = "is thinner than"},
    {"deposit carried away", only_loss, .verdict = "warned", .words = "no deposit was found"},
    {"reversed", reversed, .verdict = "refused", .words = "fallen upwards"},
    {"reversed, small", reversed_small, .verdict = "refused", .words = "fallen upwards"},
    {"reversed, in snow", reversed_in_snow, .verdict = "told",
     .words = "fallen upwards|the deposit has"},
    {"reversed, in feet", reversed_feet, .verdict = "refused", .words = "feet are read as metres"},
    {"stretched", .look = stretch, .verdict = "told", .words = "is stretched"},
    {"mirrored", .look = mirror, .verdict = "refused", .words = "mirror image"},
    {"rows upside down", .look = upside_down, .verdict = "refused", .words = "mirror image"},
    {"axes exchanged", .look = exchanged, .verdict = "refused",
     .words = "exchanged about its own corner"},
    {"12 m to the east", .look = six_metres, .verdict = "refused", .words = MOVED "|to the east"},
    {"another valley", .look = other_valley, .verdict = "refused", .words = "same place"},
    {"turned by 2 degrees", .look = turned, .verdict = "told", .words = "rotated by"},
    {"a corner in common", .away = {400, 400}, .verdict = "told", .words = "overlap on only"},
};

enum { PAIRS = sizeof pairs / sizeof pairs[0] };

// ---- Running -----------------------------------------------------------------------------------

static double surveyed(const pair *p, int epoch, double x, double y) {
    if (p->look != NULL) {
        p->look(epoch, &x, &y);
    }
    const double change = epoch == AFTER ? gained(x, y) - lost(x, y) : 0.0;
    const double z = ground(x, y) + change;
    return p->height != NULL ? p->height(epoch, x, y, z) : z;
}

// Values without noise: no data, and rounded ones.
static bool is_exact(const pair *p, double z) {
    return z == 0.0 || ((p->height == integers || p->height == whole_fives) && z == round(z));
}

static void write_grid(const pair *p, int epoch) {
    const double cell = p->cell[epoch] > 0.0 ? p->cell[epoch] : 2.0;
    const int n = (int)(side / cell);
    const double *away = p->away;
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.asc", folder, epoch == BEFORE ? "before" : "after");
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fprintf(stream,
            "ncols %d\nnrows %d\nxllcorner %.3f\nyllcorner %.3f\ncellsize %g\n"
            "NODATA_value -9999\n",
            n, n, west + (epoch == AFTER ? away[0] : 0.0), south + (epoch == AFTER ? away[1] : 0.0),
            cell);
    for (int row = 0; row < n; row++) {
        for (int column = 0; column < n; column++) {
            const double x = (column + 0.5) * cell, y = side - (row + 0.5) * cell;
            const double z = surveyed(p, epoch, x, y);
            const double own = 0.05 * noise(epoch == BEFORE ? "first" : "second", x, y);
            fprintf(stream, "%.3f ", is_exact(p, z) ? z : z + own);
        }
        fputc('\n', stream);
    }
    assert_int_equal(fclose(stream), 0);
}

static char *answer;

static int ingest_it(const pair *p) {
    char path[1024], command[2048];
    write_grid(p, BEFORE);
    write_grid(p, AFTER);
    snprintf(path, sizeof path, "%s/site.ini", folder);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fprintf(stream,
            "[site]\nbefore = before.asc\nafter = after.asc\ncrs = EPSG:25832+5783\n"
            "before_unit = m\nafter_unit = m\n"
            "[ingest]\ncell_m = 2\n%s",
            p->lines != NULL ? p->lines : "");
    assert_int_equal(fclose(stream), 0);
    snprintf(command, sizeof command,
             "'%s/talus-ingest' '%s/site.ini' --out '%s/out' --overwrite --progress none 2>&1",
             getenv("TALUS_BIN"), folder, folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    answer = answer != NULL ? answer : malloc(1 << 20);
    assert_non_null(answer);
    answer[fread(answer, 1, (1 << 20) - 1, pipe)] = '\0';
    const int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Whether a text has one of several pieces, parted by |.
static bool has_words(const char *text, const char *list) {
    char words[512], *rest = words;
    snprintf(words, sizeof words, "%s", list);
    for (const char *one; (one = strsep(&rest, "|")) != NULL;) {
        if (strstr(text, one) != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_as_expected(const pair *p, int status) {
    const bool said = p->words == NULL || has_words(answer, p->words);
    return strcmp(p->verdict, "right") == 0     ? status == 0 && strstr(answer, "warning") == NULL
           : strcmp(p->verdict, "taken") == 0   ? status == 0
           : strcmp(p->verdict, "warned") == 0  ? status == 0 && said
           : strcmp(p->verdict, "refused") == 0 ? status == 1 && said
                                                : (status == 0 || status == 1) && said;
}

static void what_is_wrong_is_told_and_what_is_unusual_is_taken(void **state) {
    (void)state;
    const char *only = getenv("TALUS_TEST_ONLY");
    int missed = 0;
    for (int k = 0; k < PAIRS; k++) {
        if (only != NULL && !has_words(pairs[k].name, only)) {
            continue;
        }
        const int status = ingest_it(&pairs[k]);
        const bool fine = is_as_expected(&pairs[k], status);
        printf("%s %s: %s\n", fine ? "ok  " : "MISS", pairs[k].name,
               status == 0 ? "taken" : "refused");
        if (!fine || getenv("TALUS_TEST_TALK") != NULL) {
            printf("%s", answer);
        }
        fflush(stdout);
        missed += !fine;
    }
    free(answer);
    assert_int_equal(missed, 0);
}

int main(void) {
    snprintf(folder, sizeof folder, "%s", check_scratch());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_told_and_what_is_unusual_is_taken)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
