// SPDX-License-Identifier: GPL-3.0-or-later
// Folders as a whole.
#define _GNU_SOURCE
#include "pipelines/engine/file_tree.h"

#include "core/base/memory.h"
#include "core/base/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static tal_status add_name(tal_file_tree *tree, const char *name, tal_error *err) {
    if (tree->count == tree->capacity) {
        const size_t capacity = tree->capacity > 0 ? 2 * tree->capacity : 32;
        TAL_GROW(tree->name, tree->count, capacity, "a list of files", err);
        tree->capacity = capacity;
    }
    char *copy = NULL;
    TAL_CREATE(copy, strlen(name) + 1, "a list of files", err);
    strcpy(copy, name);
    tree->name[tree->count++] = copy;
    return TAL_OK;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static tal_status list_below(tal_file_tree *tree, const char *root, const char *below,
                             tal_error *err) {
    char path[TAL_PATH_SIZE];
    if (!tal_path_join(path, root, below)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", root);
    }
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return TAL_FAIL(err, TAL_IO, "%s: cannot read the folder: %s", path, strerror(errno));
    }
    tal_status status = TAL_OK;
    for (const struct dirent *entry = NULL;
         status == TAL_OK && (entry = readdir(folder)) != NULL;) {
        char name[TAL_PATH_SIZE], whole[TAL_PATH_SIZE];
        struct stat about;
        if (is_dots(entry->d_name)) {
            continue;
        }
        if (!tal_path_join(name, below, entry->d_name) || !tal_path_join(whole, root, name) ||
            lstat(whole, &about) != 0) {
            status = TAL_FAIL(err, TAL_IO, "%s/%s: %s", path, entry->d_name, strerror(errno));
        } else {
            const char *bare = strncmp(name, "./", 2) == 0 ? name + 2 : name;
            status = S_ISDIR(about.st_mode) ? list_below(tree, root, bare, err)
                                            : add_name(tree, bare, err);
        }
    }
    closedir(folder);
    return status;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

tal_status tal_file_tree_list(tal_file_tree *tree, const char *folder, tal_error *err) {
    TAL_TRY(list_below(tree, folder, ".", err));
    if (tree->count > 1) {
        qsort(tree->name, tree->count, sizeof *tree->name, compare_names);
    }
    return TAL_OK;
}

void tal_file_tree_destroy(tal_file_tree *tree) {
    for (size_t i = 0; i < tree->count; i++) {
        tal_memory_destroy(tree->name[i]);
    }
    tal_memory_destroy(tree->name);
    *tree = (tal_file_tree){0};
}

tal_status tal_file_tree_remove(const char *path, tal_error *err) {
    DIR *folder = opendir(path);
    if (folder == NULL) {
        if (errno == ENOENT || unlink(path) == 0) {
            return TAL_OK;
        }
        return TAL_FAIL(err, TAL_IO, "%s: cannot remove: %s", path, strerror(errno));
    }
    tal_status status = TAL_OK;
    for (const struct dirent *entry = NULL;
         status == TAL_OK && (entry = readdir(folder)) != NULL;) {
        char whole[TAL_PATH_SIZE];
        if (is_dots(entry->d_name)) {
            continue;
        }
        if (!tal_path_join(whole, path, entry->d_name)) {
            status = TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", path);
        } else if (entry->d_type == DT_DIR || unlink(whole) != 0) {
            status = tal_file_tree_remove(whole, err);
        }
    }
    closedir(folder);
    if (status == TAL_OK && rmdir(path) != 0 && errno != ENOENT) {
        return TAL_FAIL(err, TAL_IO, "%s: cannot remove: %s", path, strerror(errno));
    }
    return status;
}

static tal_status copy_file(const char *source, const char *target, tal_error *err) {
    char *bytes = NULL;
    size_t length = 0;
    tal_output output = {0};
    TAL_TRY(tal_file_read(source, &bytes, &length, err));
    tal_status status = tal_output_open(&output, target, TAL_REPLACE, err);
    if (status == TAL_OK) {
        tal_output_write(&output, bytes, length);
        status = tal_output_commit(&output, err);
    }
    tal_output_discard(&output);
    tal_memory_destroy(bytes);
    return status;
}

static tal_status link_one(const char *source, const char *target, const char *name,
                           tal_error *err) {
    char from[TAL_PATH_SIZE], to[TAL_PATH_SIZE], folder[TAL_PATH_SIZE];
    if (!tal_path_join(from, source, name) || !tal_path_join(to, target, name)) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "%.200s...: path too long", target);
    }
    if (strchr(name, '/') != NULL) {
        tal_path_folder(folder, to);
        TAL_TRY(tal_folder_create(folder, err));
    }
    // Another disk, a file system without links, too many of them: a copy does as well.
    return link(from, to) == 0 ? TAL_OK : copy_file(from, to, err);
}

tal_status tal_file_tree_link(const char *source, const char *target, const char *except,
                              tal_error *err) {
    tal_file_tree tree = {0};
    tal_status status = tal_file_tree_list(&tree, source, err);
    if (status == TAL_OK) {
        status = tal_folder_create(target, err);
    }
    for (size_t i = 0; status == TAL_OK && i < tree.count; i++) {
        if (strcmp(tree.name[i], except) != 0) {
            status = link_one(source, target, tree.name[i], err);
        }
    }
    tal_file_tree_destroy(&tree);
    return status;
}
