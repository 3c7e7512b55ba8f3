// SPDX-License-Identifier: GPL-3.0-or-later
// report.html of a release: what reaches what, in words, maps and tables.
#include "core/app/html.h"
#include "core/app/number.h"
#include "core/app/provenance.h"
#include "postproc/release/hazard_picture.h"
#include "postproc/report/page.h"

#include <math.h>
#include <stdio.h>

static const char *number(char out[TAL_NUMBER_SIZE], double value) {
    return tal_number_format(out, value);
}

// Shares of rocks are drawn from a sample: Wilson's 95 % interval.
static void wilson(double hits, double count, double *low, double *high) {
    const double z = 1.959964, share = hits / count, square = z * z / count;
    const double middle = (share + 0.5 * square) / (1.0 + square);
    const double half =
        z / (1.0 + square) * sqrt(share * (1.0 - share) / count + 0.25 * square / count);
    *low = fmax(0.0, middle - half);
    *high = fmin(1.0, middle + half);
}

static void append_share(tal_text *text, int64_t hits, int64_t count) {
    char share[TAL_NUMBER_SIZE], low_text[TAL_NUMBER_SIZE], high_text[TAL_NUMBER_SIZE];
    double low, high;
    wilson((double)hits, (double)count, &low, &high);
    tal_text_append(text, "%s %% (%s to %s %%)",
                    number(share, 100.0 * (double)hits / (double)count),
                    number(low_text, 100.0 * low), number(high_text, 100.0 * high));
}

// --- words ---

static tal_status append_target_words(tal_text *text, const tal_hazard *h, const tal_target *t,
                                      tal_error *err) {
    char energy_text[TAL_NUMBER_SIZE], height_text[TAL_NUMBER_SIZE];
    tal_text_append(text, "At ");
    tal_html_append(text, t->name);
    if (t->count == 0) {
        double low, high;
        wilson(0.0, (double)h->rocks.count, &low, &high);
        tal_text_append(text,
                        ": no rock reaches it; from this many rocks it follows with 95 %% "
                        "confidence that fewer than %s %% would. ",
                        number(energy_text, 100.0 * high));
        return TAL_OK;
    }
    double energy, height;
    TAL_TRY(tal_target_percentile(t, TAL_AT_ENERGY, 95.0, &energy, err));
    TAL_TRY(tal_target_percentile(t, TAL_AT_HEIGHT, 95.0, &height, err));
    tal_text_append(text, ": ");
    append_share(text, t->count, h->rocks.count);
    tal_text_append(text,
                    " of the rocks reach it; 95 of 100 of these have less than %s kJ and pass with "
                    "their centre below %s m. ",
                    number(energy_text, energy), number(height_text, height));
    return TAL_OK;
}

static void append_barrier_words(tal_text *text, const tal_barrier_record *b) {
    tal_text_append(text, "The barrier ");
    tal_html_append(text, b->name);
    if (b->count == 0) {
        tal_text_append(text, " is not reached. ");
        return;
    }
    tal_text_append(text, " stops ");
    append_share(text, b->held, b->count);
    tal_text_append(text, " of the rocks that meet it; %lld pass over it, %lld break through. %s",
                    (long long)b->over, (long long)b->broken,
                    b->over + b->broken == 0 ? "It is high and strong enough for these rocks. "
                    : b->over > b->broken    ? "Its height is the limiting factor. "
                                             : "Its capacity is the limiting factor. ");
}

static tal_status append_verdict(tal_text *text, const tal_hazard *h, tal_error *err) {
    char count[TAL_NUMBER_SIZE], middle[TAL_NUMBER_SIZE], high[TAL_NUMBER_SIZE];
    tal_text_append(text,
                    "%s rocks were released. Half of those that stop on the terrain stop within %s "
                    "m of their start, one in twenty goes farther than %s m. ",
                    number(count, (double)h->rocks.count), number(middle, h->runout[1]),
                    number(high, h->runout[2]));
    for (int k = 0; k < h->targets.target_count; k++) {
        TAL_TRY(append_target_words(text, h, &h->targets.target[k], err));
    }
    for (int k = 0; k < h->targets.barrier_count; k++) {
        append_barrier_words(text, &h->targets.barrier[k]);
    }
    return TAL_OK;
}

// What should make a reader careful.
static void append_banner(tal_text *text, const tal_hazard *h) {
    const double rocks = (double)h->rocks.count;
    const double left = (double)h->by_end[TAL_END_LEFT] / rocks;
    const double moving = (double)h->by_end[TAL_END_MOVING] / rocks;
    const double unsolved =
        h->step_count > 0 ? (double)h->unconverged_steps / (double)h->step_count : 0.0;
    const bool few = h->rocks.count < 1000;
    const bool hurried = 2 * h->hurried > h->rocks.count;
    const bool beyond = h->compared.outside[0] != '\0';
    if (left < 0.01 && moving < 0.001 && unsolved < 0.001 && !few && !hurried && !beyond) {
        return;
    }
    tal_text_append(text, "<div class=\"banner doubtful\" role=\"alert\"><strong>Read this result "
                          "with care.</strong><ul>");
    if (left >= 0.01) {
        tal_text_append(text,
                        "<li>%.1f %% of the rocks left over the rim of the terrain: what lies "
                        "beyond is not shown. Enlarge the site.</li>",
                        100.0 * left);
    }
    if (beyond) {
        tal_text_append(text, "<li>%s</li>", h->compared.outside);
    }
    if (moving >= 0.001) {
        tal_text_append(text,
                        "<li>%.1f %% of the rocks still moved at the end: set a later "
                        "until_s.</li>",
                        100.0 * moving);
    }
    if (unsolved >= 0.001) {
        tal_text_append(text, "<li>%.2f %% of the steps did not converge: halve dt_s.</li>",
                        100.0 * unsolved);
    }
    if (hurried) {
        tal_text_append(
            text,
            "<li>%.0f %% of the rocks moved by more than a quarter of their size in a "
            "step of %g s: small rocks that roll fast may stop too soon. Halve dt_s and "
            "see whether the stops stay where they are.</li>",
            100.0 * (double)h->hurried / rocks, h->dt_s);
    }
    if (few) {
        tal_text_append(text,
                        "<li>%lld rocks are few: a 95th percentile rests on one in twenty of those "
                        "that pass. Release more before you design with it.</li>",
                        (long long)h->rocks.count);
    }
    tal_text_append(text, "</ul></div>\n");
}

// --- tables ---

static void append_card(tal_text *text, const char *name, double value, const char *unit,
                        const char *more) {
    char big[TAL_NUMBER_SIZE];
    tal_text_append(text,
                    "<div class=\"card\"><p class=\"name\">%s</p><p class=\"big\">%s "
                    "<small>%s</small></p><p class=\"more\">%s</p></div>\n",
                    name, number(big, value), unit, more);
}

static void append_cards(tal_text *text, const tal_hazard *h) {
    char more[3][160];
    (void)snprintf(more[0], sizeof more[0], "%lld at rest, %lld at barriers, %lld over the rim",
                   (long long)h->by_end[TAL_END_AT_REST], (long long)h->by_end[TAL_END_BARRIER],
                   (long long)h->by_end[TAL_END_LEFT]);
    (void)snprintf(more[1], sizeof more[1], "median; 5 to 95 %%: %.0f to %.0f m", h->runout[0],
                   h->runout[2]);
    (void)snprintf(more[2], sizeof more[2], "median from start to stop; 5 to 95 %%: %.1f to %.1f",
                   h->travel_angle_deg[0], h->travel_angle_deg[2]);
    tal_text_append(text, "<div class=\"cards\">\n");
    append_card(text, "Rocks", (double)h->rocks.count, "", more[0]);
    append_card(text, "Runout", h->runout[1], "m", more[1]);
    append_card(text, "Travel angle", h->travel_angle_deg[1], "\xc2\xb0", more[2]);
    append_card(text, "Greatest energy", h->strongest_kj, "kJ", "of any rock at any moment");
    append_card(text, "Greatest velocity", h->fastest_mps, "m/s", "of any rock at any moment");
    if (h->stem_hits > 0) {
        append_card(text, "Stems hit", (double)h->stem_hits / (double)h->rocks.count, "per rock",
                    "on its way through the forest");
    }
    tal_text_append(text, "</div>\n");
}

static tal_status append_target_rows(tal_text *text, const tal_hazard *h, const tal_target *t,
                                     tal_error *err) {
    char cell[TAL_NUMBER_SIZE];
    tal_text_append(text, "<tr><th scope=\"rowgroup\" colspan=\"%d\">",
                    h->maps.percentile_count + 2);
    tal_html_append(text, t->name);
    tal_text_append(text, ": %lld rocks, ", (long long)t->count);
    append_share(text, t->count, h->rocks.count);
    tal_text_append(text, "</th></tr>\n");
    for (int q = 0; t->count > 0 && q < TAL_AT_QUANTITIES; q++) {
        tal_text_append(text, "<tr><td>%s, %s</td>", tal_at_quantity_notes[q].name,
                        tal_at_quantity_notes[q].unit);
        for (int n = 0; n <= h->maps.percentile_count; n++) {
            const double percent = n < h->maps.percentile_count ? h->maps.percentile[n] : 100.0;
            double value;
            TAL_TRY(tal_target_percentile(t, (tal_at_quantity)q, percent, &value, err));
            tal_text_append(text, "<td class=\"number\">%s</td>", number(cell, value));
        }
        tal_text_append(text, "</tr>\n");
    }
    return TAL_OK;
}

static tal_status append_targets(tal_text *text, const tal_hazard *h, tal_error *err) {
    if (h->targets.target_count == 0) {
        return TAL_OK;
    }
    tal_text_append(text, "<h2 id=\"targets\">At the targets</h2>\n<p class=\"intro\">Each rock "
                          "counts once, as it is when it first comes to a target. Shares have a 95 "
                          "%% interval for the number of rocks.</p>\n<div class=\"table\"><table>"
                          "<thead><tr><th></th>");
    for (int n = 0; n < h->maps.percentile_count; n++) {
        tal_text_append(text, "<th class=\"number\">%g %% have less</th>", h->maps.percentile[n]);
    }
    tal_text_append(text, "<th class=\"number\">greatest</th></tr></thead><tbody>\n");
    for (int k = 0; k < h->targets.target_count; k++) {
        TAL_TRY(append_target_rows(text, h, &h->targets.target[k], err));
    }
    tal_text_append(text, "</tbody></table></div>\n<div class=\"figures\">\n");
    for (int k = 0; k < h->targets.target_count; k++) {
        tal_hazard_histogram_append(text, &h->targets.target[k], TAL_AT_ENERGY);
        tal_hazard_histogram_append(text, &h->targets.target[k], TAL_AT_HEIGHT);
    }
    tal_text_append(text, "</div>\n");
    return TAL_OK;
}

static void append_barriers(tal_text *text, const tal_hazard *h) {
    if (h->targets.barrier_count == 0) {
        return;
    }
    tal_text_append(
        text, "<h2 id=\"barriers\">At the barriers</h2>\n<div class=\"table\"><table><thead><tr>"
              "<th>Barrier</th><th class=\"number\">height, m</th><th class=\"number\">capacity, "
              "kJ</th><th class=\"number\">rocks that meet it</th><th "
              "class=\"number\">stopped</th><th class=\"number\">over it</th><th "
              "class=\"number\">broken through</th></tr></thead><tbody>\n");
    for (int k = 0; k < h->targets.barrier_count; k++) {
        const tal_barrier_record *b = &h->targets.barrier[k];
        tal_text_append(text, "<tr><td>");
        tal_html_append(text, b->name);
        tal_text_append(text,
                        "</td><td class=\"number\">%g</td><td class=\"number\">%g</td><td "
                        "class=\"number\">%lld</td><td class=\"number\">%lld</td><td "
                        "class=\"number\">%lld</td><td class=\"number\">%lld</td></tr>\n",
                        b->height_m, b->capacity_kj, (long long)b->count, (long long)b->held,
                        (long long)b->over, (long long)b->broken);
    }
    tal_text_append(text, "</tbody></table></div>\n<div class=\"figures\">\n");
    for (int k = 0; k < h->targets.barrier_count; k++) {
        tal_hazard_barrier_histogram_append(text, &h->targets.barrier[k], TAL_AT_ENERGY);
        tal_hazard_barrier_histogram_append(text, &h->targets.barrier[k], TAL_AT_HEIGHT);
    }
    tal_text_append(text, "</div>\n");
}

// --- maps ---

// The percentile nearest to 95.
static int main_percentile(const tal_cell_maps *m) {
    int best = 0;
    for (int n = 1; n < m->percentile_count; n++) {
        best = fabs(m->percentile[n] - 95.0) < fabs(m->percentile[best] - 95.0) ? n : best;
    }
    return best;
}

static tal_status append_maps(tal_text *text, const tal_hazard *h, tal_error *err) {
    const int n = main_percentile(&h->maps);
    char energy_title[96], jump_title[96];
    (void)snprintf(energy_title, sizeof energy_title,
                   "Kinetic energy, %g %% of passing rocks have less", h->maps.percentile[n]);
    (void)snprintf(jump_title, sizeof jump_title, "Jump height, %g %% of passing rocks have less",
                   h->maps.percentile[n]);
    const tal_hazard_map maps[] = {
        {"Reach",
         "%",
         "Share of all rocks that come to a cell.",
         &h->maps.reach,
         100.0,
         6,
         {0.0, 0.001, 0.01, 0.05, 0.2, 0.5}},
        {energy_title,
         "kJ",
         "Translation and rotation together. 30 and 300 kJ separate weak, medium and strong "
         "intensity in Swiss practice.",
         &h->maps.value[TAL_CELL_ENERGY][n],
         1.0,
         6,
         {0.0, 30.0, 100.0, 300.0, 1000.0, 3000.0}},
        {jump_title,
         "m",
         "Height of a rock's lowest point above the ground.",
         &h->maps.value[TAL_CELL_JUMP][n],
         1.0,
         6,
         {0.0, 0.5, 1.0, 2.0, 4.0, 8.0}},
    };
    tal_text_append(text, "<h2 id=\"maps\">Where rocks go</h2>\n");
    for (size_t k = 0; k < sizeof maps / sizeof *maps; k++) {
        TAL_TRY(tal_hazard_map_append(text, h, &maps[k], err));
    }
    return TAL_OK;
}

// --- the page ---

static void append_head(tal_text *text, const char *title) {
    tal_html_begin(text, title);
    tal_text_append(text, "<style>\n");
    tal_page_append(text, "report.css");
    tal_text_append(text, "</style>\n");
    tal_html_begin_body(text);
    tal_text_append(text, "<a class=\"skip\" href=\"#maps\">To the maps</a>\n");
}

static void append_settings(tal_text *text, const tal_output_place *place) {
    tal_text settings = {0};
    tal_settings_write(place->settings, TAL_STAGE_ALL, TAL_SETTINGS_PORTABLE, &settings);
    tal_text_append(text,
                    "<h2>Where it comes from</h2>\n<details><summary>Settings</summary><pre>");
    tal_html_append(text, tal_text_string(&settings));
    tal_text_destroy(&settings);
    tal_text_append(text, "</pre></details>\n");
}

static tal_status append_page(tal_text *text, const tal_hazard *h, const tal_output_place *place,
                              tal_error *err) {
    const char *title = place->settings->report.title[0] != '\0' ? place->settings->report.title
                                                                 : place->settings->site_file;
    append_head(text, title);
    append_banner(text, h);
    tal_text_append(text, "<header><p class=\"kind\">Rockfall release</p><h1>");
    tal_html_append(text, title);
    tal_text_append(text, "</h1>\n<p class=\"lead\">");
    TAL_TRY(append_verdict(text, h, err));
    tal_text_append(text, "</p></header>\n<main>\n");
    append_cards(text, h);
    TAL_TRY(append_maps(text, h, err));
    TAL_TRY(append_targets(text, h, err));
    append_barriers(text, h);
    tal_hazard_compared_append(text, h);
    append_settings(text, place);
    tal_text_append(text,
                    "</main>\n<footer>Made by talus %s. What the maps hold is said in "
                    "docs/rockfall.md.</footer>\n",
                    tal_version);
    tal_html_end(text);
    return TAL_OK;
}

tal_status tal_hazard_write_report(const tal_hazard *h, const tal_output_place *place,
                                   tal_error *err) {
    tal_text text = {0};
    const tal_status status = append_page(&text, h, place, err);
    return tal_output_write_made(place, "report.html", &text, status, err);
}
