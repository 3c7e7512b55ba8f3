// SPDX-License-Identifier: GPL-3.0-or-later
// What the checks of a survey found: each finding says what is wrong, by how much, and which line of
// the site file to change. They are told together, never one after another.
#ifndef TALUS_INGEST_CHECK_FINDINGS_H
#define TALUS_INGEST_CHECK_FINDINGS_H

#include "core/base/settings.h"
#include "core/base/status.h"

typedef enum { TAL_WARN, TAL_REFUSE } tal_verdict;

enum { TAL_FINDINGS_MAX = 48, TAL_FINDING_SIZE = 768 };

typedef struct {
    const char *check; // one word, stable: ingest.json holds it
    tal_verdict verdict;
    char text[TAL_FINDING_SIZE]; // "site.ini:4: [site] after: ..."
    const char *sentence;        // within it, without the path: what outputs may hold
} tal_finding;

typedef struct {
    const tal_settings *settings;
    int count;
    tal_finding item[TAL_FINDINGS_MAX];
} tal_findings;

// `key` ("site.after_unit") is the setting to look at first; its line begins the message.
void tal_findings_add(tal_findings *findings, const char *check, tal_verdict verdict,
                      const char *key, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

bool tal_findings_refuse(const tal_findings *findings);
bool tal_findings_have(const tal_findings *findings, const char *check);
// Warns of what is left to warn of, or fails with everything that was found.
tal_status tal_findings_tell(const tal_findings *findings, tal_error *err);

#endif
