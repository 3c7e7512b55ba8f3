// SPDX-License-Identifier: GPL-3.0-or-later
// The embedded site through talus-ingest, against the ground it was made from. With numbers as
// arguments (ingest_truth FIRST LAST) it surveys that many times anew and judges the intervals.
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"

#include "core/app/json.h"
#include "core/geo/raster_file.h"
#include "datasets/site_ground.h"

#include <sys/stat.h>

enum { SEEDS_MAX = 64 };

typedef struct {
    double shift_ratio[3]; // error over stated deviation, by axis
    int check_count;
    double shift_error_plan, shift_error_up;
    double ground_nmad[2], ground_median[2]; // below 25 degrees, off what moved
    double source_error, source_half_width;  // m3
    double deposit_error, deposit_half_width;
    double source_volume, deposit_volume;
    double deposit_iou, source_iou;
} findings;

static tal_site_ground *surface;
static char scratch[256];

static double number(const cJSON *root, const char *path) {
    double value = NAN;
    check_ok(tal_json_number(root, path, "test", &value, &check_error));
    return value;
}

static void run(const char *format, const char *folder, unsigned seed) {
    char command[2048];
    const char *bin = getenv("TALUS_BIN");
    assert_non_null(bin);
    snprintf(command, sizeof command, format, bin, folder, seed, folder);
    assert_int_equal(system(command), 0);
}

static void read_raster(tal_raster *raster, const char *folder, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    check_ok(tal_raster_read(raster, path, &check_error));
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return count == 0 ? NAN : 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

// The place of a cell in the generator's metres.
static void place(const tal_grid *grid, size_t cell, double *x, double *y) {
    const tal_site_frame frame = tal_site_ground_frame(surface);
    tal_grid_centre(grid, (int32_t)(cell % (size_t)grid->columns),
                    (int32_t)(cell / (size_t)grid->columns), x, y);
    *x -= frame.west;
    *y -= frame.south;
}

// Mean of a quantity over the cell: what a raster of cell means should hold.
static double mean_elevation(tal_site_epoch epoch, double x, double y, double cell) {
    double sum = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            sum += tal_site_ground_elevation(surface, epoch, x + cell * (i - 1.5) / 4.0,
                                             y + cell * (j - 1.5) / 4.0);
        }
    }
    return sum / 16.0;
}

static double true_slope_deg(tal_site_epoch epoch, double x, double y) {
    const double dx = tal_site_ground_elevation(surface, epoch, x + 1.0, y) -
                      tal_site_ground_elevation(surface, epoch, x - 1.0, y);
    const double dy = tal_site_ground_elevation(surface, epoch, x, y + 1.0) -
                      tal_site_ground_elevation(surface, epoch, x, y - 1.0);
    return atan(0.5 * hypot(dx, dy)) * 57.29577951308232;
}

static void judge_ground(const char *folder, const char *name, tal_site_epoch epoch, double *nmad,
                         double *middle) {
    tal_raster raster;
    read_raster(&raster, folder, name);
    const size_t cells = tal_grid_cell_count(&raster.grid);
    double *values = calloc(cells, sizeof *values);
    assert_non_null(values);
    size_t count = 0;
    for (size_t i = 0; i < cells; i++) {
        double x, y;
        place(&raster.grid, i, &x, &y);
        if (isnan(raster.value[i]) || tal_site_ground_loss(surface, x, y) > 0.0 ||
            tal_site_ground_gain(surface, x, y) > 0.0 || true_slope_deg(epoch, x, y) >= 25.0) {
            continue;
        }
        values[count++] = (double)raster.value[i] - mean_elevation(epoch, x, y, raster.grid.cell);
    }
    *middle = median(values, count);
    for (size_t i = 0; i < count; i++) {
        values[i] = fabs(values[i] - *middle);
    }
    *nmad = 1.4826 * median(values, count);
    free(values);
    tal_raster_destroy(&raster);
}

static double judge_outline(const char *folder, const char *name,
                            double (*thickness)(const tal_site_ground *, double, double)) {
    tal_raster raster;
    read_raster(&raster, folder, name);
    const size_t cells = tal_grid_cell_count(&raster.grid);
    double both = 0.0, either = 0.0;
    for (size_t i = 0; i < cells; i++) {
        double x, y;
        place(&raster.grid, i, &x, &y);
        const bool is = thickness(surface, x, y) > 0.0, seen = raster.value[i] > 0.0F;
        both += is && seen;
        either += is || seen;
    }
    tal_raster_destroy(&raster);
    return both / either;
}

static void judge_summary(const char *folder, findings *f) {
    char path[1024];
    cJSON *found = NULL, *truth = NULL;
    snprintf(path, sizeof path, "%s/out/ingest.json", folder);
    check_ok(tal_json_read(path, &found, &check_error));
    snprintf(path, sizeof path, "%s/truth.json", folder);
    check_ok(tal_json_read(path, &truth, &check_error));
    const cJSON *shift =
        cJSON_GetObjectItem(cJSON_GetObjectItem(found, "coregistration"), "shift_m");
    const double east = cJSON_GetArrayItem(shift, 0)->valuedouble;
    const double north = cJSON_GetArrayItem(shift, 1)->valuedouble;
    const double up = cJSON_GetArrayItem(shift, 2)->valuedouble;
    f->shift_error_plan = hypot(east + number(truth, "shift_with_strips.dx_m"),
                                north + number(truth, "shift_with_strips.dy_m"));
    f->shift_error_up = fabs(up + number(truth, "shift_with_strips.dz_m"));
    const cJSON *deviation = cJSON_GetObjectItem(cJSON_GetObjectItem(found, "coregistration"),
                                                 "shift_standard_deviation_m");
    const double error[3] = {east + number(truth, "shift_with_strips.dx_m"),
                             north + number(truth, "shift_with_strips.dy_m"),
                             up + number(truth, "shift_with_strips.dz_m")};
    for (int axis = 0; axis < 3; axis++) {
        f->shift_ratio[axis] = error[axis] / cJSON_GetArrayItem(deviation, axis)->valuedouble;
    }
    f->check_count = cJSON_GetArraySize(cJSON_GetObjectItem(found, "checks"));
    f->source_volume = number(truth, "source.volume_m3");
    f->deposit_volume = number(truth, "deposit.volume_m3");
    f->source_error = number(found, "source.volume_m3") - f->source_volume;
    f->deposit_error = number(found, "deposit.volume_m3") - f->deposit_volume;
    f->source_half_width = 0.5 * (number(found, "source.high_m3") - number(found, "source.low_m3"));
    f->deposit_half_width =
        0.5 * (number(found, "deposit.high_m3") - number(found, "deposit.low_m3"));
    cJSON_Delete(found);
    cJSON_Delete(truth);
}

static findings survey_once(unsigned seed) {
    findings f = {0};
    char folder[512], result[600];
    snprintf(folder, sizeof folder, "%s/seed-%u", scratch, seed);
    snprintf(result, sizeof result, "%s/out", folder);
    run("'%s/talus-dataset' piton-marcel --out '%s' --seed %u -q --overwrite", folder, seed);
    run("'%s/talus-ingest' '%s/site.ini' -q --overwrite --set random.seed=%u --out '%s/out'",
        folder, seed);
    judge_summary(folder, &f);
    judge_ground(result, "before.tif", TAL_BEFORE, &f.ground_nmad[0], &f.ground_median[0]);
    judge_ground(result, "after.tif", TAL_AFTER, &f.ground_nmad[1], &f.ground_median[1]);
    f.deposit_iou = judge_outline(result, "deposit.tif", tal_site_ground_gain);
    f.source_iou = judge_outline(result, "source.tif", tal_site_ground_loss);
    printf("seed %u: shift error %.3f %.3f m; ground NMAD %.3f %.3f m (median %+.3f %+.3f); source "
           "%+.0f +- %.0f m3; deposit %+.0f +- %.0f m3; IoU source %.3f deposit %.3f\n",
           seed, f.shift_error_plan, f.shift_error_up, f.ground_nmad[0], f.ground_nmad[1],
           f.ground_median[0], f.ground_median[1], f.source_error, f.source_half_width,
           f.deposit_error, f.deposit_half_width, f.source_iou, f.deposit_iou);
    fflush(stdout);
    return f;
}

static void embedded_site_is_measured_within_its_stated_errors(void **state) {
    (void)state;
    const findings f = survey_once(1);
    assert_true(f.shift_error_plan < 0.05);
    assert_true(f.shift_error_up < 0.02);
    assert_true(f.ground_nmad[0] < 0.15);
    assert_true(f.ground_nmad[1] < 0.15);
    assert_true(fabs(f.source_error) < 0.02 * f.source_volume);
    assert_true(fabs(f.source_error) < f.source_half_width);
    assert_true(f.deposit_iou >= 0.90);
}

static unsigned first_seed = 1, last_seed = 20;

static void intervals_cover_the_truth_over_many_surveys(void **state) {
    (void)state;
    int covered = 0, deposit_covered = 0, shifts_found = 0, count = 0, warned = 0;
    int shift_covered[3] = {0};
    double shift_squares = 0.0;
    double squares = 0.0, deposit_squares = 0.0, bias = 0.0;
    for (unsigned seed = first_seed; seed <= last_seed; seed++) {
        const findings f = survey_once(seed);
        const double ratio = f.source_error / f.source_half_width;
        const double deposit_ratio = f.deposit_error / f.deposit_half_width;
        covered += fabs(ratio) <= 1.0;
        deposit_covered += fabs(deposit_ratio) <= 1.0;
        for (int axis = 0; axis < 3; axis++) {
            shift_covered[axis] += fabs(f.shift_ratio[axis]) <= 1.96;
            shift_squares += f.shift_ratio[axis] * f.shift_ratio[axis];
        }
        warned += f.check_count > 0;
        squares += ratio * ratio;
        deposit_squares += deposit_ratio * deposit_ratio;
        bias += f.source_error;
        count++;
        shifts_found += f.shift_error_plan < 0.05 && f.shift_error_up < 0.02;
        assert_true(f.deposit_iou >= 0.90);
    }
    const double spread = sqrt(squares / count);
    printf("source: covered %d of %d, RMS of error over half-width %.3f, mean error %+.0f m3; "
           "deposit: covered %d, %.3f; shifts within 0.05 and 0.02 m: %d\n",
           covered, count, spread, bias / count, deposit_covered, sqrt(deposit_squares / count),
           shifts_found);
    printf("shift: covered %d %d %d, RMS of error over deviation %.2f; surveys with a warning: "
           "%d\n",
           shift_covered[0], shift_covered[1], shift_covered[2],
           sqrt(shift_squares / (3.0 * count)), warned);
    assert_true(covered * 20 >= 17 * count);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(shift_covered[axis] * 20 >= 17 * count);
    }
    // A deviation that says what it means has a ratio of one.
    assert_true(shift_squares / (3.0 * count) > 0.5 * 0.5);
    assert_true(shift_squares / (3.0 * count) < 1.5 * 1.5);
    assert_int_equal(warned, 0);
    // Strips that are off by some centimetres make the mean shift itself uncertain: here it is the
    // plain mean over strips, on the ground it is weighted by their areas.
    assert_true(shifts_found * 20 >= 17 * count);
    assert_true(spread >= 0.25 && spread <= 0.8);
}

int main(int argc, char **argv) {
    tal_error err;
    tal_error_reset(&err);
    const bool many = argc == 3;
    if (many) {
        first_seed = (unsigned)atoi(argv[1]);
        last_seed = (unsigned)atoi(argv[2]);
    }
    snprintf(scratch, sizeof scratch, "%s", check_scratch());
    if (tal_site_ground_create(&surface, TAL_SITE_PITON_MARCEL, &err) != TAL_OK) {
        return 1;
    }
    const struct CMUnitTest one[] = {
        cmocka_unit_test(embedded_site_is_measured_within_its_stated_errors)};
    const struct CMUnitTest all[] = {cmocka_unit_test(intervals_cover_the_truth_over_many_surveys)};
    const int failed =
        many ? cmocka_run_group_tests(all, NULL, NULL) : cmocka_run_group_tests(one, NULL, NULL);
    tal_site_ground_destroy(surface);
    return failed;
}
