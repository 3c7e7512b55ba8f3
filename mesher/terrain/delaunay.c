// SPDX-License-Identifier: GPL-3.0-or-later
// Incremental Delaunay triangulation by edge flips (Lawson), on whole-number coordinates.
#include "mesher/terrain/delaunay.h"

#include "core/base/memory.h"

__extension__ typedef __int128 wide;

// docs/theory/mesher.md (1).
int tal_delaunay_in_circle(const int32_t a[2], const int32_t b[2], const int32_t c[2],
                           const int32_t d[2]) {
    const int64_t ax = a[0] - d[0], ay = a[1] - d[1];
    const int64_t bx = b[0] - d[0], by = b[1] - d[1];
    const int64_t cx = c[0] - d[0], cy = c[1] - d[1];
    const wide determinant = (wide)(ax * ax + ay * ay) * (bx * cy - cx * by) +
                             (wide)(bx * bx + by * by) * (cx * ay - ax * cy) +
                             (wide)(cx * cx + cy * cy) * (ax * by - bx * ay);
    return determinant > 0 ? 1 : (determinant < 0 ? -1 : 0);
}

static int64_t area_of(int64_t ax, int64_t ay, int64_t bx, int64_t by, int64_t cx, int64_t cy) {
    return (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
}

int64_t tal_delaunay_area(const tal_delaunay *mesh, int32_t a, int32_t b, int32_t c) {
    return area_of(mesh->vertex_x[a], mesh->vertex_y[a], mesh->vertex_x[b], mesh->vertex_y[b],
                   mesh->vertex_x[c], mesh->vertex_y[c]);
}

// ---- Storage ---------------------------------------------------------------------------

static tal_status grow(void **memory, int32_t *capacity, int32_t wanted, size_t size,
                       const char *what, tal_error *err) {
    if (wanted <= *capacity) {
        return TAL_OK;
    }
    const int64_t doubled = (int64_t)*capacity * 2;
    const int64_t target = doubled > wanted ? doubled : wanted;
    if (target > INT32_MAX) {
        return TAL_FAIL(err, TAL_TOO_LARGE, "the terrain mesh would need more than 2^31 %s", what);
    }
    void *larger = tal_memory_grow(*memory, (size_t)*capacity, (size_t)target, size);
    if (larger == NULL) {
        return tal_memory_failed(err, what, (size_t)target, size);
    }
    *memory = larger;
    *capacity = (int32_t)target;
    return TAL_OK;
}

static tal_status reserve(tal_delaunay *mesh, tal_error *err) {
    int32_t capacity = mesh->vertex_capacity;
    TAL_TRY(grow((void **)&mesh->vertex_x, &capacity, mesh->vertex_count + 1, sizeof(int32_t),
                 "vertices", err));
    TAL_TRY(grow((void **)&mesh->vertex_y, &mesh->vertex_capacity, mesh->vertex_count + 1,
                 sizeof(int32_t), "vertices", err));
    return grow((void **)&mesh->triangle, &mesh->triangle_capacity, mesh->triangle_count + 2,
                sizeof(tal_delaunay_triangle), "triangles", err);
}

static tal_status note_changed(tal_delaunay *mesh, int32_t triangle, tal_error *err) {
    TAL_TRY(grow((void **)&mesh->changed, &mesh->changed_capacity, mesh->changed_count + 1,
                 sizeof(int32_t), "changed triangles", err));
    mesh->changed[mesh->changed_count++] = triangle;
    return TAL_OK;
}

static int32_t add_vertex(tal_delaunay *mesh, int32_t x, int32_t y) {
    TAL_ASSERT(mesh->vertex_count < mesh->vertex_capacity);
    mesh->vertex_x[mesh->vertex_count] = x;
    mesh->vertex_y[mesh->vertex_count] = y;
    return mesh->vertex_count++;
}

static void set_triangle(tal_delaunay *mesh, int32_t t, const int32_t vertex[3],
                         const int32_t neighbour[3]) {
    TAL_ASSERT(t >= 0 && t < mesh->triangle_capacity);
    for (int k = 0; k < 3; k++) {
        TAL_ASSERT(vertex[k] >= 0 && vertex[k] < mesh->vertex_count && neighbour[k] != t);
        mesh->triangle[t].vertex[k] = vertex[k];
        mesh->triangle[t].neighbour[k] = neighbour[k];
    }
}

// `neighbour` looked at `old` across a shared edge; now it looks at `fresh`.
static void relink(tal_delaunay *mesh, int32_t neighbour, int32_t old, int32_t fresh) {
    if (neighbour < 0) {
        return;
    }
    for (int k = 0; k < 3; k++) {
        if (mesh->triangle[neighbour].neighbour[k] == old) {
            mesh->triangle[neighbour].neighbour[k] = fresh;
            return;
        }
    }
}

tal_status tal_delaunay_create(tal_delaunay *mesh, int32_t columns, int32_t rows, tal_error *err) {
    *mesh = (tal_delaunay){.columns = columns, .rows = rows};
    if (columns < 2 || rows < 2 || columns > TAL_DELAUNAY_SIDE_MAX ||
        rows > TAL_DELAUNAY_SIDE_MAX) {
        return TAL_FAIL(err, TAL_BAD_INPUT,
                        "a grid of %d x %d cells cannot be meshed: each side must have 2 to %d",
                        columns, rows, TAL_DELAUNAY_SIDE_MAX);
    }
    mesh->vertex_count = 3; // makes room for four
    mesh->triangle_count = 0;
    TAL_TRY(reserve(mesh, err));
    mesh->vertex_count = 0;
    const int32_t a = add_vertex(mesh, 0, 0), b = add_vertex(mesh, columns - 1, 0);
    const int32_t c = add_vertex(mesh, columns - 1, rows - 1), d = add_vertex(mesh, 0, rows - 1);
    set_triangle(mesh, 0, (const int32_t[]){a, b, c}, (const int32_t[]){-1, -1, 1});
    set_triangle(mesh, 1, (const int32_t[]){a, c, d}, (const int32_t[]){0, -1, -1});
    mesh->triangle_count = 2;
    return TAL_OK;
}

void tal_delaunay_destroy(tal_delaunay *mesh) {
    if (mesh != NULL) {
        tal_memory_destroy(mesh->vertex_x);
        tal_memory_destroy(mesh->vertex_y);
        tal_memory_destroy(mesh->triangle);
        tal_memory_destroy(mesh->changed);
        tal_memory_destroy(mesh->stack);
        *mesh = (tal_delaunay){0};
    }
}

int32_t tal_delaunay_find(const tal_delaunay *mesh, int32_t x, int32_t y) {
    int32_t t = mesh->last;
    for (;;) {
        const tal_delaunay_triangle *triangle = &mesh->triangle[t];
        int32_t next = -1;
        for (int k = 0; k < 3 && next < 0; k++) {
            const int32_t a = triangle->vertex[k], b = triangle->vertex[(k + 1) % 3];
            if (area_of(mesh->vertex_x[a], mesh->vertex_y[a], mesh->vertex_x[b], mesh->vertex_y[b],
                        x, y) < 0) {
                next = triangle->neighbour[k];
            }
        }
        if (next < 0) {
            return t;
        }
        t = next;
    }
}

// ---- Flips -----------------------------------------------------------------------------

static tal_status push_edge(tal_delaunay *mesh, int32_t *depth, int32_t triangle, int edge,
                            tal_error *err) {
    TAL_TRY(grow((void **)&mesh->stack, &mesh->stack_capacity, *depth + 1, sizeof(int32_t),
                 "edges to test", err));
    mesh->stack[(*depth)++] = triangle * 3 + edge;
    return TAL_OK;
}

static void vertex_at(const tal_delaunay *mesh, int32_t v, int32_t out[2]) {
    out[0] = mesh->vertex_x[v];
    out[1] = mesh->vertex_y[v];
}

static int edge_towards(const tal_delaunay *mesh, int32_t triangle, int32_t neighbour) {
    const int32_t *n = mesh->triangle[triangle].neighbour;
    return n[0] == neighbour ? 0 : (n[1] == neighbour ? 1 : 2);
}

static bool must_flip(const tal_delaunay *mesh, int32_t t, int32_t u, int edge_u) {
    int32_t a[2], b[2], c[2], d[2];
    vertex_at(mesh, mesh->triangle[t].vertex[0], a);
    vertex_at(mesh, mesh->triangle[t].vertex[1], b);
    vertex_at(mesh, mesh->triangle[t].vertex[2], c);
    vertex_at(mesh, mesh->triangle[u].vertex[(edge_u + 2) % 3], d);
    return tal_delaunay_in_circle(a, b, c, d) > 0;
}

// Triangles t = (a, b, p) and u = (b, a, q) become t = (p, a, q) and u = (q, b, p).
static tal_status flip(tal_delaunay *mesh, int32_t t, int edge_t, int32_t u, int edge_u,
                       int32_t *depth, tal_error *err) {
    const tal_delaunay_triangle old_t = mesh->triangle[t], old_u = mesh->triangle[u];
    const int32_t a = old_t.vertex[edge_t], b = old_t.vertex[(edge_t + 1) % 3];
    const int32_t p = old_t.vertex[(edge_t + 2) % 3], q = old_u.vertex[(edge_u + 2) % 3];
    const int32_t across_bp = old_t.neighbour[(edge_t + 1) % 3];
    const int32_t across_pa = old_t.neighbour[(edge_t + 2) % 3];
    const int32_t across_aq = old_u.neighbour[(edge_u + 1) % 3];
    const int32_t across_qb = old_u.neighbour[(edge_u + 2) % 3];
    set_triangle(mesh, t, (const int32_t[]){p, a, q}, (const int32_t[]){across_pa, across_aq, u});
    set_triangle(mesh, u, (const int32_t[]){q, b, p}, (const int32_t[]){across_qb, across_bp, t});
    relink(mesh, across_aq, u, t);
    relink(mesh, across_bp, t, u);
    TAL_TRY(note_changed(mesh, t, err));
    TAL_TRY(note_changed(mesh, u, err));
    // p is the new vertex: only the edges facing it can be wrong now.
    TAL_TRY(push_edge(mesh, depth, t, 1, err));
    return push_edge(mesh, depth, u, 0, err);
}

static tal_status restore_delaunay(tal_delaunay *mesh, int32_t depth, tal_error *err) {
    while (depth > 0) {
        const int32_t entry = mesh->stack[--depth];
        const int32_t t = entry / 3;
        const int edge = entry % 3;
        const int32_t u = mesh->triangle[t].neighbour[edge];
        if (u < 0) {
            continue;
        }
        const int edge_u = edge_towards(mesh, u, t);
        if (must_flip(mesh, t, u, edge_u)) {
            TAL_TRY(flip(mesh, t, edge, u, edge_u, &depth, err));
        }
    }
    return TAL_OK;
}

// ---- Insertion -------------------------------------------------------------------------

// (a, b, c) becomes (a, b, p), (b, c, p), (c, a, p).
static tal_status split_triangle(tal_delaunay *mesh, int32_t t, int32_t p, int32_t *depth,
                                 tal_error *err) {
    const tal_delaunay_triangle old = mesh->triangle[t];
    const int32_t *v = old.vertex, *n = old.neighbour;
    const int32_t t1 = mesh->triangle_count, t2 = t1 + 1;
    mesh->triangle_count += 2;
    set_triangle(mesh, t, (const int32_t[]){v[0], v[1], p}, (const int32_t[]){n[0], t1, t2});
    set_triangle(mesh, t1, (const int32_t[]){v[1], v[2], p}, (const int32_t[]){n[1], t2, t});
    set_triangle(mesh, t2, (const int32_t[]){v[2], v[0], p}, (const int32_t[]){n[2], t, t1});
    relink(mesh, n[1], t, t1);
    relink(mesh, n[2], t, t2);
    const int32_t made[3] = {t, t1, t2};
    for (int k = 0; k < 3; k++) {
        TAL_TRY(note_changed(mesh, made[k], err));
        TAL_TRY(push_edge(mesh, depth, made[k], 0, err));
    }
    return TAL_OK;
}

// p lies on the edge (a, b) of t = (a, b, c) and of u = (b, a, d), where there is one.
static tal_status split_edge(tal_delaunay *mesh, int32_t t, int edge, int32_t p, int32_t *depth,
                             tal_error *err) {
    const tal_delaunay_triangle old_t = mesh->triangle[t];
    const int32_t a = old_t.vertex[edge], b = old_t.vertex[(edge + 1) % 3];
    const int32_t c = old_t.vertex[(edge + 2) % 3];
    const int32_t across_bc = old_t.neighbour[(edge + 1) % 3];
    const int32_t across_ca = old_t.neighbour[(edge + 2) % 3];
    const int32_t u = old_t.neighbour[edge];
    const int32_t t1 = mesh->triangle_count++;
    const int32_t u1 = u < 0 ? -1 : mesh->triangle_count++;
    // t = (c, a, p), t1 = (b, c, p)
    set_triangle(mesh, t, (const int32_t[]){c, a, p}, (const int32_t[]){across_ca, u1, t1});
    set_triangle(mesh, t1, (const int32_t[]){b, c, p}, (const int32_t[]){across_bc, t, u});
    relink(mesh, across_bc, t, t1);
    TAL_TRY(note_changed(mesh, t, err));
    TAL_TRY(note_changed(mesh, t1, err));
    TAL_TRY(push_edge(mesh, depth, t, 0, err));
    TAL_TRY(push_edge(mesh, depth, t1, 0, err));
    if (u < 0) {
        return TAL_OK;
    }
    const tal_delaunay_triangle old_u = mesh->triangle[u];
    const int edge_u = edge_towards(mesh, u, t);
    const int32_t d = old_u.vertex[(edge_u + 2) % 3];
    const int32_t across_ad = old_u.neighbour[(edge_u + 1) % 3];
    const int32_t across_db = old_u.neighbour[(edge_u + 2) % 3];
    // u = (d, b, p), u1 = (a, d, p)
    set_triangle(mesh, u, (const int32_t[]){d, b, p}, (const int32_t[]){across_db, t1, u1});
    set_triangle(mesh, u1, (const int32_t[]){a, d, p}, (const int32_t[]){across_ad, u, t});
    relink(mesh, across_ad, u, u1);
    TAL_TRY(note_changed(mesh, u, err));
    TAL_TRY(note_changed(mesh, u1, err));
    TAL_TRY(push_edge(mesh, depth, u, 0, err));
    return push_edge(mesh, depth, u1, 0, err);
}

tal_status tal_delaunay_insert(tal_delaunay *mesh, int32_t x, int32_t y, int32_t triangle,
                               tal_error *err) {
    TAL_TRY(reserve(mesh, err));
    const int32_t p = add_vertex(mesh, x, y);
    mesh->changed_count = 0;
    int32_t depth = 0;
    int on_edge = -1;
    for (int k = 0; k < 3; k++) {
        const int32_t *v = mesh->triangle[triangle].vertex;
        if (tal_delaunay_area(mesh, v[k], v[(k + 1) % 3], p) == 0) {
            on_edge = k;
        }
    }
    if (on_edge >= 0) {
        TAL_TRY(split_edge(mesh, triangle, on_edge, p, &depth, err));
    } else {
        TAL_TRY(split_triangle(mesh, triangle, p, &depth, err));
    }
    mesh->last = triangle;
    return restore_delaunay(mesh, depth, err);
}
