// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/program/contact/profile.h"

#include <math.h>

enum { WIDTH = 720, HEIGHT = 420, LEFT = 60, RIGHT = 160, TOP = 20, BOTTOM = 50 };
enum { DECADES = 4, POINTS_A_DECADE = 50 };
static const char *const COLOR[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                    "#e69f00", "#56b4e9", "#444444"};
enum { COLOR_COUNT = 7 };

int tal_profile_tried(int problem_count, int solver_count, const double *seconds, int solver) {
    int tried = 0;
    for (int p = 0; p < problem_count; p++) {
        tried += !isnan(seconds[p * solver_count + solver]);
    }
    return tried;
}

double tal_profile_share(int problem_count, int solver_count, const double *seconds, int solver,
                         double multiple) {
    int within = 0;
    for (int p = 0; p < problem_count; p++) {
        const double *row = &seconds[p * solver_count];
        double best = INFINITY;
        for (int s = 0; s < solver_count; s++) {
            best = fmin(best, row[s]);
        }
        within += isfinite(row[solver]) && row[solver] <= multiple * best;
    }
    const int tried = tal_profile_tried(problem_count, solver_count, seconds, solver);
    return tried > 0 ? (double)within / tried : 0.0;
}

static double place_x(double decade) {
    return LEFT + (WIDTH - LEFT - RIGHT) * decade / DECADES;
}

static double place_y(double share) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

static void draw_axes(tal_output *out) {
    for (int d = 0; d <= DECADES; d++) {
        tal_output_print(out,
                         "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/>\n"
                         "<text x='%.1f' y='%d' text-anchor='middle'>%g</text>\n",
                         place_x(d), TOP, place_x(d), HEIGHT - BOTTOM, place_x(d),
                         HEIGHT - BOTTOM + 18, pow(10.0, d));
    }
    for (int n = 0; n <= 4; n++) {
        tal_output_print(out,
                         "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>\n"
                         "<text x='%d' y='%.1f' text-anchor='end'>%d %%</text>\n",
                         LEFT, place_y(0.25 * n), WIDTH - RIGHT, place_y(0.25 * n), LEFT - 6,
                         place_y(0.25 * n) + 4.0, 25 * n);
    }
    tal_output_print(out,
                     "<text x='%.1f' y='%d' text-anchor='middle'>time, in times of the fastest "
                     "solver</text>\n",
                     place_x(0.5 * DECADES), HEIGHT - 10);
}

static void draw_curve(tal_output *out, int problem_count, int solver_count, const double *seconds,
                       int solver, int place, const char *name) {
    const char *color = COLOR[solver % COLOR_COUNT];
    tal_output_print(out, "<polyline fill='none' stroke='%s' stroke-width='2' points='", color);
    for (int n = 0; n <= DECADES * POINTS_A_DECADE; n++) {
        const double decade = (double)n / POINTS_A_DECADE;
        const double share =
            tal_profile_share(problem_count, solver_count, seconds, solver, pow(10.0, decade));
        tal_output_print(out, "%.1f,%.1f ", place_x(decade), place_y(share));
    }
    const int y = TOP + 20 + 20 * place;
    tal_output_print(out,
                     "'/>\n<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='%s' stroke-width='2'/>\n"
                     "<text x='%d' y='%d'>%s</text>\n",
                     WIDTH - RIGHT + 10, y, WIDTH - RIGHT + 34, y, color, WIDTH - RIGHT + 40, y + 4,
                     name);
}

tal_status tal_profile_write(const char *path, tal_overwrite overwrite, int problem_count,
                             int solver_count, const char *const *solver_name,
                             const double *seconds, tal_error *err) {
    tal_output out;
    TAL_TRY(tal_output_open(&out, path, overwrite, err));
    tal_output_print(&out,
                     "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 "
                     "%d %d' font-family='sans-serif' font-size='12'>\n"
                     "<title>Share of %d problems solved</title>\n"
                     "<rect width='%d' height='%d' fill='white'/>\n",
                     WIDTH, HEIGHT, WIDTH, HEIGHT, problem_count, WIDTH, HEIGHT);
    draw_axes(&out);
    for (int s = 0, place = 0; s < solver_count; s++) {
        if (tal_profile_tried(problem_count, solver_count, seconds, s) > 0) {
            draw_curve(&out, problem_count, solver_count, seconds, s, place++, solver_name[s]);
        }
    }
    tal_output_print(&out, "</svg>\n");
    return tal_output_commit(&out, err);
}
