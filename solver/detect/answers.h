// SPDX-License-Identifier: GPL-3.0-or-later
// The answers of a collider and their room: the present one, which the caller may take for as long as it needs it,
// and the one before, from which a query copies what nothing has changed.
#ifndef TALUS_SOLVER_DETECT_ANSWERS_H
#define TALUS_SOLVER_DETECT_ANSWERS_H

#include "solver/detect/collide.h"

typedef struct {
    tal_manifolds now;  // to the last query; while one is at work, what it has found so far
    tal_manifolds last; // to the query before the one at work, if `has_last`
    bool has_now, has_last;
    const tal_contact_point *lent; // the points of the present answer if the caller has it
} tal_answers;

void tal_answers_destroy(tal_answers *answers);

// Before a query and after it has found all. `may_copy`: from the present answer, if that is still here.
void tal_answers_begin(tal_answers *answers, bool may_copy);
void tal_answers_end(tal_answers *answers);

// Room for so many in the present answer. What it holds is anything from now on.
tal_status tal_answers_make_room(tal_answers *answers, int32_t manifolds, int32_t points,
                                 tal_error *err);

// tal_collider_take_answer, tal_collider_give_back.
void tal_answers_take(tal_answers *answers, tal_manifolds *list);
void tal_answers_give_back(tal_answers *answers, tal_manifolds *list);

// All but the present answer goes back to the system if it is large; and any list, whatever its size.
void tal_answers_forget(tal_answers *answers);
void tal_manifolds_forget(tal_manifolds *list);

#endif
