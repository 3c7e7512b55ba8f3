// SPDX-License-Identifier: GPL-3.0-or-later
// A page that shows two runs of a study side by side.
#include "pipelines/engine/comparison.h"

#include "pipelines/engine/study_page.h"
#include "pipelines/engine/study_script.h"

// As a string of JSON that may stand inside a page: no tag can end in it.
static void append_json(tal_text *text, const char *string) {
    tal_text_append(text, "\"");
    for (const char *c = string; *c != '\0'; c++) {
        const bool is_plain = (unsigned char)*c >= ' ' && *c != '"' && *c != '\\' && *c != '<';
        if (is_plain) {
            tal_text_append_bytes(text, c, 1);
        } else {
            tal_text_append(text, "\\u%04x", (unsigned)(unsigned char)*c);
        }
    }
    tal_text_append(text, "\"");
}

void tal_run_comparison_add(tal_run_comparison *comparison, const char *name, const char *key) {
    tal_text_append(&comparison->list, "%s{\"name\":", comparison->count++ > 0 ? "," : "");
    append_json(&comparison->list, name);
    tal_text_append(&comparison->list, ",\"key\":\"%s\"}", key);
}

static void append_side(tal_text *page, const char *name, const char *word) {
    tal_text_append(page,
                    "<div><label>%s <select id=\"compare-%s\"></select></label><iframe "
                    "id=\"compare-frame-%s\" title=\"Replay\"></iframe></div>",
                    word, name, name);
}

static void append_body(tal_text *page, const tal_run_comparison *comparison) {
    tal_text_append(
        page,
        "<style>.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(22rem,"
        "1fr));gap:1rem}.pair iframe{width:100%%;height:min(60vh,26rem);border:1px "
        "solid var(--line);border-radius:8px;margin-top:.5rem}.pair select{max-width:"
        "100%%}.step{display:flex;gap:.8rem;align-items:center;margin:1rem 0}.step "
        "input{flex:1}#compare-sheet{position:relative;margin:auto}#compare-map{display:block;"
        "width:100%%}#compare-scale{position:absolute;box-sizing:border-box;left:2%%;bottom:2%%;"
        "border:solid #111;border-width:0 2px 3px;background:rgba(255,255,255,.8);color:#111;"
        "font-weight:600;text-align:center}</style>\n"
        "<p>Both replays run in step, and turning one turns the other.</p>\n<div "
        "class=\"pair\">");
    append_side(page, "a", "Left");
    append_side(page, "b", "Right");
    tal_text_append(page,
                    "</div>\n<div class=\"step\"><button type=\"button\" id=\"compare-play\" "
                    "aria-pressed=\"false\">Play</button><input type=\"range\" "
                    "id=\"compare-time\" min=\"0\" max=\"1\" value=\"0\" aria-label=\"Time\">"
                    "<span id=\"compare-clock\"></span></div>\n<h2>Where the deposits differ</h2>"
                    "\n<figure><div id=\"compare-sheet\"><canvas id=\"compare-map\" role=\"img\" "
                    "aria-label=\"Difference of the two deposits over the shaded ground\"></canvas>"
                    "<span id=\"compare-scale\"></span></div><ul id=\"compare-key\" "
                    "class=\"legend\"></ul><figcaption "
                    "id=\"compare-read\" aria-live=\"polite\">The reports are being "
                    "read.</figcaption></figure>\n<script type=\"application/json\" "
                    "id=\"compare-runs\">[");
    tal_text_append_bytes(page, tal_text_string(&comparison->list), comparison->list.length);
    tal_text_append(page, "]</script>\n<script>");
    tal_text_append_bytes(page, (const char *)tal_script_compare_js, tal_script_compare_js_size);
    tal_text_append(page, "</script>\n");
}

tal_status tal_run_comparison_write(tal_run_comparison *comparison, const char *folder,
                                    tal_error *err) {
    tal_text page = {0};
    tal_status status = TAL_OK;
    if (comparison->count > 1) {
        tal_page_begin(&page, "Two runs side by side");
        append_body(&page, comparison);
        tal_html_end(&page);
        page.failed = page.failed || comparison->list.failed;
        status = tal_page_write(&page, folder, "compare.html", err);
    }
    tal_text_destroy(&page);
    tal_text_destroy(&comparison->list);
    *comparison = (tal_run_comparison){0};
    return status;
}

void tal_run_comparison_append_thumbnail(tal_text *page, const char *name, const char *key) {
    tal_text_append(page,
                    "<td><a href=\"runs/%s/report.html\"><img loading=\"lazy\" "
                    "src=\"runs/%s/thumbnail.png\" onerror=\"this.parentNode.remove()\" "
                    "alt=\"Deposit of ",
                    key, key);
    tal_html_append(page, name);
    tal_text_append(page, "\"></a></td>");
}
