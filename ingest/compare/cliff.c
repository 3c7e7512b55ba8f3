// SPDX-License-Identifier: GPL-3.0-or-later
// The mean face from the points around the source, and the study in its frame: x along the face, y
// up it, z out of it.
#include "ingest/compare/cliff.h"

#include "core/base/log.h"
#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "core/geometry/components.h"
#include "ingest/compare/statistics.h"

#include <math.h>

static const double steep_source_deg = 65.0; // beyond, the vertical frame is not to be trusted
static const double steep_face_deg = 60.0;
static const double face_share_min = 0.5; // of the true area, where there is no source to ask
static const double face_radius_min_m = 8.0, region_radius_min_m = 40.0;

// ---- Is it a cliff? ----------------------------------------------------------------------------

// Share of the ground's true area that is steep.
static double steep_share(const tal_dem *dem) {
    const tal_grid *grid = &dem->grid;
    const double limit = tan(tal_radians(steep_face_deg));
    double steep = 0.0, all = 0.0;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            double slope_x, slope_y;
            if (!tal_dem_slope(dem, column, row, &slope_x, &slope_y)) {
                continue;
            }
            const double slope = hypot(slope_x, slope_y), area = sqrt(1.0 + slope * slope);
            all += area;
            steep += slope > limit ? area : 0.0;
        }
    }
    return all > 0.0 ? steep / all : 0.0;
}

// Slope of the ground where most of the plain loss is, whether or not it makes a source: vertical
// differences tear the loss of a steep face apart. NaN without any.
static double loss_slope_deg(const tal_comparison *vertical) {
    const tal_grid *grid = &vertical->grid;
    double loss[TAL_SLOPE_CLASSES] = {0}, all = 0.0, sum = 0.0;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            if (vertical->change.dz[i] < -2.0F * vertical->change.lod[i]) {
                loss[vertical->change.slope_class[i]] -= (double)vertical->change.dz[i];
                all -= (double)vertical->change.dz[i];
            }
        }
    }
    for (int k = 0; k < TAL_SLOPE_CLASSES && all > 0.0; k++) {
        if (sum + loss[k] >= 0.5 * all) {
            return 10.0 * (k + (0.5 * all - sum) / loss[k]);
        }
        sum += loss[k];
    }
    return NAN;
}

static bool is_steep(const tal_comparison *vertical, double source_slope_deg) {
    const double slope = isnan(source_slope_deg) ? loss_slope_deg(vertical) : source_slope_deg;
    return isnan(slope) ? steep_share(&vertical->before) > face_share_min
                        : slope > steep_source_deg;
}

bool tal_cliff_holds_deposit(const tal_comparison *vertical) {
    const double slope = tal_comparison_slope(vertical, vertical->change.deposit);
    return isnan(slope) || slope > steep_source_deg;
}

// ---- The face ----------------------------------------------------------------------------------

typedef struct {
    double centre[3];
    double face_radius, region_radius; // around the centre
    // Sums over points within the radii
    double count, sum[3], product[6]; // xx xy xz yy yz zz, from `centre`
    double wide_count, wide_sum[3], wide_product[6];
    // In the frame
    tal_rigid frame;
    tal_bounds bounds;
} face;

static void add_to(double *count, double sum[3], double product[6], const double d[3]) {
    *count += 1.0;
    for (int i = 0, k = 0; i < 3; i++) {
        sum[i] += d[i];
        for (int j = i; j < 3; j++) {
            product[k++] += d[i] * d[j];
        }
    }
}

static tal_status face_sink(void *context, tal_points *points, tal_error *err) {
    (void)err;
    face *f = context;
    for (size_t i = 0; i < points->count; i++) {
        const double d[3] = {points->x[i] - f->centre[0], points->y[i] - f->centre[1],
                             points->z[i] - f->centre[2]};
        const double distance = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        if (tal_points_is_noise(points, i) || distance > f->region_radius) {
            continue;
        }
        add_to(&f->wide_count, f->wide_sum, f->wide_product, d);
        if (distance <= f->face_radius) {
            add_to(&f->count, f->sum, f->product, d);
        }
    }
    return TAL_OK;
}

static void covariance(double count, const double sum[3], const double product[6], double a[3][3]) {
    for (int i = 0, k = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            a[i][j] = a[j][i] = product[k++] / count - sum[i] * sum[j] / (count * count);
        }
    }
}

// Cyclic Jacobi: eigenvectors in the columns of v.
static void diagonalise(double a[3][3], double v[3][3]) {
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            v[i][j] = i == j;
        }
    }
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (fabs(a[p][q]) < 1e-300) {
                    continue;
                }
                const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
                const double t =
                    (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                const double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < 3; k++) {
                    const double x = a[k][p], y = a[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    const double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    const double m = v[k][p], n = v[k][q];
                    v[k][p] = c * m - s * n;
                    v[k][q] = s * m + c * n;
                }
            }
        }
    }
}

// The direction of least spread, pointing to where the ground falls away.
static bool find_normal(const face *f, double normal[3]) {
    double a[3][3], v[3][3], wide[3][3];
    if (f->count < 10.0) {
        return false;
    }
    covariance(f->count, f->sum, f->product, a);
    covariance(f->wide_count, f->wide_sum, f->wide_product, wide);
    diagonalise(a, v);
    int least = 0;
    for (int i = 1; i < 3; i++) {
        least = a[i][i] < a[least][least] ? i : least;
    }
    for (int i = 0; i < 3; i++) {
        normal[i] = v[i][least];
    }
    const double fall = normal[0] * wide[0][2] + normal[1] * wide[1][2];
    if (fall > 0.0) { // heights grow along it: it points into the rock
        for (int i = 0; i < 3; i++) {
            normal[i] = -normal[i];
        }
    }
    return hypot(normal[0], normal[1]) > 0.17; // flatter than ten degrees is no face
}

static void make_frame(face *f, const double normal[3]) {
    const double level = hypot(normal[0], normal[1]);
    const double along[3] = {-normal[1] / level, normal[0] / level, 0.0};
    const double up[3] = {normal[1] * along[2] - normal[2] * along[1],
                          normal[2] * along[0] - normal[0] * along[2],
                          normal[0] * along[1] - normal[1] * along[0]};
    for (int i = 0; i < 3; i++) {
        f->frame.rotation[i] = along[i];
        f->frame.rotation[3 + i] = up[i];
        f->frame.rotation[6 + i] = normal[i];
        f->frame.centre[i] = f->centre[i];
        f->frame.shift[i] = -f->centre[i];
    }
    TAL_ASSERT(tal_rigid_is_valid(&f->frame));
}

static tal_status bounds_sink(void *context, tal_points *points, tal_error *err) {
    (void)err;
    face *f = context;
    for (size_t i = 0; i < points->count; i++) {
        double x = points->x[i], y = points->y[i], z = points->z[i];
        tal_rigid_apply(&f->frame, &x, &y, &z);
        if (!tal_points_is_noise(points, i) && hypot(x, y) <= f->region_radius &&
            fabs(z) <= f->region_radius) {
            f->bounds.west = fmin(f->bounds.west, x);
            f->bounds.east = fmax(f->bounds.east, x);
            f->bounds.south = fmin(f->bounds.south, y);
            f->bounds.north = fmax(f->bounds.north, y);
        }
    }
    return TAL_OK;
}

// Number of the part of the source that lost the most; 0 without a source.
static int32_t largest_part(const tal_comparison *found, const tal_components *parts,
                            double *loss) {
    const size_t cells = tal_grid_cell_count(&found->grid);
    int32_t largest = 0;
    for (size_t i = 0; i < cells; i++) {
        loss[parts->label[i]] -= (double)found->change.dz[i];
    }
    for (int32_t part = 1; part <= parts->count; part++) {
        largest = largest == 0 || loss[part] > loss[largest] ? part : largest;
    }
    return largest;
}

// Around the largest part of the source that was found so far, or around all of the ground where
// there is none.
static void place_around(face *f, const tal_comparison *found, const int32_t *label, int32_t part) {
    const tal_grid *grid = &found->grid;
    const tal_rigid back = tal_rigid_inverse(&found->frame);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double count = 0.0, size = 0.0;
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            double place[3] = {0.0, 0.0, (double)found->before.z[i]};
            if (isnan(found->before.z[i]) || (part != 0 && label[i] != part)) {
                continue;
            }
            tal_grid_centre(grid, column, row, &place[0], &place[1]);
            tal_rigid_apply(&back, &place[0], &place[1], &place[2]);
            count += 1.0;
            for (int k = 0; k < 3; k++) {
                f->centre[k] += place[k];
                low[k] = fmin(low[k], place[k]);
                high[k] = fmax(high[k], place[k]);
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        f->centre[k] = floor(f->centre[k] / fmax(count, 1.0));
        size += count > 0.0 ? (high[k] - low[k]) * (high[k] - low[k]) : 0.0;
    }
    f->face_radius = part != 0 ? fmax(face_radius_min_m, sqrt(size)) : INFINITY;
    f->region_radius = part != 0 ? fmax(region_radius_min_m, 4.0 * sqrt(size)) : INFINITY;
}

static tal_status place_face(face *f, const tal_comparison *found, tal_error *err) {
    const tal_grid *grid = &found->grid;
    tal_components parts;
    double *loss = NULL;
    tal_status status = TAL_OK;
    TAL_TRY(
        tal_components_find(&parts, found->change.source, grid->columns, grid->rows, true, err));
    TAL_CREATE_OR_DONE(loss, (size_t)parts.count + 1, "the face", err);
    place_around(f, found, parts.label, largest_part(found, &parts, loss));
done:
    tal_memory_destroy(loss);
    tal_components_destroy(&parts);
    return status;
}

static tal_status find_face(face *f, tal_case *site, const tal_comparison *found, tal_error *err) {
    const tal_origin origin = site->study.origin;
    double normal[3];
    TAL_TRY(place_face(f, found, err));
    TAL_TRY(tal_survey_stream(&site->before.survey, origin, "face of", face_sink, f, err));
    if (!find_normal(f, normal)) {
        return TAL_FAIL(err, TAL_UNTRUSTED,
                        "frame = cliff, but the ground around the source has no "
                        "steep face to lie along; use frame = vertical");
    }
    make_frame(f, normal);
    tal_bounds both = {-INFINITY, -INFINITY, INFINITY, INFINITY};
    const tal_survey_reader *surveys[2] = {&site->before.survey, &site->after.survey};
    for (int s = 0; s < 2; s++) {
        f->bounds = (tal_bounds){INFINITY, INFINITY, -INFINITY, -INFINITY};
        TAL_TRY(tal_survey_stream(surveys[s], origin, "face of", bounds_sink, f, err));
        both.west = fmax(both.west, f->bounds.west);
        both.south = fmax(both.south, f->bounds.south);
        both.east = fmin(both.east, f->bounds.east);
        both.north = fmin(both.north, f->bounds.north);
    }
    f->bounds = both;
    return TAL_OK;
}

// ---- The study in its frame --------------------------------------------------------------------

static void tell_difference(const tal_comparison *cliff, const tal_comparison *vertical) {
    const double difference = cliff->source.volume_m3 - vertical->source.volume_m3;
    const double error = fmax(cliff->source.high_m3 - cliff->source.volume_m3,
                              vertical->source.high_m3 - vertical->source.volume_m3);
    if (fabs(difference) > error) {
        char along[128], upright[128];
        tal_volume_text(&cliff->source, along, sizeof along);
        tal_volume_text(&vertical->source, upright, sizeof upright);
        tal_log_warn("the source measures %s along the cliff's normal and %s vertically, which "
                     "differ by more than their errors; the cliff frame is used",
                     along, upright);
    }
}

static tal_status run_in_frame(tal_comparison *cliff, tal_case *site, const tal_comparison *found,
                               tal_error *err) {
    face f = {0};
    tal_grid grid;
    TAL_TRY(find_face(&f, site, found, err));
    TAL_TRY(tal_grid_fit(&grid, f.bounds, site->settings->ingest.cell_m, err));
    site->depth_max = f.region_radius;
    const tal_status status = tal_comparison_run(cliff, site, &f.frame, &grid, err);
    site->depth_max = INFINITY;
    cliff->is_cliff = true;
    return status;
}

// The first frame may rest on a poor idea of the source: on none, or on half of it.
static bool turned_away(const tal_comparison *cliff, const tal_comparison *vertical) {
    return cliff->source.area_m2 > 0.0 &&
           fabs(cliff->source.volume_m3 - vertical->source.volume_m3) >
               0.05 * cliff->source.volume_m3;
}

tal_status tal_cliff_analyse(tal_comparison *cliff, tal_case *site, const tal_comparison *vertical,
                             double source_slope_deg, tal_error *err) {
    const int choice = site->settings->ingest.frame;
    const bool steep = is_steep(vertical, source_slope_deg);
    const bool clouds = site->before.survey.has_clouds && site->after.survey.has_clouds;
    if (choice == TAL_FRAME_VERTICAL) {
        if (steep) {
            tal_log_warn(
                "frame = vertical should not be used here: the face is steep, and vertical "
                "differences lose or gain large parts of the volume; use frame = cliff");
        }
        return TAL_OK;
    }
    if (choice == TAL_FRAME_AUTO && (!steep || !clouds)) {
        return TAL_OK;
    }
    if (!clouds) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "frame = cliff needs point clouds from both epochs: a "
                        "raster holds one height per place and cannot represent a steep face");
    }
    TAL_TRY(run_in_frame(cliff, site, vertical, err));
    if (turned_away(cliff, vertical)) {
        tal_comparison first = *cliff;
        *cliff = (tal_comparison){0};
        const tal_status status = run_in_frame(cliff, site, &first, err);
        tal_comparison_destroy(&first);
        TAL_TRY(status);
    }
    if (choice == TAL_FRAME_AUTO && cliff->source.area_m2 <= 0.0) {
        tal_comparison_destroy(cliff); // nothing there either: the plain frame is good enough
        return TAL_OK;
    }
    tell_difference(cliff, vertical);
    return TAL_OK;
}

// ---- Columns -----------------------------------------------------------------------------------

enum { SUB_COLUMNS = 3 };

typedef struct {
    const tal_comparison *cliff;
    const uint8_t *mask;
    double sign;
    tal_raster before, after; // views of the cliff's surfaces
    double low[3], high[3];   // of the body, in the study's metres
} body;

// Whether a place lies between the two surfaces.
static bool is_inside(const body *b, double x, double y, double z) {
    tal_rigid_apply(&b->cliff->frame, &x, &y, &z);
    const int64_t cell = tal_grid_index(&b->cliff->grid, x, y);
    if (cell < 0 || b->mask[cell] == 0) {
        return false;
    }
    double before = tal_raster_sample(&b->before, x, y), after = tal_raster_sample(&b->after, x, y);
    if (isnan(before) || isnan(after)) { // next to a gap
        before = (double)b->cliff->before.z[cell];
        after = (double)b->cliff->after.z[cell];
    }
    return b->sign < 0.0 ? z > after && z <= before : z > before && z <= after;
}

static void find_extent(body *b) {
    const tal_grid *grid = &b->cliff->grid;
    const tal_rigid back = tal_rigid_inverse(&b->cliff->frame);
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            for (int end = 0; end < 2 && b->mask[i] != 0; end++) {
                double p[3] = {0.0, 0.0,
                               (double)(end == 0 ? b->cliff->before.z[i] : b->cliff->after.z[i])};
                tal_grid_centre(grid, column, row, &p[0], &p[1]);
                tal_rigid_apply(&back, &p[0], &p[1], &p[2]);
                for (int k = 0; k < 3; k++) {
                    b->low[k] = fmin(b->low[k], p[k] - grid->cell);
                    b->high[k] = fmax(b->high[k], p[k] + grid->cell);
                }
            }
        }
    }
}

static double column_length(const body *b, double x, double y) {
    const double step = b->cliff->grid.cell / 8.0;
    double length = 0.0;
    for (double z = b->low[2] + 0.5 * step; z < b->high[2]; z += step) {
        length += is_inside(b, x, y, z) ? step : 0.0;
    }
    return length;
}

void tal_cliff_columns(const tal_comparison *cliff, const uint8_t *mask, double sign,
                       const tal_grid *grid, float *thickness) {
    body b = {.cliff = cliff,
              .mask = mask,
              .sign = sign,
              .before = {.grid = cliff->grid, .value = cliff->before.z},
              .after = {.grid = cliff->grid, .value = cliff->after.z},
              .low = {INFINITY, INFINITY, INFINITY},
              .high = {-INFINITY, -INFINITY, -INFINITY}};
    find_extent(&b);
#pragma omp parallel for schedule(dynamic, 4)
    for (int32_t row = 0; row < grid->rows; row++) {
        for (int32_t column = 0; column < grid->columns; column++) {
            const size_t i = (size_t)row * (size_t)grid->columns + (size_t)column;
            double x, y, sum = 0.0;
            tal_grid_centre(grid, column, row, &x, &y);
            thickness[i] = 0.0F;
            if (x < b.low[0] || x > b.high[0] || y < b.low[1] || y > b.high[1]) {
                continue;
            }
            for (int k = 0; k < SUB_COLUMNS * SUB_COLUMNS; k++) {
                const double dx = ((k % SUB_COLUMNS) + 0.5) / SUB_COLUMNS - 0.5;
                const double dy = ((k / SUB_COLUMNS) + 0.5) / SUB_COLUMNS - 0.5;
                sum += column_length(&b, x + dx * grid->cell, y + dy * grid->cell);
            }
            thickness[i] = (float)(sum / (SUB_COLUMNS * SUB_COLUMNS));
        }
    }
}
