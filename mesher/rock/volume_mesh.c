// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks divided into finite elements.
#include "mesher/rock/volume_mesh.h"

#include "core/base/memory.h"
#include "core/geometry/tetrahedra.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void tal_volume_meshes_destroy(tal_volume_mesh *mesh, int32_t count) {
    for (int32_t k = 0; mesh != NULL && k < count; k++) {
        tal_memory_destroy(mesh[k].node);
        tal_memory_destroy(mesh[k].element);
    }
    tal_memory_destroy(mesh);
}

// ---- Checks ----------------------------------------------------------------------------

static double six_volumes(const tal_volume_mesh *m, int32_t a, int32_t b, int32_t c, int32_t d) {
    const tal_vec3 o = m->node[a];
    return tal_tetrahedron_six(tal_vec3_subtract(m->node[b], o), tal_vec3_subtract(m->node[c], o),
                               tal_vec3_subtract(m->node[d], o));
}

// Corners of a hexahedron with its three neighbours, right-handed.
static const int AROUND[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                 {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};

// The least of the volumes spanned at the corners, over what their edges allow; not positive: inside out.
static double least_corner(const tal_volume_mesh *m, const int32_t *e) {
    double least = INFINITY;
    if (tal_volume_corner_count(e) == 4) {
        return six_volumes(m, e[0], e[1], e[2], e[3]);
    }
    for (int k = 0; k < 8; k++) {
        const int *n = AROUND[k];
        least = fmin(least, six_volumes(m, e[k], e[n[0]], e[n[1]], e[n[2]]));
    }
    return least;
}

// Five tetrahedra of a hexahedron with straight faces; of others the mean of both ways to cut it is exact.
double tal_volume_mesh_volume(const tal_volume_mesh *m) {
    static const int CUT[10][4] = {{0, 1, 3, 4}, {2, 3, 1, 6}, {5, 4, 6, 1}, {7, 6, 4, 3},
                                   {1, 3, 4, 6}, {1, 2, 0, 5}, {3, 0, 2, 7}, {4, 7, 5, 0},
                                   {6, 5, 7, 2}, {0, 2, 7, 5}};
    double sum = 0;
    for (int32_t k = 0; k < m->element_count; k++) {
        const int32_t *e = m->element + TAL_VOLUME_CORNERS * k;
        if (tal_volume_corner_count(e) == 4) {
            sum += six_volumes(m, e[0], e[1], e[2], e[3]) / 6;
            continue;
        }
        for (int t = 0; t < 10; t++) {
            sum +=
                fabs(six_volumes(m, e[CUT[t][0]], e[CUT[t][1]], e[CUT[t][2]], e[CUT[t][3]])) / 12;
        }
    }
    return sum;
}

static void say_place(char *place, size_t size, const char *path, const int64_t *line, int32_t k,
                      const char *what) {
    if (line != NULL) {
        (void)snprintf(place, size, "%s:%lld: this %s", path, (long long)line[k], what);
    } else {
        (void)snprintf(place, size, "%s: %s %d", path, what, k);
    }
}

static int32_t root_of(int32_t *parent, int32_t n) {
    while (parent[n] != n) {
        n = parent[n] = parent[parent[n]];
    }
    return n;
}

static void check_elements(const tal_volume_mesh *m, const char *path, const int64_t *line,
                           int32_t *parent, tal_error *err) {
    char place[TAL_PATH_SIZE + 64];
    for (int32_t k = 0; k < m->element_count; k++) {
        const int32_t *e = m->element + TAL_VOLUME_CORNERS * k;
        if (!(least_corner(m, e) > 0)) {
            say_place(place, sizeof place, path, line, k, "element");
            tal_error_add(err, TAL_BAD_INPUT,
                          "%s is flat or inside out: its corners must go around its lower face "
                          "counter-clockwise seen from above",
                          place);
        }
        for (int c = 0; c < tal_volume_corner_count(e); c++) {
            parent[e[c]] = parent[e[c]] < 0 ? e[c] : parent[e[c]];
            parent[root_of(parent, e[c])] = root_of(parent, e[0]);
        }
    }
}

static void check_nodes(const tal_volume_mesh *m, const char *path, const int64_t *line,
                        int32_t *parent, tal_error *err) {
    char place[TAL_PATH_SIZE + 64];
    int32_t first = -1;
    bool is_whole = true;
    for (int32_t n = 0; n < m->node_count; n++) {
        if (parent[n] < 0) {
            say_place(place, sizeof place, path, line, n, "node");
            tal_error_add(err, TAL_BAD_INPUT, "%s belongs to no element: leave it out", place);
            continue;
        }
        first = first < 0 ? root_of(parent, n) : first;
        if (is_whole && root_of(parent, n) != first) {
            is_whole = false;
            say_place(place, sizeof place, path, line, n, "node");
            tal_error_add(err, TAL_BAD_INPUT,
                          "%s is in another piece than the first one: a block is one piece; give "
                          "each piece a file of its own",
                          place);
        }
    }
}

tal_status tal_volume_mesh_check(const tal_volume_mesh *m, const char *path,
                                 const int64_t *line_of_element, const int64_t *line_of_node,
                                 tal_error *err) {
    tal_error unheard = {0};
    err = err != NULL ? err : &unheard;
    const int before = err->message_count;
    int32_t *parent;
    TAL_CREATE(parent, (size_t)m->node_count + 1, "a mesh of elements", err);
    for (int32_t n = 0; n < m->node_count; n++) {
        parent[n] = -1;
    }
    check_elements(m, path, line_of_element, parent, err);
    check_nodes(m, path, line_of_node, parent, err);
    tal_memory_destroy(parent);
    return err->message_count > before ? TAL_BAD_INPUT : TAL_OK;
}

// ---- Filling ---------------------------------------------------------------------------

static const tal_body_settings *body_of(const tal_settings *settings, const char *class_name) {
    for (int k = 0; k < settings->body_count; k++) {
        if (strcmp(settings->body[k].label, class_name) == 0) {
            return &settings->body[k];
        }
    }
    return NULL;
}

static tal_status take_tetrahedra(tal_volume_mesh *mesh, tal_tetrahedra *made, tal_error *err) {
    TAL_CREATE(mesh->element, TAL_VOLUME_CORNERS * (size_t)made->tetrahedron_count,
               "elements of a block", err);
    for (int32_t t = 0; t < made->tetrahedron_count; t++) {
        for (int c = 0; c < TAL_VOLUME_CORNERS; c++) {
            mesh->element[TAL_VOLUME_CORNERS * t + c] = c < 4 ? made->tetrahedron[4 * t + c] : -1;
        }
    }
    mesh->node = made->node;
    mesh->node_count = made->node_count;
    mesh->element_count = made->tetrahedron_count;
    made->node = NULL;
    return TAL_OK;
}

static tal_status fill_block(tal_volume_mesh *mesh, const tal_block_set *blocks, int32_t b,
                             const tal_settings *settings, const tal_body_settings *body,
                             tal_error *err) {
    const char *where = tal_settings_where_in(settings, body, sizeof *body);
    if (blocks->block[b].sphere_radius > 0) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "%s: [body.%s] kind = finite-element: block %d is a sphere, which has no "
                        "flat faces to mesh; take pseudo-rigid, or a polyhedron",
                        where, body->label, b);
    }
    if (isnan(body->element_m)) {
        return TAL_FAIL(err, TAL_BAD_SETTING,
                        "%s: [body.%s] kind = finite-element needs element_m: block %d was not "
                        "imported as a mesh of elements",
                        where, body->label, b);
    }
    const tal_surface surface = tal_block_set_surface(blocks, b);
    tal_tetrahedra made;
    tal_status status = tal_tetrahedra_fill(&made, &surface, body->element_m, err);
    if (status == TAL_TOO_LARGE) {
        tal_error_reset(err);
        status = TAL_FAIL(err, TAL_BAD_SETTING,
                          "%s: [body.%s] element_m = %g makes too many elements of block %d: take "
                          "larger ones",
                          where, body->label, body->element_m, b);
    }
    status = status == TAL_OK ? take_tetrahedra(mesh, &made, err) : status;
    tal_tetrahedra_destroy(&made);
    return status;
}

static tal_status check_labels(const tal_class_names *names, const tal_settings *settings,
                               tal_error *err) {
    for (int k = 0; k < settings->body_count; k++) {
        bool is_known = false;
        for (int n = 0; n < names->count; n++) {
            is_known = is_known || strcmp(names->name[n], settings->body[k].label) == 0;
        }
        if (!is_known) {
            return TAL_FAIL(
                err, TAL_BAD_SETTING, "%s: [body.%s] names no surface class of the blocks",
                tal_settings_where_in(settings, &settings->body[k], sizeof settings->body[k]),
                settings->body[k].label);
        }
    }
    return TAL_OK;
}

tal_status tal_blocks_fill(tal_volume_mesh *mesh, const tal_block_set *blocks,
                           const int32_t *block_class, const tal_class_names *names,
                           const tal_settings *settings, tal_error *err) {
    TAL_TRY(check_labels(names, settings, err));
    for (int32_t b = 0; b < blocks->block_count; b++) {
        const tal_body_settings *body = body_of(settings, names->name[block_class[b]]);
        if (body != NULL && body->kind == TAL_BODY_FINITE_ELEMENT && mesh[b].element_count == 0) {
            TAL_TRY(fill_block(&mesh[b], blocks, b, settings, body, err));
        }
    }
    return TAL_OK;
}
