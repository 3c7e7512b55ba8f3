// SPDX-License-Identifier: GPL-3.0-or-later
// The list of findings.
#include "ingest/check/findings.h"

#include "core/app/site_file.h"
#include "core/base/file.h"
#include "core/base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// "site.ini:12: [site] after_unit", without the line where the key is not set.
static int write_place(const tal_findings *findings, const char *key, char *text, size_t size) {
    char section[64];
    const char *dot = strchr(key, '.');
    TAL_ASSERT(dot != NULL && (size_t)(dot - key) < sizeof section);
    snprintf(section, sizeof section, "%.*s", (int)(dot - key), key);
    const char *file = findings->settings->site_file;
    const int line = tal_site_file_find_line(findings->settings, section, dot + 1);
    return line > 0 ? snprintf(text, size, "%s:%d: [%s] %s: ", file, line, section, dot + 1)
           : file[0] != '\0' ? snprintf(text, size, "%s: [%s] %s: ", file, section, dot + 1)
                             : snprintf(text, size, "[%s] %s: ", section, dot + 1);
}

void tal_findings_add(tal_findings *findings, const char *check, tal_verdict verdict,
                      const char *key, const char *format, ...) {
    if (findings->count == TAL_FINDINGS_MAX) {
        return; // nobody reads more
    }
    tal_finding *item = &findings->item[findings->count++];
    item->check = check;
    item->verdict = verdict;
    item->sentence = item->text;
    const int length = write_place(findings, key, item->text, sizeof item->text);
    va_list list;
    va_start(list, format);
    if (length >= 0 && (size_t)length < sizeof item->text) {
        vsnprintf(item->text + length, sizeof item->text - (size_t)length, format, list);
        item->sentence = item->text + length;
    }
    va_end(list);
}

bool tal_findings_refuse(const tal_findings *findings) {
    for (int i = 0; i < findings->count; i++) {
        if (findings->item[i].verdict == TAL_REFUSE) {
            return true;
        }
    }
    return false;
}

bool tal_findings_have(const tal_findings *findings, const char *check) {
    for (int i = 0; i < findings->count; i++) {
        if (strcmp(findings->item[i].check, check) == 0) {
            return true;
        }
    }
    return false;
}

tal_status tal_findings_tell(const tal_findings *findings, tal_error *err) {
    const bool refused = tal_findings_refuse(findings);
    for (int verdict = TAL_REFUSE; verdict >= TAL_WARN; verdict--) { // the reasons first
        for (int i = 0; i < findings->count; i++) {
            const tal_finding *item = &findings->item[i];
            if ((int)item->verdict != verdict) {
                continue;
            }
            if (refused) {
                tal_error_add(err, TAL_UNTRUSTED, "%s", item->text);
            } else {
                tal_log_warn("%s", item->text);
            }
        }
    }
    return refused ? TAL_UNTRUSTED : TAL_OK;
}
