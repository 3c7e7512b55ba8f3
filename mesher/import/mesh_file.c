// SPDX-License-Identifier: GPL-3.0-or-later
// Surfaces from files: storage, OBJ and STL. PLY is in mesh_file_ply.c.
#include "mesher/import/mesh_file.h"

#include "core/base/file.h"
#include "core/base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ---- Storage ---------------------------------------------------------------------------

void tal_mesh_file_destroy(tal_mesh_file *mesh) {
    if (mesh != NULL) {
        tal_memory_destroy(mesh->vertex);
        tal_memory_destroy(mesh->triangle);
        tal_memory_destroy(mesh->part);
        *mesh = (tal_mesh_file){0};
    }
}

tal_status tal_mesh_file_add_vertex(tal_mesh_file *mesh, tal_vec3 p, tal_error *err) {
    if (mesh->vertex_count == mesh->vertex_capacity) {
        const int64_t target = mesh->vertex_capacity * 2 + 256;
        tal_vec3 *larger = target > INT32_MAX / 4
                               ? NULL
                               : tal_memory_grow(mesh->vertex, (size_t)mesh->vertex_capacity,
                                                 (size_t)target, sizeof *larger);
        if (larger == NULL) {
            return tal_memory_failed(err, "vertices of a file", (size_t)target, sizeof *larger);
        }
        mesh->vertex = larger;
        mesh->vertex_capacity = target;
    }
    mesh->vertex[mesh->vertex_count++] = p;
    return TAL_OK;
}

static tal_status reserve_triangle(tal_mesh_file *mesh, tal_error *err) {
    if (mesh->triangle_count < mesh->triangle_capacity) {
        return TAL_OK;
    }
    const size_t old = (size_t)mesh->triangle_capacity, target = old * 2 + 256;
    int32_t *triangle = target > INT32_MAX / 4 ? NULL
                                               : tal_memory_grow(mesh->triangle, 3 * old,
                                                                 3 * target, sizeof *triangle);
    if (triangle == NULL) {
        return tal_memory_failed(err, "faces of a file", 3 * target, sizeof *triangle);
    }
    mesh->triangle = triangle;
    TAL_GROW(mesh->part, old, target, "faces of a file", err);
    mesh->triangle_capacity = (int64_t)target;
    return TAL_OK;
}

tal_status tal_mesh_file_add_polygon(tal_mesh_file *mesh, const int64_t *corner, int64_t count,
                                     const char *path, int64_t line, tal_error *err) {
    for (int64_t k = 0; k < count; k++) {
        if (corner[k] < 0 || corner[k] >= mesh->vertex_count) {
            return TAL_FAIL(
                err, TAL_BAD_INPUT, "%s:%lld: a face names vertex %lld, but there are %lld", path,
                (long long)line, (long long)corner[k] + 1, (long long)mesh->vertex_count);
        }
    }
    for (int64_t k = 1; k + 1 < count; k++) {
        TAL_TRY(reserve_triangle(mesh, err));
        int32_t *triangle = mesh->triangle + 3 * mesh->triangle_count;
        triangle[0] = (int32_t)corner[0];
        triangle[1] = (int32_t)corner[k];
        triangle[2] = (int32_t)corner[k + 1];
        mesh->part[mesh->triangle_count++] = mesh->part_count > 0 ? mesh->part_count - 1 : 0;
    }
    mesh->face_count++;
    return TAL_OK;
}

// ---- OBJ -------------------------------------------------------------------------------

enum { POLYGON_MAX = 4096 };

// The next number on this line; false when the line ends or it is none.
static bool next_number(const char **cursor, const char *end, double *value) {
    while (*cursor < end && (**cursor == ' ' || **cursor == '\t')) {
        (*cursor)++;
    }
    if (*cursor >= end || **cursor == '\n' || **cursor == '\r') {
        return false;
    }
    char *after = NULL;
    *value = strtod(*cursor, &after);
    if (after == *cursor || after > end) {
        return false;
    }
    *cursor = after;
    return true;
}

// The next corner "7", "7/1", "7//3" or "-1": from zero.
static bool next_corner(const char **cursor, const char *end, int64_t vertex_count,
                        int64_t *corner) {
    while (*cursor < end && (**cursor == ' ' || **cursor == '\t')) {
        (*cursor)++;
    }
    if (*cursor >= end || **cursor == '\n' || **cursor == '\r' || **cursor == '#') {
        return false;
    }
    char *after = NULL;
    const long long number = strtoll(*cursor, &after, 10);
    if (after == *cursor) {
        *corner = -1; // refused by the range check
        *cursor = end;
        return true;
    }
    *corner = number < 0 ? vertex_count + number : number - 1;
    *cursor = after;
    while (*cursor < end && !isspace((unsigned char)**cursor)) {
        (*cursor)++; // texture and normal
    }
    return true;
}

static tal_status parse_obj_face(tal_mesh_file *mesh, const char *at, const char *end,
                                 const char *path, int64_t line, tal_error *err) {
    int64_t corner[POLYGON_MAX];
    int64_t count = 0;
    while (count < POLYGON_MAX && next_corner(&at, end, mesh->vertex_count, &corner[count])) {
        count++;
    }
    if (count < 3 || count == POLYGON_MAX) {
        return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%lld: a face needs 3 to %d corners", path,
                        (long long)line, POLYGON_MAX - 1);
    }
    return tal_mesh_file_add_polygon(mesh, corner, count, path, line, err);
}

static tal_status parse_obj_line(tal_mesh_file *mesh, const char *at, const char *end,
                                 const char *path, int64_t line, tal_error *err) {
    while (at < end && (*at == ' ' || *at == '\t')) {
        at++;
    }
    const bool has_word = end - at >= 2 && (at[1] == ' ' || at[1] == '\t');
    if (has_word && at[0] == 'v') {
        double c[3];
        at += 2;
        for (int k = 0; k < 3; k++) {
            if (!next_number(&at, end, &c[k]) || !isfinite(c[k])) {
                return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%lld: a vertex needs three numbers", path,
                                (long long)line);
            }
        }
        return tal_mesh_file_add_vertex(mesh, tal_vec3_make(c[0], c[1], c[2]), err);
    }
    if (has_word && at[0] == 'f') {
        return parse_obj_face(mesh, at + 2, end, path, line, err);
    }
    if (has_word && (at[0] == 'o' || at[0] == 'g')) {
        // A new part begins, unless the last one has no face yet.
        const bool is_used = mesh->triangle_count > 0 &&
                             mesh->part[mesh->triangle_count - 1] == mesh->part_count - 1;
        mesh->part_count += is_used || mesh->part_count == 0 ? 1 : 0;
    }
    return TAL_OK;
}

tal_status tal_mesh_file_parse_obj(tal_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, tal_error *err) {
    *mesh = (tal_mesh_file){0};
    mesh->part_count = 1;
    const char *at = bytes, *last = bytes + length;
    for (int64_t line = 1; at < last; line++) {
        const char *end = memchr(at, '\n', (size_t)(last - at));
        end = end != NULL ? end : last;
        TAL_TRY(parse_obj_line(mesh, at, end, path, line, err));
        at = end + 1;
    }
    return TAL_OK;
}

// ---- STL -------------------------------------------------------------------------------

enum { STL_HEADER = 84, STL_FACET = 50 };

static tal_status parse_stl_binary(tal_mesh_file *mesh, const char *bytes, uint32_t count,
                                   const char *path, tal_error *err) {
    for (uint32_t f = 0; f < count; f++) {
        float number[12];
        memcpy(number, bytes + STL_HEADER + (size_t)f * STL_FACET, sizeof number);
        int64_t corner[3];
        for (int k = 0; k < 3; k++) {
            const float *c = number + 3 + 3 * k;
            if (!isfinite(c[0]) || !isfinite(c[1]) || !isfinite(c[2])) {
                return TAL_FAIL(err, TAL_BAD_INPUT,
                                "%s: triangle %u has a corner that is not a number", path, f + 1);
            }
            corner[k] = mesh->vertex_count;
            TAL_TRY(tal_mesh_file_add_vertex(
                mesh, tal_vec3_make((double)c[0], (double)c[1], (double)c[2]), err));
        }
        TAL_TRY(tal_mesh_file_add_polygon(mesh, corner, 3, path, (int64_t)f + 1, err));
    }
    return TAL_OK;
}

static tal_status parse_stl_text(tal_mesh_file *mesh, const char *bytes, size_t length,
                                 const char *path, tal_error *err) {
    const char *at = bytes, *last = bytes + length;
    for (int64_t line = 1; at < last; line++) {
        const char *end = memchr(at, '\n', (size_t)(last - at));
        end = end != NULL ? end : last;
        while (at < end && (*at == ' ' || *at == '\t')) {
            at++;
        }
        if (end - at > 7 && strncasecmp(at, "vertex", 6) == 0) {
            double c[3];
            at += 6;
            for (int k = 0; k < 3; k++) {
                if (!next_number(&at, end, &c[k]) || !isfinite(c[k])) {
                    return TAL_FAIL(err, TAL_BAD_INPUT, "%s:%lld: a vertex needs three numbers",
                                    path, (long long)line);
                }
            }
            TAL_TRY(tal_mesh_file_add_vertex(mesh, tal_vec3_make(c[0], c[1], c[2]), err));
            if (mesh->vertex_count % 3 == 0) {
                const int64_t n = mesh->vertex_count;
                TAL_TRY(tal_mesh_file_add_polygon(mesh, (const int64_t[]){n - 3, n - 2, n - 1}, 3,
                                                  path, line, err));
            }
        }
        at = end + 1;
    }
    return TAL_OK;
}

tal_status tal_mesh_file_parse_stl(tal_mesh_file *mesh, const char *bytes, size_t length,
                                   const char *path, tal_error *err) {
    *mesh = (tal_mesh_file){.part_count = 1};
    uint32_t count = 0;
    if (length >= STL_HEADER) {
        memcpy(&count, bytes + STL_HEADER - sizeof count, sizeof count);
    }
    // Some binary files begin with "solid" too: the length decides.
    if (length >= STL_HEADER && length == STL_HEADER + (size_t)count * STL_FACET) {
        TAL_TRY(parse_stl_binary(mesh, bytes, count, path, err));
    } else if (length >= 5 && strncasecmp(bytes, "solid", 5) == 0) {
        TAL_TRY(parse_stl_text(mesh, bytes, length, path, err));
    } else {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s is not an STL file: it is neither text that begins with solid nor %zu "
                        "bytes long, as its header of %u triangles says",
                        path, STL_HEADER + (size_t)count * STL_FACET, count);
    }
    return tal_mesh_file_weld(mesh, err);
}

// ---- By name ---------------------------------------------------------------------------

static const char *extension(const char *path) {
    const char *dot = strrchr(tal_path_name(path), '.');
    return dot != NULL ? dot : "";
}

bool tal_mesh_file_is_known(const char *path) {
    const char *end = extension(path);
    return strcasecmp(end, ".obj") == 0 || strcasecmp(end, ".stl") == 0 ||
           strcasecmp(end, ".ply") == 0;
}

tal_status tal_mesh_file_read(tal_mesh_file *mesh, const char *path, tal_error *err) {
    char *bytes = NULL;
    size_t length = 0;
    *mesh = (tal_mesh_file){0};
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    const char *end = extension(path);
    tal_status status;
    if (strcasecmp(end, ".obj") == 0) {
        status = tal_mesh_file_parse_obj(mesh, bytes, length, path, err);
    } else if (strcasecmp(end, ".stl") == 0) {
        status = tal_mesh_file_parse_stl(mesh, bytes, length, path, err);
    } else {
        status = tal_mesh_file_parse_ply(mesh, bytes, length, path, err);
    }
    tal_memory_destroy(bytes);
    if (status == TAL_OK && mesh->vertex_count == 0) {
        status = TAL_FAIL(err, TAL_BAD_INPUT, "%s is empty: it holds no vertex", path);
    }
    if (status != TAL_OK) {
        tal_mesh_file_destroy(mesh);
    }
    return status;
}
