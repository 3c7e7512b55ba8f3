// SPDX-License-Identifier: GPL-3.0-or-later
// The pairs of a set sorted into batches and singles, and the room for all of them.
#include "core/base/memory.h"
#include "core/base/threads.h"
#include "solver/percussion/sweep_set.h"

#include <string.h>

// In smaller islands most lanes would stay empty.
enum { BATCHED_PAIRS_MIN = 32 };
// Room for pairs that join an island later: a share of its own and some more. In heaps of boxes less than a fiftieth do.
enum { SPARE_SHARE = 16, SPARE_BATCHES = 4 };
// Some microseconds of work: less is not worth sharing. Sorting a pair takes nanoseconds.
enum { BATCHES_PER_PIECE = 4, SORTED_PAIRS_MIN = 1024 };

// The colors from this one on have joined the island since its batches were filled.
static int32_t first_added(const tal_island *island) {
    return island->color_count - island->added_color_count;
}

// Batches of one color: its pairs sorted by their number of points, the most first, lane by lane. Fewer pairs
// never need more of either.
static void count_batches(const int32_t of_count[TAL_BATCH_POINTS_MAX + 1], int32_t *batches,
                          int32_t *points) {
    int32_t lane = 0;
    for (int32_t count = TAL_BATCH_POINTS_MAX; count > 0; count--) {
        const int32_t first = (lane + TAL_LANES - 1) / TAL_LANES;
        lane += of_count[count];
        const int32_t end = (lane + TAL_LANES - 1) / TAL_LANES;
        *batches += end - first;
        *points += count * (end - first);
    }
}

static void count_island(const tal_percussion_problem *problem, const tal_island *island,
                         int32_t *batches, int32_t *points) {
    for (int32_t c = 0; c < island->color_count; c++) {
        int32_t of_count[TAL_BATCH_POINTS_MAX + 1] = {0};
        for (int32_t p = tal_color_begin(problem, island, c); p < tal_color_end(problem, island, c);
             p++) {
            const int32_t count = problem->pair[p].contact_count;
            of_count[count <= TAL_BATCH_POINTS_MAX ? count : 0]++;
        }
        count_batches(of_count, batches, points);
    }
}

static tal_status grow(tal_batches *b, int32_t batches, int32_t points, tal_error *err) {
    const size_t batch_room = 2 * ((size_t)batches + (size_t)batches / 2);
    const size_t point_room = 2 * ((size_t)points + (size_t)points / 2);
    tal_memory_destroy(b->batch);
    tal_memory_destroy(b->point);
    tal_memory_destroy(b->percussion);
    tal_memory_destroy(b->course);
    tal_memory_destroy(b->opening);
    b->batch = NULL;
    b->point = NULL;
    b->percussion = NULL;
    b->course = NULL;
    b->opening = NULL;
    b->batch_capacity = b->point_capacity = 0;
    TAL_CREATE(b->batch, batch_room, "batches of pairs", err);
    TAL_CREATE(b->point, point_room, "points of batches", err);
    TAL_CREATE(b->percussion, point_room, "percussions of batches", err);
    TAL_CREATE(b->course, point_room / 2, "changes of batches", err);
    TAL_CREATE(b->opening, point_room / 2, "openings of batches", err);
    b->batch_capacity = (int32_t)(batch_room / 2);
    b->point_capacity = (int32_t)(point_room / 2);
    return TAL_OK;
}

tal_status tal_batches_reserve(tal_batches *b, const tal_percussion_problem *problem,
                               tal_error *err) {
    int32_t batches = 0, points = 0;
    b->are_filled = false;
    for (int32_t n = 0; n < problem->island_count; n++) {
        const bool is_batched = problem->island[n].pair_count >= BATCHED_PAIRS_MIN;
        int32_t *room = b->room[n];
        room[0] = room[1] = 0;
        b->place[n][0] = is_batched ? batches : -1;
        b->place[n][1] = points;
        if (is_batched) {
            count_island(problem, &problem->island[n], &room[0], &room[1]);
            room[0] += room[0] / SPARE_SHARE + SPARE_BATCHES;
            room[1] += room[1] / SPARE_SHARE + SPARE_BATCHES * TAL_BATCH_POINTS_MAX;
        }
        batches += room[0];
        points += room[1];
    }
    return batches <= b->batch_capacity && points <= b->point_capacity
               ? TAL_OK
               : grow(b, batches, points, err);
}

bool tal_batches_have_room(const tal_batches *b, const tal_percussion_problem *problem,
                           int32_t island) {
    int32_t batches = 0, points = 0;
    if (b->batch_capacity == 0 || b->place[island][0] < 0) {
        return false;
    }
    count_island(problem, &problem->island[island], &batches, &points);
    return batches <= b->room[island][0] && points <= b->room[island][1];
}

static bool are_worth_forgetting(const tal_batches *b) {
    return tal_is_worth_forgetting((size_t)b->point_capacity, sizeof *b->point);
}

static void forget_constants(const tal_batches *b, size_t first_batch, size_t first_point) {
    tal_memory_forget(b->batch, first_batch, (size_t)b->batch_capacity, sizeof *b->batch);
    tal_memory_forget(b->point, first_point, (size_t)b->point_capacity, sizeof *b->point);
}

void tal_batches_pause(const tal_batches *b) {
    const size_t batches = (size_t)b->batch_capacity, points = (size_t)b->point_capacity;
    if (are_worth_forgetting(b)) {
        forget_constants(b, batches, points);
        tal_memory_forget(b->percussion, 0, 2 * points, sizeof *b->percussion);
        tal_memory_forget(b->course, 0, points, sizeof *b->course);
    }
}

void tal_batches_forget(tal_batches *b) {
    tal_batches_pause(b);
    if (are_worth_forgetting(b)) {
        forget_constants(b, 0, 0);
        tal_memory_forget(b->opening, 0, (size_t)b->point_capacity, sizeof *b->opening);
        b->are_filled = false;
    }
}

// A color of a set being filled: how many pairs for batches it has with how many points, and where its
// batches, their points and its singles begin.
typedef struct {
    int32_t of_count[TAL_BATCH_POINTS_MAX + 1];
    int32_t batched_count, single_count, contact_count, single_contact_count;
    int32_t first_batch, first_point, first_single, first_single_contact;
} color_part;

// Colors are filled side by side: first they are sorted, each into its own places of `sorted`, then all know
// where they begin.
typedef struct {
    tal_sweep_set *set;
    int32_t *sorted;
    bool is_hot, is_filled;
    color_part part[TAL_COLOR_MAX + 1];
} fill_loop;

static int32_t *sorted_of(const fill_loop *l, int32_t color) {
    return &l->sorted[tal_color_begin(l->set->problem, l->set->island, color) -
                      l->set->island->first_pair];
}

// The pairs of a color that the set takes: those for batches from the front, the others from the back.
static void sort_color(fill_loop *l, int32_t color) {
    const tal_sweep_set *set = l->set;
    const bool may_batch = set->batch != NULL && !tal_color_is_serial(set->island, color) &&
                           (color < first_added(set->island) || set->island->added_are_batched);
    const int32_t first = tal_color_begin(set->problem, set->island, color);
    const int32_t end = tal_color_end(set->problem, set->island, color);
    int32_t *sorted = sorted_of(l, color);
    color_part *part = &l->part[color];
    *part = (color_part){0};
    for (int32_t p = first; p < end; p++) {
        const tal_pair *pair = &set->problem->pair[p];
        if (l->is_hot && !set->work->is_listed[p]) {
            continue;
        }
        part->contact_count += pair->contact_count;
        if (may_batch && pair->is_dry && pair->contact_count <= TAL_BATCH_POINTS_MAX) {
            part->of_count[pair->contact_count]++;
            sorted[part->batched_count++] = p;
        } else {
            sorted[end - first - ++part->single_count] = p;
            part->single_contact_count += pair->contact_count;
        }
    }
}

// Of a color whose pairs are sorted by their number of points, the most first, lane by lane.
static void place_batches(const tal_sweep_set *set, const color_part *part) {
    int32_t lane = 0, next_point = part->first_point;
    for (int32_t points = TAL_BATCH_POINTS_MAX; points > 0; points--) {
        for (int32_t end = lane + part->of_count[points]; lane < end; lane++) {
            if (lane % TAL_LANES == 0) {
                tal_batch *batch = &set->batch[part->first_batch + lane / TAL_LANES];
                *batch = (tal_batch){.point_count = points, .first_point = next_point};
                memset(batch->pair, -1, sizeof batch->pair);
                next_point += points;
            }
        }
    }
}

// Gives the sorted pairs their lanes; in batches that are filled, too: pairs may have moved (extend.h).
static void place_pairs(const fill_loop *l, int32_t color) {
    const tal_sweep_set *set = l->set;
    const color_part *part = &l->part[color];
    const int32_t *pair = sorted_of(l, color);
    int32_t next[TAL_BATCH_POINTS_MAX + 1], lane = 0;
    for (int32_t points = TAL_BATCH_POINTS_MAX; points > 0; points--) {
        next[points] = lane;
        lane += part->of_count[points];
    }
    for (int32_t n = 0; n < part->batched_count; n++) {
        const tal_pair *placed = &set->problem->pair[pair[n]];
        const int32_t to = next[placed->contact_count]++;
        tal_batch *batch = &set->batch[part->first_batch + to / TAL_LANES];
        batch->pair[to % TAL_LANES] = pair[n];
        if (!l->is_hot) {
            set->lane_of[pair[n] - set->island->first_pair] = TAL_LANES * part->first_batch + to;
        }
        batch->first_contact[to % TAL_LANES] = placed->first_contact;
    }
}

static void place_singles(const fill_loop *l, int32_t color) {
    const color_part *part = &l->part[color];
    const int32_t size = tal_color_end(l->set->problem, l->set->island, color) -
                         tal_color_begin(l->set->problem, l->set->island, color);
    int32_t contact = part->first_single_contact;
    for (int32_t n = 0; n < part->single_count; n++) {
        const int32_t number = sorted_of(l, color)[size - 1 - n];
        l->set->single[part->first_single + n] = number;
        if (!l->is_hot) {
            l->set->lane_of[number - l->set->island->first_pair] = contact;
            contact += l->set->problem->pair[number].contact_count;
        }
    }
}

static void sort_colors(void *context, int64_t first, int64_t end) {
    for (int32_t c = (int32_t)first; c < end; c++) {
        sort_color(context, c);
    }
}

static void place_colors(void *context, int64_t first, int64_t end) {
    const fill_loop *l = context;
    for (int32_t c = (int32_t)first; c < end; c++) {
        if (!l->is_filled || c >= first_added(l->set->island)) {
            place_batches(l->set, &l->part[c]);
        }
        place_pairs(l, c);
        place_singles(l, c);
    }
}

// Color after color in what the set has room for.
static void line_up_colors(fill_loop *l) {
    tal_sweep_set *set = l->set;
    int32_t batches = 0, points = 0, singles = 0, single_contacts = 0;
    for (int32_t c = 0; c < set->island->color_count; c++) {
        color_part *part = &l->part[c];
        part->first_batch = batches;
        part->first_point = points;
        part->first_single = singles;
        part->first_single_contact = single_contacts;
        count_batches(part->of_count, &batches, &points);
        singles += part->single_count;
        single_contacts += part->single_contact_count;
        set->contact_count += part->contact_count;
        set->batch_end[c] = batches;
        set->single_end[c] = singles;
    }
}

// A loop over a part of a set.
typedef struct {
    const tal_sweep_set *set;
    int32_t first; // place of item 0
} set_loop;

static void fill_batches(void *context, int64_t first, int64_t end) {
    const tal_sweep_set *set = ((const set_loop *)context)->set;
    const tal_percussion_problem *problem = set->problem;
    const int32_t at = ((const set_loop *)context)->first;
    for (int64_t n = at + first; n < at + end; n++) {
        tal_batch *batch = &set->batch[n];
        tal_batch_point *point = &set->point[batch->first_point];
        int32_t pair[TAL_LANES];
        bool is_full = true;
        memcpy(pair, batch->pair, sizeof pair);
        for (int lane = 0; lane < TAL_LANES; lane++) {
            is_full = is_full && pair[lane] >= 0 &&
                      problem->pair[pair[lane]].contact_count == batch->point_count;
        }
        if (!is_full) {
            tal_batch_clear(batch, point, problem->body_count);
        }
        for (int lane = 0; lane < TAL_LANES; lane++) {
            if (pair[lane] >= 0) {
                tal_batch_set_lane(batch, point, lane, pair[lane], &problem->pair[pair[lane]],
                                   problem->contact, problem->inertia);
            }
        }
    }
}

static bool is_hot_kind(tal_set_kind kind) {
    return kind == TAL_SET_HOT || kind == TAL_SET_HOT_EXACT;
}

static void take_room(tal_sweep_set *set, int32_t island, tal_set_kind kind) {
    const tal_batches *b = &set->work->batches;
    const bool is_hot = is_hot_kind(kind), is_exact = kind != TAL_SET_ALL && kind != TAL_SET_HOT;
    if (b->batch_capacity > 0 && b->place[island][0] >= 0 && !is_exact) {
        const int32_t batch = b->place[island][0] + (is_hot ? b->batch_capacity : 0);
        const int32_t first = b->place[island][1], point = first + (is_hot ? b->point_capacity : 0);
        set->batch = &b->batch[batch];
        set->point = &b->point[point];
        set->percussion = &b->percussion[point];
        set->course = &b->course[first]; // a hot list has no more points than all pairs
        set->opening = is_hot ? NULL : &b->opening[point];
    }
    set->single = &set->work->listed[4 * (ptrdiff_t)set->island->first_pair];
    set->lane_of = &set->single[3 * (ptrdiff_t)set->island->pair_count];
    set->single += is_hot ? set->island->pair_count : 0;
}

void tal_sweep_set_fill(tal_sweep_set *set, const tal_percussion_problem *problem,
                        const tal_solver_work *work, int32_t number, int thread_count,
                        tal_set_kind kind) {
    const tal_island *island = &problem->island[number];
    TAL_ASSERT(island->pair_count > 0 && island->color_count <= TAL_COLOR_MAX + 1);
    *set = (tal_sweep_set){.problem = problem,
                           .work = work,
                           .island = island,
                           .thread_count = thread_count,
                           .body_count = island->body_count,
                           .body = &problem->island_body[island->first_body]};
    take_room(set, number, kind);
    fill_loop l; // most of its colors stay unused
    l.set = set;
    l.sorted = &work->listed[4 * (ptrdiff_t)island->first_pair + 2 * (ptrdiff_t)island->pair_count];
    l.is_hot = is_hot_kind(kind);
    l.is_filled = kind == TAL_SET_ALL && work->batches.are_filled;
    const int threads = island->pair_count < SORTED_PAIRS_MIN ? 1 : thread_count;
    tal_threads_loop(threads, island->color_count, 1, sort_colors, &l);
    line_up_colors(&l);
    TAL_ASSERT(set->batch == NULL ||
               set->batch_end[island->color_count - 1] <= work->batches.room[number][0]);
    tal_threads_loop(threads, island->color_count, 1, place_colors, &l);
    const int32_t filled = l.is_filled ? set->batch_end[first_added(island) - 1] : 0;
    tal_threads_loop(thread_count, set->batch_end[island->color_count - 1] - filled,
                     BATCHES_PER_PIECE, fill_batches, &(set_loop){set, filled});
}
