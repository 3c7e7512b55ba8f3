// SPDX-License-Identifier: GPL-3.0-or-later
// What a page is called.
#define _GNU_SOURCE
#include "core/app/title.h"

#include "core/base/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The name of the site file without its ending.
static void take_stem(const char *path, char *title, size_t size) {
    (void)snprintf(title, size, "%s", tal_path_name(path));
    char *dot = strrchr(title, '.');
    if (dot != NULL) {
        *dot = '\0';
    }
}

// The folder the site file lies in.
static void take_folder(const char *path, char *title, size_t size) {
    char folder[TAL_PATH_SIZE], whole[PATH_MAX];
    tal_path_folder(folder, path);
    (void)snprintf(title, size, "%s",
                   realpath(folder, whole) != NULL ? tal_path_name(whole) : tal_path_name(folder));
}

// "site", "b": such a name tells the place only together with its folder.
static bool says_nothing(const char *stem) {
    return strcmp(stem, "site") == 0 || strlen(stem) < 3;
}

void tal_title_find(const tal_settings *settings, char *title, size_t size) {
    if (settings->report.title[0] != '\0') {
        (void)snprintf(title, size, "%s", settings->report.title);
        return;
    }
    take_stem(settings->site_file, title, size);
    if (says_nothing(title)) {
        take_folder(settings->site_file, title, size);
    }
    if (says_nothing(title) || title[0] == '/') {
        (void)snprintf(title, size, "Rockfall");
    }
}
