// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver/detect/answers.h"

#include "core/base/memory.h"

static void exchange(tal_manifolds *a, tal_manifolds *b) {
    const tal_manifolds kept = *a;
    *a = *b;
    *b = kept;
}

void tal_answers_destroy(tal_answers *answers) {
    tal_manifolds_destroy(&answers->now);
    tal_manifolds_destroy(&answers->last);
}

void tal_answers_begin(tal_answers *answers, bool may_copy) {
    answers->has_last = may_copy && answers->has_now && answers->lent == NULL;
    answers->has_now = false;
    answers->lent = NULL;
    if (answers->has_last) {
        exchange(&answers->last, &answers->now);
    }
}

void tal_answers_end(tal_answers *answers) {
    answers->has_now = true;
}

tal_status tal_answers_make_room(tal_answers *answers, int32_t manifolds, int32_t points,
                                 tal_error *err) {
    tal_manifolds *now = &answers->now;
    if (manifolds > now->manifold_capacity || points > now->point_capacity) {
        tal_manifolds_destroy(now);
        const int32_t manifold_room = manifolds + manifolds / 2;
        const int32_t point_room = points + points / 2;
        TAL_CREATE(now->manifold, (size_t)manifold_room, "contact manifolds", err);
        TAL_CREATE(now->point, (size_t)point_room, "contact points", err);
        now->manifold_capacity = manifold_room;
        now->point_capacity = point_room;
    }
    now->manifold_count = manifolds;
    now->point_count = points;
    return TAL_OK;
}

void tal_answers_take(tal_answers *answers, tal_manifolds *list) {
    TAL_ASSERT(answers->has_now && answers->lent == NULL);
    exchange(&answers->now, list);
    answers->lent = list->point;
}

void tal_answers_give_back(tal_answers *answers, tal_manifolds *list) {
    if (answers->lent != NULL && answers->lent == list->point) {
        exchange(&answers->now, list);
        answers->lent = NULL;
    } else if (answers->last.point_capacity < list->point_capacity) {
        exchange(&answers->last, list);
    }
}

void tal_manifolds_forget(tal_manifolds *list) {
    tal_memory_forget(list->point, 0, (size_t)list->point_capacity, sizeof *list->point);
    tal_memory_forget(list->manifold, 0, (size_t)list->manifold_capacity, sizeof *list->manifold);
    list->manifold_count = list->point_count = 0;
}

static void forget_large(tal_manifolds *list) {
    if (tal_is_worth_forgetting((size_t)list->point_capacity, sizeof *list->point)) {
        tal_manifolds_forget(list);
    }
    list->manifold_count = list->point_count = 0;
}

void tal_answers_forget(tal_answers *answers) {
    forget_large(&answers->last);
    if (!answers->has_now || answers->lent != NULL) {
        forget_large(&answers->now);
    }
}
