// SPDX-License-Identifier: GPL-3.0-or-later
// The ground of the embedded sites. Piton Marcel is drawn from published figures (height of the
// cliff, volume, greatest loss, shape and place of the deposit); everything else is invention.
#include "datasets/site_ground.h"

#include "core/base/memory.h"
#include "core/geometry/angle.h"
#include "datasets/noise.h"

#include <math.h>

enum { ROUGH_OCTAVES = 6, SCAR_OCTAVES = 4, DEPOSIT_OCTAVES = 4 };

struct tal_site_ground {
    tal_site_kind kind;
    tal_noise noise;
    tal_octave rough[ROUGH_OCTAVES];
    tal_octave scar[SCAR_OCTAVES];
    tal_octave scar_shape;
    tal_octave deposit[DEPOSIT_OCTAVES];
    tal_octave highland[2];
    tal_octave bend_x[2], bend_y[2];
    tal_octave forest[2];
    double source_scale; // close to 1: make the volumes exact
    double deposit_scale;
};

static double square(double value) {
    return value * value;
}

// max(t, 0) with a parabola instead of the kink; exact beyond `width` on both sides.
static double soft_ramp(double t, double width) {
    if (fabs(t) >= width) {
        return fmax(t, 0.0);
    }
    return square(t + width) / (4.0 * width);
}

// Minimum with a rounded edge; exact where the two differ by more than `width`.
static double soft_minimum(double a, double b, double width) {
    const double h = fmax(width - fabs(a - b), 0.0) / width;
    return fmin(a, b) - 0.25 * width * h * h;
}

static double smooth_step(double from, double to, double value) {
    const double t = fmin(fmax((value - from) / (to - from), 0.0), 1.0);
    return t * t * (3.0 - 2.0 * t);
}

static double mix(double a, double b, double share) {
    return a + (b - a) * share;
}

static double octaves(const tal_site_ground *surface, const tal_octave *octave, int count, double x,
                      double y) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        sum += tal_octave_value(&surface->noise, &octave[i], x, y);
    }
    return sum;
}

// ---- Piton Marcel ----

// Published: León 2016, chapter 6.2 (volume, cliff height, greatest loss, shape of the deposit).
static const tal_site_figures PITON_FIGURES = {
    .source_volume_m3 = 8.0e5, .bulking = 1.25, .deposit_volume_m3 = 1.0e6};
static const tal_site_frame PITON_FRAME = {
    .west = 693150.0, .south = 1638250.0, .width = 700.0, .height = 500.0};

static const double FLOW_EAST = -0.97814760073380569; // the valley runs to azimuth 258 degrees
static const double FLOW_NORTH = -0.20791169081775934;
static const double FOOT_X = 548.0, FOOT_Y = 282.0; // foot of the cliff on the valley's axis
static const double FOOT_ELEVATION = 628.0;
static const double CLIFF_HEIGHT = 130.0;

static const double CLIFF_GRADIENT = 1.80;  // 61 degrees, before roughness
static const double SCAR_GRADIENT = 0.86;   // 41 degrees where the scar comes to daylight
static const double SCAR_DEPTH = 67.0;      // where the scar runs along below the old face
static const double APRON_GRADIENT = 0.68;  // 34 degrees
static const double GULLY_GRADIENT = 0.15;  // 8.5 degrees
static const double BREAK_DISTANCE = 170.0; // from the foot of the cliff to the break of slope
static const double SCAR_HALF_WIDTH[2] = {170.0, 153.0}; // left and right, looking down the valley

// A place in terms of the valley.
typedef struct {
    double x, y;
    double along;   // down the valley from the foot of the cliff
    double across;  // to the right of it, looking down
    double beyond;  // below (positive) or above the curved foot of the cliff
    double lateral; // from the thalweg
} valley_place;

static double thalweg(double along) {
    return smooth_step(40.0, 260.0, along) * 20.0 * sin((along - 60.0) / 78.0);
}

// The plan is bent a little, so that no edge of it is straight.
static valley_place valley_place_at(const tal_site_ground *surface, double x, double y) {
    const double dx = x - FOOT_X + octaves(surface, surface->bend_x, 2, x, y);
    const double dy = y - FOOT_Y + octaves(surface, surface->bend_y, 2, x, y);
    valley_place place = {.x = x, .y = y};
    place.along = dx * FLOW_EAST + dy * FLOW_NORTH;
    place.across = dx * FLOW_NORTH - dy * FLOW_EAST;
    // An amphitheatre with a buttress in its middle.
    const double foot = 0.0012 * square(place.across) +
                        9.0 * exp(-square((place.across + 8.0) / 70.0)) - 9.0 +
                        5.0 * sin(place.across / 31.0 + 0.7);
    place.beyond = place.along - foot;
    place.lateral = place.across - thalweg(place.along);
    return place;
}

// The old slope that the cliff is cut into.
static double highland(const tal_site_ground *surface, const valley_place *place) {
    const double edge = CLIFF_HEIGHT / CLIFF_GRADIENT;
    return FOOT_ELEVATION + CLIFF_HEIGHT + 2.0 - 0.30 * (place->along + edge) -
           0.04 * place->across + octaves(surface, surface->highland, 2, place->x, place->y);
}

// Apron, break of slope and gully with its flanks, without the cliff.
static double valley(const valley_place *place) {
    const double break_elevation = FOOT_ELEVATION - APRON_GRADIENT * BREAK_DISTANCE;
    const double to_break = BREAK_DISTANCE - place->beyond;
    const double floor = break_elevation + GULLY_GRADIENT * to_break +
                         (APRON_GRADIENT - GULLY_GRADIENT) * soft_ramp(to_break, 60.0);
    // A bowl below the cliff that narrows to a gully.
    const double narrowing = smooth_step(40.0, 330.0, place->along);
    const double radius = mix(150.0, 16.0, narrowing);
    const double gradient = mix(0.40, 0.66, narrowing);
    const double flank = gradient * (sqrt(square(place->lateral) + square(radius)) - radius);
    return floor + flank;
}

static double smooth_before(const valley_place *place, double high, double low) {
    const double face = (CLIFF_GRADIENT - APRON_GRADIENT) * soft_ramp(-place->beyond, 9.0);
    return soft_minimum(high, low + face, 5.0);
}

// The scar: a ramp that comes to daylight at the foot of the cliff, steepening to the crown and
// closing at both sides.
static double smooth_scar(const tal_site_ground *surface, const valley_place *place, double high,
                          double low) {
    const double behind = fmax(-place->beyond, 0.0);
    const double ramp = (SCAR_GRADIENT - APRON_GRADIENT) * soft_ramp(-place->beyond, 9.0);
    const double headwall = 3.0e-9 * square(square(behind)) * behind;
    const double side = place->across / SCAR_HALF_WIDTH[place->across > 0.0];
    const double walls = 58.0 * square(square(side));
    const double shape =
        smooth_step(5.0, 45.0, behind) *
        tal_octave_value(&surface->noise, &surface->scar_shape, place->x, place->y);
    return soft_minimum(high, low + ramp + headwall + walls + shape, 5.0);
}

// What makes the ground natural: flutes on the cliff, ravines on the flanks, and roughness of all
// sizes.
static double roughness(const tal_site_ground *surface, const valley_place *place, double high,
                        double low) {
    const tal_noise *noise = &surface->noise;
    const double depth = high - low; // below the old slope; above 0 in the valley
    const double face = (CLIFF_GRADIENT - APRON_GRADIENT) * fmax(-place->beyond, 0.0);
    const double on_cliff =
        smooth_step(0.0, -30.0, place->beyond) * smooth_step(-4.0, 14.0, depth - face);
    const double flutes =
        6.0 * tal_noise_value(noise, place->across / 27.0, place->along / 120.0 + 7.5) +
        3.2 * tal_noise_value(noise, place->across / 11.0 + 31.0, place->along / 40.0) +
        0.9 * tal_noise_value(noise, place->across / 5.0 + 77.0, place->along / 13.0);
    const double on_flank = smooth_step(25.0, 110.0, fabs(place->lateral)) *
                            smooth_step(0.0, 60.0, depth) * smooth_step(0.0, 60.0, place->beyond);
    const double slanted = place->along + 0.45 * fabs(place->lateral);
    const double side = place->lateral > 0.0 ? 3.3 : 61.7;
    const double ravines = 7.0 * (0.35 - fabs(tal_noise_value(noise, slanted / 46.0 + side,
                                                              place->lateral / 170.0 + side))) +
                           2.2 * (0.35 - fabs(tal_noise_value(noise, slanted / 17.0 + 2.0 * side,
                                                              place->lateral / 60.0 + side)));
    return on_cliff * flutes + on_flank * ravines +
           octaves(surface, surface->rough, ROUGH_OCTAVES, place->x, place->y);
}

// Rock that fell, before its volume is made exact.
static double plain_loss(const tal_site_ground *surface, double x, double y) {
    const valley_place place = valley_place_at(surface, x, y);
    if (place.beyond > 9.0 || place.beyond < -160.0 || fabs(place.across) > 200.0) {
        return 0.0;
    }
    const double high = highland(surface, &place), low = valley(&place);
    const double body = smooth_before(&place, high, low) - smooth_scar(surface, &place, high, low);
    const double loss = soft_minimum(body, SCAR_DEPTH, 30.0);
    if (loss <= 0.0) {
        return 0.0;
    }
    // Inside, the old roughness is gone with the rock and the scar has its own.
    const double inside = smooth_step(0.0, 12.0, loss);
    return loss + inside * (roughness(surface, &place, high, low) -
                            octaves(surface, surface->scar, SCAR_OCTAVES, x, y));
}

// An arrowhead: two fronts that meet in a tip down the valley, and a notched rear. 0 outside,
// 1 where it is thickest.
static double arrowhead(const valley_place *place) {
    const double tip = 398.0, notch = 112.0;
    const double lateral = sqrt(square(place->lateral) + square(14.0)) - 14.0;
    const double to_front = tip - place->along - 2.05 * lateral;
    const double to_rear = place->along - notch + 0.40 * lateral;
    if (to_front <= 0.0 || to_rear <= 0.0) {
        return 0.0;
    }
    const double front = 1.0 - square(1.0 - fmin(to_front / 190.0, 1.0));
    const double rear = 1.0 - square(1.0 - fmin(to_rear / 120.0, 1.0));
    return front * rear;
}

static double plain_gain(const tal_site_ground *surface, double x, double y) {
    const valley_place place = valley_place_at(surface, x, y);
    const double share = arrowhead(&place);
    if (share <= 0.0) {
        return 0.0;
    }
    const double thickness =
        38.6 * share * (1.0 + octaves(surface, surface->deposit, DEPOSIT_OCTAVES, x, y));
    // Rubble buries the roughness of the old ground.
    const double inside = smooth_step(0.0, 14.0, thickness);
    const double high = highland(surface, &place), low = valley(&place);
    return thickness - 0.85 * inside * roughness(surface, &place, high, low);
}

static double piton_before(const tal_site_ground *surface, double x, double y) {
    const valley_place place = valley_place_at(surface, x, y);
    const double high = highland(surface, &place), low = valley(&place);
    return smooth_before(&place, high, low) + roughness(surface, &place, high, low);
}

// Forest on the slopes; none on the cliff and in the bed of the gully. Afterwards also none on the
// scar, on the deposit and where the rock passed.
static double piton_cover(const tal_site_ground *surface, tal_site_epoch epoch, double x,
                          double y) {
    const valley_place place = valley_place_at(surface, x, y);
    const double patches = octaves(surface, surface->forest, 2, x, y);
    const double on_cliff = smooth_step(-122.0, -100.0, place.beyond) *
                            smooth_step(25.0, 5.0, place.beyond) *
                            smooth_step(20.0, 40.0, highland(surface, &place) - valley(&place));
    const double in_gully =
        smooth_step(14.0, 6.0, fabs(place.lateral)) * smooth_step(120.0, 200.0, place.along);
    double cover = smooth_step(-0.45, 0.35, patches) * (1.0 - on_cliff) * (1.0 - in_gully);
    if (epoch == TAL_AFTER) {
        const bool passed = place.beyond > -130.0 && place.along < 250.0 &&
                            fabs(place.across) < 165.0 - 0.25 * fmax(place.along, 0.0);
        if (passed || tal_site_ground_loss(surface, x, y) > 0.0 ||
            tal_site_ground_gain(surface, x, y) > 0.0) {
            cover = 0.0;
        }
    }
    return 0.8 * cover;
}

static void piton_octaves(tal_site_ground *surface) {
    const double rough[ROUGH_OCTAVES][2] = {{61.0, 2.6}, {29.0, 1.3}, {14.0, 0.65},
                                            {6.7, 0.30}, {3.2, 0.13}, {1.7, 0.05}};
    const double scar[SCAR_OCTAVES][2] = {{24.0, 2.4}, {10.5, 1.2}, {4.6, 0.5}, {2.1, 0.18}};
    const double deposit[DEPOSIT_OCTAVES][2] = {
        {34.0, 0.13}, {15.0, 0.07}, {6.1, 0.030}, {2.7, 0.013}};
    for (int i = 0; i < ROUGH_OCTAVES; i++) {
        surface->rough[i] = tal_octave_make(rough[i][0], rough[i][1], i + 1);
    }
    for (int i = 0; i < SCAR_OCTAVES; i++) {
        surface->scar[i] = tal_octave_make(scar[i][0], scar[i][1], i + 11);
    }
    for (int i = 0; i < DEPOSIT_OCTAVES; i++) {
        surface->deposit[i] = tal_octave_make(deposit[i][0], deposit[i][1], i + 21);
    }
    surface->scar_shape = tal_octave_make(52.0, 4.0, 31);
    surface->highland[0] = tal_octave_make(190.0, 14.0, 32);
    surface->highland[1] = tal_octave_make(85.0, 5.0, 33);
    for (int i = 0; i < 2; i++) {
        surface->bend_x[i] = tal_octave_make(i == 0 ? 95.0 : 31.0, i == 0 ? 13.0 : 5.0, 41 + i);
        surface->bend_y[i] = tal_octave_make(i == 0 ? 95.0 : 31.0, i == 0 ? 13.0 : 5.0, 51 + i);
    }
    surface->forest[0] = tal_octave_make(110.0, 0.7, 34);
    surface->forest[1] = tal_octave_make(28.0, 0.4, 35);
}

// ---- The slope: closed forms throughout ----

static const tal_site_figures SLOPE_FIGURES = {
    .source_volume_m3 = 40.0, .bulking = 1.2, .deposit_volume_m3 = 48.0};
static const tal_site_frame SLOPE_FRAME = {
    .west = 693600.0, .south = 1639100.0, .width = 60.0, .height = 120.0};

static const double SLOPE_GRADIENT = 0.78; // 38 degrees
static const double SLOPE_FOOT_Y = 48.0;
static const double SLOPE_FLAT_ELEVATION = 300.0;

// An elliptic paraboloid cap holds pi/2 times the product of its half axes and its height.
typedef struct {
    double x, y;           // centre
    double half_x, half_y; // half axes
} cap;
static const cap SLOPE_SOURCE = {.x = 31.0, .y = 100.0, .half_x = 3.2, .half_y = 2.7};
static const cap SLOPE_DEPOSIT = {.x = 30.0, .y = 42.0, .half_x = 5.0, .half_y = 8.0};

static double cap_thickness(const cap *shape, double volume, double x, double y) {
    const double height = volume / (0.5 * TAL_PI * shape->half_x * shape->half_y);
    const double r2 =
        square((x - shape->x) / shape->half_x) + square((y - shape->y) / shape->half_y);
    return height * fmax(1.0 - r2, 0.0);
}

// The knob stands on the slope before the event, so the slope itself is the ground after it.
static double slope_bed(const tal_site_ground *surface, double x, double y) {
    return SLOPE_FLAT_ELEVATION + SLOPE_GRADIENT * soft_ramp(y - SLOPE_FOOT_Y, 8.0) +
           octaves(surface, surface->rough, 3, x, y);
}

static void slope_octaves(tal_site_ground *surface) {
    surface->rough[0] = tal_octave_make(23.0, 0.80, 1);
    surface->rough[1] = tal_octave_make(9.0, 0.30, 2);
    surface->rough[2] = tal_octave_make(4.0, 0.08, 3);
}

// ---- Both ----

// Midpoint rule over the site; the kinks at the outlines cost less than 1e-5 of the volume.
static double integrate(const tal_site_ground *surface,
                        double (*thickness)(const tal_site_ground *, double, double)) {
    const double cell = 0.5;
    const tal_site_frame frame = tal_site_ground_frame(surface);
    const int columns = (int)(frame.width / cell), rows = (int)(frame.height / cell);
    double sum = 0.0;
    for (int row = 0; row < rows; row++) {
        double row_sum = 0.0;
        for (int column = 0; column < columns; column++) {
            row_sum += thickness(surface, (column + 0.5) * cell, (row + 0.5) * cell);
        }
        sum += row_sum;
    }
    return sum * cell * cell;
}

tal_status tal_site_ground_create(tal_site_ground **surface, tal_site_kind kind, tal_error *err) {
    tal_site_ground *made = NULL;
    TAL_CREATE(made, 1, "the ground of a site", err);
    made->kind = kind;
    made->source_scale = 1.0;
    made->deposit_scale = 1.0;
    tal_noise_init(&made->noise, "datasets/terrain");
    if (kind == TAL_SITE_PITON_MARCEL) {
        piton_octaves(made);
        made->source_scale = PITON_FIGURES.source_volume_m3 / integrate(made, plain_loss);
        made->deposit_scale = PITON_FIGURES.deposit_volume_m3 / integrate(made, plain_gain);
    } else {
        slope_octaves(made);
    }
    *surface = made;
    return TAL_OK;
}

void tal_site_ground_destroy(tal_site_ground *surface) {
    tal_memory_destroy(surface);
}

tal_site_frame tal_site_ground_frame(const tal_site_ground *surface) {
    return surface->kind == TAL_SITE_PITON_MARCEL ? PITON_FRAME : SLOPE_FRAME;
}

tal_site_figures tal_site_ground_figures(const tal_site_ground *surface) {
    return surface->kind == TAL_SITE_PITON_MARCEL ? PITON_FIGURES : SLOPE_FIGURES;
}

double tal_site_ground_loss(const tal_site_ground *surface, double x, double y) {
    if (surface->kind == TAL_SITE_PITON_MARCEL) {
        return surface->source_scale * plain_loss(surface, x, y);
    }
    return cap_thickness(&SLOPE_SOURCE, SLOPE_FIGURES.source_volume_m3, x, y);
}

double tal_site_ground_gain(const tal_site_ground *surface, double x, double y) {
    if (surface->kind == TAL_SITE_PITON_MARCEL) {
        return surface->deposit_scale * plain_gain(surface, x, y);
    }
    return cap_thickness(&SLOPE_DEPOSIT, SLOPE_FIGURES.deposit_volume_m3, x, y);
}

double tal_site_ground_elevation(const tal_site_ground *surface, tal_site_epoch epoch, double x,
                                 double y) {
    double before = 0.0;
    if (surface->kind == TAL_SITE_PITON_MARCEL) {
        before = piton_before(surface, x, y);
    } else {
        before = slope_bed(surface, x, y) + tal_site_ground_loss(surface, x, y);
    }
    if (epoch == TAL_BEFORE) {
        return before;
    }
    return before - tal_site_ground_loss(surface, x, y) + tal_site_ground_gain(surface, x, y);
}

double tal_site_ground_cover(const tal_site_ground *surface, tal_site_epoch epoch, double x,
                             double y) {
    return surface->kind == TAL_SITE_PITON_MARCEL ? piton_cover(surface, epoch, x, y) : 0.0;
}

static void from_valley(double along, double across, double *x, double *y) {
    *x = FOOT_X + along * FLOW_EAST + across * FLOW_NORTH;
    *y = FOOT_Y + along * FLOW_NORTH - across * FLOW_EAST;
}

void tal_site_ground_source_centre(const tal_site_ground *surface, double *x, double *y) {
    if (surface->kind == TAL_SITE_PITON_MARCEL) {
        from_valley(-55.0, -5.0, x, y);
    } else {
        *x = SLOPE_SOURCE.x;
        *y = SLOPE_SOURCE.y;
    }
}

void tal_site_ground_deposit_centre(const tal_site_ground *surface, double *x, double *y) {
    if (surface->kind == TAL_SITE_PITON_MARCEL) {
        from_valley(185.0, thalweg(185.0), x, y);
    } else {
        *x = SLOPE_DEPOSIT.x;
        *y = SLOPE_DEPOSIT.y;
    }
}
