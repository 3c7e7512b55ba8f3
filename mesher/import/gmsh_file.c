// SPDX-License-Identifier: GPL-3.0-or-later
// Gmsh 4.1, text. A file is lines of numbers between $Nodes and $EndNodes, $Elements and $EndElements; both
// begin with counts and go on in blocks, each with a head of four numbers.
#include "mesher/import/gmsh_file.h"

#include "core/base/file.h"
#include "core/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { COUNT_MAX = 20000000, NUMBERS_MAX = 16, TETRAHEDRON = 4, HEXAHEDRON = 5 };

typedef struct {
    int64_t tag;
    int32_t node;
} tagged_node;

typedef struct {
    const char *at, *last;
    const char *path;
    int64_t line; // of the numbers last read
    tal_volume_mesh *mesh;
    int64_t *tag;        // of each node
    tagged_node *sorted; // by tag; made when all are read
    int64_t *node_line, *element_line;
    int32_t node_capacity, element_capacity;
    tal_error *err;
} reader;

#define REFUSE(r, ...) TAL_FAIL((r)->err, TAL_BAD_INPUT, __VA_ARGS__)

// ---- Lines -----------------------------------------------------------------------------

// The next line that is not empty, without blanks around it; false at the end.
static bool next_line(reader *r, const char **start, const char **end) {
    while (r->at < r->last) {
        const char *stop = memchr(r->at, '\n', (size_t)(r->last - r->at));
        stop = stop != NULL ? stop : r->last;
        *start = r->at;
        *end = stop;
        r->at = stop < r->last ? stop + 1 : stop;
        r->line++;
        while (*start < *end && strchr(" \t\r", **start) != NULL && **start != '\0') {
            (*start)++;
        }
        while (*end > *start && strchr(" \t\r", (*end)[-1]) != NULL && (*end)[-1] != '\0') {
            (*end)--;
        }
        if (*end > *start) {
            return true;
        }
    }
    return false;
}

static bool is_word(const char *start, const char *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - start) == length && memcmp(start, word, length) == 0;
}

// Numbers of the next line; returns how many, -1 where the line is something else.
static int next_numbers(reader *r, double number[NUMBERS_MAX]) {
    const char *start, *end;
    int count = 0;
    if (!next_line(r, &start, &end)) {
        return -1;
    }
    while (start < end && count < NUMBERS_MAX) {
        char word[64];
        size_t size = 0;
        while (start < end && *start != ' ' && *start != '\t') {
            if (size + 1 == sizeof word) {
                return -1;
            }
            word[size++] = *start++;
        }
        word[size] = '\0';
        char *after;
        number[count] = strtod(word, &after);
        if (after == word || *after != '\0' || !isfinite(number[count])) {
            return -1;
        }
        count++;
        while (start < end && (*start == ' ' || *start == '\t')) {
            start++;
        }
    }
    return start < end ? -1 : count;
}

static bool is_count(double value) {
    return value >= 0 && value <= COUNT_MAX && value == floor(value);
}

static bool is_tag(double value) {
    return fabs(value) <= 9e15 && value == floor(value);
}

// A head of four whole numbers, of which the last two are counts, or the last alone.
static tal_status read_head(reader *r, const char *what, double head[NUMBERS_MAX]) {
    if (next_numbers(r, head) != 4 || !is_tag(head[0]) || !is_tag(head[1]) || !is_tag(head[2]) ||
        !is_tag(head[3])) {
        return REFUSE(r, "%s:%lld: %s must be four whole numbers, as Gmsh 4.1 writes them", r->path,
                      (long long)r->line, what);
    }
    return TAL_OK;
}

static tal_status expect_word(reader *r, const char *word) {
    const char *start, *end;
    if (!next_line(r, &start, &end) || !is_word(start, end, word)) {
        return REFUSE(r,
                      "%s:%lld: %s is missing: there are fewer or more lines before it than "
                      "their head says",
                      r->path, (long long)r->line, word);
    }
    return TAL_OK;
}

// ---- Sections --------------------------------------------------------------------------

static tal_status read_format(reader *r) {
    double number[NUMBERS_MAX];
    const int count = next_numbers(r, number);
    if (count < 2 || number[0] != 4.1 || number[1] != 0) {
        return REFUSE(r,
                      "%s:%lld: only version 4.1 as text is read: write it with gmsh -format msh41 "
                      "-bin 0",
                      r->path, (long long)r->line);
    }
    return expect_word(r, "$EndMeshFormat");
}

static tal_status reserve_nodes(reader *r, int32_t more) {
    tal_volume_mesh *m = r->mesh;
    const int64_t wanted = (int64_t)m->node_count + more;
    if (wanted > COUNT_MAX) {
        return REFUSE(r, "%s:%lld: more than %d nodes", r->path, (long long)r->line, COUNT_MAX);
    }
    if (wanted <= r->node_capacity) {
        return TAL_OK;
    }
    const size_t old = (size_t)r->node_capacity, target = (size_t)wanted + old;
    TAL_GROW(m->node, old, target, "nodes of a file", r->err);
    TAL_GROW(r->tag, old, target, "nodes of a file", r->err);
    TAL_GROW(r->node_line, old, target, "nodes of a file", r->err);
    r->node_capacity = (int32_t)target;
    return TAL_OK;
}

// A head can promise more than a file holds: room is taken as lines come.
static tal_status read_node_block(reader *r) {
    double head[NUMBERS_MAX], number[NUMBERS_MAX];
    TAL_TRY(read_head(r, "the head of a block of nodes", head));
    if (!is_count(head[3])) {
        return REFUSE(r, "%s:%lld: %g nodes cannot be", r->path, (long long)r->line, head[3]);
    }
    const int32_t count = (int32_t)head[3], first = r->mesh->node_count;
    for (int32_t k = 0; k < count; k++) {
        if (next_numbers(r, number) != 1 || !is_tag(number[0])) {
            return REFUSE(r, "%s:%lld: the number of a node must stand here alone", r->path,
                          (long long)r->line);
        }
        TAL_TRY(reserve_nodes(r, 1));
        r->tag[r->mesh->node_count] = (int64_t)number[0];
        r->mesh->node[r->mesh->node_count++] = (tal_vec3){0};
    }
    for (int32_t k = 0; k < count; k++) {
        if (next_numbers(r, number) < 3) {
            return REFUSE(r, "%s:%lld: a node needs three coordinates", r->path,
                          (long long)r->line);
        }
        r->mesh->node[first + k] = tal_vec3_make(number[0], number[1], number[2]);
        r->node_line[first + k] = r->line;
    }
    return TAL_OK;
}

static tal_status read_nodes(reader *r) {
    double head[NUMBERS_MAX];
    TAL_TRY(read_head(r, "the line after $Nodes", head));
    for (double k = 0; k < head[0]; k++) {
        TAL_TRY(read_node_block(r));
    }
    return expect_word(r, "$EndNodes");
}

static int compare_tags(const void *left, const void *right) {
    const tagged_node *a = left, *b = right;
    return a->tag != b->tag ? (a->tag < b->tag ? -1 : 1) : a->node < b->node ? -1 : 1;
}

static tal_status sort_nodes(reader *r) {
    const int32_t count = r->mesh->node_count;
    TAL_CREATE(r->sorted, (size_t)count + 1, "nodes of a file", r->err);
    for (int32_t n = 0; n < count; n++) {
        r->sorted[n] = (tagged_node){r->tag[n], n};
    }
    qsort(r->sorted, (size_t)count, sizeof *r->sorted, compare_tags);
    for (int32_t n = 1; n < count; n++) {
        if (r->sorted[n].tag == r->sorted[n - 1].tag) {
            return REFUSE(r, "%s:%lld: node %lld stands in the file twice", r->path,
                          (long long)r->node_line[r->sorted[n].node], (long long)r->sorted[n].tag);
        }
    }
    return TAL_OK;
}

static int32_t find_node(const reader *r, double tag) {
    int32_t low = 0, high = r->mesh->node_count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if ((double)r->sorted[middle].tag < tag) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < r->mesh->node_count && (double)r->sorted[low].tag == tag ? r->sorted[low].node
                                                                          : -1;
}

static tal_status add_element(reader *r, const double *number, int count, int corners) {
    tal_volume_mesh *m = r->mesh;
    if (count != 1 + corners) {
        return REFUSE(r, "%s:%lld: an element needs its number and %d nodes", r->path,
                      (long long)r->line, corners);
    }
    if (m->element_count == r->element_capacity) {
        const size_t old = (size_t)r->element_capacity, target = 2 * old + 256;
        TAL_GROW(m->element, TAL_VOLUME_CORNERS * old, TAL_VOLUME_CORNERS * target,
                 "elements of a file", r->err);
        TAL_GROW(r->element_line, old, target, "elements of a file", r->err);
        r->element_capacity = (int32_t)target;
    }
    int32_t *element = &m->element[TAL_VOLUME_CORNERS * m->element_count];
    for (int c = 0; c < TAL_VOLUME_CORNERS; c++) {
        element[c] = c < corners ? find_node(r, number[1 + c]) : -1;
        if (c < corners && element[c] < 0) {
            return REFUSE(r, "%s:%lld: an element names node %.17g, which is not in the file",
                          r->path, (long long)r->line, number[1 + c]);
        }
    }
    r->element_line[m->element_count++] = r->line;
    return TAL_OK;
}

// Elements of volumes are taken; of those that bound them none is needed.
static tal_status read_element_block(reader *r) {
    double head[NUMBERS_MAX], number[NUMBERS_MAX];
    TAL_TRY(read_head(r, "the head of a block of elements", head));
    const int corners = head[2] == TETRAHEDRON ? 4 : head[2] == HEXAHEDRON ? 8 : 0;
    if (!is_count(head[3])) {
        return REFUSE(r, "%s:%lld: %g elements cannot be", r->path, (long long)r->line, head[3]);
    }
    if (head[0] == 3 && corners == 0) {
        return REFUSE(r,
                      "%s:%lld: elements of type %g are not known: only tetrahedra (4) and "
                      "hexahedra (5) of first order are",
                      r->path, (long long)r->line, head[2]);
    }
    for (double k = 0; k < head[3]; k++) {
        const int count = next_numbers(r, number);
        if (count < 2) {
            return REFUSE(r,
                          "%s:%lld: an element must stand here: there are fewer than their head "
                          "says",
                          r->path, (long long)r->line);
        }
        if (head[0] == 3) {
            TAL_TRY(add_element(r, number, count, corners));
        }
    }
    return TAL_OK;
}

static tal_status read_elements(reader *r) {
    double head[NUMBERS_MAX];
    TAL_TRY(sort_nodes(r));
    TAL_TRY(read_head(r, "the line after $Elements", head));
    for (double k = 0; k < head[0]; k++) {
        TAL_TRY(read_element_block(r));
    }
    return expect_word(r, "$EndElements");
}

static tal_status read_sections(reader *r) {
    const char *start, *end;
    bool has_format = false;
    while (next_line(r, &start, &end)) {
        if (is_word(start, end, "$MeshFormat")) {
            TAL_TRY(read_format(r));
            has_format = true;
        } else if (!has_format) {
            return REFUSE(r, "%s:%lld: a Gmsh file begins with $MeshFormat", r->path,
                          (long long)r->line);
        } else if (is_word(start, end, "$Nodes") && r->mesh->node_count == 0) {
            TAL_TRY(read_nodes(r));
        } else if (is_word(start, end, "$Elements") && r->mesh->node_count > 0 &&
                   r->sorted == NULL) {
            TAL_TRY(read_elements(r));
        }
    }
    if (r->mesh->element_count == 0) {
        return REFUSE(r, "%s holds no tetrahedra and no hexahedra: mesh its volume (gmsh -3)",
                      r->path);
    }
    return tal_volume_mesh_check(r->mesh, r->path, r->element_line, r->node_line, r->err);
}

tal_status tal_gmsh_file_parse(tal_volume_mesh *mesh, const char *bytes, size_t length,
                               const char *path, tal_error *err) {
    reader r = {.at = bytes, .last = bytes + length, .path = path, .mesh = mesh, .err = err};
    *mesh = (tal_volume_mesh){0};
    const tal_status status = read_sections(&r);
    tal_memory_destroy(r.tag);
    tal_memory_destroy(r.sorted);
    tal_memory_destroy(r.node_line);
    tal_memory_destroy(r.element_line);
    if (status != TAL_OK) {
        tal_memory_destroy(mesh->node);
        tal_memory_destroy(mesh->element);
        *mesh = (tal_volume_mesh){0};
    }
    return status;
}

bool tal_gmsh_file_is_known(const char *path) {
    const char *dot = strrchr(tal_path_name(path), '.');
    return dot != NULL && strcasecmp(dot, ".msh") == 0;
}

tal_status tal_gmsh_file_read(tal_volume_mesh *mesh, const char *path, tal_error *err) {
    char *bytes = NULL;
    size_t length = 0;
    *mesh = (tal_volume_mesh){0};
    TAL_TRY(tal_file_read(path, &bytes, &length, err));
    const tal_status status = tal_gmsh_file_parse(mesh, bytes, length, path, err);
    tal_memory_destroy(bytes);
    return status;
}
