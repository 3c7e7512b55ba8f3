// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks that deform, as a site file asks for them.
#include "core/app/body_check.h"

#include <math.h>
#include <string.h>

static void check_section(const tal_settings *s, const tal_body_settings *body,
                          bool names_are_known, tal_error *err) {
    const char *where = tal_settings_where_in(s, body, sizeof *body);
    if (names_are_known && strcmp(body->label, s->mesh.block_class) != 0) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [body.%s] names no surface class of the blocks of this site: they are "
                      "all %s",
                      where, body->label, s->mesh.block_class);
    }
    if (body->kind == TAL_BODY_FINITE_ELEMENT && isnan(body->element_m) &&
        s->mesh.blocks != TAL_BLOCKS_IMPORT) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [body.%s] kind = finite-element needs element_m, the longest edge of an "
                      "element; a third of a block is a beginning",
                      where, body->label);
    }
    if (body->kind != TAL_BODY_RIGID && s->release.rocks > 0) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [body.%s] kind: single rocks of a [release] are rigid; leave [body.%s] "
                      "out, or the [release]",
                      where, body->label, body->label);
    }
}

// Joints that blocks break along.
static void check_joint(const tal_settings *s, const tal_joint_settings *joint, bool deforms,
                        bool names_are_known, tal_error *err) {
    const char *where = tal_settings_where(s, &joint->tensile_strength_pa);
    if (isnan(joint->tensile_strength_pa)) {
        return;
    }
    if (isnan(joint->dip_deg) || isnan(joint->dip_direction_deg)) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [joint.%s] tensile_strength_pa needs dip_deg and dip_direction_deg: "
                      "blocks are weak along planes of that orientation",
                      where, joint->label);
    }
    if (isnan(s->break_.tensile_strength_pa)) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [joint.%s] tensile_strength_pa needs [break] tensile_strength_pa, the "
                      "strength of the rock between the joints",
                      where, joint->label);
    }
    if (!deforms) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [joint.%s] tensile_strength_pa asks for stresses, but all blocks are "
                      "rigid: add a section [body.%s] with kind = finite-element",
                      where, joint->label, s->mesh.block_class);
    }
    if (names_are_known && joint->block_class[0] != '\0' &&
        strcmp(joint->block_class, s->mesh.block_class) != 0) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [joint.%s] block_class = %s names no surface class of the blocks of "
                      "this site: they are all %s",
                      tal_settings_where(s, joint->block_class), joint->label, joint->block_class,
                      s->mesh.block_class);
    }
}

void tal_body_check(const tal_settings *s, bool names_are_known, tal_error *err) {
    bool deforms = false;
    for (int k = 0; k < s->body_count; k++) {
        check_section(s, &s->body[k], names_are_known, err);
        deforms = deforms || s->body[k].kind != TAL_BODY_RIGID;
    }
    if (s->break_.cut && isnan(s->break_.tensile_strength_pa)) {
        tal_error_add(err, TAL_BAD_SETTING,
                      "%s: [break] cut = yes needs tensile_strength_pa, above which blocks break",
                      tal_settings_where(s, &s->break_.cut));
    }
    for (int k = 0; s->break_.cut && k < s->body_count; k++) {
        if (s->body[k].kind == TAL_BODY_FINITE_ELEMENT && isnan(s->body[k].element_m)) {
            tal_error_add(err, TAL_BAD_SETTING,
                          "%s: [break] cut = yes needs element_m in [body.%s]: pieces are divided "
                          "into elements of their own",
                          tal_settings_where(s, &s->break_.cut), s->body[k].label);
        }
    }
    for (int k = 0; k < s->joint_count; k++) {
        check_joint(s, &s->joint[k], deforms, names_are_known, err);
    }
    if (!deforms && !isnan(s->break_.tensile_strength_pa)) {
        tal_error_add(
            err, TAL_BAD_SETTING,
            "%s: [break] tensile_strength_pa asks for stresses, but all blocks are rigid: "
            "add a section [body.%s] with kind = finite-element",
            tal_settings_where(s, &s->break_.tensile_strength_pa), s->mesh.block_class);
    }
}
