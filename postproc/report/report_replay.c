// SPDX-License-Identifier: GPL-3.0-or-later
// The section of the report that holds the 3D replay.
#include "postproc/report/report_replay.h"

#include "postproc/report/page.h"
#include "postproc/report/replay.h"
#include "postproc/report/report_fields.h"

// A script uses what those above it define.
static const char *const SCRIPTS[] = {
    "fields.js",  "shaders.js", "raster.js", "quick.js", "scene.js", "motion.js", "camera.js",
    "overlay.js", "section.js", "replay.js", "film.js",  "map.js",   "beside.js", "selftest.js"};

static void append_time_bar(tal_text *text) {
    tal_text_append(
        text,
        "<div class=\"bar\"><button id=\"replay-play\" type=\"button\" aria-pressed=\"false\">"
        "Play</button><span class=\"time\"><input id=\"replay-time\" type=\"range\" min=\"0\" "
        "value=\"0\" aria-label=\"Time\"><span id=\"replay-clock\"></span></span>"
        "<label>Speed <select id=\"replay-speed\"><option value=\"0.25\">\xc2\xbc</option><option "
        "value=\"0.5\">\xc2\xbd</option><option value=\"1\" selected>1</option><option "
        "value=\"2\">2</option><option value=\"4\">4</option></select></label></div>\n");
}

static void append_look_bar(tal_text *text, const tal_back_analysis *a) {
    tal_text_append(
        text,
        "<div class=\"bar\"><label>Blocks <select id=\"replay-colour\"></select></label>"
        "<label>Ground <select id=\"replay-ground\"><option value=\"rock\">Rock</option></select>"
        "</label><label>Paths <select id=\"replay-paths\"><option value=\"chosen\">Chosen blocks"
        "</option><option value=\"tenth\">Every tenth</option><option value=\"all\">All</option>"
        "</select></label><label><input id=\"replay-contours\" type=\"checkbox\"> Contours</label>"
        "%s<span id=\"replay-ground-legend\" class=\"key\"></span></div>\n",
        a->has_survey_deposit
            ? "<label><input id=\"replay-surveyed\" type=\"checkbox\"> Surveyed deposit</label>"
              "<label>Wipe <input id=\"replay-wipe\" type=\"range\" min=\"0\" max=\"100\" "
              "value=\"0\" aria-label=\"Survey on the left, simulation on the right\"></label>"
            : "");
}

static void append_view_bar(tal_text *text) {
    tal_text_append(
        text,
        "<div class=\"bar\"><span class=\"group\" role=\"group\" aria-label=\"Views\">"
        "<button id=\"replay-view-slope\" type=\"button\" title=\"Key 1\">Slope</button>"
        "<button id=\"replay-view-toe\" type=\"button\" title=\"Key 2\">From the toe</button>"
        "<button id=\"replay-view-above\" type=\"button\" title=\"Key 3\">From above</button>"
        "</span><label><input id=\"replay-follow\" type=\"checkbox\"> Follow</label>"
        "<button id=\"replay-section-button\" type=\"button\" aria-pressed=\"false\">Cross-section"
        "</button><button id=\"replay-record\" type=\"button\" "
        "aria-pressed=\"false\">Record</button>"
        "</div>\n<div id=\"replay-section-box\" class=\"section\" aria-live=\"polite\" "
        "hidden></div>\n");
}

void tal_report_replay_append_frame(tal_text *text, const tal_back_analysis *a,
                                    const tal_settings *settings) {
    tal_text_append(
        text,
        "<section id=\"replay-section\">\n<h2>Watch it fall</h2>\n<p class=\"intro\">Drag to turn, "
        "with Shift to move, pinch or (after a click) scroll to come closer; click blocks, with "
        "Shift several, for their numbers and paths. With the keyboard: space plays, arrows turn, "
        "+ and \xe2\x88\x92 zoom, 1 to 3 change the view, n goes to the next block. A "
        "cross-section is drawn by two clicks.</p>\n<figure id=\"replay\">\n<div "
        "class=\"screen\"><canvas id=\"replay-canvas\" tabindex=\"0\" role=\"img\" "
        "aria-label=\"3D replay of the blocks on the terrain\"></canvas><canvas "
        "id=\"replay-quick\" "
        "aria-hidden=\"true\" hidden></canvas><canvas "
        "id=\"replay-overlay\" aria-hidden=\"true\"></canvas><div id=\"replay-card\" "
        "aria-live=\"polite\" hidden></div></div>\n");
    append_time_bar(text);
    append_look_bar(text, a);
    append_view_bar(text);
    tal_text_append(
        text,
        "<figcaption id=\"replay-note\">Every block at its place, turned as it was, in the light "
        "of a sun in the north-west; %s%s.</figcaption>"
        "\n</figure>\n<noscript><p>The replay needs JavaScript; everything else on this page does "
        "not.</p></noscript>\n</section>\n",
        settings->report.image[0] == '\0'
            ? "colours of rock and ground are the page's own"
            : "the ground may be seen as photographed, and the rock has the photograph's colour",
        a->has_survey_deposit ? ", the surveyed deposit is a blue skin" : "");
}

tal_status tal_report_replay_append_data(tal_text *text, const tal_back_analysis *a,
                                         const tal_ground_mesh *ground,
                                         const tal_settings *settings, tal_error *err) {
    tal_text_append(text, "<script type=\"application/json\" id=\"report-fields\">");
    TAL_TRY(tal_report_fields_append(text, a, err));
    tal_text_append(text, "</script>\n<script type=\"application/json\" id=\"replay-data\">");
    TAL_TRY(tal_replay_append(text, a, ground, settings, err));
    tal_text_append(text, "</script>\n");
    for (size_t i = 0; i < sizeof SCRIPTS / sizeof *SCRIPTS; i++) {
        tal_text_append(text, "<script>");
        tal_page_append(text, SCRIPTS[i]);
        tal_text_append(text, "</script>\n");
    }
    return TAL_OK;
}
