// SPDX-License-Identifier: GPL-3.0-or-later
// Columns of cells: bodies are hashed by the (x, y) cell of their centre and sorted by height
// within it; neighbouring columns are swept upwards together. Heaps on the ground are wide and low,
// so a column needs few neighbours and a sweep few tests.
#include "solver/detect/broad_phase.h"

#include "core/base/memory.h"
#include "core/base/threads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Each level's cells are a quarter as wide as those of the level above: fewer levels to look through
// are worth a few more tests within one.
enum { LEVELS_MAX = 16, LEVEL_BITS = 2 };

// A column at one level of size; a body lives in the column of its box's centre, at the finest
// level whose cells are at least as wide as the box. Boxes that overlap then have centres in
// neighbouring columns of the coarser one's level.
typedef struct {
    int32_t x, y;
    int32_t level; // -1: takes part in nothing
} column_key;

typedef struct {
    column_key key;
    int32_t start, end;  // of its bodies in sorted order
    tal_body_box bounds; // of their boxes
} column;

// A body in sorted order, with all that a sweep reads.
typedef struct {
    tal_body_box box;
    int32_t body;
    int32_t unused;
} sweep_box;

typedef struct {
    uint64_t *pair; // i << 32 | j
    int32_t count, capacity;
    tal_status status;
} pair_list;

struct tal_broad_phase {
    int32_t body_count;
    column_key *key;        // per body
    int32_t bucket_count;   // power of two
    int32_t *bucket_start;  // bucket_count + 1: bodies
    int32_t *bucket_column; // bucket_count + 1: columns
    int32_t *sorted;        // bodies by bucket, column, height
    sweep_box *sweep;       // the same order
    column *column;
    int32_t column_count;
    bool level_used[LEVELS_MAX];
    double cell_size[LEVELS_MAX];
    int thread_capacity;
    pair_list *list; // per thread
    int32_t *start;  // body_count + 1
    int32_t *cursor;
    int32_t *partner;
    int32_t partner_capacity;
};

static double box_width(const tal_body_box *box) {
    const double x = box->high.x - box->low.x, y = box->high.y - box->low.y;
    return x > y ? x : y;
}

static bool box_is_usable(const tal_body_box *box) {
    // A sum is finite only if all its parts are.
    return isfinite(box->low.x + box->low.y + box->low.z + box->high.x + box->high.y + box->high.z);
}

static int32_t cell_coordinate(double low, double high, double size) {
    const double k = floor(0.5 * (low + high) / size);
    return k < -1e9 ? -1000000000 : k > 1e9 ? 1000000000 : (int32_t)k;
}

static column_key key_at(const tal_body_box *box, double size, int32_t level) {
    return (column_key){cell_coordinate(box->low.x, box->high.x, size),
                        cell_coordinate(box->low.y, box->high.y, size), level};
}

static bool same_key(column_key a, column_key b) {
    return a.x == b.x && a.y == b.y && a.level == b.level;
}

static int32_t bucket_of(const tal_broad_phase *b, column_key k) {
    uint64_t h = (uint64_t)(uint32_t)k.x * 0x9E3779B97F4A7C15u;
    h ^= (uint64_t)(uint32_t)k.y * 0xC2B2AE3D27D4EB4Fu;
    h ^= (uint64_t)(uint32_t)k.level * 0x27D4EB2F165667C5u;
    return (int32_t)((h ^ h >> 29) >> 17 & (uint64_t)(b->bucket_count - 1));
}

// The coarsest cells fit the largest box.
static void choose_levels(tal_broad_phase *b, const tal_body_box *boxes) {
    double largest = 0.0;
    for (int32_t k = 0; k < b->body_count; k++) {
        const double width = box_is_usable(&boxes[k]) ? box_width(&boxes[k]) : 0.0;
        largest = width > largest ? width : largest;
    }
    // A little larger than the box, so that rounding never sends a touching pair two cells apart.
    double size = largest > 0.0 ? largest * (1.0 + 1e-9) : 1.0;
    for (int32_t level = 0; level < LEVELS_MAX; level++, size /= 1 << LEVEL_BITS) {
        b->cell_size[level] = size;
        b->level_used[level] = false;
    }
}

static void assign_columns(tal_broad_phase *b, const tal_body_box *boxes) {
    for (int32_t k = 0; k < b->body_count; k++) {
        b->key[k].level = -1;
        if (!box_is_usable(&boxes[k])) {
            continue;
        }
        const double extent = box_width(&boxes[k]) * (1.0 + 1e-9);
        int32_t level = 0;
        while (level + 1 < LEVELS_MAX && b->cell_size[level + 1] >= extent) {
            level++;
        }
        b->key[k] = key_at(&boxes[k], b->cell_size[level], level);
        b->level_used[level] = true;
    }
}

// Counting sort.
static void sort_into_buckets(tal_broad_phase *b) {
    int32_t *start = b->bucket_start;
    for (int32_t k = 0; k <= b->bucket_count; k++) {
        start[k] = 0;
    }
    for (int32_t k = 0; k < b->body_count; k++) {
        if (b->key[k].level >= 0) {
            b->cursor[k] = bucket_of(b, b->key[k]);
            start[b->cursor[k]]++;
        }
    }
    for (int32_t k = 0, sum = 0; k <= b->bucket_count; k++) {
        sum += start[k];
        start[k] = sum;
    }
    // Filled from behind, so that start[] ends up where the buckets begin.
    for (int32_t k = b->body_count - 1; k >= 0; k--) {
        if (b->key[k].level >= 0) {
            b->sorted[--start[b->cursor[k]]] = k;
        }
    }
}

// By column, then height, then number.
static bool comes_before(const tal_broad_phase *b, const tal_body_box *boxes, int32_t k,
                         int32_t m) {
    const column_key p = b->key[k], q = b->key[m];
    if (!same_key(p, q)) {
        return p.level != q.level ? p.level < q.level : p.x != q.x ? p.x < q.x : p.y < q.y;
    }
    const double low_k = boxes[k].low.z, low_m = boxes[m].low.z;
    return low_k != low_m ? low_k < low_m : k < m;
}

static void insertion_sort(const tal_broad_phase *b, const tal_body_box *boxes, int32_t *list,
                           int32_t count) {
    for (int32_t k = 1; k < count; k++) {
        const int32_t moving = list[k];
        int32_t m = k;
        for (; m > 0 && comes_before(b, boxes, moving, list[m - 1]); m--) {
            list[m] = list[m - 1];
        }
        list[m] = moving;
    }
}

// Merges the two sorted halves of a list; `room` takes the first half.
static void merge_halves(const tal_broad_phase *b, const tal_body_box *boxes, int32_t *list,
                         int32_t middle, int32_t count, int32_t *room) {
    for (int32_t k = 0; k < middle; k++) {
        room[k] = list[k];
    }
    int32_t first = 0, second = middle, out = 0;
    while (first < middle) {
        const bool take_second =
            second < count && comes_before(b, boxes, list[second], room[first]);
        list[out++] = take_second ? list[second++] : room[first++];
    }
}

// Short runs by insertion, then merged by doubling: no worst case when one column holds all.
static void sort_bucket(const tal_broad_phase *b, const tal_body_box *boxes, int32_t *list,
                        int32_t count, int32_t *room) {
    enum { RUN = 24 };
    for (int32_t first = 0; first < count; first += RUN) {
        insertion_sort(b, boxes, &list[first], count - first < RUN ? count - first : RUN);
    }
    for (int64_t run = RUN; run < count; run *= 2) {
        for (int64_t first = 0; first + run < count; first += 2 * run) {
            const int64_t left = count - first;
            merge_halves(b, boxes, &list[first], (int32_t)run,
                         (int32_t)(left < 2 * run ? left : 2 * run), room);
        }
    }
}

static void extend_column(column *c, const tal_body_box *box) {
    tal_body_box *bounds = &c->bounds;
    bounds->low.x = box->low.x < bounds->low.x ? box->low.x : bounds->low.x;
    bounds->low.y = box->low.y < bounds->low.y ? box->low.y : bounds->low.y;
    bounds->low.z = box->low.z < bounds->low.z ? box->low.z : bounds->low.z;
    bounds->high.x = box->high.x > bounds->high.x ? box->high.x : bounds->high.x;
    bounds->high.y = box->high.y > bounds->high.y ? box->high.y : bounds->high.y;
    bounds->high.z = box->high.z > bounds->high.z ? box->high.z : bounds->high.z;
    c->end++;
}

static void list_columns(tal_broad_phase *b, const tal_body_box *boxes) {
    b->column_count = 0;
    for (int32_t bucket = 0; bucket < b->bucket_count; bucket++) {
        const int32_t start = b->bucket_start[bucket], end = b->bucket_start[bucket + 1];
        b->bucket_column[bucket] = b->column_count;
        if (start == end) {
            continue;
        }
        sort_bucket(b, boxes, &b->sorted[start], end - start, b->start);
        for (int32_t k = start; k < end; k++) {
            const int32_t body = b->sorted[k];
            b->sweep[k] = (sweep_box){.box = boxes[body], .body = body};
            if (k == start || !same_key(b->key[body], b->key[b->sorted[k - 1]])) {
                b->column[b->column_count++] = (column){b->key[body], k, k, boxes[body]};
            }
            extend_column(&b->column[b->column_count - 1], &boxes[body]);
        }
    }
    b->bucket_column[b->bucket_count] = b->column_count;
}

static void add_pair(pair_list *list, int32_t a, int32_t b) {
    if (list->count == list->capacity) {
        const int32_t larger = list->capacity < 512 ? 1024 : list->capacity / 2 * 3;
        uint64_t *memory = list->capacity < INT32_MAX / 2
                               ? tal_memory_grow(list->pair, (size_t)list->count, (size_t)larger,
                                                 sizeof *list->pair)
                               : NULL;
        if (memory == NULL) {
            list->status = TAL_NO_MEMORY;
            return;
        }
        list->pair = memory;
        list->capacity = larger;
    }
    const uint64_t i = (uint64_t)(a < b ? a : b), j = (uint64_t)(a < b ? b : a);
    list->pair[list->count++] = i << 32 | j;
}

static bool overlap_sideways(const tal_body_box *a, const tal_body_box *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y;
}

static void try_pair(const sweep_box *a, const sweep_box *b, pair_list *list) {
    if (overlap_sideways(&a->box, &b->box)) {
        add_pair(list, a->body, b->body);
    }
}

static void sweep_within(const tal_broad_phase *b, const column *c, pair_list *list) {
    for (int32_t k = c->start; k < c->end; k++) {
        const double top = b->sweep[k].box.high.z;
        for (int32_t m = k + 1; m < c->end && b->sweep[m].box.low.z <= top; m++) {
            try_pair(&b->sweep[k], &b->sweep[m], list);
        }
    }
}

// Upwards through both columns: the lower of the two next bodies meets all of the other column
// that begin before it ends.
static void sweep_between(const tal_broad_phase *b, const column *c, const column *d,
                          pair_list *list) {
    if (!overlap_sideways(&c->bounds, &d->bounds) || c->bounds.low.z > d->bounds.high.z ||
        d->bounds.low.z > c->bounds.high.z) {
        return;
    }
    int32_t k = c->start, m = d->start;
    while (k < c->end && m < d->end) {
        const bool first_is_lower = b->sweep[k].box.low.z <= b->sweep[m].box.low.z;
        const sweep_box *lower = first_is_lower ? &b->sweep[k++] : &b->sweep[m++];
        const column *other = first_is_lower ? d : c;
        if (!overlap_sideways(&lower->box, &other->bounds)) {
            continue;
        }
        for (int32_t n = first_is_lower ? m : k;
             n < other->end && b->sweep[n].box.low.z <= lower->box.high.z; n++) {
            try_pair(lower, &b->sweep[n], list);
        }
    }
}

static void sweep_with_key(const tal_broad_phase *b, const column *c, column_key key,
                           pair_list *list) {
    const int32_t bucket = bucket_of(b, key);
    for (int32_t k = b->bucket_column[bucket]; k < b->bucket_column[bucket + 1]; k++) {
        if (same_key(b->column[k].key, key)) {
            sweep_between(b, c, &b->column[k], list);
        }
    }
}

// A coordinate of the coarser level: sizes differ by powers of two, so cells nest exactly.
static int32_t coarser(int32_t coordinate, int32_t levels) {
    const int64_t width = (int64_t)1 << LEVEL_BITS * levels;
    const int64_t k = coordinate;
    return (int32_t)((k >= 0 ? k : k - width + 1) / width);
}

static void pair_column(const tal_broad_phase *b, const column *c, pair_list *list) {
    static const int32_t forward[4][2] = {{1, -1}, {1, 0}, {1, 1}, {0, 1}};
    const column_key own = c->key;
    sweep_within(b, c, list);
    for (int n = 0; n < 4; n++) {
        sweep_with_key(b, c, (column_key){own.x + forward[n][0], own.y + forward[n][1], own.level},
                       list);
    }
    for (int32_t level = 0; level < own.level; level++) {
        for (int32_t n = 0; n < 9 && b->level_used[level]; n++) {
            const column_key key = {coarser(own.x, own.level - level) + n % 3 - 1,
                                    coarser(own.y, own.level - level) + n / 3 - 1, level};
            sweep_with_key(b, c, key, list);
        }
    }
}

static void pair_columns(const tal_broad_phase *b, int32_t first, int32_t end, pair_list *list) {
    list->count = 0;
    list->status = TAL_OK;
    for (int32_t k = first; k < end; k++) {
        pair_column(b, &b->column[k], list);
    }
}

static void sort_partners(int32_t *partner, int32_t count) {
    for (int32_t k = 1; k < count; k++) {
        const int32_t moving = partner[k];
        int32_t m = k;
        for (; m > 0 && partner[m - 1] > moving; m--) {
            partner[m] = partner[m - 1];
        }
        partner[m] = moving;
    }
}

// Rising order of a long list (one body among thousands of small ones): heap sort.
static void sift_down(int32_t *heap, int32_t root, int32_t count) {
    for (int32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child] ? 1 : 0;
        if (heap[root] >= heap[child]) {
            return;
        }
        const int32_t swap = heap[root];
        heap[root] = heap[child];
        heap[child] = swap;
        root = child;
    }
}

static void sort_many_partners(int32_t *partner, int32_t count) {
    for (int32_t k = count / 2 - 1; k >= 0; k--) {
        sift_down(partner, k, count);
    }
    for (int32_t last = count - 1; last > 0; last--) {
        const int32_t swap = partner[0];
        partner[0] = partner[last];
        partner[last] = swap;
        sift_down(partner, 0, last);
    }
}

static tal_status make_partner_room(tal_broad_phase *b, int64_t pairs, tal_error *err) {
    if (pairs <= b->partner_capacity) {
        return TAL_OK;
    }
    const int64_t larger = pairs + pairs / 2;
    int32_t *memory = larger < INT32_MAX ? tal_memory_create((size_t)larger, sizeof *memory) : NULL;
    if (memory == NULL) {
        return tal_memory_failed(err, "pairs of bodies", (size_t)larger, sizeof *memory);
    }
    tal_memory_destroy(b->partner);
    b->partner = memory;
    b->partner_capacity = (int32_t)larger;
    return TAL_OK;
}

static tal_status sort_candidates(tal_broad_phase *b, int thread_count, tal_candidates *found,
                                  tal_error *err) {
    int64_t total = 0;
    for (int t = 0; t < thread_count; t++) {
        if (b->list[t].status != TAL_OK) {
            return TAL_FAIL(err, b->list[t].status, "no memory for pairs of bodies");
        }
        total += b->list[t].count;
    }
    TAL_TRY(make_partner_room(b, total, err));
    for (int32_t k = 0; k <= b->body_count; k++) {
        b->start[k] = 0;
    }
    for (int t = 0; t < thread_count; t++) {
        for (int32_t k = 0; k < b->list[t].count; k++) {
            b->start[(b->list[t].pair[k] >> 32) + 1]++;
        }
    }
    for (int32_t k = 0; k < b->body_count; k++) {
        b->start[k + 1] += b->start[k];
        b->cursor[k] = b->start[k];
    }
    for (int t = 0; t < thread_count; t++) {
        for (int32_t k = 0; k < b->list[t].count; k++) {
            const uint64_t pair = b->list[t].pair[k];
            b->partner[b->cursor[pair >> 32]++] = (int32_t)(uint32_t)pair;
        }
    }
    for (int32_t k = 0; k < b->body_count; k++) {
        const int32_t count = b->start[k + 1] - b->start[k];
        if (count <= 1) {
            continue; // nothing to sort, or no list at all
        }
        if (count <= 64) {
            sort_partners(&b->partner[b->start[k]], count);
        } else {
            sort_many_partners(&b->partner[b->start[k]], count);
        }
    }
    *found =
        (tal_candidates){.start = b->start, .partner = b->partner, .pair_count = (int32_t)total};
    return TAL_OK;
}

static tal_status make_thread_room(tal_broad_phase *b, int thread_count, tal_error *err) {
    if (thread_count <= b->thread_capacity) {
        return TAL_OK;
    }
    pair_list *memory =
        tal_memory_grow(b->list, (size_t)b->thread_capacity, (size_t)thread_count, sizeof *memory);
    if (memory == NULL) {
        return tal_memory_failed(err, "threads", (size_t)thread_count, sizeof *memory);
    }
    b->list = memory;
    b->thread_capacity = thread_count;
    return TAL_OK;
}

typedef struct {
    tal_broad_phase *broad_phase;
    int threads;
} shares;

// One share of the columns each, in a list of its own.
static void pair_shares(void *context, int64_t first_share, int64_t end_share) {
    const shares *s = context;
    tal_broad_phase *b = s->broad_phase;
    for (int64_t t = first_share; t < end_share; t++) {
        const int32_t first = (int32_t)(b->column_count * t / s->threads);
        const int32_t end = (int32_t)(b->column_count * (t + 1) / s->threads);
        pair_columns(b, first, end, &b->list[t]);
    }
}

tal_status tal_broad_phase_find(tal_broad_phase *b, const tal_body_box *boxes, int thread_count,
                                tal_candidates *found, tal_error *err) {
    const int threads = thread_count > 1 ? thread_count : 1;
    TAL_TRY(make_thread_room(b, threads, err));
    choose_levels(b, boxes);
    assign_columns(b, boxes);
    sort_into_buckets(b);
    list_columns(b, boxes);
    tal_threads_loop(threads, threads, 1, pair_shares, &(shares){b, threads});
    return sort_candidates(b, threads, found, err);
}

static bool is_listed(const tal_broad_phase *b, int32_t i, int32_t j) {
    int32_t low = b->start[i], high = b->start[i + 1];
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (b->partner[middle] < j) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < b->start[i + 1] && b->partner[low] == j;
}

static void add_pairs_of(const tal_broad_phase *b, const tal_body_box *boxes, int32_t body,
                         pair_list *list) {
    const tal_body_box box = boxes[body];
    for (int32_t k = 0; k < b->body_count && box_is_usable(&box); k++) {
        if (box.low.z <= boxes[k].high.z && boxes[k].low.z <= box.high.z &&
            overlap_sideways(&box, &boxes[k]) && k != body && box_is_usable(&boxes[k]) &&
            !is_listed(b, k < body ? k : body, k < body ? body : k)) {
            add_pair(list, body, k);
        }
    }
}

// Rising, each once: two that moved find each other twice. Shell's sort: mostly a handful.
static void sort_added(pair_list *list) {
    for (int32_t gap = list->count / 2; gap > 0; gap /= 2) {
        for (int32_t k = gap; k < list->count; k++) {
            const uint64_t moving = list->pair[k];
            int32_t m = k;
            for (; m >= gap && list->pair[m - gap] > moving; m -= gap) {
                list->pair[m] = list->pair[m - gap];
            }
            list->pair[m] = moving;
        }
    }
    int32_t kept = 0;
    for (int32_t k = 0; k < list->count; k++) {
        if (kept == 0 || list->pair[kept - 1] != list->pair[k]) {
            list->pair[kept++] = list->pair[k];
        }
    }
    list->count = kept;
}

static tal_status grow_partners(tal_broad_phase *b, int32_t count, int32_t added, tal_error *err) {
    const int64_t wanted = (int64_t)count + added, larger = wanted + wanted / 2;
    if (wanted <= b->partner_capacity) {
        return TAL_OK;
    }
    int32_t *memory = larger < INT32_MAX ? tal_memory_grow(b->partner, (size_t)count,
                                                           (size_t)larger, sizeof *memory)
                                         : NULL;
    if (memory == NULL) {
        return tal_memory_failed(err, "pairs of bodies", (size_t)larger, sizeof *memory);
    }
    b->partner = memory;
    b->partner_capacity = (int32_t)larger;
    return TAL_OK;
}

// Puts the pairs of the list where they belong, from behind, and their places into the list.
static void insert_added(tal_broad_phase *b, pair_list *list) {
    int32_t end = b->start[b->body_count], n = list->count;
    for (int32_t i = b->body_count - 1; i >= 0 && n > 0; i--) {
        const int32_t first = b->start[i];
        b->start[i + 1] += n;
        while (n > 0 && (int32_t)(list->pair[n - 1] >> 32) == i) {
            const int32_t j = (int32_t)(uint32_t)list->pair[n - 1];
            int32_t k = end;
            while (k > first && b->partner[k - 1] > j) {
                k--;
            }
            memmove(&b->partner[k + n], &b->partner[k], (size_t)(end - k) * sizeof *b->partner);
            b->partner[k + n - 1] = j;
            list->pair[n - 1] = (uint64_t)(k + n - 1);
            end = k;
            n--;
        }
        memmove(&b->partner[first + n], &b->partner[first],
                n > 0 ? (size_t)(end - first) * sizeof *b->partner : 0);
        end = first;
    }
}

tal_status tal_broad_phase_add(tal_broad_phase *b, const tal_body_box *boxes, const int32_t *moved,
                               int32_t moved_count, tal_candidates *found, tal_error *err) {
    pair_list *list = &b->list[0];
    const int32_t count = b->start[b->body_count];
    list->count = 0;
    list->status = TAL_OK;
    for (int32_t k = 0; k < moved_count; k++) {
        add_pairs_of(b, boxes, moved[k], list);
    }
    if (list->status != TAL_OK) {
        return TAL_FAIL(err, list->status, "no memory for pairs of bodies");
    }
    sort_added(list);
    TAL_TRY(grow_partners(b, count, list->count, err));
    insert_added(b, list);
    *found = (tal_candidates){.start = b->start,
                              .partner = b->partner,
                              .pair_count = count + list->count,
                              .added = list->pair,
                              .added_count = list->count};
    return TAL_OK;
}

static tal_status create_arrays(tal_broad_phase *b, tal_error *err) {
    const size_t bodies = (size_t)b->body_count;
    b->bucket_count = 16;
    while (b->bucket_count < 2 * (int64_t)b->body_count && b->bucket_count < 1 << 28) {
        b->bucket_count *= 2;
    }
    TAL_CREATE(b->key, bodies, "body cells", err);
    TAL_CREATE(b->bucket_start, (size_t)b->bucket_count + 1, "body cells", err);
    TAL_CREATE(b->bucket_column, (size_t)b->bucket_count + 1, "body cells", err);
    TAL_CREATE(b->sorted, bodies, "body cells", err);
    TAL_CREATE(b->sweep, bodies, "body cells", err);
    TAL_CREATE(b->column, bodies, "body cells", err);
    TAL_CREATE(b->start, bodies + 1, "pairs of bodies", err);
    TAL_CREATE(b->cursor, bodies + 1, "pairs of bodies", err);
    return TAL_OK;
}

tal_status tal_broad_phase_create(tal_broad_phase **broad_phase, int32_t body_count,
                                  tal_error *err) {
    *broad_phase = NULL;
    tal_broad_phase *b;
    TAL_CREATE(b, 1, "the broad phase", err);
    b->body_count = body_count;
    const tal_status status = create_arrays(b, err);
    if (status != TAL_OK) {
        tal_broad_phase_destroy(b);
        return status;
    }
    *broad_phase = b;
    return TAL_OK;
}

void tal_broad_phase_destroy(tal_broad_phase *b) {
    if (b == NULL) {
        return;
    }
    for (int t = 0; t < b->thread_capacity; t++) {
        tal_memory_destroy(b->list[t].pair);
    }
    tal_memory_destroy(b->list);
    tal_memory_destroy(b->key);
    tal_memory_destroy(b->bucket_start);
    tal_memory_destroy(b->bucket_column);
    tal_memory_destroy(b->sorted);
    tal_memory_destroy(b->sweep);
    tal_memory_destroy(b->column);
    tal_memory_destroy(b->start);
    tal_memory_destroy(b->cursor);
    tal_memory_destroy(b->partner);
    tal_memory_destroy(b);
}
