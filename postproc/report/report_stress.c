// SPDX-License-Identifier: GPL-3.0-or-later
// Stresses in blocks that deform, in words and as a table of the highest.
#include "postproc/report/report_stress.h"

#include "core/app/number.h"

#include <math.h>

enum { ROWS_MAX = 10 };

static void append_words(tal_text *text, const tal_stress_record *s) {
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE];
    tal_text_append(
        text,
        "%d blocks deform. Tensile stresses are means over a length and over the time "
        "in which a wave crosses a block, so that they depend little on the mesh and on "
        "the step. ",
        (int)s->soft_count);
    if (isfinite(s->strength_pa)) {
        tal_text_append(
            text, "<strong data-broken=\"%d\">%d of them came above %s MPa%s%s.</strong> ",
            (int)s->broken_count, (int)s->broken_count,
            tal_number_format(one, 1e-6 * s->strength_pa),
            s->joint_use != NULL ? " or the strength of a joint" : "",
            s->cracked_count > 0 ? ", they or what they are a piece of" : " and would have broken");
    }
    if (s->cracked_count > 0) {
        char joints[48] = "";
        if (s->along_joints > 0) {
            snprintf(joints, sizeof joints, ", %d of them along joints", (int)s->along_joints);
        }
        tal_text_append(
            text,
            "<strong data-cracked=\"%d\">%d blocks and pieces broke%s:</strong> cracks of "
            "%s m\xc2\xb2 took %s kJ. What is shown are the pieces; each moves with "
            "the block it was part of until that breaks. ",
            (int)s->cracked_count, (int)s->cracked_count, joints,
            tal_number_format(one, s->crack_area_m2),
            tal_number_format(two, 1e-3 * s->crack_energy_j));
    }
    if (s->missed_count > 0) {
        tal_text_append(text,
                        "Blows on %d blocks fell into steps that do not resolve them, so no stress "
                        "is given for these: [solve] blow_dt_s = %s would do. ",
                        (int)s->missed_count, tal_number_format_digits(two, s->needed_dt_s, 2));
    }
}

// The next block in falling order of stress; -1 after the last.
static int32_t next_block(const tal_stress_record *s, int32_t count, int32_t after) {
    const double most = after < 0 ? INFINITY : s->tension_pa[after];
    int32_t best = -1;
    for (int32_t b = 0; b < count; b++) {
        const double t = s->tension_pa[b];
        const bool is_later = t < most || (t == most && b > after);
        if (isfinite(t) && is_later && (best < 0 || t > s->tension_pa[best])) {
            best = b;
        }
    }
    return best;
}

static void append_row(tal_text *text, const tal_back_analysis *a, int32_t b) {
    const tal_stress_record *s = &a->motion.stress;
    char one[TAL_NUMBER_SIZE], two[TAL_NUMBER_SIZE], three[TAL_NUMBER_SIZE];
    tal_text_append(text,
                    "<tr data-block=\"%d\"><td>%d%s</td><td class=\"number\">%s MPa</td><td "
                    "class=\"number\">%s s</td><td class=\"number\">%s m\xc2\xb3</td><td "
                    "class=\"number\">%.0f, %.0f</td></tr>\n",
                    (int)b, (int)b,
                    !tal_stress_record_is_broken(s, b) ? ""
                    : s->cracked_count > 0             ? ": above the strength"
                                                       : ": would have broken",
                    tal_number_format(one, 1e-6 * s->tension_pa[b]),
                    tal_number_format(two, s->time_s[b]),
                    tal_number_format(three, a->blocks.volume[b]),
                    s->place[3 * b] + (double)a->survey.origin.east,
                    s->place[3 * b + 1] + (double)a->survey.origin.north);
}

void tal_report_append_stress(tal_text *text, const tal_back_analysis *a) {
    const tal_stress_record *s = &a->motion.stress;
    if (s->soft_count == 0) {
        return;
    }
    tal_text_append(text, "<h2 id=\"stress\">Stresses in the blocks</h2>\n<p class=\"intro\">");
    append_words(text, s);
    tal_text_append(text, "</p>\n");
    int32_t block = next_block(s, a->blocks.count, -1);
    if (block < 0) {
        return;
    }
    tal_text_append(text,
                    "<div class=\"table\"><table><thead><tr><th scope=\"col\">Block</th><th "
                    "scope=\"col\" class=\"number\">Largest tension</th><th scope=\"col\" "
                    "class=\"number\">at</th><th scope=\"col\" class=\"number\">Volume</th><th "
                    "scope=\"col\" class=\"number\">East, north</th></tr></thead><tbody>\n");
    for (int row = 0; row < ROWS_MAX && block >= 0; row++) {
        append_row(text, a, block);
        block = next_block(s, a->blocks.count, block);
    }
    tal_text_append(text, "</tbody></table></div>\n");
}
