// SPDX-License-Identifier: GPL-3.0-or-later
// What is kept of one rock.
#include "solver/program/release/rock.h"

#include "core/base/memory.h"

tal_status tal_fallen_rock_create(tal_fallen_rock *rock, int32_t vertices_max, tal_error *err) {
    *rock = (tal_fallen_rock){0};
    TAL_CREATE(rock->start.vertex, (size_t)vertices_max, "a rock", err);
    return TAL_OK;
}

void tal_fallen_rock_destroy(tal_fallen_rock *rock) {
    tal_memory_destroy(rock->start.vertex);
    tal_memory_destroy(rock->sample);
    tal_memory_destroy(rock->meeting);
    *rock = (tal_fallen_rock){0};
}

tal_status tal_fallen_rock_add_sample(tal_fallen_rock *rock, const tal_fall_sample *sample,
                                      tal_error *err) {
    if (rock->summary.sample_count == rock->sample_room) {
        const int32_t room = 2 * rock->sample_room + 256;
        TAL_GROW(rock->sample, (size_t)rock->sample_room, (size_t)room, "a trajectory", err);
        rock->sample_room = room;
    }
    rock->sample[rock->summary.sample_count++] = *sample;
    return TAL_OK;
}

tal_status tal_fallen_rock_add_meeting(tal_fallen_rock *rock, const tal_rock_meeting *meeting,
                                       tal_error *err) {
    if (rock->summary.meeting_count == rock->meeting_room) {
        const int32_t room = 2 * rock->meeting_room + 16;
        TAL_GROW(rock->meeting, (size_t)rock->meeting_room, (size_t)room, "a trajectory", err);
        rock->meeting_room = room;
    }
    rock->meeting[rock->summary.meeting_count++] = *meeting;
    return TAL_OK;
}
