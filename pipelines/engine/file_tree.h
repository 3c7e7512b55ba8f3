// SPDX-License-Identifier: GPL-3.0-or-later
// Folders as a whole: list, link, remove.
#ifndef TALUS_PIPELINES_ENGINE_FILE_TREE_H
#define TALUS_PIPELINES_ENGINE_FILE_TREE_H

#include "core/base/file.h"

// All files below a folder, as paths seen from it, sorted.
typedef struct {
    char **name;
    size_t count, capacity;
} tal_file_tree; // starts as {0}

tal_status tal_file_tree_list(tal_file_tree *tree, const char *folder, tal_error *err);
void tal_file_tree_destroy(tal_file_tree *tree);
// Removes the folder and what it holds; one that is not there is no failure.
tal_status tal_file_tree_remove(const char *folder, tal_error *err);
// Makes `target` and gives it every file of `source` as a hard link, or as a copy where links
// cannot be. Files called `except` are left out.
tal_status tal_file_tree_link(const char *source, const char *target, const char *except,
                              tal_error *err);

#endif
